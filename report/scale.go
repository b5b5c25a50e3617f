package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Axis describes one axis of a picture.
type Axis struct {
	Label string
	Unit  string // as in experiment.Metric; "s" and "%" choose their ticks
	Log   bool
	// Fit lets the axis start at the smallest value and end at the largest;
	// otherwise a linear axis starts at 0, and ends are round numbers.
	Fit bool
	// Least, if set, is a value that the axis has room for whatever there is.
	Least float64
	// Most, if set, is the largest value that the axis has room for.
	Most float64
	// Ticks are values to be marked instead of round numbers.
	Ticks []float64
}

// scale maps values to the unit interval and has the ticks.
type scale struct {
	log    bool
	lo, hi float64
	ticks  []tick
	title  string // label with unit
}

type tick struct {
	value float64
	text  string
}

// newScale makes a scale with about n ticks for values. Those that are
// infinite or not available don't count.
func newScale(a Axis, values []float64, n int) scale {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		v = Rounded(v)
		if math.IsNaN(v) || math.IsInf(v, 0) || a.Log && v <= 0 {
			continue
		}
		if a.Most > 0 {
			v = min(v, Rounded(a.Most))
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	if a.Least > 0 {
		hi = max(hi, a.Least)
	}
	if lo > hi { // nothing to show
		return scale{hi: 1, title: a.Label}
	}
	if a.Log {
		return logScale(a, lo, hi, n)
	}
	return linearScale(a, lo, hi, n)
}

// at is where v lies, rounded so that the last bits of a computation, which
// may differ between architectures, never reach a picture. What lies outside
// is drawn at the edge.
func (s scale) at(v float64) float64 {
	v = Rounded(v)
	var u float64
	switch {
	case !s.log:
		u = (v - s.lo) / (s.hi - s.lo)
	case v <= 0:
		return 0
	default:
		u = math.Log10(v/s.lo) / math.Log10(s.hi/s.lo)
	}
	return math.Round(min(1, max(0, u))*1e6) / 1e6
}

// spread reports whether positive values span more than about 1.5 decades,
// where a linear axis would crush the small ones.
func spread(values []float64) bool { return ratio(values) > 30 }

// ratio is the largest of positive values over the smallest, 0 without any.
func ratio(values []float64) float64 {
	lo, hi := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 1) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return hi / lo
}

func linearScale(a Axis, lo, hi float64, n int) scale {
	if !a.Fit {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if lo == hi {
		least := min(0, lo) // no axis goes below 0 for values that do not
		if lo == 0 || a.Fit {
			lo, hi = max(least, lo-1), hi+1
		}
	}
	by, unit := axisUnit(a.Unit, max(math.Abs(lo), math.Abs(hi)))
	step := niceStep((hi - lo) / by / float64(n))
	s := scale{lo: lo, hi: hi, title: titled(a.Label, unit)}
	if !a.Fit {
		s.lo = float64(math.Floor(lo/by/step) * step * by)
		s.hi = math.Ceil(hi/by/step-0.15) * step * by
		s.hi = max(s.hi, hi+float64((hi-s.lo)*0.03))
	}
	if a.Ticks != nil {
		for _, v := range a.Ticks {
			s.ticks = append(s.ticks, tick{v, trimmed(bound(Rounded(v / by)))})
		}
		return s
	}
	for k := math.Ceil(s.lo/by/step - 1e-9); k*step*by <= s.hi*(1+1e-9); k++ {
		s.ticks = append(s.ticks, tick{k * step * by, tickText(k*step, step)})
	}
	return s
}

func logScale(a Axis, lo, hi float64, n int) scale {
	s := scale{log: true, lo: niceBelow(lo / 1.02), hi: niceAbove(hi * 1.02), title: a.Label}
	if a.Fit {
		s.lo, s.hi = lo, hi
	}
	if s.hi < 3*s.lo {
		s.lo, s.hi = niceBelow(s.lo/1.5), niceAbove(s.hi*1.5)
	}
	if a.Unit == "/s" {
		s.title = titled(a.Label, "per second")
	}
	if a.Ticks != nil {
		for _, v := range a.Ticks {
			s.ticks = append(s.ticks, tick{v, logTickText(v, a.Unit)})
		}
		return s
	}
	if a.Unit == "s" && s.hi > 900 {
		s.ticks = longTicks(s, n)
		return s
	}
	// The finest of these that is not too fine.
	for _, grid := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if s.ticks = logTicks(s, a.Unit, grid, 1); len(s.ticks) <= n {
			return s
		}
	}
	for every := 2; len(s.ticks) > n; every++ {
		s.ticks = logTicks(s, a.Unit, []float64{1}, every)
	}
	return s
}

// longTicks are times that people have names for.
func longTicks(s scale, n int) []tick {
	times := []tick{
		{1e-6, "1 µs"},
		{1e-5, "10 µs"},
		{1e-4, "100 µs"},
		{1e-3, "1 ms"},
		{0.01, "10 ms"},
		{0.1, "100 ms"},
		{1, "1 s"},
		{10, "10 s"},
		{60, "1 min"},
		{600, "10 min"},
		{3600, "1 h"},
		{36000, "10 h"},
		{4 * 86400, "4 days"},
		{40 * 86400, "40 days"},
		{400 * 86400, "400 days"},
	}
	times = slices.DeleteFunc(times, func(t tick) bool { return t.value < s.lo*(1-1e-9) || t.value > s.hi*(1+1e-9) })
	var ticks []tick
	for _, k := range spreadOver(len(times), max(2, n)) {
		ticks = append(ticks, times[k])
	}
	return ticks
}

// trimmed is a number without zeros that say nothing.
func trimmed(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// logTicks are the multiples of every so many powers of ten.
func logTicks(s scale, unit string, multiples []float64, every int) []tick {
	var ticks []tick
	for k := decade(s.lo); k <= decade(s.hi); k++ {
		for _, m := range multiples {
			v := m * power(k)
			if k%every == 0 && v >= s.lo*(1-1e-9) && v <= s.hi*(1+1e-9) {
				ticks = append(ticks, tick{v, logTickText(v, unit)})
			}
		}
	}
	return ticks
}

func titled(label, unit string) string {
	if unit == "" || label == "" {
		return label
	}
	return label + " (" + unit + ")"
}

// axisUnit is what linear ticks are divided by, and how the label says so.
func axisUnit(unit string, largest float64) (by float64, text string) {
	switch unit {
	case "%":
		return 0.01, "%"
	case "s":
		switch {
		case largest == 0:
			return 1, "s"
		case largest < 1e-3:
			return 1e-6, "µs"
		case largest < 1:
			return 1e-3, "ms"
		case largest <= 900:
			return 1, "s"
		case largest <= 3*3600:
			return 60, "min"
		case largest <= 4*86400:
			return 3600, "h"
		}
		return 86400, "days"
	case "/s", "":
		text = map[string]string{"/s": "per second"}[unit]
		for _, m := range []struct {
			by   float64
			word string
		}{{1e9, "billions"}, {1e6, "millions"}} {
			if largest >= m.by {
				if text != "" {
					return m.by, m.word + " " + text
				}
				return m.by, m.word
			}
		}
		return 1, text
	}
	return 1, unit
}

// tickText is k*step with as many decimals as the step has.
func tickText(v, step float64) string {
	return fixed(v, max(0, -exponent(step)))
}

func logTickText(v float64, unit string) string {
	switch unit {
	case "s":
		return Human(v, "s")
	case "%":
		return Human(v, "%")
	}
	suffix := ""
	if unit == "x" {
		suffix = "x"
	}
	switch {
	case v >= 1e9:
		return fixed(v/1e9, 0) + " G" + suffix
	case v >= 1e6:
		return fixed(v/1e6, 0) + " M" + suffix
	}
	return Human(v, "") + suffix
}

// niceStep is the smallest of 1, 2, 5 times a power of ten that is at
// least x.
func niceStep(x float64) float64 {
	p := power(decade(x))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= x*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// niceAbove and niceBelow are 1, 2 or 5 times a power of ten.
func niceAbove(x float64) float64 { return niceStep(x) }

func niceBelow(x float64) float64 {
	p := power(decade(x))
	for _, m := range []float64{5, 2} {
		if m*p <= x*(1+1e-9) {
			return m * p
		}
	}
	return p
}

// decade is the exponent of the power of ten at or below x, through text
// because logarithms differ between architectures.
func decade(x float64) int {
	s := strconv.FormatFloat(x, 'e', -1, 64)
	n, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	return n
}

// power is 10^k, correctly rounded.
func power(k int) float64 {
	v, _ := strconv.ParseFloat("1e"+strconv.Itoa(k), 64)
	return v
}
