package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const bisecting = recovering + `variants: {as-is: {}, hasty: {policies.app.timeout: 100ms}}
sweep: {clients.count: [10, 20, 30]}
bisect:
  axis: services.db.faults.outage.for
  in: 1s..5s
  within: 300ms
  where: completion_p99 < 60s
`

func TestBisect(t *testing.T) {
	f := mustLoad(t, bisecting)
	b := f.Bisect()
	if b == nil || b.Axis != "services.db.faults.outage.for" || b.Steps != 14 || f.Design() != "bisect" || f.Rows() != 6 || f.Points() != 12 || f.Cells() != 6 {
		t.Fatalf("%+v: %d rows, %d points, %d cells", b, f.Rows(), f.Points(), f.Cells())
	}
	if want := (Expectation{"completion_p99 < 60s", 14, 10}); b.Where != want {
		t.Error(b.Where)
	}
	var values []string
	for k := range b.Steps + 1 {
		values = append(values, b.Value(k))
		numbers := f.BisectPoint(0, k).Numbers
		if d, w := parseDuration(b.Value(k)); w != nil || d.Seconds() != numbers[len(numbers)-1] {
			t.Error(b.Value(k), numbers)
		}
	}
	if got := strings.Join(values, " "); got != "1s 1s300ms 1s600ms 1s900ms 2s200ms 2s500ms 2s800ms 3s100ms 3s400ms 3s700ms 4s 4s300ms 4s600ms 4s900ms 5s" {
		t.Error(got)
	}
	if !slices.Equal(f.Axes(), []string{"clients.count", b.Axis}) {
		t.Error(f.Axes())
	}
	// The points are the ends.
	for i := range f.Points() {
		p := f.Point(i)
		if end := f.BisectPoint(i/2, i%2*b.Steps); !cmp.Equal(p, end) || p.Sweep[1] != []string{"1s", "5s"}[i%2] || p.Row != i%6 || p.Index != i {
			t.Error(p, end)
		}
	}
	p := f.BisectPoint(4, 3)
	if want := (Point{Index: 8, Variant: "hasty", Row: 2, Sweep: []string{"20", "1s900ms"}, Numbers: []float64{20, 1.9}}); !cmp.Equal(p, want) {
		t.Error(cmp.Diff(want, p))
	}
	s, err := f.ResolveBisect(4, 3)
	if err != nil || s.Clients.Count != 20 || s.Services[0].Faults[0].For != 1900*time.Millisecond || s.Policies[0].Timeout != 100*time.Millisecond {
		t.Errorf("%+v %v", s, err)
	}
	for _, bad := range [][2]int{{-1, 0}, {6, 0}, {0, -1}, {0, 15}} {
		if _, err := f.ResolveBisect(bad[0], bad[1]); err == nil {
			t.Error(bad)
		}
	}
	if again := mustLoad(t, string(f.Long())); again.Hash() != f.Hash() || again.Bisect().Steps != 14 {
		t.Errorf("the long form is another scenario:\n%s", f.Long())
	}
	if where := mustLoad(t, bisecting, "bisect.where=total_calls < 5").Bisect().Where; where != (Expectation{Text: "total_calls < 5"}) {
		t.Error(where)
	}
	without := mustLoad(t, bisecting, "bisect=none")
	if without.Bisect() != nil || without.Points() != 6 || without.Cells() != 6 {
		t.Error("none is no bisection")
	}
	if _, err := without.ResolveBisect(0, 0); err == nil {
		t.Error("there is no bisection")
	}
}

func TestBisectRanges(t *testing.T) {
	for _, c := range []struct {
		axis, in, within, want string // first, second, last but one and last value
	}{
		{"clients.count", "1..1000", "", "1 2 999 1000 999"},
		{"clients.count", "10..1e6", "100", "10 110 999910 1000000 10000"},
		{"services.db.faults.outage.ramp_from", "10%..90%", "0.5%", "10% 10.5% 89.5% 90% 160"},
		{"policies.app.timeout", "1s..2s", "1ns", "1s 1s1ns 1s999ms999us999ns 2s 1000000000"},
		{"policies.app.timeout", "1s..5s", "1s", "1s 2s 4s 5s 4"},
		{"policies.app.timeout", "1s..2s", "1m", "1s 2s 1s 2s 1"},
		{"policies.app.timeout", "500ms..2s", "0.5s", "500ms 1s 1s500ms 2s 3"},
	} {
		src := recovering + fmt.Sprintf("bisect: {axis: %s, in: %s, where: total_calls < 5", c.axis, c.in)
		if c.within != "" {
			src += ", within: " + c.within
		}
		b := mustLoad(t, src+"}\n").Bisect()
		if got := fmt.Sprint(b.Value(0), " ", b.Value(1), " ", b.Value(b.Steps-1), " ", b.Value(b.Steps), " ", b.Steps); got != c.want {
			t.Errorf("%s within %s: %s, want %s", c.in, c.within, got, c.want)
		}
	}
}

// TestBisectRows looks in the rows of a zip.
func TestBisectRows(t *testing.T) {
	f := mustLoad(t, bisecting, "sweep={clients.count: [10, 20], services.db.workers: [1, 2]}", "design=zip")
	if f.Cells() != 4 || f.Points() != 8 || f.Design() != "bisect" {
		t.Error(f.Cells(), f.Points())
	}
	if got := f.BisectPoint(1, 1).Sweep; !slices.Equal(got, []string{"20", "2", "1s300ms"}) {
		t.Error(got)
	}
}

// TestBisectInside finds what is wrong between the ends.
func TestBisectInside(t *testing.T) {
	src := recovering + "bisect: {axis: clients.count, in: 10..20, within: 2.5, where: total_calls < 5}\n"
	_, err := Load("test.yaml", []byte(src), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "must be a whole number") {
		t.Error(err)
	}
}
