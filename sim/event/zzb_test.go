package event

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkZZSort(b *testing.B) {
	for _, n := range []int{2, 4, 8, 12, 16, 20, 32} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var src [4096]uint64
			for i := range src {
				src[i] = rand.Uint64()
			}
			var w [loadLen]uint64
			for i := range w {
				w[i] = 1<<64 - 1
			}
			for k := range b.N {
				o := (k * 37) & 4095
				if o+n > 4096 {
					o = 0
				}
				copy(w[:n], src[o:o+n])
				sortWords(&w, uint(n))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/word")
		})
	}
}
