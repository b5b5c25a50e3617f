package strategies

import (
	"encoding/binary"
	"hash/fnv"
	"testing"
	"time"
)

// TestGoldenWaits holds a hash of many waits of every kind. It must be the same
// on every architecture; a change of it changes results.
func TestGoldenWaits(t *testing.T) {
	const want uint64 = 0xe07c118914bbcb65
	hash := fnv.New64a()
	write := func(d time.Duration) {
		hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(d)))
	}
	specs := []Backoff{
		{Base: 100 * ms, Cap: 20 * time.Second, Factor: 2, Lo: 0.8, Hi: 1.2, Spread: 1 * time.Second},
		{Base: 5*ms + 1, Cap: 2 * time.Second, Factor: 1.1, FirstExponent: 1, Lo: 1. / 3, Hi: 2. / 3, Spread: 1},
		{Base: 1_234_567, Factor: 1.0001, FirstExponent: 7, Lo: 0, Hi: 1e9, Spread: Longest},
	}
	d := draws(5)
	for _, b := range specs {
		for _, kind := range b.Kinds()[:9] { // the kinds without axes
			b.Kind = kind[0]
			w := b.Compile()
			for k := int64(1); k <= 20; k++ {
				write(w.Min(k))
				write(w.Mean(k))
				write(w.Max(k))
			}
			var wait time.Duration
			var memory uint64
			for i := range int64(2000) {
				wait, memory = w.Next(i+1, memory, d.next())
				write(wait)
				wait, _ = w.Next(int64(1)<<(i%63), memory, d.next())
				write(wait)
			}
		}
	}
	if got := hash.Sum64(); got != want {
		t.Errorf("hash %#016x, want %#016x", got, want)
	}
}

// TestGoldenCustomWaits does the same for the axes.
func TestGoldenCustomWaits(t *testing.T) {
	const want uint64 = 0x72fe8e01053d0be8
	hash := fnv.New64a()
	write := func(d time.Duration) {
		hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(d)))
	}
	specs := append(benchmarked(), pollyAWS(), finagleWalk(), flowcontrolWalk(), linkerdWaits(), grpcConnection(), jpillora(),
		axes(func(b *Backoff) { b.RoundSteps, b.Factor = true, 1.1 }),
		axes(func(b *Backoff) { b.Growth, b.Factor, b.Jitter = "power-minus-one", 1.7, "plus-minus" }),
		axes(func(b *Backoff) { b.Growth, b.Cap, b.CapOn, b.Round = "polly", minute, "after", "nearest" }))
	d := draws(6)
	for _, b := range specs {
		w := b.Compile()
		for k := int64(1); k <= 12; k++ {
			write(w.Min(k))
			write(w.Mean(k))
			write(w.Max(k))
		}
		var wait time.Duration
		var memory uint64
		for i := range int64(500) {
			wait, memory = w.Next(i+1, memory, d.next())
			write(wait)
			wait, _ = w.Next(int64(1)<<(i%63), memory, d.next())
			write(wait)
		}
	}
	if got := hash.Sum64(); got != want {
		t.Errorf("hash %#016x, want %#016x", got, want)
	}
}
