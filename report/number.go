package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Number is x as it stands in every file: integers in full, everything else
// with 9 significant digits, "+Inf" for never, and nothing at all when x is
// not available. There is no exponent between 1e-6 and 1e15, where
// spreadsheets and people would stumble over it.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 0):
		return strconv.FormatFloat(x, 'g', -1, 64)
	case whole(x):
		return strconv.FormatInt(int64(x), 10)
	}
	x = Rounded(x)
	if a := math.Abs(x); a < 1e-6 || a >= 1e15 {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// Rounded is the number that comes back when Number(x) is read: what a plot
// must draw so that a stored result gives the same picture.
func Rounded(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || whole(x) {
		return x
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 8, 64), 64)
	return y
}

// parseNumber is the inverse of Number, up to rounding.
func parseNumber(s string) (float64, error) {
	if s == "" {
		return math.NaN(), nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return x, nil
}

// whole reports whether x is an integer that a float holds exactly.
func whole(x float64) bool {
	return x == math.Trunc(x) && math.Abs(x) < 1<<53
}

// jsonNumber is a float in JSON: null when not available, a string when
// infinite.
type jsonNumber float64

func (n jsonNumber) MarshalJSON() ([]byte, error) {
	switch x := float64(n); {
	case math.IsNaN(x):
		return []byte("null"), nil
	case math.IsInf(x, 0):
		return json.Marshal(Number(x))
	default:
		return []byte(Number(x)), nil
	}
}
