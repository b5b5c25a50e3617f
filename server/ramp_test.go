package server

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRamp(t *testing.T) {
	for _, test := range []struct {
		reason  string
		workers int64
		length  time.Duration
		from    float64
		at      time.Duration // since the start of the ramp
		usable  int64
		next    time.Duration // the first change after it; never if 0
	}{
		{"the published example starts at 10 of 100", 100, 30 * sec, 0.1, 0, 10, 333_333_334},
		{"a worker comes when its share is reached, rounded up", 100, 30 * sec, 0.1, 333_333_333, 10, 333_333_334},
		{"and not before", 100, 30 * sec, 0.1, 333_333_334, 11, 666_666_667},
		{"9 workers in 3 s", 100, 30 * sec, 0.1, 3 * sec, 19, 3_333_333_334},
		{"all at the end", 100, 30 * sec, 0.1, 30 * sec, 100, 0},
		{"from nothing: one works nevertheless", 4, 4 * sec, 0, 0, 1, 2 * sec},
		{"the worker that was there is not added again", 4, 4 * sec, 0, 1 * sec, 1, 2 * sec},
		{"two", 4, 4 * sec, 0, 2 * sec, 2, 3 * sec},
		{"from everything: no ramp", 100, sec, 1, 0, everyone, 0},
		{"no length: no ramp", 100, 0, 0, 0, everyone, 0},
		{"unlimited: no ramp", everyone, sec, 0, 0, everyone, 0},
		{"a million workers take a thousand steps", 1_000_000, 1000 * sec, 0, 0, 1, sec},
		{"the first of them", 1_000_000, 1000 * sec, 0, sec, 1000, 2 * sec},
		{"the last of them", 1_000_000, 1000 * sec, 0, 1000 * sec, 1_000_000, 0},
		{"more workers than nanoseconds", 1000, 10, 0, 3, 300, 4},
		{"29 % of 100 is 29", 100, sec, 0.29, 0, 29, 14_084_508},
		{"the largest: no overflow", maxWorkers, never / 2, 0, never/2 - 1, 999_000_000, never / 2},
	} {
		const start = 7 * sec
		r := newRamp(start, test.length, test.workers, test.from)
		if got := r.usable(start + test.at); got != test.usable {
			t.Errorf("%s: %d usable, want %d", test.reason, got, test.usable)
		}
		want := never
		if test.next > 0 {
			want = start + test.next
		}
		if got := r.next(start + test.at); got != want {
			t.Errorf("%s: next at %d, want %d", test.reason, got-start, want-start)
		}
	}
}

// Up to maxSteps workers a ramp is floor(workers * share), at every instant.
func TestRampAgainstFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.Int64Range(1, maxSteps).Draw(t, "workers")
		length := rapid.Int64Range(1, 1e15).Draw(t, "length")
		percent := rapid.Int64Range(0, 100).Draw(t, "from")
		x := rapid.Int64Range(0, length).Draw(t, "x")
		r := newRamp(0, time.Duration(length), w, float64(percent)/100)

		share := big.NewRat(x, length)
		share.Mul(share, big.NewRat(100-percent, 100))
		share.Add(share, big.NewRat(percent, 100))
		share.Mul(share, big.NewRat(w, 1))
		want := max(1, new(big.Int).Quo(share.Num(), share.Denom()).Int64())
		if got := min(w, r.usable(time.Duration(x))); got != want {
			t.Fatalf("%d usable at %d, want %d", got, x, want)
		}
	})
}

// Whatever their number, the steps of a ramp rise, and the last is all
// workers at its end.
func TestRampSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.Int64Range(2, maxWorkers).Draw(t, "workers")
		length := time.Duration(rapid.Int64Range(1, 1e15).Draw(t, "length"))
		r := newRamp(0, length, w, rapid.Float64Range(0, 0.4).Draw(t, "from"))
		now, level, changes := time.Duration(0), r.usable(0), 0
		for at := r.next(now); at < never; at = r.next(now) {
			if at <= now || r.usable(at) <= level {
				t.Fatalf("%d usable at %d after %d at %d", r.usable(at), at, level, now)
			}
			now, level = at, r.usable(at)
			changes++
		}
		if now != length || level != w || changes > maxSteps {
			t.Fatalf("ends at %d of %d with %d of %d workers after %d changes", now, length, level, w, changes)
		}
	})
}
