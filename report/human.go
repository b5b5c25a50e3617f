package report

import (
	"math"
	"strconv"
	"strings"

	"retrystorm/experiment"
)

// Human is x with its unit for people: 12,345 and 1.23 s, "never" when it is
// infinite, "-" when it is not available. Units are those of
// [experiment.Metric], and "%" for shares.
func Human(x float64, unit string) string {
	if s, ok := special(x); ok {
		return s
	}
	by, suffix := magnitude(x, unit)
	x = Rounded(x / by)
	return fixed(x, decimals(x)) + suffix
}

// HumanInterval is a centre with its interval: "796 ± 2" where the interval
// is symmetric, "796 [790, 805]" where it is not, the bare centre where there
// is no spread or no interval.
func HumanInterval(centre, lo, hi float64, unit string) string {
	c, i := humanParts(centre, lo, hi, unit)
	return strings.TrimSpace(c + " " + i)
}

// humanParts is HumanInterval in two parts, for columns that align both.
func humanParts(centre, lo, hi float64, unit string) (value, interval string) {
	if _, ok := special(centre); ok || math.IsNaN(lo) || math.IsNaN(hi) || lo == hi {
		return Human(centre, unit), ""
	}
	by, suffix := magnitude(centre, unit)
	centre, lo, hi = centre/by, lo/by, hi/by
	half := float64((hi - lo) / 2)
	if math.IsInf(hi, 1) || math.Abs(hi-centre-half) > half/50 {
		return fixed(centre, decimals(centre)) + suffix, "[" + bound(lo) + ", " + bound(hi) + "]"
	}
	// One significant digit of the interval says where the centre's digits
	// stop meaning anything.
	n := min(max(0, -exponent(half)), 6)
	return fixed(centre, n) + suffix, "± " + fixed(half, n)
}

func bound(x float64) string {
	if s, ok := special(x); ok {
		return s
	}
	return fixed(x, decimals(x))
}

func special(x float64) (string, bool) {
	switch {
	case math.IsNaN(x):
		return "-", true
	case math.IsInf(x, 1):
		return "never", true
	case math.IsInf(x, -1):
		return "-never", true
	}
	return "", false
}

// magnitude is what x is divided by and the suffix that says so.
func magnitude(x float64, unit string) (by float64, suffix string) {
	switch unit {
	case "":
		return 1, ""
	case "/s":
		return 1, "/s"
	case "x":
		return 1, "x"
	case "%":
		return 0.01, " %"
	case "s":
		switch a := math.Abs(x); {
		case a == 0 || a >= 0.9995:
			return 1, " s"
		case a >= 0.9995e-3:
			return 1e-3, " ms"
		default:
			return 1e-6, " µs"
		}
	}
	return 1, " " + unit
}

// decimals gives three significant digits, and integers in full.
func decimals(x float64) int {
	if whole(x) {
		return 0
	}
	return min(max(0, 2-exponent(x)), 6)
}

// exponent is the decimal exponent of x after rounding to 3 digits; it goes
// through text because logarithms differ between architectures.
func exponent(x float64) int {
	s := strconv.FormatFloat(x, 'e', 2, 64)
	n, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	return n
}

// fixed is x with n decimals and commas between thousands.
func fixed(x float64, n int) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', n, 64)
	whole, rest := s, ""
	if i := strings.IndexByte(s, '.'); i >= 0 {
		whole, rest = s[:i], s[i:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if x < 0 && strings.Trim(s, "0.") != "" {
		whole = "-" + whole
	}
	return whole + rest
}

// HumanUnit is the unit a metric is shown in: shares as percentages.
func HumanUnit(m experiment.Metric) string {
	if m.Unit == "" && (m.Share || strings.HasSuffix(m.Name, "_share")) {
		return "%"
	}
	return m.Unit
}

// humanName is a variant as people read it.
func humanName(s string) string { return strings.ReplaceAll(s, "-", " ") }
