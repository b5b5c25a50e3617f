package findings

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// table is a metric x of each variant, per sweep value and replication.
type table map[string][][]float64

// inquire makes an inquiry of numbers; sweep is empty for a single point.
func inquire(m experiment.Metric, sweep []string, numbers table) *inquiry {
	r := &experiment.Result{Scenario: "test", Target: "db", Metrics: []experiment.Metric{m}}
	if sweep != nil {
		r.Axes = []string{"n"}
	}
	for variant, at := range numbers {
		for i, runs := range at {
			p := experiment.Point{Variant: variant}
			if sweep != nil {
				p.Sweep = []string{sweep[i]}
			}
			for _, v := range runs {
				p.Runs = append(p.Runs, experiment.Run{Values: []float64{v}})
			}
			switch {
			case m.Share:
				p.Estimates = []experiment.Estimate{experiment.Share(runs)}
			case m.Infinite:
				p.Estimates = []experiment.Estimate{experiment.Median(runs)}
			default:
				p.Estimates = []experiment.Estimate{experiment.Mean(runs)}
			}
			r.Points = append(r.Points, p)
		}
	}
	return &inquiry{result: r}
}

func TestValue(t *testing.T) {
	plain := experiment.Metric{Name: "x"}
	never := experiment.Metric{Name: "x", Infinite: true}
	share := experiment.Metric{Name: "x", Share: true}
	ones := func(k, n int) []float64 {
		v := make([]float64, n)
		for i := range k {
			v[i] = 1
		}
		return v
	}
	for _, c := range []struct {
		name   string
		metric experiment.Metric
		claim  value
		runs   []float64
		want   string
	}{
		{"exact", plain, value{want: 64}, []float64{64, 64}, "confirmed"},
		{"not exact", plain, value{want: 64}, []float64{65, 65}, "refuted"},
		{"one run", plain, value{want: 64}, []float64{64}, "confirmed"},
		{"too few runs for an interval of a median", never, value{want: 52.7}, []float64{52.7, 52.7, 52.7}, "confirmed"},
		// 99.4 to 99.8: luck, but as close to 100 as was claimed.
		{"close", plain, value{want: 100, within: 0.01}, []float64{99.5, 99.6, 99.7, 99.5, 99.7}, "confirmed"},
		{"far", plain, value{want: 100, within: 0.01}, []float64{97, 97.1, 97.2}, "refuted"},
		{"noise confirms nothing", plain, value{want: 100, within: 0.01}, []float64{50, 100, 150}, "undecided"},
		{"noise refutes nothing", plain, value{want: 100, within: 0.01}, []float64{98.9, 98.5, 99.2}, "undecided"},
		{"17 of 20 published, 153 of 200 here", share, value{want: 0.85, published: 20}, ones(153, 200), "confirmed"},
		{"17 of 20 published, 20 of 200 here", share, value{want: 0.85, published: 20}, ones(20, 200), "refuted"},
	} {
		c.claim.metric, c.claim.variant = "x", "a"
		v, err := c.claim.judge(inquire(c.metric, nil, table{"a": {c.runs}}))
		if err != nil || v.Word != c.want {
			t.Errorf("%s: %s, %v, want %s (%s)", c.name, v.Word, err, c.want, v.Measured)
		}
	}
}

func TestSame(t *testing.T) {
	close1, off := []float64{100, 100.5}, []float64{120, 120}
	base, noisy := []float64{100, 100.4}, []float64{80, 130}
	for _, c := range []struct {
		a    [][]float64
		want string
	}{
		{[][]float64{close1, close1}, "confirmed"},
		{[][]float64{off, off}, "refuted"},
		{[][]float64{close1, off}, "only when n is 10"},
		{[][]float64{close1, noisy}, "undecided"},
	} {
		in := inquire(experiment.Metric{Name: "x"}, []string{"10", "20"}, table{"a": c.a, "b": {base, base}})
		v, err := same{metric: "x", a: "a", b: "b", within: 0.01, quote: "10"}.judge(in)
		if err != nil || v.Word != c.want {
			t.Errorf("%v: %s, %v, want %s", c.a, v.Word, err, c.want)
		}
	}
}

// Undecided points do not end a stretch: 10 to 40 is one, and its end lies
// between 40 and 50.
func TestOnlyWhen(t *testing.T) {
	less1, more, unclear := []float64{1, 1, 1}, []float64{9, 9, 9}, []float64{1, 9, 5}
	five := []float64{5, 5, 5}
	sweep := []string{"10", "20", "30", "40", "50", "60"}
	numbers := table{
		"a": {less1, unclear, less1, less1, more, more},
		"b": {five, five, five, five, five, five},
	}
	in := inquire(experiment.Metric{Name: "x"}, sweep, numbers)
	in.rerun = func(value string, _ ...string) (*experiment.Result, error) {
		n, err := strconv.Atoi(value)
		if err != nil || n <= 40 || n >= 50 {
			return nil, fmt.Errorf("reruns at %s", value)
		}
		// Two of three pairs are less, and yet the mean is more from 47 on.
		a := []float64{4, 4, 4}
		if n >= 47 {
			a[2] = 50
		}
		return inquire(experiment.Metric{Name: "x"}, []string{value}, table{"a": {a}, "b": {five}}).result, nil
	}
	v, err := less{metric: "x", a: "a", b: "b", quote: "10"}.judge(in)
	if want := "only when n up to about 46"; err != nil || v.Word != want {
		t.Errorf("%q, %v, want %q (%s)", v.Word, err, want, v.Measured)
	}
	if want := "n: holds at 10, 30 to 40; the opposite holds at 50 to 60; undecided at 20"; !strings.HasSuffix(v.Measured, want) {
		t.Errorf("%q, want ... %q", v.Measured, want)
	}
}

func TestGaps(t *testing.T) {
	timeline := func(arrivals ...int64) experiment.Point {
		rows := make([]sim.Row, len(arrivals))
		for i, n := range arrivals {
			rows[i].Arrivals = n
		}
		return experiment.Point{Timelines: []experiment.Timeline{{Service: "db", Row: time.Second, Rows: rows}}}
	}
	clusters := timeline(500, 0, 0, 400, 0, 0, 0, 95, 0, 0, 5)
	for _, c := range []struct {
		a    experiment.Point
		want string
	}{
		{timeline(500, 300, 150, 40, 5, 0, 0, 0, 0, 5), "confirmed"}, // the end does not count
		{timeline(500, 0, 400, 50, 50), "undecided"},
		{timeline(500, 0, 0, 0, 0, 0, 500), "refuted"},
	} {
		a, b := c.a, clusters
		a.Variant, b.Variant = "a", "b"
		in := &inquiry{result: &experiment.Result{Target: "db", Points: []experiment.Point{a, b}}}
		v, err := gaps{a: "a", b: "b"}.judge(in)
		if err != nil || v.Word != c.want {
			t.Errorf("%s, %v, want %s (%s)", v.Word, err, c.want, v.Measured)
		}
	}
}

func TestLeast(t *testing.T) {
	low, middle, high := []float64{1, 1.1, 1}, []float64{5, 5.2, 5}, []float64{9, 9.1, 9}
	for _, c := range []struct {
		name    string
		numbers table
		want    string
	}{
		{"less than all", table{"a": {low, low}, "b": {middle, high}, "c": {high, middle}}, "confirmed"},
		{"another is less, here this and there that", table{"a": {middle, middle}, "b": {low, high}, "c": {high, low}}, "refuted"},
		{"one is equal", table{"a": {low, low}, "b": {middle, high}, "c": {low, middle}}, "undecided"},
		{"less than all at one point", table{"a": {low, middle}, "b": {middle, high}, "c": {high, low}}, "only when n up to about 10"},
	} {
		v, err := least{metric: "x", a: "a", quote: "10"}.judge(inquire(experiment.Metric{Name: "x"}, []string{"10", "11"}, c.numbers))
		if err != nil || v.Word != c.want {
			t.Errorf("%s: %s, %v, want %s (%s)", c.name, v.Word, err, c.want, v.Measured)
		}
	}
	// Values in no order have no crossing.
	in := inquire(experiment.Metric{Name: "x"}, []string{"leaf", "middle", "both"}, table{"a": {low, high, low}, "b": {middle, middle, middle}})
	if v, err := (less{metric: "x", a: "a", b: "b", quote: "leaf"}).judge(in); err != nil || v.Word != "only when n is leaf, both" {
		t.Errorf("%s, %v", v.Word, err)
	}
}

func TestCurve(t *testing.T) {
	for _, c := range []struct {
		want []float64
		word string
	}{
		{[]float64{10, 20}, "confirmed"},
		{[]float64{10, 40}, "only when n is 1"},
		{[]float64{30, 40}, "refuted"},
	} {
		in := inquire(experiment.Metric{Name: "x"}, []string{"1", "2"}, table{"a": {{10, 10.1}, {20, 20.1}}})
		v, err := curve{metric: "x", variant: "a", want: c.want, within: 0.1}.judge(in)
		if err != nil || v.Word != c.word {
			t.Errorf("%v: %s, %v, want %s (%s)", c.want, v.Word, err, c.word, v.Measured)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		crossing experiment.Crossing
		want     string
	}{
		{experiment.Crossing{Low: experiment.Pass, High: experiment.Fail, From: "4", To: "5"}, "only when n up to about 4"},
		{experiment.Crossing{Low: experiment.Fail, High: experiment.Pass, From: "4", To: "5"}, "only when n from about 5"},
		{experiment.Crossing{Low: experiment.Pass, High: experiment.Pass}, "confirmed"},
		{experiment.Crossing{Low: experiment.Fail, High: experiment.Fail}, "refuted"},
		{experiment.Crossing{Low: experiment.Pass, High: experiment.Unclear}, "undecided"},
	} {
		in := inquire(experiment.Metric{Name: "x"}, []string{"1", "9"}, table{"a": {{1}, {9}}})
		c.crossing.Variant, c.crossing.Axis, c.crossing.Where = "a", "n", "x < 5"
		in.result.Crossings = []experiment.Crossing{c.crossing}
		v, err := holds{variant: "a"}.judge(in)
		if err != nil || v.Word != c.want {
			t.Errorf("%+v: %s, %v, want %s (%s)", c.crossing, v.Word, err, c.want, v.Measured)
		}
		if _, err := (holds{variant: "b"}).judge(in); err == nil {
			t.Error("nothing was looked for in b")
		}
	}
}

func TestWaves(t *testing.T) {
	for _, c := range []struct {
		retries []int64
		want    string
	}{
		{[]int64{0, 100, 0, 100}, "confirmed"},
		{[]int64{0, 100, 50, 100}, "undecided"},
		{[]int64{80, 10, 80, 10}, "refuted"},
	} {
		rows := make([]sim.Row, len(c.retries))
		for i, n := range c.retries {
			rows[i].Retries = n
		}
		p := experiment.Point{Variant: "a", Timelines: []experiment.Timeline{{Service: "db", Row: time.Second, Rows: rows}}}
		in := &inquiry{result: &experiment.Result{Target: "db", Points: []experiment.Point{p}}}
		v, err := waves{variant: "a", at: seconds(1, 3)}.judge(in)
		if err != nil || v.Word != c.want {
			t.Errorf("%v: %s, %v, want %s (%s)", c.retries, v.Word, err, c.want, v.Measured)
		}
	}
}
