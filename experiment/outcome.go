package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// outcomes tells the replications that were locked in from those that were not,
// if there are both.
func outcomes(metrics []definition, runs []Run) []Outcome {
	at := slices.IndexFunc(metrics, func(d definition) bool { return d.Name == "locked_in" })
	group := func(name string, value float64) Outcome {
		o := Outcome{Name: name}
		wanted := func(r int) bool { return runs[r].Values[at] == value }
		for r := range runs {
			if wanted(r) {
				o.Replications++
			}
		}
		if o.Replications > 0 {
			o.Estimates = estimates(metrics, runs, wanted)
		}
		return o
	}
	stuck, free := group("locked in", 1), group("recovered", 0)
	if stuck.Replications == 0 || free.Replications == 0 {
		return nil
	}
	return []Outcome{stuck, free}
}

// headline are the metrics that a note about outcomes quotes.
func headline() []string {
	return []string{"total_calls", "goodput", "failed_share", "completion_p99", "recovery"}
}

// note says in one sentence that a point's replications ended in two ways.
func (e *Experiment) note(p *Point) string {
	var counts, means []string
	for _, o := range p.Outcomes {
		counts = append(counts, strconv.Itoa(o.Replications)+" "+o.Name)
	}
	for _, name := range headline() {
		i := slices.IndexFunc(e.metrics, func(d definition) bool { return d.Name == name })
		d := &e.metrics[i]
		means = append(means, fmt.Sprintf("%s %s and %s", name,
			show(p.Outcomes[0].Estimates[i].Centre, d.kind), show(p.Outcomes[1].Estimates[i].Centre, d.kind)))
	}
	return fmt.Sprintf("%s: of %d replications %s; their means describe neither. Within each: %s",
		p.name(e.axes), len(p.Runs), strings.Join(counts, ", "), strings.Join(means, "; "))
}
