package scenarios

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"retrystorm/sim/random"
)

// swept is a scenario with an arrangement of axes.
func swept(design string, axes ...string) string {
	return recovering + "variants: {as-is: {}, hasty: {policies.app.timeout: 100ms}}\ndesign: " + design + "\nsweep:\n  " + strings.Join(axes, "\n  ") + "\n"
}

const (
	countAxis   = "clients.count: 100..200"
	timeoutAxis = "policies.app.backoff.cap: 1s..100s log"
	shareAxis   = "services.db.faults.outage.ramp_from: 10%..90% linear 5"
	labelAxis   = "size: {small: {services.db.workers: 10}, large: {services.db.workers: 20}, huge: {services.db.workers: 40}}"
)

func TestZip(t *testing.T) {
	f := mustLoad(t, swept("zip", "clients.count: [10, 20, 30]", labelAxis, "services.db.faults.outage.for: 10s..30s linear 3"))
	var got []string
	for i := range f.Points() {
		p := f.Point(i)
		got = append(got, fmt.Sprintf("%d %s %d %v", p.Index, p.Variant, p.Row, p.Sweep))
	}
	want := []string{
		"0 as-is 0 [10 small 10s]", "1 as-is 1 [20 large 20s]", "2 as-is 2 [30 huge 30s]",
		"3 hasty 0 [10 small 10s]", "4 hasty 1 [20 large 20s]", "5 hasty 2 [30 huge 30s]",
	}
	if diff := cmp.Diff(want, got); diff != "" || f.Rows() != 3 || f.Cells() != 6 || f.Design() != "zip" || f.Unit(0) != nil {
		t.Error(diff)
	}
	s, err := f.Resolve(4)
	if err != nil || s.Clients.Count != 20 || s.Services[0].Workers != 20 || s.Policies[0].Timeout != 1e8 {
		t.Errorf("%+v %v", s, err)
	}
}

func TestLatin(t *testing.T) {
	const rows = 40
	f := mustLoad(t, swept("latin 40", countAxis, timeoutAxis, shareAxis, labelAxis))
	if f.Rows() != rows || f.Points() != 2*rows || f.Design() != "latin" || f.Trajectories() != nil {
		t.Fatal(f.Rows(), f.Points())
	}
	for axis := range f.Axes() {
		parts := make([]int, rows)
		for row := range rows {
			u := f.Unit(row)[axis]
			parts[int(u*rows)]++
			if u == math.Trunc(u*rows)/rows {
				t.Error("on the end of a part:", u)
			}
		}
		if slices.Max(parts) != 1 {
			t.Errorf("axis %d has %v rows in its parts", axis, parts)
		}
	}
	// Equal parts of a list are equally often met.
	seen := map[string]int{}
	for row := range rows {
		p := f.Point(row)
		if other := f.Point(rows + row); !slices.Equal(p.Sweep, other.Sweep) || other.Row != row || other.Variant != "hasty" {
			t.Error("variants have different rows:", p, other)
		}
		seen[p.Sweep[2]]++
		s, err := f.Resolve(row)
		if err != nil || float64(s.Clients.Count) != p.Numbers[0] || s.Policies[0].Backoff.Cap.Seconds() != p.Numbers[1] {
			t.Error(p, s, err)
		}
	}
	if diff := cmp.Diff(map[string]int{"10%": 8, "30%": 8, "50%": 8, "70%": 8, "90%": 8}, seen); diff != "" {
		t.Error(diff)
	}
}

// TestDesignKeys checks that an axis does not depend on the others, but on the
// seed and the design.
func TestDesignKeys(t *testing.T) {
	column := func(design, path string, axes ...string) string {
		f := mustLoad(t, strings.Replace(swept(design, axes...), "name: recovering\n", "name: recovering\nseed: 7\n", 1))
		var out []string
		j := slices.Index(f.Axes(), path)
		for row := range f.Rows() {
			out = append(out, fmt.Sprint(f.Unit(row)[j]))
		}
		return strings.Join(out, " ")
	}
	const cap = "policies.app.backoff.cap"
	alone := column("latin 16", cap, timeoutAxis)
	if alone != column("latin 16", cap, countAxis, timeoutAxis, labelAxis) {
		t.Error("another axis changes this one")
	}
	if alone == column("latin 16", "clients.count", countAxis) || alone == column("sobol 16", cap, timeoutAxis) {
		t.Error("two axes or designs with the same draws")
	}
	other := mustLoad(t, swept("latin 16", timeoutAxis))
	if fmt.Sprint(other.Unit(0)[0]) == strings.Fields(alone)[0] {
		t.Error("the seed changes nothing")
	}
}

// TestSobol checks the net property: the first two axes of a Sobol sequence have
// exactly one of 2^m rows in each box of area 2^-m whatever its shape, and each
// axis has one in each of 2^m equal parts. A digital shift keeps both.
func TestSobol(t *testing.T) {
	f := mustLoad(t, swept("sobol 64", countAxis, timeoutAxis, shareAxis, labelAxis))
	rows := f.Rows()
	if rows != 64 || len(f.Notes) != 0 {
		t.Fatal(rows, f.Notes)
	}
	for m := 0; m <= 6; m++ {
		boxes := map[[2]int]int{}
		for row := range rows {
			u := f.Unit(row)
			boxes[[2]int{int(u[0] * float64(int(1)<<m)), int(u[1] * float64(int(64)>>m))}]++
		}
		if len(boxes) != 64 {
			t.Errorf("%d boxes of 2^-%d by 2^-%d have a row", len(boxes), m, 6-m)
		}
	}
	for axis := range f.Axes() {
		parts := map[int]bool{}
		for row := range rows {
			u := f.Unit(row)[axis]
			if u <= 0 || u >= 1 {
				t.Error("on the edge:", u)
			}
			parts[int(u*64)] = true
		}
		if len(parts) != 64 {
			t.Errorf("axis %d has rows in %d parts", axis, len(parts))
		}
	}
}

// TestSobolPoints compares with the first points that Joe and Kuo publish for
// their generator, which takes them in the order of the Gray code.
func TestSobolPoints(t *testing.T) {
	want := [][3]float64{
		{0, 0, 0},
		{0.5, 0.5, 0.5},
		{0.75, 0.25, 0.25},
		{0.25, 0.75, 0.75},
		{0.375, 0.375, 0.625},
		{0.875, 0.875, 0.125},
		{0.625, 0.125, 0.875},
		{0.125, 0.625, 0.375},
		{0.1875, 0.3125, 0.9375},
		{0.6875, 0.8125, 0.4375},
	}
	for i, point := range want {
		for axis, x := range point {
			v, sum := directions(axis), uint64(0)
			for k := range 10 {
				if (i^i>>1)>>k&1 == 1 {
					sum ^= v[k]
				}
			}
			if got := float64(sum) / (1 << 63) / 2; got != x {
				t.Errorf("point %d, axis %d: got %v, want %v", i, axis+1, got, x)
			}
		}
	}
}

// TestJoeKuo checks what the table's authors promise: the polynomials are the
// primitive ones, each once, initial numbers are odd and small enough, and
// Sobol's property A holds: the first 2^d points of d axes lie one in each of the
// 2^d halves of halves, which is so when the first bits of the direction numbers
// are linearly independent.
func TestJoeKuo(t *testing.T) {
	seen := map[uint64]bool{}
	for i, row := range joeKuo {
		s := len(row.m)
		poly := 1<<s | row.a<<1 | 1
		if seen[poly] || !primitive(poly, s) {
			t.Errorf("axis %d: x^%d + ... with %b is not another primitive polynomial", i+2, s, poly)
		}
		seen[poly] = true
		for k, m := range row.m {
			if m%2 == 0 || m >= 2<<k {
				t.Errorf("axis %d: m_%d = %d", i+2, k+1, m)
			}
		}
	}
	if len(seen) != 1+1+2+2+6+6+18 { // primitive polynomials of degrees 1 to 7: phi(2^s - 1)/s
		t.Errorf("%d polynomials", len(seen))
	}
	for d := 1; d <= sobolAxes; d++ {
		rows := make([]uint64, d) // of the matrix over GF(2)
		for axis := range rows {
			v := directions(axis)
			for k := range d {
				rows[axis] |= v[k] >> 63 << k
			}
		}
		if rank(rows) != d {
			t.Errorf("property A does not hold for %d axes", d)
		}
	}
}

// primitive says whether the powers of x modulo a polynomial are all there are.
func primitive(poly uint64, degree int) bool {
	x, order := uint64(1), 0
	for {
		if x <<= 1; x>>degree == 1 {
			x ^= poly
		}
		if order++; x == 1 || order > 1<<degree {
			return order == 1<<degree-1
		}
	}
}

func rank(rows []uint64) int {
	rows = slices.Clone(rows)
	n := 0
	for i := range rows {
		if rows[i] == 0 {
			continue
		}
		n++
		low := bits.TrailingZeros64(rows[i])
		for j := i + 1; j < len(rows); j++ {
			if rows[j]>>low&1 == 1 {
				rows[j] ^= rows[i]
			}
		}
	}
	return n
}

// TestMorris checks the trajectories of random sweeps: each step moves one axis
// and each axis once, by two thirds of its range as far as rounding allows, and
// no row is there twice.
func TestMorris(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		axes := []string{countAxis, timeoutAxis, shareAxis, labelAxis, "services.db.queue.limit: [10, 20]", "services.db.rate_limit.limit: 1..2"}
		n := rapid.IntRange(1, len(axes)).Draw(t, "axes")
		src := swept(fmt.Sprintf("morris %d", rapid.IntRange(2, 12).Draw(t, "trajectories")), axes[:n]...)
		src = strings.Replace(src, "db: {", "db: {rate_limit: fixed-window 5, ", 1)
		f, err := Load("test.yaml", []byte(src), nil, []string{fmt.Sprintf("seed=%d", rapid.IntRange(0, 1000).Draw(t, "seed"))})
		if err != nil {
			t.Fatal(err)
		}
		places := map[string]bool{}
		for row := range f.Rows() {
			places[fmt.Sprint(f.Point(row).Sweep)] = true
		}
		if len(places) != f.Rows() || len(f.Trajectories()) < 2 {
			t.Fatalf("%d places in %d rows", len(places), f.Rows())
		}
		used := map[int]bool{}
		for _, path := range f.Trajectories() {
			if len(path) != n+1 {
				t.Fatal(path)
			}
			moved := map[int]bool{}
			for k, row := range path {
				used[row] = true
				if k == 0 {
					continue
				}
				before, after := f.Unit(path[k-1]), f.Unit(row)
				for j := range after {
					if f.Point(path[k-1]).Sweep[j] == f.Point(row).Sweep[j] {
						if before[j] != after[j] {
							t.Error("the same value in two places")
						}
						continue
					}
					if moved[j] {
						t.Errorf("axis %d moves twice", j)
					}
					moved[j] = true
					if step := math.Abs(after[j] - before[j]); j < 2 && math.Abs(step-2.0/3) > 0.01 || step < 0.49 {
						t.Errorf("axis %d moves by %v", j, step)
					}
				}
				if len(moved) != k {
					t.Errorf("%d axes have moved in %d steps", len(moved), k)
				}
			}
		}
		if len(used) != f.Rows() {
			t.Errorf("%d of %d rows are used", len(used), f.Rows())
		}
	})
}

// TestMorrisIsFair checks over many trajectories that beginnings and directions
// are about equally often met. With 400 of them the share of each of 4 levels
// has a standard deviation of 2.2 points, of a direction or order 2.5; the seed
// is fixed.
func TestMorrisIsFair(t *testing.T) {
	keys := []random.Key{random.Root(1, 1), random.Root(1, 2)}
	const n = 400
	starts, ups, first := [morrisLevels]int{}, 0, 0
	for i := range n {
		levels, steps, order := walk(keys, i)
		starts[levels[0]]++
		if steps[1] > 0 {
			ups++
		}
		if order[0] == 0 {
			first++
		}
	}
	for level, times := range starts {
		if math.Abs(float64(times)/n-0.25) > 0.08 {
			t.Errorf("level %d: %d of %d", level, times, n)
		}
	}
	if math.Abs(float64(ups)/n-0.5) > 0.09 || math.Abs(float64(first)/n-0.5) > 0.09 {
		t.Errorf("%d up, %d times the first axis first", ups, first)
	}
}

// TestEqualRows checks that rows which are equal after rounding are run once.
func TestEqualRows(t *testing.T) {
	for _, design := range []string{"latin 32", "sobol 32"} {
		f := mustLoad(t, swept(design, "clients.count: 1..3", "services.db.workers: [1, 2]"))
		seen := map[string]bool{}
		for row := range f.Rows() {
			seen[fmt.Sprint(f.Point(row).Sweep)] = true
		}
		if f.Rows() != 6 || len(seen) != 6 || len(f.Notes) != 1 || !strings.Contains(f.Notes[0].Message, "6 of 32 rows are different") {
			t.Errorf("%s: %d rows, %d of them different: %v", design, f.Rows(), len(seen), f.Notes)
		}
	}
}

// TestManyNotes keeps notes about values of single points within bounds.
func TestManyNotes(t *testing.T) {
	f := mustLoad(t, recovering, "variants={fixed: {policies.app.backoff.kind: fixed}}", "sweep={policies.app.backoff.factor: 2..4 linear 2000}")
	if f.Points() != 2000 || len(f.Notes) != maxNotes {
		t.Errorf("%d notes of %d points", len(f.Notes), f.Points())
	}
}

// TestDesignGolden holds the draws: they are the same on every architecture.
func TestDesignGolden(t *testing.T) {
	for design, want := range map[string]string{
		"latin 4":  "157 51.88s huge, 191 21.45s small, 116 4.793s large, 145 1.402s huge",
		"sobol 4":  "110 41.09s large, 161 4.109s huge, 136 1.299s huge, 186 12.99s small",
		"morris 2": "133 4.642s large, 133 4.642s huge, 200 4.642s huge, 200 1m40s huge, 100 21.54s huge, 100 21.54s large, 100 1s large, 167 1s large",
	} {
		f := mustLoad(t, swept(design, countAxis, timeoutAxis, labelAxis))
		var got []string
		for row := range f.Rows() {
			got = append(got, strings.Join(f.Point(row).Sweep, " "))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s", design, text)
		}
	}
}
