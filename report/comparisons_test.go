package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"retrystorm/experiment"
)

func TestComparisonCells(t *testing.T) {
	nan := math.NaN()
	mean := func(ratio, lo, hi float64, direction int) experiment.Contrast {
		return experiment.Contrast{
			Comparison: experiment.Comparison{Pairs: 20, Less: 18, Greater: 2, Ratio: ratio, P: 0.01, Difference: experiment.Estimate{Centre: 0.5, Lo: 0.4, Hi: 0.6}},
			RatioLo:    lo, RatioHi: hi, Direction: direction,
		}
	}
	signs := mean(nan, nan, nan, -1)
	signs.Sign = true
	more := signs
	more.Direction, more.Less, more.Greater = 1, 2, 18
	tie := signs
	tie.Direction = 0
	same := experiment.Contrast{Comparison: experiment.Comparison{Pairs: 20, Equal: 20, P: 1, Ratio: 1}, RatioLo: 1, RatioHi: 1}
	single := experiment.Contrast{Comparison: experiment.Comparison{Pairs: 1, Less: 1, P: nan, Ratio: 0.5}, RatioLo: nan, RatioHi: nan}
	for _, c := range []struct {
		what     string
		contrast experiment.Contrast
		split    bool
		unit     string
		want     string
	}{
		{"ratio", mean(0.53, 0.512, 0.548, -1), false, "", "0.53x [0.51, 0.55]"},
		{"small ratio", mean(0.00345, 0.00341, 0.00349, -1), false, "", "0.00345x [0.00341, 0.00349]"},
		{"narrow", mean(12.3456, 12.3455, 12.3457, 1), false, "", "12.3x "},
		{"wide", mean(3, 1, 900, 1), false, "", "3x [1, 900]"},
		{"unclear", mean(1.01, 0.97, 1.05, 0), false, "", "~ [0.97, 1.05]"},
		{"signs", signs, false, "s", "less in 18 of 20 "},
		{"more", more, false, "s", "more in 18 of 20 "},
		{"tie", tie, false, "s", "~ "},
		{"two outcomes", mean(0.53, 0.51, 0.55, -1), true, "", "less in 18 of 20 "},
		{"nothing in the reference", mean(nan, nan, nan, 1), false, "/s", "+0.5/s ± 0.1"},
		{"division by zero", mean(math.Inf(1), nan, nan, 1), false, "", "+0.5 ± 0.1"},
		{"same", same, false, "", "same "},
		{"one replication", single, false, "", "- "},
	} {
		var n notation
		value, interval := n.cell(experiment.Metric{Unit: c.unit}, c.contrast, c.split)
		if got := value + " " + interval; got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

func TestCompareNamesTheReference(t *testing.T) {
	r := sample{variants: []string{"none", "fixed", "full-jitter"}, clients: []string{"10", "20"}, runs: 3, worst: 2}.result()
	for _, c := range [][2]string{{"fixed", "fixed"}, {"", "none"}, {"filtered-out", "none"}} {
		r.Reference = c[0]
		got := Compare(r)
		if got.Reference != c[1] || len(got.Points) != 3 || len(got.Contrasts) != 3 || got.Points[0].Sweep[0] != "20" {
			t.Errorf("%q: reference %q, %d points", c[0], got.Reference, len(got.Points))
		}
		for i, p := range got.Points {
			if p.Variant == got.Reference && got.Contrasts[i] != nil {
				t.Errorf("%q is compared with itself", p.Variant)
			}
		}
	}
	if c := Compare(sample{variants: []string{"base"}, runs: 3, worst: 2}.result()); comparison(&experiment.Result{}, c) != nil || front(c) != nil {
		t.Error("one variant is compared")
	}
}

func TestFrontAndCost(t *testing.T) {
	one := func(x float64) experiment.Estimate { return experiment.Estimate{Centre: x, Lo: x - 1, Hi: x + 1} }
	of := func(trades ...experiment.Tradeoff) Comparisons {
		c := Comparisons{Tradeoffs: trades}
		for i := range trades {
			c.Points = append(c.Points, &experiment.Point{Variant: string(rune('a' + i))})
		}
		return c
	}
	best := experiment.Tradeoff{Front: true, Calls: one(10), Completion: one(3), Cost: one(40)}
	other := experiment.Tradeoff{Front: true, Calls: one(5), Completion: one(9), Cost: one(41)}
	worse := experiment.Tradeoff{By: "a", Calls: one(50), Completion: one(8), Cost: one(90)}
	late := experiment.Tradeoff{By: "b", Calls: one(50), Completion: one(math.Inf(1)), Cost: one(math.Inf(1))}
	for _, c := range []struct {
		c                  Comparisons
		front, cost, title string
	}{
		{
			of(best, worse), "a beats b (certainly better in one, and no worse in the other)",
			"the cheapest is a, certainly", "“a” (10 calls, 99 % done after 3 s) is the best trade-off",
		},
		{
			of(best, other, worse, late), "a and b are on the front; a beats c; b beats d (certainly better in one, and no worse in the other)",
			"the cheapest seems to be a, but it may be b", "“a” has 99 % done after 3 s instead of 9 s, for twice the calls of “b”",
		},
		{
			of(best, other), "all variants are on the front: none is certainly better in one and no worse in the other",
			"the cheapest seems to be a, but it may be b", "“a” has 99 % done after 3 s instead of 9 s, for twice the calls of “b”",
		},
	} {
		s := front(c.c)
		if got := strings.Join(s.lines, "|"); got != c.front {
			t.Errorf("got %q, want %q", got, c.front)
		}
		if got := costs(&experiment.Result{Exchange: 10}, c.c).lines[0]; got != c.cost {
			t.Errorf("got %q, want %q", got, c.cost)
		}
		if got := tradeoffTitle(c.c); got != c.title {
			t.Errorf("got %q, want %q", got, c.title)
		}
	}
	if s := costs(&experiment.Result{}, of(best, worse)); s != nil {
		t.Error("there is a cost without a rate")
	}
	few := experiment.Estimate{Centre: 40, Lo: math.NaN(), Hi: math.NaN()}
	if got, want := cheapest([]claim{{"a", few}, {"b", one(90)}}), "the cheapest seems to be a, but it may be b"; got != want {
		t.Errorf("without an interval: got %q, want %q", got, want)
	}
	if got, want := cheapest([]claim{{"a", late.Cost}}), "no variant has a finite cost"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHolding(t *testing.T) {
	const pass, fail, open = experiment.Pass, experiment.Fail, experiment.Unclear
	for _, c := range []struct {
		low, high        experiment.Ruling
		from, to, lo, hi string
		want             string
	}{
		{fail, pass, "278/s", "281/s", "275/s", "284/s", "holds from 281/s, not up to 278/s (95 %: between 275/s and 284/s; 9 values tried)"},
		{pass, fail, "1s", "1.01s", "", "2s", "holds up to 1s, not from 1.01s (95 %: below 2s; 9 values tried)"},
		{pass, open, "1s", "1.01s", "1s", "", "holds up to 1s, not from 1.01s (95 %: above 1s; 9 values tried)"},
		{open, pass, "1s", "1.01s", "", "", "holds from 1.01s, not up to 1s (9 values tried)"},
		{open, open, "1s", "1.01s", "", "", "flips between 1s and 1.01s, but is undecided at both ends of the range (9 values tried)"},
		{pass, pass, "", "", "", "", "holds at both ends of the range, 30/s and 280/s: no crossing was looked for between them (9 values tried)"},
		{fail, fail, "", "", "", "", "holds at neither end of the range, 30/s and 280/s: no crossing was looked for between them (9 values tried)"},
		{open, open, "", "", "", "", "is undecided at both ends of the range, 30/s and 280/s: no crossing was looked for between them (9 values tried)"},
		{fail, open, "", "", "", "", "is false at 30/s and undecided at 280/s, the ends of the range: no crossing was looked for between them (9 values tried)"},
	} {
		x := experiment.Crossing{
			Variant: "a", Sweep: []string{"2"}, Axis: "rate",
			Low: c.low, High: c.high, From: c.from, To: c.to, Lo: c.lo, Hi: c.hi, Evaluated: 9,
		}
		r := &experiment.Result{Axes: []string{"workers", "rate"}, Points: []experiment.Point{
			{Variant: "a", Sweep: []string{"1", "10/s"}},
			{Variant: "a", Sweep: []string{"2", "30/s"}},
			{Variant: "a", Sweep: []string{"2", "280/s"}},
			{Variant: "b", Sweep: []string{"2", "400/s"}},
		}}
		if got := flips(r, &x); got != c.want {
			t.Errorf("%s to %s: got %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

func TestSummaryOfRulings(t *testing.T) {
	for _, c := range []struct {
		pass, fail, open, skipped int
		want                      string
	}{
		{1, 0, 0, 0, "the expectation holds"},
		{3, 0, 0, 0, "all 3 expectations hold"},
		{0, 1, 0, 0, "the expectation did not hold"},
		{0, 0, 1, 0, "the expectation is undecided"},
		{2, 1, 0, 0, "1 of 3 expectations did not hold"},
		{2, 2, 2, 1, "2 of 7 expectations did not hold, 2 are undecided, 1 was skipped"},
		{2, 0, 1, 2, "1 of 5 expectations is undecided, 2 were skipped"},
		{2, 0, 0, 2, "2 of 4 expectations were skipped"},
	} {
		n := tallied{experiment.Pass: c.pass, experiment.Fail: c.fail, experiment.Unclear: c.open, experiment.Skipped: c.skipped}
		if got := n.summary(c.pass + c.fail + c.open + c.skipped); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestWarmedUp(t *testing.T) {
	r := sample{variants: []string{"none"}, clients: []string{"1", "2", "3"}, runs: 2, worst: 2}.result()
	for i, c := range []struct {
		auto  bool
		place int // whose warm-up changes
		want  string
	}{
		{false, 0, ""},
		{true, 0, "warm-up found: 0 s to 98 s, by place of the sweep"},
		{true, 1, "warm-up found: 0 s to 98 s, by place of the sweep"},
		{true, 2, "warm-up found: 98 s"},
	} {
		r.AutoWarmup = c.auto
		r.Points[c.place].Warmup = 98 * time.Second
		if got := strings.Join(warmedUp(r), "|"); got != c.want {
			t.Errorf("%d: got %q, want %q", i, got, c.want)
		}
	}
}

func TestImprecisePointsAreNamed(t *testing.T) {
	r := sample{variants: []string{"none", "full-jitter"}, clients: []string{"1", "2", "3"}, runs: 10, worst: 2}.result()
	if got := imprecise(r); got != nil {
		t.Errorf("got %q", got)
	}
	for i := range r.Points[:5] {
		r.Points[i].Imprecise, r.Points[i].Replications = true, 500
	}
	want := "5 of 6 points were not as precise as asked for after 500 replications: none[clients.count=1], none[clients.count=2], none[clients.count=3] and 2 more"
	if got := strings.Join(imprecise(r), "|"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := replicated(pointers(r)), "10 to 500 replications"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Of many rows the first and the last place of each variant are among those that
// are shown.
func TestRowsAreSpread(t *testing.T) {
	for _, c := range []struct {
		variants, places int
		split            bool
	}{{1, 1000, false}, {2, 31, false}, {2, 500, true}, {7, 20, false}, {25, 40, false}, {100, 3, false}} {
		s := sample{variants: manyVariants(c.variants), runs: 6, worst: 1, split: c.split}
		for i := range c.places {
			s.clients = append(s.clients, strconv.Itoa(i+1))
		}
		r := s.result()
		rows := evenly(r)
		if len(rows) > mostRows || len(rows) < mostRows/3 {
			t.Errorf("%+v: %d rows", c, len(rows))
		}
		if c.variants > mostRows/2 {
			continue
		}
		for _, v := range s.variants {
			for _, place := range []string{"1", strconv.Itoa(c.places)} {
				if !slices.ContainsFunc(rows, func(o outcome) bool { return o.point.Variant == v && o.point.Sweep[0] == place }) {
					t.Errorf("%+v: %s at %s is not shown", c, v, place)
				}
			}
		}
	}
}

// What is the same in the rows that are shown need not be in the others.
func TestEverywhereMeansAllRows(t *testing.T) {
	r := longSample(1000)
	for i := range r.Points {
		for k := range r.Metrics {
			r.Points[i].Estimates[k] = experiment.Estimate{Centre: 1, Lo: 1, Hi: 1}
		}
	}
	_, remarks, hidden := tableColumns(r)
	if !slices.Contains(remarks, "failed: 100 % everywhere") || hidden != "60 of 2,000 rows are shown, evenly spread" {
		t.Errorf("got %q, %q", remarks, hidden)
	}
	shown := evenly(r)
	for i := range r.Points {
		if !slices.ContainsFunc(shown, func(o outcome) bool { return o.point == &r.Points[i] }) {
			r.Points[i].Estimates[9].Centre = 0.5
			break
		}
	}
	if _, remarks, _ := tableColumns(r); slices.Contains(remarks, "failed: 100 % everywhere") {
		t.Error("one row differs")
	}
}

func TestEffectsTitle(t *testing.T) {
	r := screeningSample()
	if got, want := effectsTitle(r), "services.db.workers matters most: it changes calls by 3,100; for 99 % done it is clients.count"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range r.Sensitivity {
		r.Sensitivity[i].Trajectories, r.Sensitivity[i].MuStar = 0, math.NaN()
	}
	if p := plotEffects(r); p != nil {
		t.Error("there is a picture of nothing")
	}
}

// A title claims no more than the intervals, and says what is missing.
func TestEffectsTitleIsCareful(t *testing.T) {
	effect := func(axis string, size, half float64, steps int) experiment.Effect {
		return experiment.Effect{Variant: "base", Metric: "total_calls", Axis: axis, MuStar: size, Lo: size - half, Hi: size + half, Trajectories: steps}
	}
	for _, c := range []struct {
		effects []experiment.Effect
		want    string
	}{
		{[]experiment.Effect{effect("cap", 100, 10, 10), effect("base", 50, 10, 10)}, "cap matters most: it changes calls by 100"},
		{[]experiment.Effect{effect("cap", 80, 30, 10), effect("base", 100, 40, 10), effect("kind", 5, 1, 10)}, "base seems to matter most: it changes calls by 100 ± 40; but cap may matter as much"},
		{[]experiment.Effect{effect("cap", 100, 10, 10), effect("base", 50, 10, 9)}, "cap seems to matter most: it changes calls by 100 ± 10; but base may matter as much"},
		{[]experiment.Effect{effect("cap", 0, 0, 10), effect("base", 0, 0, 10)}, "How much the settings matter"},
		{[]experiment.Effect{
			effect("a", 100, 60, 10), effect("b", 90, 60, 10), effect("c", 80, 60, 10), effect("d", 70, 60, 10), effect("e", 60, 60, 10),
		}, "a seems to matter most: it changes calls by 100 ± 60; but others may matter as much"},
	} {
		r := &experiment.Result{Metrics: sampleMetrics(), Sensitivity: c.effects, Points: []experiment.Point{{Variant: "base"}}}
		if got := effectsTitle(r); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	r := &experiment.Result{Sensitivity: []experiment.Effect{effect("cap", 100, 10, 10), effect("base", 50, 10, 9), effect("kind", math.NaN(), 0, 0)}}
	r.Sensitivity[1].Sigma = 60
	for i, want := range []string{"", "interacts or bends; 9 of 10 steps", "no finite change"} {
		if got := remarkOn(r, r.Sensitivity[i]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMetricOfAnExpectation(t *testing.T) {
	r := bisectionSample()
	for text, want := range map[string]string{
		"recovery == never": "recovery", "1.5 * completion_p99[none, clients.count=3] < 2s": "completion_p99", "60s > recovery": "recovery",
	} {
		if i := metricOf(r, text); i < 0 || r.Metrics[i].Name != want {
			t.Errorf("%s: got %d", text, i)
		}
	}
	if metricOf(r, "2 < 3") >= 0 {
		t.Error("a metric in numbers")
	}
}

func TestBisectionTitle(t *testing.T) {
	r := bisectionSample()
	if got, want := bisectionTitle(r), "“recovery == never” holds from 281/s with “none”, from 275/s with “full jitter”, at neither end of the range with “fixed”"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Axes = append(r.Axes, "services.db.workers")
	r.Points, r.Crossings = r.Points[:9], r.Crossings[:1]
	for _, workers := range []string{"1", "2"} {
		c := r.Crossings[0]
		c.Sweep = []string{workers}
		r.Crossings = append(r.Crossings, c)
	}
	if got, want := bisectionTitle(r), "At services.db.workers = 2, “recovery == never” holds from 281/s (95 %: between 275/s and 284/s)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
