package lint

import (
	"encoding/json"
	"math"
	"strconv"
)

// Count is a number of attempts or calls, possibly without a limit.
type Count struct {
	N     float64 // +Inf: no limit
	About bool    // not a bound, but what mean waits come to
}

func exactly(n float64) Count { return Count{N: n} }

func (c Count) unlimited() bool { return math.IsInf(c.N, 1) }

func (c Count) times(d Count) Count {
	if c.N == 0 || d.N == 0 {
		return Count{About: c.About || d.About}
	}
	return Count{c.N * d.N, c.About || d.About}
}

func (c Count) plus(d Count) Count { return Count{c.N + d.N, c.About || d.About} }

func (c Count) String() string {
	switch {
	case c.unlimited():
		return "unlimited"
	case c.About:
		return "about " + number(c.N)
	}
	return number(c.N)
}

// MarshalJSON writes null where there is no limit.
func (c Count) MarshalJSON() ([]byte, error) {
	if c.unlimited() {
		return []byte("null"), nil
	}
	return json.Marshal(round(c.N))
}

// number writes a number with up to three digits, or all of a whole one.
func number(x float64) string { return strconv.FormatFloat(round(x), 'f', -1, 64) }

// round keeps three digits of what is not whole.
func round(x float64) float64 {
	if x == math.Trunc(x) || math.IsInf(x, 0) {
		return x
	}
	out, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return x
	}
	if math.Abs(x) >= 1000 {
		return math.Round(x)
	}
	return out
}
