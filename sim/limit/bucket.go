package limit

import (
	"math"
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
	if b.until(l, now) > 0 {
		return false
	}
	b.add(l, now)
	return true
}

// Reserve takes the next token that is not taken yet, and is the time until it
// is there.
func (b *Bucket) Reserve(l *Level, now time.Duration) time.Duration {
	wait := b.until(l, now)
	b.add(l, now)
	return wait
}

// until is the time until there is a token, rounded up.
func (b *Bucket) until(l *Level, now time.Duration) time.Duration {
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

// fraction is a rate as whole tokens in whole seconds: the simplest that is the
// same float, so that 10/min, which arrives as 0.1666..., is 1 in 6 again. It
// goes through the convergents of the continued fraction.
func fraction(rate float64) (tokens, seconds int64) {
	var before, last [2]int64 = [2]int64{0, 1}, [2]int64{1, 0}
	for x := rate; ; {
		whole := math.Floor(x)
		if float64(whole*float64(last[0]))+float64(before[0]) > 1<<62 ||
			float64(whole*float64(last[1]))+float64(before[1]) > maxSeconds {
			return last[0], last[1]
		}
		n := int64(whole)
		before, last = last, [2]int64{n*last[0] + before[0], n*last[1] + before[1]}
		if float64(last[0])/float64(last[1]) == rate {
			return last[0], last[1]
		}
		x = 1 / (x - whole)
	}
}
