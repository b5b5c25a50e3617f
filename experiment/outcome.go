package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ending is how some replications of a point ended; without a name, how all did.
type ending struct {
	name         string
	replications []int
}

// endings tells the replications that were locked in from those that were not,
// if there are both.
func endings(metrics []definition, runs []Run) []ending {
	at := slices.IndexFunc(metrics, func(d definition) bool { return d.Name == "locked_in" })
	stuck, free, all := ending{name: "locked in"}, ending{name: "recovered"}, ending{}
	for r := range runs {
		all.replications = append(all.replications, r)
		switch runs[r].Values[at] {
		case 1:
			stuck.replications = append(stuck.replications, r)
		case 0:
			free.replications = append(free.replications, r)
		}
	}
	if len(stuck.replications) == 0 || len(free.replications) == 0 {
		return []ending{all}
	}
	return []ending{stuck, free}
}

// outcomes summarises each of several endings.
func outcomes(metrics []definition, runs []Run, ends []ending) []Outcome {
	if len(ends) == 1 {
		return nil
	}
	var out []Outcome
	for _, end := range ends {
		out = append(out, Outcome{
			Name: end.name, Replications: len(end.replications),
			Estimates: estimates(metrics, end.of(runs)),
		})
	}
	return out
}

// of are the runs that ended so.
func (e *ending) of(runs []Run) []Run {
	var out []Run
	for _, r := range e.replications {
		out = append(out, runs[r])
	}
	return out
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
		p.name(e.axes), p.Replications, strings.Join(counts, ", "), strings.Join(means, "; "))
}
