package limit

import (
	"math/big"
	"math/bits"
	"time"
)

// Bucket is the rule of a token bucket. It is exact: the time from one token to
// the next is a whole number of nanoseconds and a fraction, so that 3/s is
// three a second for ever.
type Bucket struct {
	interval Level // from one token to the next
	slack    Level // burst - 1 intervals: how far from full the last token is
	tokens   int64 // the denominator of the fractions
}

// Level is when a bucket is full again, in whole and in fractions of
// nanoseconds. The zero Level is full from the start.
type Level struct {
	at   time.Duration
	part int64
}

// most that a level may lie ahead: about 73 years.
const farthest time.Duration = 1 << 61

// maxSeconds keeps a rate's seconds, in nanoseconds, within 63 bits.
const maxSeconds = 9_000_000_000

// NewBucket is a bucket with a rate per second, from 1e-9 to 1e9, that holds
// burst tokens. It takes at most 1e9 seconds to fill.
func NewBucket(rate float64, burst int64) Bucket {
	tokens, seconds := fraction(rate)
	b := Bucket{tokens: tokens}
	b.interval = b.intervals(1, seconds)
	b.slack = b.intervals(burst-1, seconds)
	return b
}

// intervals is n seconds/tokens.
func (b *Bucket) intervals(n, seconds int64) Level {
	hi, lo := bits.Mul64(uint64(n), uint64(seconds*int64(time.Second)))
	if hi >= uint64(b.tokens) {
		return Level{at: farthest}
	}
	at, rest := bits.Div64(hi, lo, uint64(b.tokens))
	return Level{min(farthest, time.Duration(min(at, uint64(farthest)))), int64(rest)}
}

// Take takes a token if there is one now.
func (b *Bucket) Take(l *Level, now time.Duration) bool {
	if b.Wait(l, now) > 0 {
		return false
	}
	b.add(l, now)
	return true
}

// Full reports whether the bucket is full.
func (l *Level) Full(now time.Duration) bool { return l.at < now || l.at == now && l.part == 0 }

// Wait is the time until there is a token, rounded up.
func (b *Bucket) Wait(l *Level, now time.Duration) time.Duration {
	wait := l.at - b.slack.at - now
	if l.part > b.slack.part {
		wait++
	}
	return max(wait, 0)
}

// add moves the level by one token.
func (b *Bucket) add(l *Level, now time.Duration) {
	if l.at < now {
		*l = Level{at: now}
	}
	if l.at > farthest {
		return
	}
	l.at += b.interval.at
	if l.part += b.interval.part; l.part >= b.tokens {
		l.at++
		l.part -= b.tokens
	}
}

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
