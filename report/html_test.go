package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"retrystorm/experiment"
	"retrystorm/sim"
)

func htmlOf(t *testing.T, r *experiment.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// dataIn is the view inside a page, as a browser would read it.
func dataIn(t *testing.T, page string) *View {
	t.Helper()
	found := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal("there is no data in the page")
	}
	v := new(View)
	if err := json.Unmarshal([]byte(found[1]), v); err != nil {
		t.Fatal(err)
	}
	return v
}

// hostile are texts that would be markup or script if anybody let them.
func hostile() []string {
	return []string{
		`</script><script>alert(1)</script>`, `<!--<script>`, `"><img src=x onerror=alert(1)>`, `{{.Title}}`, `' onload='x`,
		"\u2028\u2029", `</title></style></noscript><h1>`, `&lt;b&gt;`, "`${alert(1)}`", `\u003c/script\u003e`,
	}
}

// Whatever a scenario is called, it stays text, and comes back as it was.
func TestHTMLEscapes(t *testing.T) {
	for _, x := range hostile() {
		r := mechanismsSample()
		r.Title, r.Target, r.Notes, r.Command = x, x, []string{x}, x
		r.Scenario = "n" + x
		r.ScenarioYAML = []byte("title: " + x + "\n")
		for i := range r.Points {
			p := &r.Points[i]
			p.Variant += x
			p.Timelines[0].Service, p.Shading[0].Name = x, x
			p.Attempts = []experiment.Attempt{{Client: 1, At: time.Second, Outcome: x}}
			for k := range p.Hops {
				p.Hops[k].Policy = x
			}
		}
		r.Expectations = []experiment.Judgement{{Text: x, Ruling: experiment.Fail, Detail: x, Cases: []experiment.Case{{Point: x, Detail: x}}}}
		page := htmlOf(t, r)
		lower := strings.ToLower(page)
		for _, tag := range []string{"<script", "</script", "<style", "</style", "<title", "</title", "<noscript", "</noscript", "<h1", "<main"} {
			want := map[string]int{"<script": 2, "</script": 2}[tag]
			if want == 0 {
				want = 1
			}
			if n := strings.Count(lower, tag); n != want {
				t.Errorf("%q: %d of %s", x, n, tag)
			}
		}
		if strings.Contains(page, "<img") || strings.Contains(page, "<b>") || strings.ContainsAny(page, "\u2028\u2029") && !strings.Contains(html.UnescapeString(page), x) {
			t.Errorf("%q is markup", x)
		}
		v := dataIn(t, page)
		if v.Title != x || v.Name != "n"+x || v.Notes[len(v.Notes)-1] != x || v.Expectations[0].Cases[0].Point != x || !strings.HasSuffix(v.Variants[0].Name, x) {
			t.Errorf("%q has become %q, %q", x, v.Title, v.Name)
		}
	}
}

// A page may run its own script and wear its own style, and nothing else.
func TestHTMLAllowsItself(t *testing.T) {
	page := htmlOf(t, smallSample())
	csp := html.UnescapeString(regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	script := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(page)[1]
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page)[1]
	if want := "default-src 'none'; script-src " + hashOf(script) + "; style-src " + hashOf(style) + "; img-src data:; base-uri 'none'; form-action 'none'"; csp != want {
		t.Errorf("policy %s\nwant   %s", csp, want)
	}
	if strings.Index(page, "Content-Security-Policy") > strings.Index(page, "<style") {
		t.Error("the policy comes after what it is about")
	}
	if m := regexp.MustCompile(`(src|href|action)\s*=\s*["']?(https?:)?//|@import|url\([^#]`).FindString(page); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
}

// Without scripts there are still the answer and the tables to look for.
func TestHTMLWithoutScript(t *testing.T) {
	r := smallSample()
	page := htmlOf(t, r)
	text := html.UnescapeString(regexp.MustCompile(`(?s)<noscript>(.*?)</noscript>`).FindStringSubmatch(page)[1])
	v := dataIn(t, page)
	for _, want := range append(v.Verdict.sentences(), v.Verdict.Headline, "summary.csv") {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// Pages fit into a mail: with many variants and services, and after long sweeps.
func TestHTMLIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes many large pages")
	}
	services := sample{variants: manyVariants(20), runs: 10, worst: 1.05}.result()
	for i := range services.Points {
		p := &services.Points[i]
		one := p.Timelines[0]
		for len(one.Rows) < 600 {
			one.Rows = append(one.Rows, one.Rows...)
		}
		one.Rows = one.Rows[:600]
		p.Timelines = nil
		for k := range 8 {
			one.Service = fmt.Sprintf("service-%d", k)
			p.Timelines = append(p.Timelines, one)
		}
		for k := range 2000 {
			p.Attempts = append(p.Attempts, experiment.Attempt{Client: int64(k % 100), At: time.Duration(k*k) * 12345, Outcome: "503"})
		}
	}
	services.Target = "service-3"
	long := services.Points[0]
	for name, r := range map[string]*experiment.Result{
		"20 variants":     services,
		"100 places":      sample{variants: manyVariants(5), clients: counting(100), runs: 5, worst: 1.2}.result(),
		"100 places, one": sample{variants: []string{"base"}, clients: counting(100), runs: 5, worst: 1.2}.result(),
		"10,000 places":   longSample(10_000),
		"200 variants":    sample{variants: manyVariants(200), runs: 2, worst: 1.001}.result(),
		"300 services":    crowded(long),
	} {
		page := htmlOf(t, r)
		if n := len(page); n > 1_000_000 {
			t.Errorf("%s: %d bytes", name, n)
		}
		v := dataIn(t, page)
		if err := holdsTogether(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.HasSuffix(name, "one") && len(v.Dropped) == 0 {
			t.Errorf("%s: nobody says what is left out", name)
		}
		if len(r.Points[len(r.Points)-1].Timelines) > 0 && !hasTimeline(v, v.Severest, r.Target) {
			t.Errorf("%s: no timeline of the target at the severest place", name)
		}
	}
}

func hasTimeline(v *View, place int, service string) bool {
	for _, x := range v.Timelines {
		if x.Place == place && x.Service == service {
			return true
		}
	}
	return false
}

// crowded is a point with very many services.
func crowded(p experiment.Point) *experiment.Result {
	r := sample{variants: []string{"base"}, runs: 2, worst: 1}.result()
	one := p.Timelines[0]
	p.Timelines, p.Variant, p.Sweep = nil, "base", nil
	for k := range 300 {
		one.Service = fmt.Sprintf("service-%d", k)
		p.Timelines = append(p.Timelines, one)
	}
	r.Target = "service-77"
	r.Points = []experiment.Point{p}
	return r
}

// Rows of a timeline that nothing happens in are not shown.
func TestViewEndsWithTheCalls(t *testing.T) {
	r := sample{variants: []string{"base"}, runs: 2, worst: 1}.result()
	p := &r.Points[0]
	p.Timelines = p.Timelines[:1]
	p.Timelines[0].Rows = append(p.Timelines[0].Rows[:30:30], make([]sim.Row, 200)...)
	v, _ := viewOf(t, r)
	if n := len(v.Timelines[0].Arrivals); n != 30 {
		t.Errorf("%d rows", n)
	}
}
