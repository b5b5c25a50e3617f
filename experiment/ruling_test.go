package experiment

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var operators = []string{"<", "<=", ">", ">=", "==", "!="}

func TestBand(t *testing.T) {
	for _, c := range []struct {
		op           string
		limit, slack float64
		holds        []float64
		not          []float64
	}{
		{"<", 5, 0, []float64{-inf, 4}, []float64{5, 6, inf}},
		{"<=", 5, 1, []float64{-inf, 5, 6}, []float64{6.5, inf}},
		{">", 5, 0, []float64{6, inf}, []float64{5, 4, -inf}},
		{">=", 5, 1, []float64{4, 5, inf}, []float64{3, -inf}},
		{"==", 5, 1, []float64{4, 5, 6}, []float64{3, 7, inf, -inf}},
		{"!=", 5, 1, []float64{3, 7, inf, -inf}, []float64{4, 5, 6}},
		{"<", inf, 0, []float64{1e300}, []float64{inf}},
		{"<=", inf, inf, []float64{1, inf}, nil},
		{">", inf, 0, nil, []float64{1, inf}},
		{"==", inf, inf, []float64{inf}, []float64{1}},
		{"!=", inf, inf, []float64{1}, []float64{inf}},
	} {
		b := newBand(c.op, c.limit, c.slack)
		for _, v := range c.holds {
			if !b.holds(v) {
				t.Errorf("%v %s %v +- %v does not hold", v, c.op, c.limit, c.slack)
			}
		}
		for _, v := range c.not {
			if b.holds(v) {
				t.Errorf("%v %s %v +- %v holds", v, c.op, c.limit, c.slack)
			}
		}
	}
}

// drawn draws numbers that often meet, and now and then never.
func drawn(t *rapid.T, name string) float64 {
	if rapid.IntRange(0, 9).Draw(t, name+" never") == 0 {
		return inf
	}
	return float64(rapid.IntRange(-20, 20).Draw(t, name)) / 4
}

func drawBand(t *rapid.T) (op string, limit, slack float64) {
	op = rapid.SampledFrom(operators).Draw(t, "op")
	if op != "<" && op != ">" {
		slack = float64(rapid.IntRange(0, 8).Draw(t, "slack")) / 4
	}
	return op, drawn(t, "limit"), slack
}

func interval(lo, hi float64) evidence {
	return evidence{Estimate: Estimate{Centre: lo + (hi-lo)/2, Lo: lo, Hi: hi, N: 10}}
}

// What an interval decides, each smaller interval inside it decides alike; and
// what passes holds for every value in it.
func TestRulingsDoNotTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op, limit, slack := drawBand(t)
		b := newBand(op, limit, slack)
		ends := []float64{drawn(t, "a"), drawn(t, "b"), drawn(t, "c"), drawn(t, "d")}
		slices.Sort(ends)
		outer, inner := interval(ends[0], ends[3]), interval(ends[1], ends[2])
		r, s := outer.ruling(&b), inner.ruling(&b)
		if r != Unclear && r != s {
			t.Errorf("%s %v +- %v: %v to %v %s, but %v to %v %s", op, limit, slack, ends[0], ends[3], r, ends[1], ends[2], s)
		}
		for _, v := range ends {
			if r == Pass && !b.holds(v) || r == Fail && b.holds(v) {
				t.Errorf("%s %v +- %v: %v to %v %s, but not for %v", op, limit, slack, ends[0], ends[3], r, v)
			}
		}
	})
}

// What an expectation passes, the opposite one fails: by intervals, by
// agreement and by signs.
func TestRulingsOfOpposites(t *testing.T) {
	opposite := map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
	rapid.Check(t, func(t *rapid.T) {
		op, limit, slack := drawBand(t)
		if op == "<=" || op == ">=" {
			slack = 0
		}
		b, o := newBand(op, limit, slack), newBand(opposite[op], limit, slack)
		v := evidence{Estimate: unavailable(), signs: rapid.Bool().Draw(t, "signs")}
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			v.values = append(v.values, drawn(t, "value"))
		}
		if rapid.Bool().Draw(t, "interval") {
			v.Estimate = Median(v.values)
		}
		want := map[Ruling]Ruling{Pass: Fail, Fail: Pass, Unclear: Unclear}[v.ruling(&b)]
		if got := v.ruling(&o); got != want {
			t.Errorf("%s %v +- %v of %v: %s, want %s", opposite[op], limit, slack, v.values, got, want)
		}
	})
}

// With as many more replications as are said to be needed the interval decides,
// and with one less it does not. The unit of half its width is such that it never
// ends exactly on an edge, where rounding would decide.
func TestNeedIsEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op, limit, slack := drawBand(t)
		b := newBand(op, limit, slack)
		n := rapid.IntRange(2, 50).Draw(t, "n")
		centre, half := float64(rapid.IntRange(-40, 40).Draw(t, "centre"))/8, float64(rapid.IntRange(1, 60).Draw(t, "half"))/7.3891
		after := func(more int) Ruling {
			h := half * math.Sqrt(float64(n)/float64(n+more))
			v := evidence{Estimate: Estimate{Centre: centre, Lo: centre - h, Hi: centre + h, N: n}}
			return v.ruling(&b)
		}
		v := evidence{Estimate: Estimate{Centre: centre, Lo: centre - half, Hi: centre + half, N: n}}
		r, need := v.rule(&b)
		switch {
		case (r == Unclear) != (need > 0) && b.distance(centre) > 0:
			t.Errorf("%s, need %d", r, need)
		case r == Unclear && b.distance(centre) > 0 && after(need) == Unclear:
			t.Errorf("%d more are not enough", need)
		case r == Unclear && need > 1 && after(need-1) != Unclear:
			t.Errorf("%d more are enough, not %d", need-1, need)
		}
	})
}

// By hand: means 2 and 5, s^2/n 1/3 and 5/3, so that df = 4 / (1/18 + 25/27) =
// 4.08 and the interval is -3 +- 2.756285 sqrt 2.
func TestWelch(t *testing.T) {
	a, b := []float64{1, 2, 3}, []float64{2, 4, 6, 8}
	v := independent(a, b, false)
	if !near(v.Centre, -3, 1e-12) || !near(v.Lo, -6.897975, 1e-6) || !near(v.Hi, 0.897975, 1e-6) || v.N != 3 {
		t.Errorf("%+v", v)
	}
	// What b has in it, 2.756285^2 x 5/3 = 12.7, is more than 3^2 by itself.
	less := newBand("<", 0, 0)
	if r, need := v.rule(&less); r != Unclear || need != 0 {
		t.Errorf("%s, %d", r, need)
	}
	// If a stays as it is: 4 (15.1942 - 2.5324) / (9 - 2.5324) = 7.83.
	v = independent(a, b, true)
	if r, need := v.rule(&less); r != Unclear || need != 4 || v.N != 4 {
		t.Errorf("%s, %d", r, need)
	}
	if v := independent([]float64{2, 2}, []float64{5, 5}, false); v.Lo != -3 || v.Hi != -3 {
		t.Errorf("without variance %+v", v)
	}
}

// What has nothing in common and no mean is compared by both intervals.
func TestApart(t *testing.T) {
	on := func(value Estimate, runs ...float64) *side {
		return &side{term: &term{}, value: value, runs: runs}
	}
	of := func(runs ...float64) *side { return on(Median(runs), runs...) }
	for _, c := range []struct {
		a, b   *side
		lo, hi float64
	}{
		{of(1, 2, 3, 4, 5, 6), of(7, 8, 9, 10, 11, inf), -inf, -1},
		{of(inf, inf, inf, inf, inf, inf), of(inf, inf, inf, inf, inf, inf), 0, 0},
		{of(1, 2), of(4, 8), -7, -2}, // there are no intervals
		{of(inf, 2), of(4, inf), -inf, inf},
		{on(Share([]float64{0, 0, 1, 1}), 0, 0, 1, 1), on(Share([]float64{1, 1, 1, 1}), 1, 1, 1, 1), -0.849961, 0.339852},
	} {
		v := apart(c.a, c.b)
		if !near(v.Lo, c.lo, 1e-4) || !near(v.Hi, c.hi, 1e-4) {
			t.Errorf("%v, %v: %+v", c.a.runs, c.b.runs, v)
		}
	}
}
