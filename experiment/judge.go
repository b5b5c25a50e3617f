package experiment

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Judge says which expectations hold at the points given, which may be a part
// of the experiment's. An expectation none of whose points are there is left
// out.
func (e *Experiment) Judge(points []Point) []Judgement {
	places := make([]place, len(points))
	for i := range points {
		places[i] = place{variant: points[i].Variant, sweep: points[i].Sweep}
	}
	var out []Judgement
	for i := range e.expectations {
		x := &e.expectations[i]
		pairs := e.pairs(x, places)
		if len(pairs) == 0 {
			continue
		}
		j := Judgement{Text: x.text, Line: x.line, Ruling: Pass}
		for _, pair := range pairs {
			l, r := &points[pair[0]], &points[pair[1]]
			c := e.compare(x, l, r)
			k := Case{Point: l.name(e.axes), Ruling: Unclear, Detail: c.detail}
			if c.decided {
				k.Ruling = Pass
				if !c.holds {
					k.Ruling = Fail
				}
			}
			j.Cases = append(j.Cases, k)
			if j.Ruling == Pass && (k.Ruling != Pass || len(pairs) == 1) || j.Ruling == Unclear && k.Ruling == Fail {
				j.Ruling, j.Detail = k.Ruling, k.Point+": "+k.Detail
			}
		}
		if j.Detail == "" {
			j.Detail = "holds at " + strconv.Itoa(len(pairs)) + " points"
		}
		out = append(out, j)
	}
	return out
}

// pairs are the points of the left and the right side, by index. One side is
// selected on its own; the other is at the same place except where its own
// selectors differ. A metric that is selected elsewhere is not compared with
// itself: total_calls < total_calls[none] is about the other variants.
func (e *Experiment) pairs(x *expectation, places []place) [][2]int {
	first, second := &x.left, &x.right
	if first.metric == none {
		first, second = second, first
	}
	at := make(map[string]int, len(places))
	for i := range places {
		at[places[i].key()] = i
	}
	var out [][2]int
	for i := range places {
		if !first.where.matches(&places[i]) {
			continue
		}
		j := i
		if second.metric != none {
			other, moved := second.where.from(&places[i])
			k, ok := at[other.key()]
			if !ok || moved && k == i && first.metric == second.metric {
				continue
			}
			j = k
		}
		if first == &x.left {
			out = append(out, [2]int{i, j})
		} else {
			out = append(out, [2]int{j, i})
		}
	}
	return out
}

func (s *selection) matches(p *place) bool {
	if s.variant != "" && s.variant != p.variant {
		return false
	}
	for i, v := range s.sweep {
		if v != "" && v != p.sweep[i] {
			return false
		}
	}
	return true
}

// empty reports whether nothing is selected.
func (s *selection) empty() bool {
	return s.variant == "" && !slices.ContainsFunc(s.sweep, func(v string) bool { return v != "" })
}

// from is where the selection leads from p, and whether it selects at all.
func (s *selection) from(p *place) (to place, moved bool) {
	to = place{variant: p.variant, sweep: slices.Clone(p.sweep)}
	if s.variant != "" {
		to.variant, moved = s.variant, true
	}
	for i, v := range s.sweep {
		if v != "" {
			to.sweep[i], moved = v, true
		}
	}
	return to, moved
}

// comparison is an expectation judged at one pair of points.
type comparison struct {
	holds   bool
	decided bool // the interval does not reach to the other side
	detail  string
}

// side is a term at a point.
type side struct {
	term  *term
	value Estimate
	runs  []float64 // per replication; nil for a quantity
}

func (e *Experiment) side(t *term, p *Point) side {
	if t.metric == none {
		return side{t, Estimate{Centre: t.value, Lo: t.value, Hi: t.value}, nil}
	}
	s := side{term: t, value: p.Estimates[t.metric]}
	s.value.Centre = float64(t.factor * s.value.Centre)
	s.value.Lo, s.value.Hi = float64(t.factor*s.value.Lo), float64(t.factor*s.value.Hi)
	for _, run := range p.Runs {
		s.runs = append(s.runs, float64(t.factor*run.Values[t.metric]))
	}
	return s
}

// run is the side's value in a replication.
func (s *side) run(r int) float64 {
	if s.runs == nil {
		return s.value.Centre
	}
	return s.runs[r]
}

// compare judges the expectation on the estimates; exact equality and
// inequality on every replication, so that recovery != never is not content
// with one that recovers.
func (e *Experiment) compare(x *expectation, lp, rp *Point) comparison {
	l, r := e.side(&x.left, lp), e.side(&x.right, rp)
	k := e.kind(x)
	a, b := l.value.Centre, r.value.Centre
	if math.IsNaN(a) || math.IsNaN(b) {
		return comparison{decided: true, detail: describe(x, a, b, k, "")}
	}
	runs := max(len(l.runs), len(r.runs))
	if x.tolerance == nil && (x.op == "==" || x.op == "!=") {
		for i := range runs {
			u, v := l.run(i), r.run(i)
			missing := math.IsNaN(u) || math.IsNaN(v)
			if missing || (u == v) != (x.op == "==") {
				return comparison{false, true, describe(x, u, v, k, " in replication "+strconv.Itoa(i+1))}
			}
		}
		return comparison{true, true, describe(x, a, b, k, "")}
	}
	slack := x.slack(b)
	c := comparison{holds: x.holds(a, b, slack), detail: describe(x, a, b, k, "")}
	c.decided = x.decided(&l, &r, slack, runs, c.holds)
	return c
}

func (e *Experiment) kind(x *expectation) kind {
	if x.left.metric != none {
		return e.metrics[x.left.metric].kind
	}
	return e.metrics[x.right.metric].kind
}

// slack is the tolerance as a number: a share of the right side, or absolute.
func (x *expectation) slack(right float64) float64 {
	switch t := x.tolerance; {
	case t == nil:
		return 0
	case t.kind == fraction:
		return float64(t.value * math.Abs(right))
	default:
		return t.value
	}
}

// holds compares two numbers, either of which may be infinite.
func (x *expectation) holds(a, b, slack float64) bool {
	equal := a == b || math.Abs(a-b) <= slack && !math.IsInf(a, 0) && !math.IsInf(b, 0)
	switch x.op {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "==":
		return equal
	default:
		return !equal
	}
}

// decided reports that the noise of the replications cannot turn the answer:
// all of them agree with it, or the whole 95 % interval does.
func (x *expectation) decided(l, r *side, slack float64, runs int, answer bool) bool {
	agree := 0
	for i := range runs {
		if x.holds(l.run(i), r.run(i), slack) == answer {
			agree++
		}
	}
	if agree == runs {
		return true
	}
	if l.runs != nil && r.runs != nil {
		c := Paired(l.runs, r.runs)
		if d := c.Difference; !math.IsNaN(d.Lo) {
			return x.same(d.Lo, d.Hi, 0, slack, answer)
		}
		c = SignTest(l.runs, r.runs)
		return c.P <= 1-level && x.holds(float64(c.direction()), 0, 0) == answer
	}
	m, limit := l, r.value.Centre
	if m.runs == nil {
		flipped := *x
		flipped.op = flip(x.op)
		return flipped.decided(r, l, slack, runs, answer)
	}
	if math.IsNaN(m.value.Lo) {
		return false
	}
	return x.same(m.value.Lo, m.value.Hi, limit, slack, answer)
}

// same reports that the answer is the same all over the interval: at its ends,
// and at the limit if that is inside, as both ends may miss a tolerance.
func (x *expectation) same(lo, hi, limit, slack float64, answer bool) bool {
	inside := lo <= limit && limit <= hi
	return x.holds(lo, limit, slack) == answer && x.holds(hi, limit, slack) == answer &&
		(!inside || x.holds(limit, limit, slack) == answer)
}

// flip is the operator with its sides exchanged.
func flip(op string) string {
	switch op {
	case "<":
		return ">"
	case "<=":
		return ">="
	case ">":
		return "<"
	case ">=":
		return "<="
	default:
		return op
	}
}

// describe quotes the metrics with their values; numbers stand in the
// expectation itself.
func describe(x *expectation, a, b float64, k kind, where string) string {
	write := show
	if a != b && show(a, k) == show(b, k) {
		write = showAll
	}
	var parts []string
	for _, side := range []struct {
		term  *term
		value float64
	}{{&x.left, a}, {&x.right, b}} {
		if side.term.metric != none {
			parts = append(parts, side.term.text+" = "+write(side.value, k))
		}
	}
	return strings.Join(parts, ", ") + where
}

// name is how a point is called in messages.
func (p *Point) name(axes []string) string { return name(p.Variant, axes, p.Sweep) }

func name(variant string, axes, sweep []string) string {
	parts := []string{variant}
	for i, v := range sweep {
		parts = append(parts, axes[i]+"="+v)
	}
	return strings.Join(parts, ", ")
}
