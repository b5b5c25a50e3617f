package random

import "math"

const sqrt2Pi = 2.5066282746310005024 // sqrt(2 pi)

// NormQuantile is the inverse of the standard normal distribution function, by
// three rational approximations with relative error 1e-16 (M. J. Wichura,
// "Algorithm AS 241: The percentage points of the normal distribution", Applied
// Statistics 37, 1988, PPND16). It is exactly odd around 1/2; 0 and 1 give
// infinities, what lies outside gives NaN.
func NormQuantile(u float64) float64 {
	q := u - 0.5
	if q >= -0.425 && q <= 0.425 {
		r := 0.180625 - float64(q*q)
		num := poly(r, 3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
			4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3)
		den := poly(r, 1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
			2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3)
		return float64(q*num) / den
	}
	tail := u
	if q > 0 {
		tail = 1 - u
	}
	if !(tail > 0) {
		if tail == 0 {
			return math.Inf(int(math.Copysign(1, q)))
		}
		return math.NaN()
	}
	z := tailQuantile(tail)
	if q < 0 {
		return -z
	}
	return z
}

// tailQuantile is minus the quantile of a tail below 0.075.
func tailQuantile(tail float64) float64 {
	r := math.Sqrt(-Log(tail))
	if r <= 5 {
		r -= 1.6
		return poly(r, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
			1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4) /
			poly(r, 1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
				1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9)
	}
	r -= 5
	return poly(r, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7) /
		poly(r, 1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
			7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15)
}

// poly is c0 + c1 x + ... + c7 x^7 by Estrin's scheme, whose parts do not wait
// for each other.
func poly(x, c0, c1, c2, c3, c4, c5, c6, c7 float64) float64 {
	x2 := float64(x * x)
	low := (c0 + float64(c1*x)) + float64((c2+float64(c3*x))*x2)
	high := (c4 + float64(c5*x)) + float64((c6+float64(c7*x))*x2)
	return low + float64(high*float64(x2*x2))
}

// normDensity is the density of the standard normal distribution.
func normDensity(x float64) float64 { return Exp(float64(-0.5*float64(x*x))) / sqrt2Pi }

// normCDF is the standard normal distribution function for x >= 0, by the
// series 1/2 + density(x) (x + x^3/3 + x^5/(3 5) + ...), whose terms are all
// positive (Abramowitz and Stegun, 26.2.11).
func normCDF(x float64) float64 {
	if x > 9 {
		return 1
	}
	x2, sum := float64(x*x), 0.0
	for n, term := 1.0, x; term > sum*0x1p-54; n += 2 {
		sum += term
		term = term * x2 / (n + 2)
	}
	return 0.5 + float64(normDensity(x)*sum)
}
