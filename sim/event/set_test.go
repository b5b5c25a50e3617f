package event

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestQuick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 300 {
		var s Set
		var h heap4
		now := time.Duration(0)
		width := uint(r.IntN(60))
		kw := uint(r.IntN(64))
		pushp := 50 + r.IntN(4)
		for range 20000 {
			if r.IntN(100) < pushp {
				k := 1
				if r.IntN(200) == 0 {
					k = 300
				}
				d := time.Duration(r.Int64() >> width >> r.IntN(4))
				if r.IntN(5) == 0 {
					d = 0
				}
				for range k {
					at := now + d
					if at < 0 {
						at = 1<<63 - 1
					}
					e := Event{At: at, Key: r.Uint64() >> kw}
					s.Push(e)
					h.Push(e)
				}
			} else {
				a, ok1 := s.Pop()
				b, ok2 := h.Pop()
				if a.At != b.At || a.Key != b.Key || ok1 != ok2 {
					t.Fatal(round, a, b, ok1, ok2)
				}
				if ok1 {
					now = a.At
				}
			}
			if s.Len() != h.Len() {
				t.Fatal("len")
			}
		}
	}
}
