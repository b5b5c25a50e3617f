package report

import (
	"io/fs"

	"retrystorm/experiment"
)

// hopsTable is what happened between each caller and service, means over the
// replications.
func hopsTable(r *experiment.Result) *table {
	return keyed(r, "hops", func(l *lines, p *experiment.Point) {
		for i := range p.Hops {
			h := &p.Hops[i]
			l.row()
			l.edge(&h.Edge)
			l.number(h.Calls, h.Amplification, h.Timeouts, h.Refused, h.Reset, h.Status, h.Late, h.Withheld,
				h.Requests, h.Skipped, h.Busy, h.Wasted, h.WastedShare, h.Blocked)
		}
	}, edgeColumns(), columnsOf(numeric,
		"calls", "attempts sent, per replication",
		"amplification", "attempts per request started",
		"timeouts", "attempts that timed out",
		"refused", "attempts refused",
		"reset", "attempts whose connection was reset",
		"status", "attempts answered with a 4xx or 5xx status",
		"late", "answers that came after the caller had given up",
		"withheld", "attempts not made, for any reason",
		"requests", "calls that were wanted, each with all of its attempts",
		"skipped", "calls that requests did without",
		"busy_s", "service time that the calls of the hop were given",
		"wasted_s", "the part of it that was given when the caller had stopped waiting",
		"wasted_share", "wasted_s / busy_s; empty when no service was given",
		"blocked_share", "time in which all usable workers of the service called waited for others, as a share of the time from the warm-up to the last event"))
}

func readHops(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, hopsTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		h := experiment.Hop{Edge: readEdge(row, i)}
		for k, field := range []*float64{
			&h.Calls, &h.Amplification, &h.Timeouts, &h.Refused, &h.Reset, &h.Status, &h.Late, &h.Withheld,
			&h.Requests, &h.Skipped, &h.Busy, &h.Wasted, &h.WastedShare, &h.Blocked,
		} {
			*field = row.number(i + 5 + k)
		}
		p.Hops = append(p.Hops, h)
		return nil
	})
}
