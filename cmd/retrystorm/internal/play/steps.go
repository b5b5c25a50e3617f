package play

import (
	"slices"
	"strconv"
	"time"

	"retrystorm/scenarios"
)

// The steps of a slider are numbers that people would write, about equally far
// apart in ratio, with the present value among them.

// counts are steps around a number, none below least.
func counts(value, least int64) []string {
	steps := []int64{value}
	for _, n := range nice(float64(max(value, 10))/20, float64(max(value, 10))*20) {
		if k := int64(n); k >= least && float64(k) == n {
			steps = append(steps, k)
		}
	}
	var out []string
	for _, n := range tidy(steps) {
		out = append(out, strconv.FormatInt(n, 10))
	}
	return out
}

// nice are 1, 2 and 5 times powers of ten in a range. Sums and products of these are
// exact where it matters: from one on.
func nice(from, to float64) []float64 {
	var out []float64
	for _, scale := range []float64{1e-3, 1e-2, 1e-1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8} {
		for _, n := range []float64{1, 2, 5} {
			if x := float64(n * scale); x >= from && x <= to {
				out = append(out, x)
			}
		}
	}
	return out
}

func tidy[T int64 | time.Duration](steps []T) []T {
	slices.Sort(steps)
	return slices.Compact(steps)
}

// niceTimes are durations that people would write.
var niceTimes = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second,
	10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	10 * time.Minute, 20 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// times are steps around a duration, none above most; around usual where it is 0.
func times(value, usual, most time.Duration) []string {
	around := value
	if around == 0 {
		around = usual
	}
	steps := []time.Duration{value}
	for _, d := range niceTimes {
		if d >= around/20 && d/20 <= around && d <= most {
			steps = append(steps, d)
		}
	}
	var out []string
	for _, d := range tidy(steps) {
		out = append(out, scenarios.FormatDuration(d))
	}
	return out
}

// rates are steps around a rate per second.
func rates(value float64) []string {
	around := max(value, 0.02)
	steps := append(nice(around/20, around*20), value)
	slices.Sort(steps)
	var out []string
	for _, r := range slices.Compact(steps) {
		out = append(out, rateText(r))
	}
	return out
}

func rateText(r float64) string { return strconv.FormatFloat(r, 'f', -1, 64) + "/s" }

// shares are steps between nothing and all.
func shares(value float64) []string {
	steps := []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1, value}
	slices.Sort(steps)
	var out []string
	for _, s := range slices.Compact(steps) {
		out = append(out, shareText(s))
	}
	return out
}

func shareText(s float64) string {
	// Percent with as many digits as it was written with: the product has noise.
	return strconv.FormatFloat(s*100, 'g', 10, 64) + "%"
}
