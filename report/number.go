package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number is x as it stands in every file: integers in full, everything else
// with 9 significant digits, "+Inf" for never, and nothing at all when x is
// not available. There is no exponent between 1e-6 and 1e15, where
// spreadsheets and people would stumble over it.
func Number(x float64) string {
	return string(appendNumber(nil, Rounded(x)))
}

// appendNumber adds Number(x) of an x that is rounded already.
func appendNumber(b []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return b
	case math.IsInf(x, 0):
		return strconv.AppendFloat(b, x, 'g', -1, 64)
	case whole(x):
		return strconv.AppendInt(b, int64(x), 10)
	}
	if a := math.Abs(x); a < 1e-6 || a >= 1e15 {
		return strconv.AppendFloat(b, x, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, x, 'f', -1, 64)
}

// Rounded is the number that comes back when Number(x) is read: what a plot
// must draw so that a stored result gives the same picture.
func Rounded(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || whole(x) {
		return x
	}
	var digits [24]byte
	y, _ := strconv.ParseFloat(string(strconv.AppendFloat(digits[:0], x, 'e', 8, 64)), 64)
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

func (n *jsonNumber) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = jsonNumber(math.NaN())
		return nil
	}
	x, err := parseNumber(strings.Trim(string(b), `"`))
	*n = jsonNumber(x)
	return err
}

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
