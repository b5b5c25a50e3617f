package event

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestPrograms compares the set with the oracle over random programs.
func TestPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b both
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		keyBits := rapid.IntRange(0, 64).Draw(t, "key bits")
		key := func() uint64 { return r.Uint64() >> (64 - keyBits) }
		count := rapid.IntRange(1, 3*frontLen)
		delay := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(0, 1<<rapid.IntRange(0, 62).Draw(t, "bits")).Draw(t, "delay"))
		})
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				b.push(b.after(delay.Draw(t, "after")), key())
			},
			"push now": func(t *rapid.T) {
				for range count.Draw(t, "count") {
					b.push(b.now, key())
				}
			},
			"push herd": func(t *rapid.T) {
				at := b.after(delay.Draw(t, "after"))
				for range count.Draw(t, "count") {
					b.push(at, key())
				}
			},
			"push spread": func(t *rapid.T) {
				from, spread := delay.Draw(t, "from"), delay.Draw(t, "spread")
				for range count.Draw(t, "count") {
					b.push(b.after(min(from, 1<<61)+time.Duration(r.Int64N(int64(min(spread, 1<<61)+1)))), key())
				}
			},
			"pop": func(t *rapid.T) {
				for range count.Draw(t, "count") {
					b.pop(t)
				}
			},
			"hold": func(t *rapid.T) {
				spread := delay.Draw(t, "spread")
				for range 4 * count.Draw(t, "count") {
					b.pop(t)
					b.push(b.after(time.Duration(r.Int64N(int64(min(spread, 1<<61)+1)))), key())
				}
			},
			"drain": func(t *rapid.T) {
				b.drain(t)
			},
			"reset": func(*rapid.T) {
				b.reset()
			},
		})
		b.drain(t)
	})
}

// FuzzSet reads a program from bytes: each pair is a pop, a number of pushes, or
// a reset.
func FuzzSet(f *testing.F) {
	f.Add([]byte{0x00, 0x10, 0x3f, 0x20, 0xc0, 0x05, 0x00, 0x00, 0x80, 0x07})
	f.Add([]byte{0x3f, 0x00, 0xc0, 0x01, 0x3f, 0x00, 0x3f, 0x00, 0xc0, 0xff, 0xff, 0xff, 0x05, 0x3d})
	f.Fuzz(func(t *testing.T, program []byte) {
		var b both
		key := uint64(1)
		for ; len(program) >= 2; program = program[2:] {
			op, arg := program[0], program[1]
			switch {
			case op == 0xff:
				b.reset()
			case op >= 0xc0:
				for range int(arg) + 1 {
					b.pop(t)
				}
			default:
				// Up to 64 events, at most 2^62 ns away.
				at := b.after(1 << (arg % 63) >> 1)
				step := time.Duration(op >> 6) // all at one instant, or close together
				for i := range time.Duration(op%64 + 1) {
					key *= 0x9e3779b97f4a7c15
					at := max(at, b.now)
					if at < 1<<62 {
						at += i * step
					}
					b.push(at, key>>(arg&0x3f))
				}
			}
		}
		b.drain(t)
	})
}
