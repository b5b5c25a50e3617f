package strategies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tests of this file compare the package with theory. An estimate passes
// when it is within 4 standard errors of the value, those of the estimate and
// of the value together. They cannot flake: the draws are a fixed sequence and
// the waits are integers that are the same everywhere, so what passes once
// passes always. Only when a seed or a sample size is changed does chance have
// a say, with odds of 1 to 15,000 per row.

// draws is a splitmix64 sequence: enough for tests.
type draws uint64

func (d *draws) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// estimate is a number with its standard error.
type estimate struct{ value, se float64 }

func (o oracle) check(t *testing.T, e estimate) {
	t.Helper()
	if z := math.Abs(e.value-o.value) / math.Hypot(e.se, o.se); !(z <= 4) {
		t.Errorf("%s, %s: %s = %v +- %v, want %v (z = %.1f)", o.family, o.params, o.quantity, e.value, e.se, o.value, z)
	}
}

// exact compares a value that was computed, to the row's tolerance and half a
// nanosecond.
func (o oracle) exact(t *testing.T, value float64) {
	t.Helper()
	limit := o.tolerance
	if o.relative {
		limit *= math.Abs(o.value)
	}
	if d := math.Abs(value - o.value); !(d <= limit+0.5e-9) {
		t.Errorf("%s, %s: %s = %v, want %v (off by %v)", o.family, o.params, o.quantity, value, o.value, d)
	}
}

func meanOf(sample []float64) estimate {
	m, variance, _ := moments(sample)
	return estimate{m, math.Sqrt(variance / float64(len(sample)))}
}

func varianceOf(sample []float64) estimate {
	_, v, fourth := moments(sample)
	return estimate{v, math.Sqrt((fourth - v*v) / float64(len(sample)))}
}

// shareOf is the share that cond holds for; its error is that of the value it
// is compared with, which unlike the sample's is never 0 by accident.
func shareOf(sample []float64, want float64, cond func(float64) bool) estimate {
	n := 0.0
	for _, x := range sample {
		if cond(x) {
			n++
		}
	}
	size := float64(len(sample))
	return estimate{n / size, math.Sqrt(want*(1-want)/size) + 1e-15}
}

// moments are the mean and the second and fourth central moment.
func moments(sample []float64) (mean, second, fourth float64) {
	n := float64(len(sample))
	for _, x := range sample {
		mean += x
	}
	mean /= n
	for _, x := range sample {
		d := (x - mean) * (x - mean)
		second += d
		fourth += d * d
	}
	return mean, second / n, fourth / n
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// E(attempts) = (1-(1-p)^N)/p for attempts that succeed with probability p, at
// most N of them; the law of N and of success follow.
func TestAttemptsAreGeometric(t *testing.T) {
	const requests = 40_000
	for _, o := range oracles(t, "attempts_geometric") {
		p, limit := o.param(t, "p"), int64(o.param(t, "N"))
		policy := Policy{MaxAttempts: limit, RetryOn: []string{"transient"}}
		rules := policy.Compile()
		d := draws(1)
		var all, successful []float64
		for range requests {
			attempts, ok := attemptUntil(&rules, func() Outcome {
				if float64(d.next()>>11)*0x1p-53 < p {
					return OK
				}
				return 503
			})
			all = append(all, attempts)
			if ok {
				successful = append(successful, attempts)
			}
		}
		switch o.quantity {
		case "mean_attempts":
			o.check(t, meanOf(all))
		case "var_attempts":
			o.check(t, varianceOf(all))
		case "mean_attempts_given_success":
			o.check(t, meanOf(successful))
		case "P_request_success":
			got := float64(len(successful)) / requests
			o.check(t, estimate{got, math.Sqrt(o.value * (1 - o.value) / requests)})
		default:
			t.Errorf("unknown quantity %s", o.quantity)
		}
	}
}

// attemptUntil plays one request that retries at once.
func attemptUntil(rules *Rules, attempt func() Outcome) (attempts float64, ok bool) {
	for n := int64(1); ; n++ {
		outcome := attempt()
		if outcome == OK {
			return float64(n), true
		}
		if next := rules.Next(&Failure{Outcome: outcome, Attempt: n}, 0); next.Why != Retry {
			return float64(n), false
		}
	}
}

// The mean wait before retry k: x, 3/4 x, x/2, and 3/4 x again for U(x/2, x).
func TestMeanWait(t *testing.T) {
	kinds := map[string]string{
		"none": "exponential", "equal": "equal-jitter", "full": "full-jitter",
		"half_to_full_0.5x_x": "proportional-jitter",
	}
	for _, o := range oracles(t, "backoff_mean_sleep") {
		_, name, _ := strings.Cut(o.params, "strategy=")
		name, _, _ = strings.Cut(name, ";")
		w := Backoff{
			Kind: kinds[name], Base: seconds(o.param(t, "base")), Cap: seconds(o.param(t, "cap")),
			Factor: 2, Lo: 0.5, Hi: 1,
		}.Compile()
		k := int64(o.param(t, "retry k"))
		o.exact(t, w.Mean(k).Seconds())

		d := draws(2)
		sample := make([]float64, 10_000)
		for i := range sample {
			wait, _ := w.Next(k, 0, d.next())
			sample[i] = wait.Seconds()
		}
		if e := meanOf(sample); e.se > 0 {
			o.check(t, e)
		}
	}
}

// The law of decorrelated jitter: means by iteration, and quantiles, the share
// at the cap and means on simulated paths. Stationary is taken at retry 400.
func TestDecorrelatedJitter(t *testing.T) {
	const stationary = 400
	samples := map[string][]float64{} // by params: rows of one law share them
	for _, o := range oracles(t, "decorrelated_jitter") {
		base, limit := o.param(t, "base"), o.param(t, "cap")
		w := Backoff{Kind: "decorrelated-jitter", Base: seconds(base), Cap: seconds(limit)}.Compile()
		k, paths := int64(stationary), 10_000
		if strings.Contains(o.params, "retry k=") {
			k, paths = int64(o.param(t, "retry k")), 100_000
		}
		sample := samples[o.params]
		if sample == nil {
			sample = decorrelatedSample(&w, k, paths)
			samples[o.params] = sample
		}
		switch q := o.quantity; q {
		case "mean_sleep":
			o.exact(t, w.Mean(k).Seconds())
			o.check(t, meanOf(sample))
		case "sd_sleep":
			v := varianceOf(sample)
			sd := math.Sqrt(v.value)
			o.check(t, estimate{sd, v.se / (2 * sd)})
		case "P_sleep_equals_cap":
			o.check(t, shareOf(sample, o.value, func(x float64) bool { return x == limit }))
		default: // sleep_pNN: that share of the waits is below, or at the cap
			var percent float64
			if _, err := fmt.Sscanf(q, "sleep_p%f", &percent); err != nil {
				t.Fatalf("unknown quantity %s", q)
			}
			checkQuantile(t, o, sample, percent/100)
		}
	}
}

// checkQuantile: the share below the value is at most p, the share up to it at
// least p, both within 4 standard errors (they differ at the cap only).
func checkQuantile(t *testing.T, o oracle, sample []float64, p float64) {
	t.Helper()
	below := shareOf(sample, p, func(x float64) bool { return x < o.value })
	upTo := shareOf(sample, p, func(x float64) bool { return x <= o.value })
	if below.value-p > 4*below.se || p-upTo.value > 4*upTo.se {
		t.Errorf("%s, %s: %s = %v has %v of the waits below it and %v up to it",
			o.family, o.params, o.quantity, o.value, below.value, upTo.value)
	}
}

func decorrelatedSample(w *Waits, k int64, paths int) []float64 {
	d := draws(3)
	sample := make([]float64, paths)
	for i := range sample {
		var wait time.Duration
		var memory uint64
		for retry := int64(1); retry <= k; retry++ {
			wait, memory = w.Next(retry, memory, d.next())
		}
		sample[i] = wait.Seconds()
	}
	return sample
}

// The attempts of one client against a server that refuses everything for D:
// the longest policy test without a server. An attempt at D is not counted, so
// max_elapsed is a nanosecond less.
func TestOutageAttempts(t *testing.T) {
	kinds := []string{"equal jitter", "full jitter", "decorrelated jitter", "no jitter"}
	for _, o := range oracles(t, "outage_attempts") {
		i := slices.IndexFunc(kinds, func(k string) bool { return strings.Contains(o.params, k) })
		policy := Policy{
			MaxAttempts: Unlimited,
			MaxElapsed:  seconds(o.param(t, "D")) - 1,
			RetryOn:     []string{"refused"},
			Backoff: Backoff{
				Kind:   []string{"equal-jitter", "full-jitter", "decorrelated-jitter", "exponential"}[i],
				Base:   seconds(o.param(t, "base")),
				Cap:    seconds(o.param(t, "cap")),
				Factor: 2,
			},
		}
		rules := policy.Compile()
		d := draws(4)
		sample := make([]float64, 100_000)
		for i := range sample {
			sample[i] = float64(attemptsIn(&rules, &d))
		}
		e := meanOf(sample)
		if e.se == 0 {
			o.exact(t, e.value)
			continue
		}
		o.check(t, e)
	}
}

func attemptsIn(rules *Rules, d *draws) int64 {
	f := Failure{Outcome: Refused, Attempt: 1}
	for {
		next := rules.Next(&f, d.next())
		if next.Why != Retry {
			return f.Attempt
		}
		f.Attempt, f.Elapsed, f.Memory = f.Attempt+1, f.Elapsed+next.Wait, next.Memory
	}
}
