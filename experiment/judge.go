package experiment

import (
	"fmt"
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
		j := Judgement{Text: x.text, Line: x.line, Col: x.col}
		for _, pair := range e.pairs(x, places) {
			j.Cases = append(j.Cases, e.judge(x, &points[pair[0]], &points[pair[1]]))
		}
		if len(j.Cases) > 0 {
			j.decide()
			out = append(out, j)
		}
	}
	return out
}

// decide makes the ruling of its cases. The first that fails decides, else the
// first that is undecided, else the first that could not be judged.
func (j *Judgement) decide() {
	j.Ruling = Pass
	for _, r := range []Ruling{Fail, Unclear, Skipped} {
		if i := slices.IndexFunc(j.Cases, func(c Case) bool { return c.Ruling == r }); i >= 0 {
			j.Ruling, j.Detail = r, j.Cases[i].Point+": "+j.Cases[i].Detail
			break
		}
	}
	switch {
	case j.Ruling == Skipped:
		j.Detail = j.Cases[0].Detail
	case j.Ruling == Unclear:
		j.Need = mostNeeded(j.Cases)
	case j.Detail == "" && len(j.Cases) == 1:
		j.Detail = j.Cases[0].Point + ": " + j.Cases[0].Detail
	case j.Detail == "":
		j.Detail = "holds at " + strconv.Itoa(len(j.Cases)) + " points"
	}
}

// mostNeeded is the largest need of the undecided cases; 0 if one of them has no
// answer.
func mostNeeded(cases []Case) int {
	most := 0
	for _, c := range cases {
		if c.Ruling != Unclear {
			continue
		}
		if c.Need == 0 {
			return 0
		}
		most = max(most, c.Need)
	}
	return most
}

// pairs are the points of the left and the right side, by index. One side is
// selected on its own; the other is at the same place except where its own
// selectors differ. A metric that is selected elsewhere is not compared with
// itself: total_calls < total_calls[none] is about the other variants.
func (e *Experiment) pairs(x *expectation, places []place) [][2]int {
	first, second := &x.left, &x.right
	if first.metric == none || first.baseline {
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
		if second.metric != none && !second.baseline {
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

// side is a term at a point.
type side struct {
	term  *term
	value Estimate
	runs  []float64 // per replication; nil for a quantity
	// plain: the metric is summarised by a mean; share: by a share.
	plain, share bool
}

// side is a term at a point; of the baseline if it is given.
func (e *Experiment) side(t *term, p *Point) side {
	s := side{term: t}
	switch {
	case t.metric == none:
		s.value = Estimate{Centre: t.value, Lo: t.value, Hi: t.value}
		return s
	case t.baseline:
		at := place{variant: p.Variant, sweep: p.Sweep}
		k, ok := e.baseline.values[past{at.key(), e.metrics[t.metric].Name}]
		if !ok {
			k = kept{value: unavailable()}
		}
		s.value, s.runs = k.value, append([]float64{}, k.runs...)
	default:
		s.value = p.Estimates[t.metric]
		s.runs = slices.Clone(p.values(t.metric))
	}
	s.value.Centre = float64(t.factor * s.value.Centre)
	s.value.Lo, s.value.Hi = float64(t.factor*s.value.Lo), float64(t.factor*s.value.Hi)
	for r := range s.runs {
		s.runs[r] = float64(t.factor * s.runs[r])
	}
	m := &e.metrics[t.metric]
	s.plain, s.share = !m.Infinite && !m.Share, m.Share
	return s
}

// judge judges the expectation at one pair of points.
func (e *Experiment) judge(x *expectation, lp, rp *Point) Case {
	c := Case{Point: lp.name(e.axes)}
	if x.onBaseline() && e.baseline == nil {
		c.Ruling, c.Detail = Skipped, "needs --baseline DIR"
		return c
	}
	l, r := e.side(&x.left, lp), e.side(&x.right, rp)
	k := e.kind(x)
	c.Detail = describe(x, &l, &r, k)
	switch {
	case math.IsNaN(l.value.Centre) || math.IsNaN(r.value.Centre):
		c.Ruling = Fail
		return c
	case x.tolerance == nil && (x.op == "==" || x.op == "!="):
		return e.judgeExactly(x, &l, &r, c)
	}
	slack := x.slack(r.value.Centre)
	switch {
	case l.runs == nil:
		b := newBand(flip(x.op), l.value.Centre, slack)
		v := r.evidence()
		c.Ruling, c.Need = v.rule(&b)
	case r.runs == nil:
		b := newBand(x.op, r.value.Centre, slack)
		v := l.evidence()
		c.Ruling, c.Need = v.rule(&b)
	default:
		b := newBand(x.op, 0, slack)
		v := apart
		if e.pairsRuns(x) {
			v = paired
		}
		d := v(&l, &r)
		if d.N == 0 { // no replication has both
			c.Ruling = Fail
			return c
		}
		c.Ruling, c.Need = d.rule(&b)
		c.Detail += d.describe(k)
	}
	return c
}

// evidence is about a metric alone.
func (s *side) evidence() evidence {
	return evidence{Estimate: s.value, values: s.runs, signs: !s.plain && !s.share, share: s.share && s.term.factor == 1}
}

// pairsRuns reports whether replications of both sides belong together.
func (e *Experiment) pairsRuns(x *expectation) bool { return !x.onBaseline() || e.baseline.paired }

// judgeExactly judges equality and inequality on every replication, so that
// recovery != never is not content with one that recovers. Where replications do
// not belong together, each is compared with each.
func (e *Experiment) judgeExactly(x *expectation, l, r *side, c Case) Case {
	c.Ruling = Pass
	together := l.runs == nil || r.runs == nil || e.pairsRuns(x)
	for i := range l.count(r) {
		for j := range r.count(l) {
			u, v := l.run(i), r.run(j)
			missing := math.IsNaN(u) || math.IsNaN(v)
			if together && i != j || !missing && (u == v) == (x.op == "==") {
				continue
			}
			one, two := *l, *r
			one.value, two.value = exactly(u), exactly(v)
			c.Ruling = Fail
			c.Detail = describe(x, &one, &two, e.kind(x))
			if together {
				c.Detail += " in replication " + strconv.Itoa(i+1)
			}
			return c
		}
	}
	return c
}

// count is how many replications there are to compare with the other side's.
func (s *side) count(other *side) int {
	if s.runs == nil {
		return len(other.runs)
	}
	return len(s.runs)
}

// run is the side's value in a replication.
func (s *side) run(r int) float64 {
	if s.runs == nil {
		return s.value.Centre
	}
	return s.runs[r]
}

// exactly is a value without an interval.
func exactly(v float64) Estimate { return Estimate{Centre: v, Lo: v, Hi: v} }

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

// describe quotes both sides with their values and intervals, the metric first.
func describe(x *expectation, l, r *side, k kind) string {
	write := show
	if a, b := l.value.Centre, r.value.Centre; a != b && show(a, k) == show(b, k) {
		write = showAll
	}
	tolerance := ""
	if x.tolerance != nil {
		tolerance = " +- " + x.tolerance.text
	}
	if l.runs == nil {
		return r.describe(k, write) + tolerance + " against " + l.describe(k, write)
	}
	return l.describe(k, write) + " against " + r.describe(k, write) + tolerance
}

func (s *side) describe(k kind, write func(float64, kind) string) string {
	if s.runs == nil {
		return s.term.text
	}
	return s.term.text + " = " + withInterval(s.value, k, write)
}

func withInterval(e Estimate, k kind, write func(float64, kind) string) string {
	text := write(e.Centre, k)
	if math.IsNaN(e.Lo) || e.Lo == e.Hi {
		return text
	}
	return text + " [" + write(e.Lo, k) + ", " + write(e.Hi, k) + "]"
}

// describe says what two metrics were compared by, if that is not infinite.
func (v *evidence) describe(k kind) string {
	if !v.signs {
		if v.span || math.IsInf(v.Lo, 0) || math.IsInf(v.Hi, 0) {
			return ""
		}
		return "; difference " + withInterval(v.Estimate, k, show)
	}
	c := against(v.values, 0)
	return fmt.Sprintf("; less in %d, equal in %d, more in %d replications", c.Less, c.Equal, c.Greater)
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
