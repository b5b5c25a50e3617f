package report

import (
	"strings"

	"retrystorm/experiment"
)

// unfinished says how many requests were cut off by the end of the run, where
// most were; it is empty where all of them ended.
func unfinished(r *experiment.Result, rows []outcome) string {
	cut, all := metricIndex(r, "unfinished"), metricIndex(r, "requests")
	if cut < 0 || all < 0 {
		return ""
	}
	share := func(o *outcome) float64 { return o.estimates[cut].Centre / o.estimates[all].Centre }
	var worst *outcome
	started := false
	for i := range rows {
		o := &rows[i]
		started = started || o.estimates[all].Centre > 0
		if o.estimates[cut].Centre > 0 && (worst == nil || share(o) > share(worst)) {
			worst = o
		}
	}
	switch {
	case !started:
		return "no request was started before the run ended"
	case worst == nil:
		return ""
	}
	most, where := "", ""
	if len(rows) > 1 {
		most, where = "up to ", " ("+worst.name(r)+")"
	}
	return "unfinished when the run ended: " + most + Human(worst.estimates[cut].Centre, "") + " of " + Human(worst.estimates[all].Centre, "") + " requests per run" + where
}

// name tells an outcome from the others of its result.
func (o *outcome) name(r *experiment.Result) string {
	parts := []string{o.point.Variant + o.suffix()}
	for i, axis := range r.Axes {
		parts = append(parts, axis+" "+o.point.Sweep[i])
	}
	return strings.Join(parts, ", ")
}
