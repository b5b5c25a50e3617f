package event

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func checkSort(t *testing.T, words [chunkLen]uint64, n uint) {
	t.Helper()
	for i := n; i < chunkLen; i++ {
		words[i] = math.MaxUint64
	}
	got := words
	sortWords(&got, n)
	slices.Sort(words[:n])
	if !slices.Equal(got[:n], words[:n]) {
		t.Fatalf("%d words: got %v, want %v", n, got[:n], words[:n])
	}
}

// A network that sorts all zeros and ones sorts everything.
func TestSortZerosAndOnes(t *testing.T) {
	bit := func(mask, i int) uint64 { return uint64(mask>>i) & 1 }
	var w [chunkLen]uint64
	for mask := range 1 << 16 {
		for i := range 16 {
			w[i] = bit(mask, i)
		}
		checkSort(t, w, 16)
		if mask < 1<<8 {
			checkSort(t, w, 8)
		}
	}
	// Two sorted halves of 16 are known to work, so only their numbers of ones
	// matter.
	for a := range 17 {
		for b := range 17 {
			for i := range 16 {
				w[i] = bit(1<<a-1, i)
				w[16+i] = bit(1<<b-1, i)
			}
			checkSort(t, w, 32)
		}
	}
}

func TestSortAnyLength(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		for n := range uint(chunkLen + 1) {
			var w [chunkLen]uint64
			for i := range w {
				w[i] = r.Uint64() >> r.IntN(64)
			}
			checkSort(t, w, n)
		}
	}
}
