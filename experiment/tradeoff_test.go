package experiment

import "testing"

func TestTradeoffs(t *testing.T) {
	metrics := []Metric{{Name: "total_calls"}, {Name: "completion_p99", Infinite: true}}
	calls := []float64{100, 110, 90, 105, 95, 100, 110, 90, 105, 95, 101, 99}
	slow := []float64{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, inf}
	for _, c := range []struct {
		name   string
		points []*Point
		by     []string // empty: on the front
	}{
		{"none", nil, nil},
		{"one", []*Point{pointOf("a", metrics, calls, slow)}, []string{""}},
		{"one is better in both", []*Point{
			pointOf("a", metrics, plus(calls, 50, 1), plus(slow, 1, 0)),
			pointOf("b", metrics, calls, slow),
		}, []string{"b", ""}},
		{"each is better in one", []*Point{
			pointOf("a", metrics, calls, plus(slow, 1, 0)),
			pointOf("b", metrics, plus(calls, 50, 1), slow),
		}, []string{"", ""}},
		{"better in one and equal in the other", []*Point{
			pointOf("a", metrics, calls, slow),
			pointOf("b", metrics, plus(calls, -50, 1), slow),
		}, []string{"b", ""}},
		{"better in one, and seems worse in the other", []*Point{
			pointOf("a", metrics, calls, slow),
			pointOf("b", metrics, plus(calls, -50, 1), plus(slow, 0.1, 0.2)),
		}, []string{"", ""}},
		{"better in both, but nobody can tell", []*Point{
			pointOf("a", metrics, calls, slow),
			pointOf("b", metrics, plus(calls, -0.1, 1), plus(slow, -0.1, 0.2)),
		}, []string{"", ""}},
		{"equal", []*Point{
			pointOf("a", metrics, calls, slow),
			pointOf("b", metrics, calls, slow),
		}, []string{"", ""}},
		{"a chain ends on the front", []*Point{
			pointOf("a", metrics, plus(calls, 100, 1), plus(slow, 2, 0)),
			pointOf("b", metrics, plus(calls, 50, 1), plus(slow, 1, 0)),
			pointOf("c", metrics, calls, slow),
		}, []string{"c", "c", ""}},
		{"no completion", []*Point{
			pointOf("a", metrics, calls, make([]float64, len(calls))),
			pointOf("b", metrics, plus(calls, 50, 1), []float64{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan}),
		}, []string{"", ""}},
	} {
		got := Tradeoffs(&Result{Metrics: metrics}, c.points)
		for i, by := range c.by {
			if got[i].By != by || got[i].Front != (by == "") {
				t.Errorf("%s: %s: front %v, by %q, want by %q", c.name, c.points[i].Variant, got[i].Front, got[i].By, by)
			}
		}
		if len(got) != len(c.by) {
			t.Errorf("%s: %d", c.name, len(got))
		}
	}
	if got := Tradeoffs(&Result{}, nil); got != nil {
		t.Errorf("without the metrics: %v", got)
	}
}

func TestCost(t *testing.T) {
	metrics := []Metric{{Name: "total_calls"}, {Name: "completion_p99", Infinite: true}}
	p := pointOf("a", metrics, []float64{100, 200, 300, 400, 500, 600}, []float64{1, 2, 3, nan, 5, inf})
	// 110, 220, 330, 550 and never.
	got := Tradeoffs(&Result{Metrics: metrics, Exchange: 10}, []*Point{p})[0]
	if c := got.Cost; c.Centre != 330 || c.InfShare != 0.2 || c.N != 5 {
		t.Errorf("cost %+v", c)
	}
	if got.Calls.Centre != 350 || got.Completion.Centre != 3 {
		t.Errorf("%+v", got)
	}
	got = Tradeoffs(&Result{Metrics: metrics}, []*Point{p})[0]
	if c := got.Cost; !same(c.Centre, nan) || c.N != 0 {
		t.Errorf("without an exchange: %+v", c)
	}
}
