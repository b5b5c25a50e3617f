package scenarios

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"retrystorm/sim/random"
)

const (
	rangeAllowed = "LO..HI step S, LO..HI linear N, LO..HI log N"
	sweepAllowed = "a list, or a range such as 10..200 step 10, 10..10000 log 7 or 10%..90% linear 9"
	maxValues    = 10_000
)

// span is a range of values: 10..200 step 10, 1s..5m log 10, 5%..95% linear 19,
// or 1..100 with nothing behind it.
type span struct {
	from, to  *big.Rat // in the unit, or in nanoseconds
	unit      string
	time      bool // durations in nanoseconds, each written in the unit that fits
	whole     bool // values of a count
	step      *big.Rat
	log       bool
	count     int     // values; 0: not said
	low, wide float64 // from and its distance to the end, as logarithms if log
}

// open says whether nothing tells the values of a range.
func (s *span) open() bool { return s.step == nil && s.count == 0 }

var quantityForm = regexp.MustCompile(`^([0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][0-9]+)?)([^0-9. ][^. ]*)?$`)

// parseSpan reads a range. The values of counts are whole.
func parseSpan(text string, whole bool) (*span, *wrong) {
	notRange := &wrong{"not a range", sweepAllowed}
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, notRange
	}
	from, to, ok := strings.Cut(words[0], "..")
	if !ok {
		return nil, notRange
	}
	s := &span{whole: whole}
	numbers := []string{from, to}
	switch rest := words[1:]; {
	case len(rest) == 0:
	case rest[0] == "step" && len(rest) == 2:
		numbers = append(numbers, rest[1])
	case (rest[0] == "log" || rest[0] == "linear") && len(rest) <= 2:
		s.log = rest[0] == "log"
		if len(rest) == 1 {
			break
		}
		if w := s.readCount(rest[1]); w != nil {
			return nil, w
		}
	default:
		return nil, &wrong{"not a range" + didYouMean(rest[0], []string{"step", "log", "linear"}), rangeAllowed}
	}
	ends, w := s.quantities(numbers)
	if w != nil {
		return nil, w
	}
	s.from, s.to = ends[0], ends[1]
	if len(ends) > 2 {
		s.step = ends[2]
	}
	if w := s.check(words[0]); w != nil {
		return nil, w
	}
	s.measure()
	return s, nil
}

func (s *span) readCount(text string) *wrong {
	n, w := parseCount(text)
	switch {
	case w != nil:
		return &wrong{"how many values? " + w.message, w.allowed}
	case n < 2:
		return &wrong{"a range has two ends", "2 values or more"}
	case n > maxValues:
		return tooManyValues
	}
	s.count = int(n)
	return nil
}

var tooManyValues = &wrong{fmt.Sprintf("more than %d values", maxValues), ""}

// quantities reads numbers that have one unit, or are durations.
func (s *span) quantities(texts []string) ([]*big.Rat, *wrong) {
	out := make([]*big.Rat, len(texts))
	same, times := true, true // one unit, or units of time
	for i, text := range texts {
		m := quantityForm.FindStringSubmatch(text)
		if m == nil {
			return nil, &wrong{"not a range", sweepAllowed}
		}
		if w := checkNumber(m[1], sweepAllowed); w != nil {
			return nil, w
		}
		r, ok := new(big.Rat).SetString(plain(m[1]))
		if !ok || r.Num().BitLen()+r.Denom().BitLen() > 200 {
			return nil, &wrong{"not a range", sweepAllowed}
		}
		if i == 0 {
			s.unit = m[2]
		}
		same = same && m[2] == s.unit
		times = times && m[2] != "" && m[2][0] != '/' && m[2][0] != '%'
		out[i] = r
	}
	_, isTime := unitNamed(s.unit)
	if same && (len(texts) > 2 || !isTime) {
		return out, nil
	}
	s.time, s.unit = true, ""
	for i, text := range texts {
		d, w := parseDuration(text)
		switch {
		case !times:
			return nil, &wrong{"a range has one unit", "as in 1/s..10/s step 1/s"}
		case w != nil:
			return nil, w
		}
		out[i] = new(big.Rat).SetInt64(int64(d))
	}
	return out, nil
}

// check finds what makes a range empty, or its values impossible.
func (s *span) check(text string) *wrong {
	switch order := s.from.Cmp(s.to); {
	case order > 0:
		return &wrong{"a range goes upwards", ""}
	case s.step != nil && s.step.Sign() == 0:
		return &wrong{"a step of 0 leads nowhere", rangeAllowed}
	case s.step != nil:
		return nil
	case order == 0:
		return &wrong{"an empty range: " + text + " begins where it ends", rangeAllowed}
	case s.log && s.from.Sign() == 0:
		return &wrong{"a logarithmic range cannot begin at 0", "a number above 0, or linear instead of log"}
	case s.whole && !(s.from.IsInt() && s.to.IsInt()):
		return &wrong{"a range of counts has whole ends", rangeAllowed}
	}
	return nil
}

func (s *span) measure() {
	low, _ := s.from.Float64()
	high, _ := s.to.Float64()
	if s.log {
		low, high = random.Log(low), random.Log(high)
	}
	s.low, s.wide = low, high-low
}

// write is a value in the language.
func (s *span) write(r *big.Rat) string {
	switch {
	case !s.time:
		return decimal(r) + s.unit
	case s.step == nil:
		return decimalDuration(r)
	}
	return FormatDuration(time.Duration(r.Num().Int64()))
}

// decimalDuration writes nanoseconds as 46.42ms or 1.5s, and whole seconds as
// FormatDuration does.
func decimalDuration(ns *big.Rat) string {
	d := time.Duration(ns.Num().Int64())
	if d%time.Second == 0 {
		return FormatDuration(d)
	}
	unit := durationUnits[len(durationUnits)-1]
	for _, u := range durationUnits {
		if u.size <= time.Second && u.size <= d {
			unit = u
			break
		}
	}
	return decimal(new(big.Rat).Quo(ns, new(big.Rat).SetInt64(int64(unit.size)))) + unit.name
}

// values lists the values of a range that is not open.
func (s *span) values() ([]string, *wrong) {
	if s.step != nil {
		return s.steps()
	}
	var out []string
	for k := range s.count {
		text := s.write(s.part(k, s.count-1))
		if k == 0 || text != out[len(out)-1] { // they may be equal after rounding
			out = append(out, text)
		}
	}
	return out, nil
}

func (s *span) steps() ([]string, *wrong) {
	count := new(big.Rat).Sub(s.to, s.from)
	count.Quo(count, s.step)
	n := new(big.Int).Quo(count.Num(), count.Denom())
	if !n.IsInt64() || n.Int64() >= maxValues {
		return nil, tooManyValues
	}
	var out []string
	for x := new(big.Rat).Set(s.from); x.Cmp(s.to) <= 0; x.Add(x, s.step) {
		out = append(out, s.write(x))
	}
	return out, nil
}

// part is the end of the first k of n equal parts of the range: exact if it
// can be written, else rounded.
func (s *span) part(k, n int) *big.Rat {
	switch {
	case k == 0:
		return s.from
	case k == n:
		return s.to
	case s.log:
		x := s.float(float64(k) / float64(n))
		if exact := s.power(x, k, n); exact != nil {
			return exact
		}
		return s.round(x)
	}
	exact := new(big.Rat).Sub(s.to, s.from)
	exact.Mul(exact, big.NewRat(int64(k), int64(n))).Add(exact, s.from)
	if s.can(exact) {
		return exact
	}
	x, _ := exact.Float64()
	return s.round(x)
}

// at is the value at u, from 0 to 1, rounded.
func (s *span) at(u float64) *big.Rat {
	switch u {
	case 0:
		return s.from
	case 1:
		return s.to
	}
	if s.whole && !s.log { // every count has an equal part, those at the ends too
		return s.round(s.low - 0.5 + float64(u*(s.wide+1)))
	}
	return s.round(s.float(u))
}

func (s *span) float(u float64) float64 {
	x := s.low + float64(u*s.wide)
	if s.log {
		x = random.Exp(x)
	}
	return x
}

// place is where a value lies, from 0 to 1.
func (s *span) place(r *big.Rat) float64 {
	x, _ := r.Float64()
	if s.log {
		x = random.Log(x)
	}
	return (x - s.low) / s.wide
}

// can says whether a value of the range can be written as it is.
func (s *span) can(r *big.Rat) bool {
	if s.time || s.whole {
		return r.IsInt()
	}
	_, exact := r.FloatPrec()
	return exact
}

// power is the exact value of from^(1-k/n) to^(k/n), if it has one of up to 12
// digits near x: the middle of 1..65536 log 17 is 256.
func (s *span) power(x float64, k, n int) *big.Rat {
	const many = 100 // the numbers below have as many times more digits
	common := int(new(big.Int).GCD(nil, nil, big.NewInt(int64(k)), big.NewInt(int64(n))).Int64())
	if k, n = k/common, n/common; n > many {
		return nil
	}
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'e', 11, 64))
	if !ok || !s.can(r) {
		return nil
	}
	product := raised(s.from, n-k)
	if product.Mul(product, raised(s.to, k)).Cmp(raised(r, n)) != 0 {
		return nil
	}
	return r
}

func raised(r *big.Rat, n int) *big.Rat {
	power := func(x *big.Int) *big.Int { return new(big.Int).Exp(x, big.NewInt(int64(n)), nil) }
	return new(big.Rat).SetFrac(power(r.Num()), power(r.Denom()))
}

// round rounds to four digits of the value, or of the width of the range where
// that is finer; to whole counts and nanoseconds.
func (s *span) round(x float64) *big.Rat {
	width, _ := new(big.Rat).Sub(s.to, s.from).Float64()
	digit := min(magnitude(x), magnitude(width)) - 3
	if s.time || s.whole {
		digit = max(digit, 0)
	}
	unit := raised(big.NewRat(10, 1), max(digit, -digit))
	if digit < 0 {
		unit.Inv(unit)
	}
	r := new(big.Rat).SetFloat64(x)
	r.Quo(r, unit).Add(r, big.NewRat(1, 2))
	floor := new(big.Int).Quo(r.Num(), r.Denom())
	r.SetInt(floor).Mul(r, unit)
	switch {
	case r.Cmp(s.from) < 0:
		return s.from
	case r.Cmp(s.to) > 0:
		return s.to
	}
	return r
}

// magnitude is the power of ten of the first digit.
func magnitude(x float64) int {
	_, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	return n
}
