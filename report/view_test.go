package report

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"retrystorm/experiment"
)

// viewSamples are results of every kind.
func viewSamples() map[string]*experiment.Result {
	empty := smallSample()
	empty.Points = nil
	one := sample{variants: []string{"base"}, runs: 1, worst: 1}.result()
	bare := sample{variants: []string{"none", "full-jitter"}, runs: 3, worst: 2}.result()
	for i := range bare.Points {
		p := &bare.Points[i]
		p.Timelines, p.Completion, p.Hops, p.Attribution, p.Shading = nil, nil, nil, nil, nil
	}
	return map[string]*experiment.Result{
		"small": smallSample(), "mechanisms": mechanismsSample(), "aftermath": aftermathSample(), "strategies": strategiesSample().result(),
		"trades": tradesSample(), "gates": gatesSample(), "screening": screeningSample(), "bisection": bisectionSample(),
		"long": longSample(1000), "zip": zipSample(), "designs": designsSample(), "one": one, "empty": empty, "bare": bare,
		"never":  sample{variants: []string{"none", "full-jitter"}, runs: 8, worst: 2, never: true}.result(),
		"zero":   sample{variants: []string{"none", "full-jitter"}, runs: 8, worst: 2, zero: true}.result(),
		"many":   sample{variants: manyVariants(200), runs: 3, worst: 1.01}.result(),
		"places": sample{variants: manyVariants(5), clients: counting(100), runs: 8, worst: 1.3}.result(),
	}
}

// counting are the numbers from 1.
func counting(n int) []string {
	var out []string
	for i := range n {
		out = append(out, strconv.Itoa(i+1))
	}
	return out
}

func viewOf(t *testing.T, r *experiment.Result) (*View, []byte) {
	t.Helper()
	v, err := NewView(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return v, b
}

func TestViewGolden(t *testing.T) {
	v, _ := viewOf(t, smallSample())
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	// A line for each list of plain values.
	b = regexp.MustCompile(`\[\s+([^\[\]{}]*?)\s+\]`).ReplaceAllFunc(b, func(list []byte) []byte {
		return regexp.MustCompile(`\n\s*`).ReplaceAll(list, nil)
	})
	golden(t, "view.json", append(b, '\n'))
}

// What a page relies on when it draws a view.
func TestViewHoldsTogether(t *testing.T) {
	for name, r := range viewSamples() {
		full, _ := viewOf(t, r)
		for _, v := range []*View{full, PartialView(r)} {
			if err := holdsTogether(v); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(full.Places) > 0 && !slices.Equal(full.Places[full.Severest].Values, severest(r)) {
			t.Errorf("%s: the severest place is %v", name, full.Places[full.Severest].Values)
		}
	}
}

func holdsTogether(v *View) error {
	var errs []string
	within := func(what string, i, n int) {
		if i < 0 || i >= n {
			errs = append(errs, fmt.Sprintf("%s is %d of %d", what, i, n))
		}
	}
	at := func(what string, variant, place int) {
		within(what+": variant", variant, len(v.Variants))
		within(what+": place", place, len(v.Places))
	}
	long := func(what string, n int, lengths ...int) {
		for _, m := range lengths {
			if m != n && m != 0 {
				errs = append(errs, fmt.Sprintf("%s: a list of %d beside one of %d", what, m, n))
			}
		}
	}
	if v.Verdict.Headline == "" {
		errs = append(errs, "no headline")
	}
	if v.Verdict.Best >= 0 {
		within("the best", v.Verdict.Best, len(v.Variants))
	}
	for _, w := range v.Verdict.Wins {
		within("metric of a winner", w.Metric, len(v.Metrics))
		if w.Variant >= 0 {
			within("winner", w.Variant, len(v.Variants))
		}
		for _, i := range w.Tied {
			within("tied", i, len(v.Variants))
		}
	}
	seen := map[[2]int]bool{}
	for _, p := range v.Points {
		at("point", p.Variant, p.Place)
		long("cells", len(v.Metrics), len(p.Cells))
		if seen[[2]int{p.Variant, p.Place}] {
			errs = append(errs, "a point is there twice")
		}
		seen[[2]int{p.Variant, p.Place}] = true
	}
	for _, p := range v.Places {
		long("place", len(v.Axes), len(p.Values), len(p.Numbers))
	}
	for _, x := range v.Timelines {
		at("timeline", x.Variant, x.Place)
		n := len(x.Arrivals)
		if n == 0 || n > 600 || !(x.Step > 0) {
			errs = append(errs, fmt.Sprintf("%d rows of %v s", n, x.Step))
		}
		long("timeline", n, len(x.Retries), len(x.Goodput), len(x.Waiting), len(x.InService), len(x.Capacity), len(x.Rate))
	}
	for _, x := range v.Completion {
		at("completion", x.Variant, x.Place)
		long("completion", len(x.Q), len(x.Seconds), len(x.Lo), len(x.Hi))
	}
	for _, x := range v.Paths {
		at("path", x.Variant, x.Place)
	}
	for _, x := range v.Attempts {
		at("attempts", x.Variant, x.Place)
		long("attempts", len(x.T), len(x.Client), len(x.Kind), len(x.Outcome))
		for i := range x.T {
			within("outcome", x.Outcome[i], len(x.Outcomes))
			within("client", int(x.Client[i]), int(x.Clients))
		}
	}
	for _, s := range v.Sections {
		long("section", len(s.Columns), len(s.Left))
		for _, row := range s.Rows {
			long("row", len(s.Columns), len(row))
		}
	}
	if path := nilList(reflect.ValueOf(v).Elem()); path != "" {
		errs = append(errs, "null instead of a list: "+path)
	}
	if len(errs) > 0 {
		return fmt.Errorf("%s", strings.Join(errs[:min(len(errs), 5)], "; "))
	}
	return nil
}

// nilList finds a list that would be null in JSON.
func nilList(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Slice:
		if v.IsNil() {
			return v.Type().String()
		}
		for i := range v.Len() {
			if s := nilList(v.Index(i)); s != "" {
				return s
			}
		}
	case reflect.Struct:
		for field, x := range v.Fields() {
			if s := nilList(x); s != "" {
				return field.Name + " " + s
			}
		}
	}
	return ""
}

// Means over joined rows are means: nothing is lost but detail.
func TestViewJoinsRows(t *testing.T) {
	x := ViewTimeline{Step: 0.5}
	for i := range 10 {
		x.Arrivals = append(x.Arrivals, jsonNumber(i))
		x.Capacity = append(x.Capacity, 8)
	}
	x.Capacity[8], x.Capacity[9] = jsonNumber(math.NaN()), jsonNumber(math.NaN())
	y := x.joined(4)
	if y.Step != 2 || !slices.Equal(y.Arrivals, []jsonNumber{1.5, 5.5, 4.25}) { // (8 + 9 + 0 + 0) / 4
		t.Errorf("step %v, arrivals %v", y.Step, y.Arrivals)
	}
	if y.Capacity[0] != 8 || !math.IsNaN(float64(y.Capacity[2])) {
		t.Errorf("capacity %v", y.Capacity)
	}
	if got := x.coarser(5); len(got.Arrivals) != 5 || got.Step != 1 {
		t.Errorf("%d rows of %v s", len(got.Arrivals), got.Step)
	}
}

func TestFourDigits(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1234: "1234", 12346: "12350", 0.123456: "0.1235", 2: "2", 124863.333: "124900", math.Inf(1): `"+Inf"`} {
		if b, _ := fourDigits(x).MarshalJSON(); string(b) != want {
			t.Errorf("%v is %s, want %s", x, b, want)
		}
	}
}

// Whoever stops on the way has seen places from all over the sweep.
func TestInTurn(t *testing.T) {
	for n := range 40 {
		for first := range n {
			got := inTurn(n, first)
			if got[0] != first {
				t.Errorf("%d of %d: begins with %d", first, n, got[0])
			}
			slices.Sort(got)
			if len(got) != n || len(slices.Compact(got)) != n {
				t.Errorf("%d of %d: %v", first, n, got)
			}
		}
	}
	if got := inTurn(9, 8); !slices.Equal(got, []int{8, 0, 4, 2, 6, 1, 3, 5, 7}) {
		t.Errorf("%v", got)
	}
}
