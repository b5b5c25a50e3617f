package experiment

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// kind is what sort of number something is. Only equal kinds compare.
type kind int

const (
	number    kind = iota // counts and factors: 100, 1.5
	fraction              // shares: 20%
	frequency             // rates: 200/s
	duration              // 1m30s
	forever               // never
)

// what names the kind, how to write it, for messages.
func (k kind) what() string {
	switch k {
	case fraction:
		return "a share, written like 20%"
	case frequency:
		return "a rate, written like 200/s"
	case duration:
		return "a duration, written like 60s"
	case forever:
		return "never"
	default:
		return "a plain number"
	}
}

// quantity is a number with its unit: durations in seconds, rates per second,
// shares as fractions.
type quantity struct {
	value float64
	kind  kind
	text  string
}

// scanQuantity reads a quantity at the start of s and returns the rest. The
// problem is a sentence; empty if there is none.
func scanQuantity(s string) (q quantity, rest, problem string) {
	digits, after := cutNumber(s)
	if digits == "" {
		return q, s, "expected a number"
	}
	unit := cutUnit(after)
	rest = after[len(unit):]
	q.text = s[:len(s)-len(rest)]
	switch {
	case unit == "":
		q.kind = number
		q.value, problem = parseNumber(digits, 0)
	case unit == "%":
		q.kind = fraction
		q.value, problem = parseNumber(digits, -2)
	case strings.HasPrefix(unit, "/"):
		per, ok := unitNanoseconds(unit[1:])
		if !ok || unit != "/s" && unit != "/min" && unit != "/h" {
			return q, s, "unknown rate " + strconv.Quote(q.text) + "; allowed: /s, /min, /h"
		}
		q.kind = frequency
		q.value, problem = parseNumber(digits, 0)
		q.value /= per / 1e9
	default:
		return scanDuration(s)
	}
	if problem != "" {
		return q, s, problem
	}
	return q, rest, ""
}

// scanDuration reads 60s or 1h30m: a whole number of nanoseconds.
func scanDuration(s string) (q quantity, rest, problem string) {
	rest = s
	var total float64
	for {
		digits, after := cutNumber(rest)
		unit := cutUnit(after)
		if digits == "" {
			break
		}
		ns, ok := unitNanoseconds(unit)
		if !ok || unit == "min" {
			return q, s, "unknown unit " + strconv.Quote(unit) + "; allowed: ns us ms s m h d, /s /min /h, %"
		}
		v, problem := parseNumber(digits, 0)
		if problem != "" {
			return q, s, problem
		}
		total += math.Round(float64(v * ns))
		rest = after[len(unit):]
	}
	if total > math.MaxInt64/2 {
		return q, s, "the duration is too long; did you mean never?"
	}
	q = quantity{value: inSeconds(time.Duration(total)), kind: duration, text: s[:len(s)-len(rest)]}
	return q, rest, ""
}

// unitNanoseconds is the length of a unit of time.
func unitNanoseconds(unit string) (float64, bool) {
	switch unit {
	case "ns":
		return 1, true
	case "us":
		return 1e3, true
	case "ms":
		return 1e6, true
	case "s":
		return 1e9, true
	case "m", "min":
		return 60e9, true
	case "h":
		return 3600e9, true
	case "d":
		return 86400e9, true
	default:
		return 0, false
	}
}

// parseNumber reads digits x 10^shift. The shift is done in the text, so that
// 20.1% is the number nearest to 0.201.
func parseNumber(digits string, shift int) (v float64, problem string) {
	text := strings.ReplaceAll(digits, "_", "")
	if shift != 0 {
		mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
		n, err := strconv.Atoi("0" + strings.TrimLeft(exponent, "+-"))
		if err != nil {
			return 0, "not a number: " + strconv.Quote(digits)
		}
		if strings.HasPrefix(exponent, "-") {
			n = -n
		}
		text = mantissa + "e" + strconv.Itoa(n+shift)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, "not a number: " + strconv.Quote(digits)
	}
	return v, ""
}

// cutNumber splits off digits, with underscores, a point and an exponent.
func cutNumber(s string) (digits, rest string) {
	i := 0
	for i < len(s) && (isDigit(s[i]) || s[i] == '.' || s[i] == '_' && i > 0) {
		i++
	}
	if i > 0 && i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for i = j; i < len(s) && isDigit(s[i]); {
				i++
			}
		}
	}
	return s[:i], s[i:]
}

// cutUnit is the unit at the start of s: letters, %, or a slash and letters.
func cutUnit(s string) string {
	if strings.HasPrefix(s, "%") {
		return "%"
	}
	i := 0
	if strings.HasPrefix(s, "/") {
		i = 1
	}
	for i < len(s) && isLetter(s[i]) {
		i++
	}
	return s[:i]
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// show writes a value for people: 6 digits, with its unit.
func show(v float64, k kind) string { return withUnit(v, k, digits6) }

// showAll writes all digits that matter.
func showAll(v float64, k kind) string {
	return withUnit(v, k, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
}

func withUnit(v float64, k kind, write func(float64) string) string {
	switch {
	case math.IsNaN(v):
		return "not available"
	case math.IsInf(v, 1):
		return "never"
	}
	switch k {
	case fraction:
		return write(100*v) + "%"
	case frequency:
		return write(v) + "/s"
	case duration:
		return write(v) + "s"
	default:
		return write(v)
	}
}

// digits6 writes 6 significant digits, and integers in full.
func digits6(v float64) string {
	if math.Abs(v) >= 1e5 && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
