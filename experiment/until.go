package experiment

import (
	"fmt"
	"strings"

	"retrystorm/scenarios"
)

// rule says when a point has enough replications.
type rule struct {
	metric    int
	what      Metric
	precision Precision
}

// newRule reads replications.until.
func (e *Experiment) newRule(u *scenarios.Precision) (*rule, error) {
	metric, err := e.named(u.Metric)
	if err != nil {
		return nil, err
	}
	p, err := e.precision(metric, u.Within)
	if err != nil {
		return nil, err
	}
	return &rule{metric: metric, what: e.metrics[metric].Metric, precision: p}, nil
}

// named finds a metric by the name it has in expectations, parts included.
func (e *Experiment) named(text string) (int, error) {
	ph, err := parseMetric(text)
	if err != nil {
		return none, err
	}
	var all parts
	t, err := e.term(ph, &all)
	if err != nil {
		return none, err
	}
	if !t.where.empty() {
		return none, fmt.Errorf("%s is about all points; a variant or a value of the sweep cannot be selected", text)
	}
	return t.metric, nil
}

// precision reads how precise a metric is to be: a share of it, or an amount.
func (e *Experiment) precision(metric int, within string) (p Precision, err error) {
	d := &e.metrics[metric]
	q, rest, problem := scanQuantity(within)
	switch {
	case problem != "" || strings.TrimSpace(rest) != "":
		return p, fmt.Errorf("within %q: it must be a share like 1%%, or %s", within, d.kind.what())
	case q.value <= 0:
		return p, fmt.Errorf("within %s: it must be above 0", within)
	case q.kind != fraction && q.kind != d.kind:
		return p, fmt.Errorf("within %s: %s is %s, so it must be that, or a share of it like 1%%", within, d.Name, d.kind.what())
	}
	return Precision{Within: q.value, Relative: q.kind == fraction && d.kind != fraction}, nil
}

// reached reports that the replications so far are precise enough.
func (r *rule) reached(done []replication) bool {
	values := make([]float64, len(done))
	for i := range done {
		values[i] = done[i].run.Values[r.metric]
	}
	if r.what.Quantile > 0 { // by sectioning in the end, which is close to this
		return r.precision.Reached(Mean(values))
	}
	return r.precision.Reached(estimate(&r.what, values))
}

// next is how many replications there are at the next look.
func (r *rule) next(n, most int) int { return NextLook(n, most) }
