package server

import (
	"math/big"
	"math/bits"
	"time"
)

// bucket is the rule of a token bucket. Instead of tokens it counts the time at
// which the bucket is full again: a token taken moves that by one interval, and
// a token is there while it is at most burst-1 intervals away. The interval is
// a fraction, n/per nanoseconds, so that 3/s is three a second for ever.
type bucket struct {
	interval meter // from one token to the next
	slack    meter // burst - 1 intervals
	per      int64 // what n of a meter is a fraction of
}

func newBucket(rate float64, burst int64) bucket {
	tokens, seconds := fraction(rate)
	b := bucket{per: tokens}
	b.interval = b.intervals(1, seconds)
	b.slack = b.intervals(burst-1, seconds)
	return b
}

// intervals is n * seconds/tokens.
func (b *bucket) intervals(n, seconds int64) meter {
	hi, lo := bits.Mul64(uint64(n), uint64(seconds*int64(time.Second)))
	at, rest := bits.Div64(hi, lo, uint64(b.per))
	return meter{time.Duration(at), int64(rest)}
}

// take takes a token, if there is one.
func (b *bucket) take(full *meter, now time.Duration) bool {
	if full.after(now+b.slack.at, b.slack.n) {
		return false
	}
	if !full.after(now, 0) {
		*full = meter{at: now}
	}
	full.at += b.interval.at
	full.n += b.interval.n
	if full.n >= b.per {
		full.at++
		full.n -= b.per
	}
	return true
}

// wait is how long it takes until a token is there.
func (b *bucket) wait(full *meter, now time.Duration) time.Duration {
	at := full.at - b.slack.at
	if full.n > b.slack.n {
		at++
	}
	return max(0, at-now)
}

func (m *meter) after(at time.Duration, n int64) bool {
	return m.at > at || m.at == at && m.n > n
}

// maxSeconds keeps a fraction's seconds in nanoseconds within 63 bits.
const maxSeconds = 9_000_000_000

// fraction is the simplest tokens/seconds that is the rate as a float: 10/min
// arrives here as 0.1666... and is 1/6 again. Continued fraction, on integers.
func fraction(rate float64) (tokens, seconds int64) {
	exact := new(big.Rat).SetFloat64(rate)
	a, b := new(big.Int).Set(exact.Num()), new(big.Int).Set(exact.Denom())
	prev, last := [2]*big.Int{new(big.Int), big.NewInt(1)}, [2]*big.Int{big.NewInt(1), new(big.Int)}
	for b.Sign() != 0 {
		q, rest := new(big.Int).QuoRem(a, b, new(big.Int))
		a, b = b, rest
		var next [2]*big.Int
		for i := range next {
			next[i] = new(big.Int).Mul(q, last[i])
			next[i].Add(next[i], prev[i])
		}
		if !next[0].IsInt64() || next[1].Cmp(big.NewInt(maxSeconds)) > 0 {
			break
		}
		prev, last = last, next
		tokens, seconds = next[0].Int64(), next[1].Int64()
		if float64(tokens)/float64(seconds) == rate {
			break
		}
	}
	return tokens, seconds
}
