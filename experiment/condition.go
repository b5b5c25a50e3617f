package experiment

import (
	"fmt"
	"math"
	"slices"
)

// condition is an expectation about one point, wherever that is.
type condition struct {
	e *Experiment
	x expectation
}

// condition parses an expectation that every point can be judged by alone. The
// metrics that it names become columns, so it must be parsed before points are
// run.
func (e *Experiment) condition(text string, line, col int) (*condition, error) {
	x, err := e.bind(text, line, col)
	switch {
	case err != nil:
		return nil, err
	case x.onBaseline():
		return nil, fmt.Errorf("this is about one point alone, and cannot be compared with a %s", baselineName)
	case !x.left.where.empty() || !x.right.where.empty():
		return nil, fmt.Errorf("this is about one point at a time, wherever it is: select no variant and no value of an axis")
	}
	return &condition{e, x}, nil
}

// judge says whether it holds at a point, and whether it does as the estimates
// see it: not where there is nothing to see. Equality with never is what most replications do, not all of them: the
// share that is never, with its interval, against a half.
func (c *condition) judge(p *Point) (Case, bool) {
	x := &c.x
	if x.op != "==" && x.op != "!=" || x.left.kind != forever && x.right.kind != forever {
		out := c.e.judge(x, p, p)
		switch out.Ruling {
		case Pass, Fail:
			return out, out.Ruling == Pass
		}
		l, r := c.e.side(&x.left, p), c.e.side(&x.right, p)
		b := newBand(x.op, r.value.Centre, x.slack(r.value.Centre))
		return out, !math.IsNaN(l.value.Centre) && b.holds(l.value.Centre)
	}
	metric := x.left.metric
	if metric == none {
		metric = x.right.metric
	}
	never := slices.Clone(p.values(metric))
	for i, v := range never {
		if !math.IsNaN(v) {
			never[i] = 0
			if math.IsInf(v, 1) {
				never[i] = 1
			}
		}
	}
	share := Share(never)
	op := ">"
	if x.op == "!=" {
		op = "<="
	}
	b := newBand(op, 0.5, 0)
	v := evidence{Estimate: share, values: never, share: true}
	out := Case{Point: p.name(c.e.axes), Detail: "never in " + withInterval(share, fraction, show) + " of the replications"}
	out.Ruling, out.Need = v.rule(&b)
	return out, !math.IsNaN(share.Centre) && b.holds(share.Centre)
}
