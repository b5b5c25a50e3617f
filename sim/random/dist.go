package random

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// Max is the largest time that is ever drawn, about 73 years: sums of a few
// such times do not overflow.
const Max time.Duration = 1 << 61

// shape is the kind of a Sampler.
type shape uint8

const (
	fixed shape = iota
	uniform
	exponential
	normal
	absNormal
	lognormal
	pareto
	erlang
	empirical
)

// Sampler draws from a Dist: a value to copy and keep where it is used. The
// zero Sampler always gives 0.
type Sampler struct {
	shape  shape
	from   time.Duration   // the constant; the smallest value of uniform
	n      uint64          // how many values: of uniform, of the file
	scale  float64         // in ns: mean, sd, smallest value of pareto
	a, b   float64         // mean; sigma and shift of the exponent
	curve  *erlangCurve    // of erlang
	values []time.Duration // of the file, ascending
}

// Sampler prepares d, which must be valid, for drawing.
func (d Dist) Sampler() Sampler {
	mean, sd := float64(d.Mean), float64(d.SD)
	switch {
	case d.Kind == "uniform":
		return Sampler{shape: uniform, from: d.From, n: uint64(d.To-d.From) + 1}
	case d.Kind == "file":
		values := d.Values
		if !slices.IsSorted(values) {
			values = slices.Sorted(slices.Values(values))
		}
		if len(values) == 0 {
			return Sampler{}
		}
		return Sampler{shape: empirical, n: uint64(len(values)), values: values}
	case d.Kind == "normal" && d.SD > 0:
		return Sampler{shape: normal, scale: sd, a: mean}
	case d.Kind == "abs-normal" && d.SD > 0:
		return Sampler{shape: absNormal, scale: sd, a: mean}
	case d.Kind == "exponential", d.Kind == "erlang" && d.K == 1:
		return Sampler{shape: exponential, scale: mean}
	case d.Kind == "lognormal" && d.CV > 0:
		variance := log1p(float64(d.CV * d.CV))
		return Sampler{shape: lognormal, scale: mean, a: math.Sqrt(variance), b: -variance / 2}
	case d.Kind == "pareto":
		return Sampler{shape: pareto, scale: mean * (d.Shape - 1) / d.Shape, a: -1 / d.Shape}
	case d.Kind == "erlang":
		return Sampler{shape: erlang, scale: mean / float64(d.K), curve: newErlangCurve(d.K)}
	}
	return Sampler{from: d.Mean}
}

// At is the variate of the draw u, by inversion of the distribution function.
func (s *Sampler) At(u uint64) time.Duration {
	switch s.shape {
	case uniform:
		return s.from + time.Duration(Uniform(u, s.n))
	case exponential: // -mean log(1-u)
		return nanoseconds(s.scale * -Log(Unit(^u)))
	case normal:
		return nanoseconds(s.a + float64(s.scale*standardNormal(u)))
	case absNormal:
		return nanoseconds(math.Abs(s.a + float64(s.scale*standardNormal(u))))
	case lognormal: // mean exp(sigma z - sigma^2/2)
		return nanoseconds(s.scale * Exp(float64(s.a*standardNormal(u))+s.b))
	case pareto: // smallest value / (1-u)^(1/shape)
		return nanoseconds(s.scale * Exp(float64(s.a*Log(Unit(^u)))))
	case erlang:
		return nanoseconds(s.scale * s.curve.at(standardNormal(u)))
	case empirical:
		return s.values[Uniform(u, s.n)]
	}
	return s.from
}

// nanoseconds rounds to whole nanoseconds within [0, Max].
func nanoseconds(x float64) time.Duration {
	x = float64(x) + 0.5 // x may be a product
	switch {
	case !(x >= 1):
		return 0
	case x >= float64(Max):
		return Max
	}
	return time.Duration(x)
}

// Zero reports whether every draw is 0.
func (d Dist) Zero() bool {
	switch d.Kind {
	case "uniform":
		return d.To <= 0
	case "normal", "abs-normal":
		return d.Mean <= 0 && d.SD <= 0
	case "file":
		return len(d.Values) == 0 || slices.Max(d.Values) <= 0
	}
	return d.Mean <= 0
}

// MeanSeconds is the mean of what is drawn: for normal and abs-normal that
// after cutting or folding, for file that of its values.
func (d Dist) MeanSeconds() float64 {
	mean, _ := d.moments()
	return mean / 1e9
}

// Variance is the variance of what is drawn, in seconds squared; infinite for
// pareto with a shape of 2 or less.
func (d Dist) Variance() float64 {
	_, variance := d.moments()
	return variance / 1e18
}

// moments gives the mean and variance in ns and ns^2.
func (d Dist) moments() (mean, variance float64) {
	mean, sd := float64(d.Mean), float64(d.SD)
	switch d.Kind {
	case "uniform": // of the integers From..To
		n := float64(d.To-d.From) + 1
		return float64(d.From) + float64((n-1)/2), float64((n-1)*(n+1)) / 12
	case "exponential":
		return mean, mean * mean
	case "normal":
		return cutNormal(mean, sd)
	case "abs-normal":
		return foldedNormal(mean, sd)
	case "lognormal":
		return mean, mean * mean * d.CV * d.CV
	case "pareto":
		if d.Shape <= 2 {
			return mean, math.Inf(1)
		}
		return mean, mean * mean / (d.Shape * (d.Shape - 2))
	case "erlang":
		return mean, mean * mean / float64(d.K)
	case "file":
		return sampleMoments(d.Values)
	}
	return mean, 0
}

// cutNormal gives the moments of max(0, X), X normal with mean m >= 0: with
// a = m/sd, E = m Phi(a) + sd phi(a), E^2 = (m^2 + sd^2) Phi(a) + m sd phi(a).
func cutNormal(m, sd float64) (mean, variance float64) {
	if sd <= 0 || m > 9*sd {
		return m, sd * sd
	}
	// In units of sd.
	a := m / sd
	below, density := normCDF(a), normDensity(a)
	mean = float64(a*below) + density
	square := float64((1+float64(a*a))*below) + float64(a*density)
	return mean * sd, (square - float64(mean*mean)) * sd * sd
}

// foldedNormal gives the moments of |X|, X normal with mean m >= 0: with a as
// above, E = m (2 Phi(a) - 1) + 2 sd phi(a), E^2 = m^2 + sd^2.
func foldedNormal(m, sd float64) (mean, variance float64) {
	if sd <= 0 || m > 9*sd {
		return m, sd * sd
	}
	a := m / sd
	mean = float64(a*(float64(2*normCDF(a))-1)) + float64(2*normDensity(a))
	return mean * sd, (1 + float64(a*a) - float64(mean*mean)) * sd * sd
}

// sampleMoments gives the moments of one value picked at random.
func sampleMoments(values []time.Duration) (mean, variance float64) {
	if len(values) == 0 {
		return 0, 0
	}
	n := uint64(len(values))
	var hi, lo uint64
	for _, v := range values {
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(v), 0)
		hi += carry
	}
	whole, rest := bits.Div64(hi, lo, n)
	fraction := float64(rest) / float64(n)
	for _, v := range values {
		x := float64(int64(v)-int64(whole)) - fraction
		variance += float64(x * x)
	}
	return float64(whole) + fraction, variance / float64(n)
}
