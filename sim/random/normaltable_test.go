package random

import (
	"math"
	"testing"
)

// The table gives the same variates as the quantile function to nine digits.
func TestStandardNormal(t *testing.T) {
	worst := 0.0
	check := func(u uint64) {
		worst = max(worst, math.Abs(standardNormal(u)-NormQuantile(Unit(u))))
		if standardNormal(^u) != -standardNormal(u) {
			t.Fatalf("not odd at %x", u)
		}
	}
	for i := range uint64(1_000_000) {
		check(i * golden)
	}
	for shift := range 64 { // ends of octaves, and far tails
		for d := range uint64(3) {
			check(1<<shift - 1 + d)
		}
	}
	if worst > 1e-9 {
		t.Errorf("off by up to %g", worst)
	}
}

// Neighbouring draws never fall, at any scale of distance.
func TestStandardNormalRises(t *testing.T) {
	for step := uint64(1); step < 1<<60; step *= 64 {
		for i := range uint64(20_000) {
			u := i * golden
			if v := u + step; v > u && standardNormal(v) < standardNormal(u)-1e-15 {
				t.Fatalf("%x gives %v, %x gives %v", u, standardNormal(u), v, standardNormal(v))
			}
		}
	}
}

func BenchmarkStandardNormal(b *testing.B) {
	sum := 0.0
	for i := uint64(0); b.Loop(); i++ {
		sum += standardNormal(i * golden)
	}
	_ = sum
}

func BenchmarkNormQuantile(b *testing.B) {
	sum := 0.0
	for i := uint64(0); b.Loop(); i++ {
		sum += NormQuantile(Unit(i * golden))
	}
	_ = sum
}
