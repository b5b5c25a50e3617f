package random

import (
	"math"
	"math/bits"
	"testing"
)

// Known answers: a change here changes every result ever published.
func TestGoldenDraws(t *testing.T) {
	root := Root(1, 2, 3, 4, 5)
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"root", uint64(root), 0x237e721e1a28eb5b},
		{"short root", uint64(Root(1, 2, 3)), 0x8fea378def87e99f},
		{"child", uint64(root.Child(1, 2, 3)), 0x87e26e3b85fae017},
		{"grandchild", uint64(root.Child(1, 2, 0).Child(2, 0, 1)), 0x2dd83dfe456e740b},
		{"service", root.Draw(Service, 0), 0x11e835930db95cce},
		{"backoff 7", root.Draw(Backoff, 7), 0x063042e200fdf834},
		{"large index", root.Draw(Start, 1<<40), 0x7a1e0d173364dac2},
		{"last purpose", root.Draw(Poison, 0), 0x6945c739aedeee93},
	} {
		if c.got != c.want {
			t.Errorf("%s is %#016x, want %#016x", c.name, c.got, c.want)
		}
	}
}

func TestNamesMatter(t *testing.T) {
	seen := map[Key]string{}
	see := func(name string, k Key) {
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[k] = name
	}
	k := Root(1, 1, 1)
	see("root", k)
	see("seed", Root(2, 1, 1))
	see("replication", Root(1, 2, 1))
	see("swapped", Root(1, 1, 2))
	see("longer", Root(1, 1, 1, 0))
	see("shorter", Root(1, 1))
	see("child", k.Child(0, 0, 0))
	see("hop", k.Child(1, 0, 0))
	see("attempt", k.Child(0, 1, 0))
	see("copy", k.Child(0, 0, 1))
	see("grandchild", k.Child(0, 0, 0).Child(0, 0, 0))
	see("other parent", Root(2, 1, 1).Child(0, 0, 0))
	for p := range Poison + 1 {
		for i := range uint64(100) {
			see("draw", Key(k.Draw(p, i)))
		}
	}
}

// The batteries look at sequences of draws whose names are neighbours: that is
// where a weak hash shows. The draws are fixed, so the tests cannot flake; the
// bounds are 5 standard deviations over some thousand statistics, which a good
// hash stays within for all but one in a thousand choices of the seed.
func TestBattery(t *testing.T) {
	const n = 1 << 16
	key := Root(7, 7)
	for name, draw := range map[string]func(i uint64) uint64{
		"index":        func(i uint64) uint64 { return key.Draw(Service, i) },
		"high index":   func(i uint64) uint64 { return key.Draw(Service, i<<32) },
		"key":          func(i uint64) uint64 { return Key(i).Draw(Service, 0) },
		"high key":     func(i uint64) uint64 { return Key(i<<40).Draw(Service, 0) },
		"purpose":      func(i uint64) uint64 { return Key(i/8).Draw(Purpose(i%8), 0) },
		"seed":         func(i uint64) uint64 { return Root(i, 0, 0).Draw(Service, 0) },
		"replication":  func(i uint64) uint64 { return Root(1, i, 0).Draw(Service, 0) },
		"client":       func(i uint64) uint64 { return Root(1, 0, 0, i).Draw(Service, 0) },
		"request":      func(i uint64) uint64 { return Root(1, 0, 0, i%256, i/256).Draw(Service, 0) },
		"attempt":      func(i uint64) uint64 { return key.Child(0, i, 0).Draw(Service, 0) },
		"hop and copy": func(i uint64) uint64 { return key.Child(i%256, 0, i/256).Draw(Service, 0) },
		"tree":         func(i uint64) uint64 { return key.Child(0, i%256, 0).Child(0, i/256, 0).Draw(Service, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			var ones, flips [64]int
			var cells [256]int
			var lag [3]float64
			var list [n]uint64
			for i := range list {
				list[i] = draw(uint64(i))
			}
			for i, u := range list {
				cells[Uniform(u, 256)]++
				changed := u ^ list[(i+1)%n]
				for b := range 64 {
					ones[b] += int(u >> b & 1)
					flips[b] += int(changed >> b & 1)
				}
				for l := range lag {
					lag[l] += (Unit(u) - 0.5) * (Unit(list[(i+l+1)%n]) - 0.5)
				}
			}
			const sd = 128 // of the count of ones among n fair bits: sqrt(n)/2
			for b := range 64 {
				if z := float64(ones[b]-n/2) / sd; math.Abs(z) > 5 {
					t.Errorf("bit %d is one %d times of %d: z = %.1f", b, ones[b], n, z)
				}
				if z := float64(flips[b]-n/2) / sd; math.Abs(z) > 5 {
					t.Errorf("bit %d differs from the neighbour's %d times of %d: z = %.1f", b, flips[b], n, z)
				}
			}
			chi := 0.0 // chi-square with 255 degrees: mean 255, sd sqrt(510)
			for _, c := range cells {
				chi += float64((c-n/256)*(c-n/256)) / (n / 256)
			}
			if z := (chi - 255) / math.Sqrt(510); math.Abs(z) > 5 {
				t.Errorf("chi-square of 256 cells is %.0f: z = %.1f", chi, z)
			}
			for l, sum := range lag { // a product has sd 1/12
				if z := sum * 12 / math.Sqrt(n); math.Abs(z) > 5 {
					t.Errorf("correlation with draw i+%d: z = %.1f", l+1, z)
				}
			}
		})
	}
}

// Each bit of key, purpose and index flips half of the 64 bits of a draw. 4,000
// names: the mean of 256,000 fair bits has sd 0.001, so 0.005 is 5 of them.
func TestAvalanche(t *testing.T) {
	for b := range 64 {
		byKey, byIndex := 0, 0
		for _, u := range draws(6, 4000) {
			k := Key(u)
			byKey += bits.OnesCount64(k.Draw(Error, 1) ^ (k^1<<b).Draw(Error, 1))
			byIndex += bits.OnesCount64(k.Draw(Error, 0) ^ k.Draw(Error, 1<<b))
		}
		for _, share := range []float64{float64(byKey) / 256000, float64(byIndex) / 256000} {
			if math.Abs(share-0.5) > 0.005 {
				t.Errorf("bit %d flips %.3f of the bits", b, share)
			}
		}
	}
}

func TestUnit(t *testing.T) {
	if Unit(0) != 0x1p-53 || Unit(math.MaxUint64) != 1-0x1p-53 {
		t.Errorf("the ends are %v and %v", Unit(0), Unit(math.MaxUint64))
	}
	for _, u := range draws(7, 1000) {
		if x := Unit(u); x <= 0 || x >= 1 || Unit(^u) != 1-x {
			t.Fatalf("Unit(%#x) = %v, of the complement %v", u, x, Unit(^u))
		}
	}
}

func TestUniform(t *testing.T) {
	for _, c := range []struct{ u, n, want uint64 }{
		{0, 10, 0},
		{math.MaxUint64, 10, 9},
		{1 << 63, 10, 5},
		{1<<63 - 1, 10, 4},
		{1 << 63, 0, 0},
		{math.MaxUint64, 1, 0},
		{math.MaxUint64, math.MaxUint64, math.MaxUint64 - 1},
	} {
		if got := Uniform(c.u, c.n); got != c.want {
			t.Errorf("Uniform(%#x, %d) = %d, want %d", c.u, c.n, got, c.want)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	key, sum := Root(1), uint64(0)
	for i := range uint64(b.N) {
		sum += key.Draw(Service, i)
	}
	sink = sum
}

func BenchmarkChild(b *testing.B) {
	key, sum := Root(1), uint64(0)
	for i := range uint64(b.N) {
		sum += uint64(key.Child(1, i, 0))
	}
	sink = sum
}

func BenchmarkRoot(b *testing.B) {
	sum := uint64(0)
	for i := range uint64(b.N) {
		sum += uint64(Root(1, 0, 0, i, 1))
	}
	sink = sum
}

var sink uint64 // keeps results alive
