package report

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"retrystorm/experiment"
	"retrystorm/sim"
	"retrystorm/strategies"
)

func plotSamples() map[string]*experiment.Result {
	sweep := []string{"10", "20", "50", "100", "150", "200"}
	burst := strategiesSample().result()
	for i := range burst.Points {
		row := &burst.Points[i].Timelines[0].Rows[0]
		row.Causes[sim.First] += 39 * row.Arrivals
		row.Arrivals *= 40
	}
	return map[string]*experiment.Result{
		"burst":      burst,
		"mechanisms": mechanismsSample(),
		"strategies": strategiesSample().result(),
		"sweep":      sample{variants: strategiesSample().variants, clients: sweep, runs: 20, worst: 1.9}.result(),
		"linear":     sample{variants: strategiesSample().variants, clients: []string{"100ms", "150ms", "200ms", "1s"}, runs: 20, worst: 1.2}.result(),
		"grid": sample{
			variants: []string{"none", "full-jitter"}, clients: sweep, regions: []string{"1", "2", "3", "4"}, runs: 4, worst: 2,
		}.result(),
		"words":      sample{variants: []string{"none", "full-jitter"}, clients: []string{"lifo", "fifo"}, runs: 5, worst: 2}.result(),
		"split":      sample{variants: []string{"none", "full-jitter"}, runs: 20, worst: 2, split: true}.result(),
		"splitsweep": sample{variants: []string{"none", "full-jitter"}, clients: sweep, runs: 20, worst: 2, split: true}.result(),
		"never":      sample{variants: []string{"none", "full-jitter"}, runs: 20, worst: 1.5, never: true}.result(),
		"neversweep": sample{variants: []string{"none", "full-jitter"}, clients: sweep, runs: 3, worst: 1.5, never: true}.result(),
		"partly":     sample{variants: manyVariants(4), clients: sweep, runs: 3, worst: 4}.result(),
		"zero":       sample{variants: []string{"none", "full-jitter"}, runs: 2, worst: 1.5, zero: true}.result(),
		"one":        sample{variants: []string{"base"}, runs: 1, worst: 1}.result(),
		"onesweep":   sample{variants: []string{"base"}, clients: []string{"5", "7"}, runs: 1, worst: 1}.result(),
		"twelve":     sample{variants: manyVariants(12), runs: 2, worst: 1.3}.result(),
		"trades":     tradesSample(),
		"screening":  screeningSample(),
		"bisection":  bisectionSample(),
		"zip":        zipSample(),
		"aftermath":  aftermathSample(),
		"long":       longSample(3000),
		"twelvesweep": sample{
			variants: manyVariants(12), clients: sweep, runs: 2, worst: 1.3,
		}.result(),
	}
}

// TestPlotsOfEdgeCases draws what is likely to break a picture.
func TestPlotsOfEdgeCases(t *testing.T) {
	samples := plotSamples()
	short := []string{"zero", "one"} // enough to draw two pictures at a time
	for name, want := range map[string][]string{
		"never":       {"calls.png", "completion.png", "arrivals.png", "causes.png", "amplification.png"},
		"neversweep":  {"calls.png", "completion.png", "arrivals.png", "causes.png", "amplification.png"},
		"zero":        {"calls.png", "amplification.png"},
		"one":         {"calls.png", "completion.png", "arrivals.png", "cdf.png", "amplification.png"},
		"onesweep":    {"calls.png", "completion.png", "arrivals.png", "cdf.png", "amplification.png"},
		"splitsweep":  {"calls.png", "completion.png", "tradeoff.png", "arrivals.png", "causes.png", "cdf.png", "amplification.png"},
		"twelvesweep": {"calls.png", "completion.png", "tradeoff.png", "arrivals.png", "causes.png", "cdf.png", "amplification.png"},
		"trades":      {"calls.png", "completion.png", "tradeoff.png", "arrivals.png", "causes.png", "cdf.png", "amplification.png"},
		"screening":   {"calls.png", "completion.png", "sensitivity.png", "arrivals.png", "causes.png", "cdf.png", "amplification.png"},
		"bisection":   {"calls.png", "completion.png", "tradeoff.png", "bisect.png", "arrivals.png", "causes.png", "cdf.png", "amplification.png"},
		"aftermath":   {"calls.png", "completion.png", "tradeoff.png", "arrivals.png", "causes.png", "backlog.png", "duplicates.png", "cdf.png", "amplification.png"},
		"zip":         {"calls.png", "completion.png", "tradeoff.png", "arrivals.png", "causes.png", "cdf.png", "amplification.png"},
		"long":        {"calls.png", "completion.png", "tradeoff.png", "arrivals.png", "causes.png", "cdf.png", "amplification.png"},
	} {
		if testing.Short() && !slices.Contains(short, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range pictures(samples[name], comparisonsOf(samples[name])) {
				got = append(got, p.file)
				if w := pixels(t, p).Rect.Dx(); w != 1600 {
					t.Errorf("%s: %d pixels wide", p.file, w)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestPlotsOfNothing(t *testing.T) {
	if p := Plots(&experiment.Result{}); len(p) > 0 {
		t.Errorf("got %d", len(p))
	}
}

func TestPlotsAreDeterministic(t *testing.T) {
	draws(t)
	t.Parallel()
	r := plotSamples()["split"]
	for _, p := range pictures(r, comparisonsOf(r)) {
		if !bytes.Equal(pixels(t, p).Pix, pixels(t, p).Pix) {
			t.Errorf("%s differs from itself", p.file)
		}
	}
}

// A file holds what is drawn.
func TestPNG(t *testing.T) {
	r := plotSamples()["one"]
	p := pictures(r, comparisonsOf(r))[0]
	var b bytes.Buffer
	if err := p.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	want := pixels(t, p)
	if img.Bounds() != want.Rect {
		t.Fatalf("%v instead of %v", img.Bounds(), want.Rect)
	}
	for y := 0; y < want.Rect.Dy(); y += 7 {
		for x := 0; x < want.Rect.Dx(); x += 7 {
			r, g, b, a := img.At(x, y).RGBA()
			if rr, gg, bb, aa := want.At(x, y).RGBA(); r != rr || g != gg || b != bb || a != aa {
				t.Fatalf("another colour at %d, %d", x, y)
			}
		}
	}
}

// Pictures have the same pixels on every processor.
func TestGoldenPictures(t *testing.T) {
	draws(t)
	samples := plotSamples()
	only := map[string][]string{
		"burst": {"causes.png"}, "aftermath": {"arrivals.png", "backlog.png", "duplicates.png"}, "mechanisms": {"causes.png"}, "trades": {"tradeoff.png", "cdf.png"},
		"screening": {"calls.png", "sensitivity.png"}, "bisection": {"bisect.png"},
	}
	var list bytes.Buffer
	for _, name := range []string{"sweep", "strategies", "split", "neversweep", "burst", "mechanisms", "trades", "screening", "bisection", "aftermath"} {
		for _, p := range pictures(samples[name], comparisonsOf(samples[name])) {
			if only[name] != nil && !slices.Contains(only[name], p.file) {
				continue
			}
			fmt.Fprintf(&list, "%s %s %x\n", name, p.file, sha256.Sum256(pixels(t, p).Pix))
		}
	}
	golden(t, "pictures.txt", list.Bytes())
}

// draws leaves a test out of short runs: each picture takes its time.
func draws(t *testing.T) {
	if testing.Short() {
		t.Skip("it draws many pictures")
	}
}

// pixels are those of a picture. With -artifacts its file is kept for a person to
// look at; to encode it takes longer than to draw it.
func pixels(t *testing.T, p plotFile) *image.RGBA {
	t.Helper()
	if flag.Lookup("test.artifacts").Value.String() == "true" {
		rendered(t, File{Name: p.file, Write: p.WritePNG})
	}
	img, ok := p.drawn().img.Image().(*image.RGBA)
	if !ok {
		t.Fatalf("%s: the picture is a %T", p.file, p.drawn().img.Image())
	}
	return img
}

// rendered is what a file holds. With -artifacts it is kept for a person to
// look at.
func rendered(t *testing.T, f File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), f.Name), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestStyles checks that strategies look the same in every company, and that
// no two variants of a picture look alike.
func TestStyles(t *testing.T) {
	alone := Styles([]string{"full-jitter"})["full-jitter"]
	if got := Styles([]string{"budget", "breaker", "full-jitter"})["full-jitter"]; got.Color != alone.Color {
		t.Errorf("full-jitter is %06x among others, %06x alone", got.Color, alone.Color)
	}
	seen := map[Hue]string{}
	for v, s := range Styles(manyVariants(13)) {
		if other, ok := seen[s.Color]; ok {
			t.Errorf("%s and %s are both %06x", v, other, s.Color)
		}
		seen[s.Color] = v
	}
	looks := map[string]string{}
	for v, s := range Styles(manyVariants(mostVariants)) {
		look := fmt.Sprint(s)
		if other, ok := looks[look]; ok {
			t.Errorf("%s and %s look alike", v, other)
		}
		looks[look] = v
	}
	if n := len(Styles(manyVariants(40))); n != 40 {
		t.Errorf("%d of 40 variants have a style", n)
	}
}

// TestTitles checks what pictures claim.
func TestTitles(t *testing.T) {
	samples := plotSamples()
	for _, c := range []struct{ sample, want string }{
		{"strategies", "“none” makes 13 times as many calls as “full jitter”"},
		{"sweep", "At clients.count = 200, “none” makes 13 times as many calls as “full jitter”"},
		{"split", "“none” makes 1,200 calls, but 10,800 in 7 of 20 replications (locked in)"},
		{"one", "610 calls reach db"},
		{"zero", "All variants make about 0 calls"},
	} {
		if got := callsTitle(samples[c.sample], 0); got != c.want {
			t.Errorf("%s: got %q, want %q", c.sample, got, c.want)
		}
	}
	// Why calls were made and not made: the main numbers.
	attributed := func(variant string, made, withheld map[string]float64) experiment.Point {
		p := experiment.Point{Variant: variant}
		for what, n := range made {
			e := experiment.Edge{From: "clients", To: "db", Inner: true}
			p.Attribution = append(p.Attribution, experiment.Attribution{Edge: e, What: what, Estimate: experiment.Estimate{Centre: n}})
		}
		for what, n := range withheld {
			e := experiment.Edge{From: "clients", To: "api"}
			p.Attribution = append(p.Attribution, experiment.Attribution{Edge: e, Withheld: true, What: what, Estimate: experiment.Estimate{Centre: n}})
		}
		return p
	}
	type counts = map[string]float64
	hedged := attributed("hedged", counts{"first": 90, "hedge": 10}, nil)
	budget := attributed("budget", counts{"first": 59, "timeout": 41}, counts{"budget": 12_345.4, "attempts": 50_000})
	spent := attributed("spent", counts{"first": 100}, counts{"attempts": 7})
	open := attributed("breaker", counts{"first": 100}, counts{"breaker": 20_000, "not-retryable": 3})
	for _, c := range []struct {
		points []*experiment.Point
		want   string
	}{
		{[]*experiment.Point{&hedged}, "10 % of 100 calls were hedges"},
		{[]*experiment.Point{&budget}, "41 % of 100 calls were retries after timeouts; the budget stopped 12,345"}, // as in the table
		{[]*experiment.Point{&hedged, &spent}, "“hedged”: 10 % of 100 calls were hedges; with “spent” 7 calls used up their attempts"},
		{[]*experiment.Point{&spent, &budget}, "“budget”: 41 % of 100 calls were retries after timeouts; the budget stopped 12,345"},
		{[]*experiment.Point{&budget, &open}, "“budget”: 41 % of 100 calls were retries after timeouts; with “breaker” the breaker stopped 20,000"},
		{[]*experiment.Point{&open}, "The breaker stopped 20,000"},
		{[]*experiment.Point{&samples["split"].Points[0]}, "With “none” 13 of 20 replications end recovered"},
	} {
		var books []ledger
		for _, p := range c.points {
			books = append(books, newLedger(p, "db", ""))
		}
		if got := causesTitle(c.points, books); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	// Whoever never reaches 99 % is said to, and why.
	done := func(variant string, p99, failed, unfinished float64) experiment.Point {
		one := func(x float64) experiment.Estimate { return experiment.Estimate{Centre: x, Lo: x, Hi: x} }
		return experiment.Point{Variant: variant, Estimates: []experiment.Estimate{one(p99), one(failed), one(unfinished), one(1000)}}
	}
	both := func(p, q experiment.Point) experiment.Point {
		p.Replications = 10
		p.Outcomes = []experiment.Outcome{
			{Name: "locked in", Replications: 7, Estimates: p.Estimates},
			{Name: "recovered", Replications: 3, Estimates: q.Estimates},
		}
		return p
	}
	never := math.Inf(1)
	for _, c := range []struct {
		points []experiment.Point
		want   string
	}{
		{[]experiment.Point{done("a", never, 200, 0)}, "The 99 % mark is never reached, because 20 % fail"},
		{[]experiment.Point{done("a", never, 200, 1)}, "The 99 % mark is never reached, because 20 % fail"},
		{[]experiment.Point{done("a", never, 0, 15)}, "The 99 % mark is never reached, because 1.50 % are not done when the run ends"},
		{[]experiment.Point{done("a", never, 20, 10)}, "The 99 % mark is never reached, because 3 % fail or are not done when the run ends"},
		{[]experiment.Point{done("a", never, 5, 0)}, "The 99 % mark is never reached"}, // it is in some replications
		{[]experiment.Point{done("a", never, 200, 0), done("b", never, 100, 0)}, "The 99 % mark is never reached, because at least 10 % fail"},
		{[]experiment.Point{done("a", never, 200, 0), done("b", 5, 0, 0)}, "99 % are done after 5 s with “b”; with “a” they never are, because 20 % fail"},
		{[]experiment.Point{done("a", never, 0, 1000), done("b", never, 0, 1000)}, "The 99 % mark is never reached, because 100 % are not done when the run ends"},
		{[]experiment.Point{both(done("a", never, 200, 0), done("a", never, 100, 0))}, "The 99 % mark is never reached, because at least 10 % fail"},
		{[]experiment.Point{both(done("a", never, 200, 0), done("a", 7, 0, 0))}, "With “a” 99 % are never done, but after 7 s in 3 of 10 replications (recovered)"},
		{[]experiment.Point{both(done("a", never, 200, 0), done("a", never, 100, 0)), done("b", 5, 0, 0)}, "99 % are done after 5 s with “b”; with “a” they never are, because at least 10 % fail"},
		{[]experiment.Point{done("a", 9, 0, 0), done("b", 5, 0, 0)}, "99 % are done after 5 s with “b”, after 9 s with “a”"},
	} {
		r := &experiment.Result{Points: c.points}
		for _, name := range []string{"completion_p99", "failed", "unfinished", "requests"} {
			r.Metrics = append(r.Metrics, experiment.Metric{Name: name})
		}
		if got := completionTitle(r, 0); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	// Overlapping intervals are no difference.
	r := sample{variants: []string{"none", "full-jitter"}, runs: 20, worst: 1.01}.result()
	if got, want := callsTitle(r, 0), "All variants make about as many calls, 601 to 607"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Of many variants the first is shown, the extremes, and no two that look alike.
func TestTelling(t *testing.T) {
	book := func(retries, budget float64) (l ledger) {
		l.made[sim.First], l.made[sim.AfterStatus], l.withheld[strategies.BudgetEmpty] = 100, retries, budget
		return l
	}
	books := []ledger{
		book(50, 50), book(50.1, 50), book(200, 0), book(199, 0), book(0, 100), book(0, 99),
		book(50, 51), book(199.5, 0), book(120, 20), book(51, 50),
	}
	if got, want := telling(books, 6), []int{0, 2, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := telling(books, 3), []int{0, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := telling(books[:3], 6), []int{0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("all that fit: got %v, want %v", got, want)
	}
}

// Many faults have one entry in the legend.
func TestLegendOfManyFaults(t *testing.T) {
	spans := func(names ...string) *Figure {
		p := Panel{Series: []Series{{Name: "a"}, {Name: "b"}}}
		for _, n := range names {
			p.Spans = append(p.Spans, experiment.Span{Name: n})
		}
		return &Figure{Panels: []Panel{p, p}}
	}
	for _, c := range []struct {
		f    *Figure
		want []string
	}{
		{spans("db f1", "db f2", "trigger"), []string{"a", "b", "db f1", "db f2", "trigger"}},
		{spans("db f1", "db f2", "db f3", "db f4"), []string{"a", "b", "faults"}},
		{spans("db f1", "db f2", "db f3", "clients spike"), []string{"a", "b", "faults and spikes"}},
	} {
		var got []string
		for _, e := range legendOf(c.f) {
			got = append(got, e.name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestNotHeld(t *testing.T) {
	if a, b := NotHeld(1, 1), NotHeld(1, 3); a != "the expectation did not hold" || b != "1 of 3 expectations did not hold" {
		t.Errorf("%q, %q", a, b)
	}
}

func TestShortened(t *testing.T) {
	p, l := newPage(pageWidth, 1), letters{size: legendSize}
	if got := p.shortened("outage", 100, l); got != "outage" {
		t.Errorf("got %q", got)
	}
	got := p.shortened("first"+strings.Repeat("a", 300)+"last", 100, l)
	if w := p.widthOf(got, l); w > 100 || w < 80 || !strings.HasPrefix(got, "first") || !strings.HasSuffix(got, "last") {
		t.Errorf("%q is %v wide", got, w)
	}
}

// Clauses stay whole where they can, and no line is too wide.
func TestWrap(t *testing.T) {
	p, l := newPage(pageWidth, 1), letters{size: legendSize}
	const room = 100
	for _, c := range []struct{ text, want string }{
		{"a longer place: at\u00a0one\u00a0=\u00a01 · 3\u00a0replications", "a longer place:|at\u00a0one\u00a0=\u00a01|3\u00a0replications"},
		{"a: at\u00a0one\u00a0=\u00a01,\u00a0two\u00a0=\u00a02,\u00a0three\u00a0=\u00a03 · end", "a: at\u00a0one\u00a0=\u00a01,|two\u00a0=\u00a02, three\u00a0=\u00a03|end"},
		{"for\u00a0ever\u00a0and\u00a0ever\u00a0and\u00a0ever", "for ever and ever|and ever"},
	} {
		if got := strings.Join(p.wrap(c.text, room, l), "|"); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	for _, line := range p.wrap("with “"+strings.Repeat("m", 90)+"” and more", room, l) {
		if w := p.widthOf(line, l); w > room {
			t.Errorf("%q is %v wide", line, w)
		}
	}
}

func TestShortAxis(t *testing.T) {
	axes := []string{"policies.a.timeout", "policies.b.timeout", "services.db.workers", "load", "clients.load"}
	want := []string{"a.timeout", "b.timeout", "workers", "load", "clients.load"}
	for i := range axes {
		if got := shortAxis(axes, i); got != want[i] {
			t.Errorf("got %q, want %q", got, want[i])
		}
	}
}

// Panels with different data have different titles, however little room there is.
func TestPanelTitles(t *testing.T) {
	long := strings.Repeat("m", 200)
	for _, c := range []struct{ panels, want []Panel }{
		{[]Panel{{Title: "a.b = 1", Short: "b = 1"}, {Title: "a.b = 2", Short: "b = 2"}}, []Panel{{Title: "a.b = 1"}, {Title: "a.b = 2"}}},
		{[]Panel{{Title: "a.b = 1", Short: "b = 1"}, {Title: long, Short: "b = 2"}}, []Panel{{Title: "b = 1"}, {Title: "b = 2"}}},
		{[]Panel{{Title: long + "1" + long}, {Title: long + "2" + long}}, []Panel{{Title: "1: mm"}, {Title: "2: mm"}}},
		{[]Panel{{Title: long}, {Title: long}}, []Panel{{Title: "mm"}, {Title: "mm"}}},
	} {
		d := newDrawing(&Figure{Panels: c.panels})
		d.draw()
		for i, got := range d.titles {
			if want := c.want[i].Title; got != want && !(strings.HasSuffix(want, "mm") && strings.HasPrefix(got, want)) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

// Pictures of many variants show some, those that titles name among them.
func TestManyVariants(t *testing.T) {
	r := sample{variants: manyVariants(200), clients: []string{"lifo", "fifo"}, runs: 2, worst: 1.005}.result()
	names := variants(r)
	for i := range r.Points { // neither the first nor the last are extreme
		p := &r.Points[i]
		switch p.Variant {
		case names[123]:
			p.Estimates[0] = experiment.Estimate{Centre: 1e6, Lo: 1e6, Hi: 1e6}
		case names[77]:
			p.Estimates[0] = experiment.Estimate{Centre: 2, Lo: 2, Hi: 2}
		}
	}
	c := comparisonsOf(r)
	c.Reference = names[55]
	few, remark := fewer(r, c)
	shown := variants(few)
	if len(shown) != mostVariants || remark != "20 of 200 variants shown" {
		t.Fatalf("%d are shown, %q", len(shown), remark)
	}
	for _, i := range []int{0, 55, 77, 123, 199} {
		if !slices.Contains(shown, names[i]) {
			t.Errorf("%s is not shown", names[i])
		}
	}
	d := plotCalls(few).(*Dots)
	for _, i := range []int{77, 123} {
		named := func(row Dot) bool { return row.Name == humanName(names[i]) }
		if !strings.Contains(d.Title, quoted(names[i])) || !slices.ContainsFunc(d.Rows, named) {
			t.Errorf("%s is missing in %q or below it", names[i], d.Title)
		}
	}
	if a, b := d.Rows[0].Group, d.Rows[len(d.Rows)-1].Group; a != "clients.count = lifo" || b != "clients.count = fifo" {
		t.Errorf("from %q to %q", a, b)
	}
	if same, remark := fewer(plotSamples()["twelve"], Comparisons{}); remark != "" || len(variants(same)) != 12 {
		t.Errorf("%d of 12, %q", len(variants(same)), remark)
	}
}

func TestFewerPoints(t *testing.T) {
	var points []*experiment.Point
	for _, v := range manyVariants(30) {
		points = append(points, &experiment.Point{Variant: v})
	}
	few, remark := fewerPoints(points, "most with "+quoted(points[17].Variant), 5)
	if len(few) != 5 || remark != "5 of 30 variants shown" || few[0] != points[0] || few[4] != points[29] || !slices.Contains(few, points[17]) {
		t.Errorf("%d points, %q", len(few), remark)
	}
	if few, remark := fewerPoints(points, "", 30); len(few) != 30 || remark != "" {
		t.Errorf("%d of 30, %q", len(few), remark)
	}
}

func TestMostAmplified(t *testing.T) {
	p := &experiment.Point{}
	for i, a := range []float64{1, 5, 3, 4} {
		h := experiment.Hop{Amplification: a}
		h.From, h.To = "clients", string(rune('a'+i))
		p.Hops = append(p.Hops, h)
	}
	hops, _, remark := mostAmplified([]*experiment.Point{p}, 2)
	if len(hops) != 2 || hops[0].to != "b" || hops[1].to != "d" || remark != "the 2 of 4 hops with most attempts" {
		t.Errorf("%v, %q", hops, remark)
	}
}

// What is wrong all the time, with every variant, is not shaded but said.
func TestAlways(t *testing.T) {
	whole := experiment.Span{Name: "db-slow", From: 0, To: time.Minute}
	some := experiment.Span{Name: "db-down", From: 0, To: time.Second}
	a := &experiment.Point{Shading: []experiment.Span{whole, some}}
	b := &experiment.Point{Shading: []experiment.Span{some, whole}}
	if got := alwaysRemark(always([]*experiment.Point{a, b}, time.Minute)); got != "db slow all the time shown" {
		t.Errorf("got %q", got)
	}
	if got := clipped(a.Shading, time.Minute, []string{"db-slow"}); len(got) != 1 || got[0] != some {
		t.Errorf("got %v", got)
	}
	b.Shading = b.Shading[:1]
	if got := always([]*experiment.Point{a, b}, time.Minute); got != nil {
		t.Errorf("got %q", got)
	}
}
