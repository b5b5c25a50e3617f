package sim_test

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"retrystorm/sim"
	"retrystorm/sim/random"
)

// spread is n durations over nine orders of magnitude.
func spread(n int, stream uint64) []time.Duration {
	d := random.Dist{Kind: "lognormal", Mean: s, CV: 30}
	sampler := d.Sampler()
	k := random.Root(stream)
	list := make([]time.Duration, n)
	for i := range list {
		list[i] = sampler.At(k.Draw(random.Service, uint64(i)))
	}
	return list
}

func timesOf(lists ...[]time.Duration) *sim.Times {
	var t sim.Times
	for _, list := range lists {
		for _, d := range list {
			t.Add(d)
		}
	}
	return &t
}

// Up to ExactTimes quantiles are those of the sorted list.
func TestTimesExact(t *testing.T) {
	list := spread(10_000, 1)
	got := timesOf(list)
	slices.Sort(list)
	for k := int64(1); k <= got.Len(); k++ {
		if got.Rank(k) != list[k-1] {
			t.Fatalf("rank %d is %v, want %v", k, got.Rank(k), list[k-1])
		}
	}
	if !got.Exact() {
		t.Error("not exact")
	}
}

// Above that they are within a thousandth, the extremes and the sum are exact,
// and it makes no difference how the durations were split up and merged.
func TestTimesBeyondExact(t *testing.T) {
	list := spread(sim.ExactTimes+50_000, 2)
	whole := timesOf(list)
	if whole.Exact() {
		t.Fatal("still exact")
	}
	parts := func(cuts ...int) *sim.Times {
		var merged sim.Times
		from := 0
		for _, to := range append(cuts, len(list)) {
			merged.Merge(timesOf(list[from:to]))
			from = to
		}
		return &merged
	}
	others := []*sim.Times{parts(1, 2, 500_000), parts(len(list) - 1), parts(1_000_000)}
	sorted := slices.Sorted(slices.Values(list))
	sum := new(big.Int)
	for _, d := range list {
		sum.Add(sum, big.NewInt(int64(d)))
	}
	for _, o := range append(others, whole) {
		if got := bigSum(o.Sum()); got.Cmp(sum) != 0 {
			t.Errorf("sum %v, want %v", got, sum)
		}
	}
	for _, q := range []float64{0, 0.001, 0.5, 0.9, 0.99, 0.9999, 1} {
		k := max(1, int64(math.Ceil(q*float64(len(list)))))
		got, want := whole.Rank(k), sorted[k-1]
		if diff := math.Abs(float64(got - want)); diff > float64(want)/1000+1 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
		if (q == 0 || q == 1) && got != want {
			t.Errorf("extreme %v is %v, want %v", q, got, want)
		}
		for i, o := range others {
			if o.Rank(k) != got {
				t.Errorf("quantile %v is %v after merge %d, %v in one", q, o.Rank(k), i, got)
			}
		}
	}
}

func bigSum(x sim.Sum) *big.Int {
	v := new(big.Int).SetUint64(x.Hi)
	return v.Lsh(v, 64).Add(v, new(big.Int).SetUint64(x.Lo))
}

// Sum is arithmetic modulo 2^128 that never gets there.
func TestSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b sim.Sum
		wantA, wantB := new(big.Int), new(big.Int)
		side := rapid.Int64Range(0, math.MaxInt64)
		for range rapid.IntRange(0, 8).Draw(t, "terms") {
			n, d := side.Draw(t, "n"), side.Draw(t, "d")
			a.Add(n, d)
			wantA.Add(wantA, new(big.Int).Mul(big.NewInt(n), big.NewInt(d)))
			n = side.Draw(t, "m")
			b.Add(n, 1)
			wantB.Add(wantB, big.NewInt(n))
		}
		a.Merge(b)
		wantA.Add(wantA, wantB)
		if bigSum(a).Cmp(wantA) != 0 {
			t.Fatalf("sum %v, want %v", bigSum(a), wantA)
		}
		f, _ := new(big.Float).SetInt(wantA).Float64()
		if math.Abs(a.Float()-f) > f*1e-15 {
			t.Fatalf("float %v, want %v", a.Float(), f)
		}
		a.Sub(b)
		if bigSum(a).Cmp(wantA.Sub(wantA, wantB)) != 0 {
			t.Fatalf("difference %v, want %v", bigSum(a), wantA)
		}
	})
}
