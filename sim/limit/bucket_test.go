package limit

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// reserve takes the next token that is not taken yet, and is the time until it
// is there: what everybody in a line waits for, all at once.
func reserve(b *Bucket, l *Level, now time.Duration) time.Duration {
	wait := b.Wait(l, now)
	b.add(l, now)
	return wait
}

// TestBucketIsExact: 3/s is three a second for ever.
func TestBucketIsExact(t *testing.T) {
	for _, c := range []struct {
		rate            float64
		tokens, seconds int64
	}{{3, 3, 1}, {1.0 / 6, 1, 6}, {10, 10, 1}, {0.7, 7, 10}, {1e9, 1e9, 1}, {1.0 / 86400, 1, 86400}, {1e-9, 1, 1e9}} {
		b := NewBucket(c.rate, 1)
		var l Level
		for n := range int64(1000) {
			up := new(big.Int).Mul(big.NewInt(n*c.seconds), big.NewInt(int64(time.Second)))
			up.Add(up, big.NewInt(c.tokens-1)).Div(up, big.NewInt(c.tokens))
			got := reserve(&b, &l, 0)
			if !up.IsInt64() || up.Int64() > int64(farthest) {
				break
			}
			if want := time.Duration(up.Int64()); got != want {
				t.Fatalf("%v/s: token %d after %v, want %v", c.rate, n, got, want)
			}
		}
	}
}

func TestFraction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.Int64Range(1, 100_000).Draw(t, "tokens")
		seconds := rapid.Int64Range(1, 100_000).Draw(t, "seconds")
		n, d := fraction(float64(tokens) / float64(seconds))
		if n*seconds != d*tokens {
			t.Fatalf("%d/%d is taken for %d/%d", tokens, seconds, n, d)
		}
	})
}

// TestBucketIsNaive compares with a bucket of exact fractions of tokens.
func TestBucketIsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, 1000).Draw(t, "rate")
		burst := rapid.Int64Range(1, 5).Draw(t, "burst")
		b := NewBucket(float64(rate), burst)
		var l Level
		perToken := int64(time.Second) // a naive token is that many parts; rate parts come each nanosecond
		parts, last := burst*perToken, time.Duration(0)
		now := time.Duration(0)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, int64(time.Second)/rate*2).Draw(t, "gap"))
			parts, last = min(parts+int64(now-last)*rate, burst*perToken), now
			if rapid.Bool().Draw(t, "take") {
				got, want := b.Take(&l, now), parts >= perToken
				if got != want {
					t.Fatalf("taken %t, want %t", got, want)
				}
				if want {
					parts -= perToken
				}
			} else {
				want := time.Duration(max(0, (perToken-parts+rate-1)/rate))
				if got := reserve(&b, &l, now); got != want {
					t.Fatalf("reserved for %v, want %v", got, want)
				}
				parts -= perToken
			}
		}
	})
}

// TestFractionsStay: a token taken in the nanosecond in which the bucket gets
// full leaves the rest of that nanosecond missing.
func TestFractionsStay(t *testing.T) {
	b := NewBucket(3, 2)
	var l Level
	third := time.Second / 3
	b.Take(&l, 0)
	if !b.Take(&l, third) || b.Take(&l, third) || !b.Take(&l, third+1) {
		t.Error("a third of a nanosecond was lost")
	}
}

// TestFarBucket: the line in front of a slow bucket does not overflow.
func TestFarBucket(t *testing.T) {
	b := NewBucket(1e-9, 1)
	var l Level
	last := time.Duration(0)
	for range 100 {
		wait := reserve(&b, &l, 1<<61)
		if wait < last {
			t.Fatalf("wait %v after %v", wait, last)
		}
		last = wait
	}
}

func BenchmarkTake(b *testing.B) {
	bucket := NewBucket(3, 2)
	var l Level
	now := time.Duration(0)
	for b.Loop() {
		now += time.Second
		bucket.Take(&l, now)
	}
}

func TestFractionIsSimple(t *testing.T) {
	for _, test := range []struct {
		reason          string
		rate            float64
		tokens, seconds int64
	}{
		{"whole", 100, 100, 1},
		{"a decimal", 0.1, 1, 10},
		{"per minute", 10.0 / 60, 1, 6},
		{"per hour", 7.0 / 3600, 7, 3600},
		{"many digits", 1234.567, 1234567, 1000},
		{"the slowest", 1e-9, 1, 1e9},
		{"near enough, where exact is too fine", 1.1e-9, 1, 909090909},
		{"the fastest", 1e9, 1e9, 1},
		{"no short fraction", 3.141592653589793, 245850922, 78256779},
	} {
		if n, d := fraction(test.rate); n != test.tokens || d != test.seconds {
			t.Errorf("%s: %d/%d, want %d/%d", test.reason, n, d, test.tokens, test.seconds)
		}
	}
}
