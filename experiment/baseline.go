package experiment

import (
	"fmt"
	"slices"
)

// baselineName stands in an expectation for the same metric at the same point
// of a result that was kept.
const baselineName = "baseline"

// baseline is what the expectations need of a result that was kept.
type baseline struct {
	// paired: its replications have the same random numbers.
	paired bool
	values map[past]kept
}

// past names a metric at a place.
type past struct{ place, metric string }

// kept is what the metric was.
type kept struct {
	value Estimate
	runs  []float64
}

// SetBaseline gives the result that expectations compare with where they say
// baseline. It must be of the same scenario, which may have changed, and have
// the metrics and the points that they need.
func (e *Experiment) SetBaseline(r *Result) error {
	if r.Scenario != e.head.Scenario {
		return fmt.Errorf("the baseline is of the scenario %s, and this is %s", r.Scenario, e.head.Scenario)
	}
	metrics := e.baselineMetrics()
	columns, err := findMetrics(r, metrics)
	if err != nil {
		return err
	}
	b := baseline{paired: uint64(r.Seed) == e.seed, values: map[past]kept{}}
	for i := range r.Points {
		if err := b.keep(r, i, metrics, columns); err != nil {
			return err
		}
	}
	if err := e.checkBaseline(&b); err != nil {
		return err
	}
	e.baseline = &b
	return nil
}

// NeedsBaseline is the first expectation that compares with a baseline, if there
// is one.
func (e *Experiment) NeedsBaseline() string {
	for i := range e.expectations {
		if e.expectations[i].onBaseline() {
			return e.expectations[i].text
		}
	}
	return ""
}

// baselineMetrics are the metrics that expectations compare with the baseline.
func (e *Experiment) baselineMetrics() []string {
	var out []string
	for i := range e.expectations {
		x := &e.expectations[i]
		if name := e.metricName(x); x.onBaseline() && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// metricName is what an expectation compares with the baseline: both sides are
// about the same.
func (e *Experiment) metricName(x *expectation) string {
	return e.metrics[x.left.metric].Name
}

// findMetrics finds the columns of metrics in a result.
func findMetrics(r *Result, metrics []string) ([]int, error) {
	var columns []int
	var missing []string
	for _, name := range metrics {
		i := slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.Name == name })
		if i < 0 {
			missing = append(missing, name)
		}
		columns = append(columns, i)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("the baseline lacks the metric %s%s: it was run without an expectation that names it", missing[0], andMore(len(missing)))
	}
	return columns, nil
}

// keep takes the metrics of a point. Points may have to be read for it.
func (b *baseline) keep(r *Result, point int, metrics []string, columns []int) error {
	p := &r.Points[point]
	if len(p.Runs) == 0 && r.Whole != nil {
		var err error
		if p, err = r.Whole(point); err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
	}
	if len(p.Runs) == 0 {
		return nil
	}
	at := place{variant: p.Variant, sweep: p.Sweep}
	for k, i := range columns {
		v := kept{value: p.Estimates[i]}
		for _, run := range p.Runs {
			v.runs = append(v.runs, run.Values[i])
		}
		b.values[past{at.key(), metrics[k]}] = v
	}
	return nil
}

// checkBaseline refuses a baseline without some of the points.
func (e *Experiment) checkBaseline(b *baseline) error {
	var missing []string
	for i := range e.expectations {
		x := &e.expectations[i]
		if !x.onBaseline() {
			continue
		}
		for _, pair := range e.pairs(x, e.points) {
			p := &e.points[pair[0]]
			at := name(p.variant, e.axes, p.sweep)
			if _, ok := b.values[past{p.key(), e.metricName(x)}]; !ok && !slices.Contains(missing, at) {
				missing = append(missing, at)
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the baseline lacks the point %s%s; this scenario has %d points", missing[0], andMore(len(missing)), len(e.points))
	}
	return nil
}

// andMore counts the rest of a list of which the first was named.
func andMore(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-1)
}

// onBaseline reports whether a side is the baseline.
func (x *expectation) onBaseline() bool { return x.left.baseline || x.right.baseline }
