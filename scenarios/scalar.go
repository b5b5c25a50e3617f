package scenarios

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// wrong says what is wrong with a scalar, and what would be right.
type wrong struct{ message, allowed string }

var (
	decimalForm = regexp.MustCompile(`^[0-9]+(_[0-9]+)*(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)
	nameForm    = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
)

const longest = time.Duration(math.MaxInt64)

// checkNumber finds what makes a number unreadable.
func checkNumber(num, allowed string) *wrong {
	switch {
	case decimalForm.MatchString(num):
		if len(num) > 1 && num[0] == '0' && num[1] >= '0' && num[1] <= '9' {
			return &wrong{"a leading zero, which some YAML readers take for octal; leave it out", ""}
		}
		return nil
	case strings.HasPrefix(num, "-"):
		return &wrong{"must not be negative", allowed}
	case strings.HasPrefix(num, "+"):
		return &wrong{"write it without the plus sign", allowed}
	case strings.HasPrefix(num, "0x") || strings.HasPrefix(num, "0o") || strings.HasPrefix(num, "0b") || strings.HasPrefix(num, "0X"):
		return &wrong{"numbers are written in decimal", allowed}
	case isInfinite(num):
		return &wrong{"not a number; where a field allows it, write unlimited or none", allowed}
	case strings.HasPrefix(num, ".") && len(num) > 1 && decimalForm.MatchString("0"+num):
		return &wrong{"write 0" + num, allowed}
	case strings.Contains(num, ","):
		return &wrong{"no commas in numbers: 10_000 is ten thousand, 1.5 is one and a half", allowed}
	}
	return &wrong{"not a number", allowed}
}

func isInfinite(s string) bool {
	switch strings.ToLower(strings.TrimLeft(s, "+-.")) {
	case "inf", "infinity", "nan":
		return true
	}
	return false
}

func plain(num string) string { return strings.ReplaceAll(num, "_", "") }

// leadingNumber splits "80/s" into "80" and "/s".
func leadingNumber(s string) (num, rest string) {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	return s[:i], s[i:]
}

// A duration is written with the units below, largest first.
var durationUnits = []struct {
	name string
	size time.Duration
}{
	{"d", 24 * time.Hour},
	{"h", time.Hour},
	{"m", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
	{"us", time.Microsecond},
	{"ns", time.Nanosecond},
}

const durationAllowed = "a number with a unit ns, us, ms, s, m, h or d"

func unitNamed(name string) (time.Duration, bool) {
	for _, u := range durationUnits {
		if u.name == name {
			return u.size, true
		}
	}
	return 0, false
}

// otherUnit finds what people write for a unit.
func otherUnit(name string) string {
	switch strings.ToLower(name) {
	case "µs", "μs", "usec", "micros":
		return "us"
	case "msec", "millis":
		return "ms"
	case "sec", "secs", "second", "seconds":
		return "s"
	case "min", "mins", "minute", "minutes":
		return "m"
	case "hr", "hrs", "hour", "hours":
		return "h"
	case "day", "days":
		return "d"
	}
	return ""
}

// parseDuration reads 100ms, 1h30m, 1.5s: whole nanoseconds, never negative.
func parseDuration(s string) (time.Duration, *wrong) {
	var total time.Duration
	before := longest // the unit before this one, which must be larger
	for rest := s; rest != ""; {
		num, after := leadingNumber(rest)
		n := strings.IndexAny(after, "0123456789.-+")
		if n < 0 {
			n = len(after)
		}
		unit := after[:n]
		if num == "" {
			return 0, notDuration(s)
		}
		if w := checkNumber(num, durationAllowed); w != nil {
			return 0, w
		}
		switch size, ok := unitNamed(unit); {
		case unit == "" && rest == s:
			if num == "0" {
				return 0, &wrong{"a duration needs a unit: write 0s", ""}
			}
			return 0, &wrong{"a duration needs a unit: write " + num + "ms or " + num + "s; no unit is ever guessed", ""}
		case strings.TrimSpace(unit) != unit:
			return 0, &wrong{"no blank inside a duration: write " + strings.Join(strings.Fields(s), ""), ""}
		case !ok && otherUnit(unit) != "":
			return 0, &wrong{"write " + num + otherUnit(unit), durationAllowed}
		case !ok:
			return 0, notDuration(s)
		case size >= before:
			return 0, &wrong{"units go from large to small, each once, as in 1h30m", ""}
		default:
			d, w := times(num, size)
			if w != nil {
				return 0, w
			}
			if d > longest-total {
				return 0, tooLong
			}
			total, before = total+d, size
		}
		rest = after[n:]
	}
	if s == "" {
		return 0, notDuration(s)
	}
	return total, nil
}

var tooLong = &wrong{"too long; the longest duration is 106751d", ""}

// times multiplies a decimal by a unit exactly.
func times(num string, unit time.Duration) (time.Duration, *wrong) {
	if len(num) > 40 {
		return 0, &wrong{"too many digits", durationAllowed}
	}
	if n, err := strconv.ParseInt(num, 10, 64); err == nil {
		if n > int64(longest/unit) {
			return 0, tooLong
		}
		return time.Duration(n) * unit, nil
	}
	r, ok := new(big.Rat).SetString(plain(num))
	if !ok {
		return 0, &wrong{"not a number", durationAllowed}
	}
	r.Mul(r, new(big.Rat).SetInt64(int64(unit)))
	switch {
	case !r.IsInt():
		return 0, &wrong{"finer than a nanosecond; durations are whole nanoseconds", ""}
	case !r.Num().IsInt64():
		return 0, tooLong
	}
	return time.Duration(r.Num().Int64()), nil
}

func notDuration(s string) *wrong {
	if parts := strings.Split(s, ":"); len(parts) == 2 && allDigits(parts[0]) && allDigits(parts[1]) {
		return &wrong{"no colons in a duration: write " + parts[0] + "h" + parts[1] + "m, or " + parts[0] + "m" + parts[1] + "s", durationAllowed}
	}
	if w := checkNumber(s, durationAllowed); w != nil && w.message != "not a number" {
		return w
	}
	return &wrong{"not a duration", durationAllowed}
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// FormatDuration writes a duration in the language: 90s is 1m30s.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	if d < time.Second {
		for _, u := range durationUnits[4:] {
			if d%u.size == 0 {
				return strconv.FormatInt(int64(d/u.size), 10) + u.name
			}
		}
	}
	for _, u := range durationUnits {
		if n := d / u.size; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10) + u.name)
			d %= u.size
		}
	}
	return b.String()
}

const rateAllowed = "a number per time, as in 200/s, 10/min or 3/h"

// splitRate reads "10/min" into its number and the seconds of its unit.
func splitRate(s string) (num string, seconds int64, w *wrong) {
	num, unit, found := strings.Cut(s, "/")
	if !found {
		if decimalForm.MatchString(s) {
			return "", 0, &wrong{"a rate needs its time: write " + s + "/s or " + s + "/min; no unit is ever guessed", ""}
		}
		if w := checkNumber(s, rateAllowed); w.message != "not a number" {
			return "", 0, w
		}
		return "", 0, &wrong{"not a rate", rateAllowed}
	}
	if w := checkNumber(num, rateAllowed); w != nil {
		if w.message == "not a number" {
			w.message = "not a rate"
		}
		return "", 0, w
	}
	switch unit {
	case "s":
		return num, 1, nil
	case "min":
		return num, 60, nil
	case "h":
		return num, 3600, nil
	}
	switch strings.ToLower(strings.TrimSpace(unit)) {
	case "s", "sec", "second":
		return "", 0, &wrong{"write " + num + "/s", rateAllowed}
	case "m", "min", "minute":
		return "", 0, &wrong{"write " + num + "/min", rateAllowed}
	case "h", "hr", "hour":
		return "", 0, &wrong{"write " + num + "/h", rateAllowed}
	}
	return "", 0, &wrong{"not a rate", rateAllowed}
}

// parseRate gives a rate per second.
func parseRate(s string) (float64, *wrong) {
	num, seconds, w := splitRate(s)
	if w != nil {
		return 0, w
	}
	x, w := toFloat(num)
	return x / float64(seconds), w
}

// parseMean reads a mean duration, or a rate for its inverse, rounded to the
// nanosecond.
func parseMean(s string) (time.Duration, *wrong) {
	if !strings.Contains(s, "/") {
		return parseDuration(s)
	}
	num, seconds, w := splitRate(s)
	if w != nil {
		return 0, w
	}
	if _, w := toFloat(num); w != nil {
		return 0, w
	}
	r, _ := new(big.Rat).SetString(plain(num))
	if r == nil || r.Sign() == 0 {
		return 0, &wrong{"a rate of 0 has no mean duration", ""}
	}
	r.Inv(r).Mul(r, new(big.Rat).SetInt64(seconds*int64(time.Second)))
	r.Add(r, big.NewRat(1, 2))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !n.IsInt64() {
		return 0, tooLong
	}
	return time.Duration(n.Int64()), nil
}

func toFloat(num string) (float64, *wrong) {
	x, err := strconv.ParseFloat(plain(num), 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, &wrong{"too large", ""}
	}
	return x, nil
}

const shareAllowed = "0% to 100%"

// parseShare reads 10% as 0.1.
func parseShare(s string) (float64, *wrong) {
	num, found := strings.CutSuffix(s, "%")
	if !found {
		if decimalForm.MatchString(s) && checkNumber(s, "") == nil {
			x, _ := new(big.Rat).SetString(plain(s))
			if x != nil && x.Cmp(big.NewRat(1, 1)) <= 0 && len(s) < 20 {
				percent := new(big.Rat).Mul(x, big.NewRat(100, 1))
				return 0, &wrong{"a share is written with %: write " + decimal(percent) + "% for " + s + " of all, or " + s + "% for " + s + " in a hundred", ""}
			}
			return 0, &wrong{"a share is written with %: write " + s + "%", ""}
		}
		if w := checkNumber(s, shareAllowed); w != nil && w.message != "not a number" {
			return 0, w
		}
		return 0, &wrong{"not a share", shareAllowed}
	}
	if w := checkNumber(num, shareAllowed); w != nil {
		return 0, w
	}
	x, w := toFloat(num)
	switch {
	case w != nil:
		return 0, w
	case x > 100:
		return 0, &wrong{"more than all", shareAllowed}
	case !strings.ContainsAny(num, "eE"):
		x, _ = strconv.ParseFloat(plain(num)+"e-2", 64) // the nearest float, which x/100 may miss
		return x, nil
	}
	return x / 100, nil
}

// decimal writes a fraction whose denominator divides a power of ten.
func decimal(r *big.Rat) string {
	digits, exact := r.FloatPrec()
	if !exact {
		digits = 12
	}
	return r.FloatString(digits)
}

const countAllowed = "a whole number, as in 10000, 10_000 or 1e6"

// parseCount reads a whole number; 1e6 is one, 1.5 and 10.0 are not.
func parseCount(s string) (int64, *wrong) {
	if w := checkNumber(s, countAllowed); w != nil {
		return 0, w
	}
	if n, err := strconv.ParseInt(plain(s), 10, 64); err == nil {
		return n, nil
	}
	if strings.Contains(s, ".") && !strings.ContainsAny(s, "eE") {
		return 0, &wrong{"must be a whole number", countAllowed}
	}
	x, err := strconv.ParseFloat(plain(s), 64)
	if err != nil || x >= 1<<63 {
		return 0, &wrong{"too large", "at most 9223372036854775807"}
	}
	r, ok := new(big.Rat).SetString(plain(s)) // the exponent is below 19, or x would be 0 or large
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, &wrong{"must be a whole number", countAllowed}
	}
	return r.Num().Int64(), nil
}

const factorAllowed = "a number, as in 2 or 1.5"

func parseFactor(s string) (float64, *wrong) {
	if w := checkNumber(s, factorAllowed); w != nil {
		return 0, w
	}
	return toFloat(s)
}

// reservedNames are words that some YAML reader takes for something else, and work.
var reservedNames = []string{"on", "off", "yes", "no", "y", "n", "true", "false", "null", "work"}

// libraryVersion takes "tenacity 8.2.1", "tenacity@8.2.1" and the like apart.
func libraryVersion(s string) (name, version string, ok bool) {
	i := strings.IndexAny(s, " @=:/~^<>")
	if i < 0 {
		return "", "", false
	}
	name, version = s[:i], strings.TrimPrefix(strings.TrimLeft(s[i:], " @=:/~^<>"), "v")
	_, readable := parseVersion(version)
	return name, version, readable && checkName(name) == nil
}

const nameAllowed = "small letters, digits and -, beginning with a letter, up to 63"

func checkName(s string) *wrong {
	switch {
	case slices.Contains(reservedNames, s):
		return &wrong{"cannot be a name: the word means something else", nameAllowed}
	case !nameForm.MatchString(s):
		slug := strings.Trim(strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				return r
			case r >= 'A' && r <= 'Z':
				return r - 'A' + 'a'
			case r == ' ' || r == '_' || r == '.' || r == '-':
				return '-'
			}
			return -1
		}, s), "-")
		if nameForm.MatchString(slug) && !slices.Contains(reservedNames, slug) {
			return &wrong{"not a name; write " + slug, nameAllowed}
		}
		return &wrong{"not a name", nameAllowed}
	}
	return nil
}
