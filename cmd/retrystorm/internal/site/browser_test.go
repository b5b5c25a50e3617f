package site

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"math"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"retrystorm/cmd/retrystorm/internal/play"
	"retrystorm/report/browser"
)

// storm is a small scenario with something to choose between.
const storm = `name: storm
title: <script>document.title = "taken"</script>
seed: 7
replications: 10
until: 1m
clients:
  count: 100
  calls: db
  policy: app
  network: 1ms
services:
  db:
    workers: 5
    service_time: lognormal 20ms cv 0.5
    queue: 20 full 503
    faults:
      outage: down at 0s for 5s answer refused
policies:
  app:
    timeout: 1s
    max_attempts: 20
    retry_on: [timeout, refused, 5xx]
    backoff: full-jitter 100ms cap 5s
variants:
  fixed: {policies.app.backoff.kind: fixed}
  full-jitter: {}
`

// tab is a page in a browser.
type tab struct {
	testing.TB
	ctx context.Context
	url string
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	browser.Do(p.TB, p.ctx, steps...)
}
func (p *tab) wait(script string) { p.Helper(); browser.Wait(p.TB, p.ctx, script) }
func (p *tab) run(script string)  { p.Helper(); browser.Get[any](p.TB, p.ctx, script+"; null") }

func (p *tab) text(script string) string { p.Helper(); return browser.Get[string](p.TB, p.ctx, script) }

func (p *tab) is(script string) bool { p.Helper(); return browser.Get[bool](p.TB, p.ctx, script) }

func (p *tab) click(selector string) {
	p.Helper()
	p.run(`document.querySelector(` + strconv.Quote(selector) + `).click()`)
}

// says waits until an element has a text.
func (p *tab) says(id, text string) {
	p.Helper()
	p.wait(fmt.Sprintf(`document.getElementById(%q).textContent.includes(%q)`, id, text))
}

// inEditor is what a selector finds in the editor.
func inEditor(selector string) string {
	return `document.getElementById("editor").shadowRoot.querySelector(` + strconv.Quote(selector) + `)`
}

// link is the fragment that carries an edit.
func link(t testing.TB, e play.Edit) string {
	t.Helper()
	if e.Sets == nil {
		e.Sets = []string{}
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(asJSON(e))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return "#s1=" + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// openPage opens the local page with an edit, by a link.
func openPage(t *testing.T, opt Options, e play.Edit) *tab {
	t.Helper()
	ctx := browser.New(t)
	_, url := open(t, opt)
	p := &tab{t, ctx, url}
	p.do(chromedp.Navigate(url + "/" + link(t, e)))
	p.says("status", "came with the link")
	return p
}

func TestEditorInBrowser(t *testing.T) {
	p := openPage(t, options(), play.Edit{Text: storm})
	p.click("#tab-text")

	// A mistake is shown at its line, in the gutter and below.
	p.run(inEditor(".cm-content") + `.focus()`)
	p.do(chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent("polcies: {}"))
	line := strings.Count(storm, "\n") + 1
	p.says("problems", fmt.Sprintf("line %d", line))
	p.says("count", "1 error")
	p.wait(inEditor(".cm-lintRange-error") + `?.textContent.startsWith("polcies")`)
	p.wait(inEditor(".cm-lint-marker-error") + ` !== null`)
	if !p.is(`document.getElementById("run").disabled`) {
		t.Error("it can be run with an error")
	}

	// The list leads there.
	p.do(chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.wait(inEditor(".cm-activeLineGutter") + `.textContent === "1" || ` + inEditor(".cm-lineNumbers .cm-activeLineGutter") + `.textContent === "1"`)
	p.click("#problems button")
	p.wait(fmt.Sprintf(`%s.textContent === "%d"`, inEditor(".cm-lineNumbers .cm-activeLineGutter"), line))
	browser.Axe(t, p.ctx)

	// It is mended by taking back what was typed.
	p.do(chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.wait(`document.getElementById("problems").children.length === 0`)

	// What could stand there is offered, and taken with Enter.
	p.do(chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent("war"))
	p.wait(inEditor(".cm-tooltip-autocomplete li") + `?.textContent.includes("warmup")`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.wait(inEditor(".cm-tooltip-autocomplete") + ` === null`)
	p.do(chromedp.KeyEvent(" ", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.wait(inEditor(".cm-tooltip-autocomplete li[aria-selected]") + `?.textContent.includes("warmup")`)
	// Nothing is taken by accident in the moment in which the list appears.
	browser.Get[bool](t, p.ctx, `new Promise(done => setTimeout(() => done(true), 150))`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.wait(`document.getElementById("editor").shadowRoot.textContent.includes("warmup:")`)

	// Who has only a keyboard gets out again; the first Escape is for a list.
	p.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("\t"))
	p.wait(`document.activeElement.id !== "editor"`)
}

func TestSettingsInBrowser(t *testing.T) {
	p := openPage(t, options(), play.Edit{Text: storm, Sets: []string{"policies.app.max_attempts=8", "until=50s"}})
	knob := `document.getElementById("knob-policies.app.max_attempts")`
	p.wait(knob + `?.getAttribute("aria-valuetext") === "8"`)
	if got := p.text(`document.querySelector("#others code").textContent`); got != "until=50s" {
		t.Errorf("a change without a slider: %q", got)
	}
	p.run(`document.getElementById("live").checked = false; ` + knob + `.focus()`)
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	p.says("words", "--set policies.app.max_attempts=10")
	if got := p.text(knob + `.closest(".knob").className`); !strings.Contains(got, "changed") {
		t.Errorf("the slider is not marked: %s", got)
	}
	if note := p.text(knob + `.closest(".knob").querySelector(".note").textContent`); !strings.HasPrefix(note, "20 in the text") {
		t.Errorf("the slider says %q", note)
	}
	// Back at the value of the text it is no change any more.
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	p.wait(`!document.getElementById("words").textContent.includes("max_attempts")`)
	p.click("#reset")
	p.wait(`document.getElementById("others").hidden && document.getElementById("reset").hidden`)
	browser.Axe(t, p.ctx)
}

func TestRunInBrowser(t *testing.T) {
	p := openPage(t, options(), play.Edit{Text: storm})
	if p.is(`document.querySelector("#now .rs-view") !== null || !document.getElementById("progress").hidden`) {
		t.Error("a link runs by itself")
	}
	if title := p.text(`document.getElementById("title").textContent`); title != `<script>document.title = "taken"</script>` {
		t.Errorf("the title became %q", title)
	}
	p.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.says("status", "Done.")
	if got := p.text("document.title"); got != "storm - retrystorm" {
		t.Errorf("a title ran as a script: %q", got)
	}

	// The table has the numbers of the command line.
	want := play.New(play.Limits{Jobs: 1}).Run(nil, play.Edit{Text: storm}, func(play.Event) {})
	summary, err := want.File("summary.csv")
	if err != nil {
		t.Fatal(err)
	}
	for i, mean := range column(t, summary, "total_calls_mean") {
		shown := p.text(fmt.Sprintf(`document.querySelectorAll("#now .rs-summary-table tbody tr")[%d].querySelector(".rs-number").textContent`, i))
		number, err := strconv.ParseFloat(strings.ReplaceAll(strings.Fields(shown)[0], ",", ""), 64)
		if err != nil || math.Abs(number-mean) > 0.005*mean {
			t.Errorf("row %d shows %q, summary.csv has %v", i, shown, mean)
		}
	}
	// What is downloaded has its bytes.
	p.run(`Retrystorm.app.save = async (blob, name) => { document.body.dataset.saved = name + "\n" + await blob.text() }`)
	p.click(`[data-file="summary.csv"]`)
	p.wait(`document.body.dataset.saved !== undefined`)
	if got := p.text(`document.body.dataset.saved`); got != "summary.csv\n"+string(summary) {
		t.Errorf("downloaded:\n%s", got)
	}

	// Kept, and compared with another setting.
	p.click("#keep")
	p.run(`const knob = document.getElementById("knob-policies.app.max_attempts"); knob.value = 0; knob.dispatchEvent(new Event("input"))`)
	p.says("differences", "20 → 1")
	p.wait(`document.querySelectorAll("#differences tbody tr").length === 2 && document.querySelector("#differences .change") !== null`)
	p.says("status", "Done.")
	for _, scheme := range []string{"light", "dark"} {
		p.do(browser.Media("screen", scheme))
		browser.Axe(t, p.ctx)
	}
	for _, size := range [][2]int64{{390, 844}, {320, 600}, {1280, 800}} {
		p.do(browser.Size(size[0], size[1]))
		if wide := browser.Get[int](t, p.ctx, `document.scrollingElement.scrollWidth`); wide > int(size[0]) {
			t.Errorf("at %d pixels the page is %d wide", size[0], wide)
		}
	}
	for _, url := range browser.Requests(p.ctx) {
		if !strings.HasPrefix(url, p.url) && !strings.HasPrefix(url, "blob:") && !strings.HasPrefix(url, "data:") && url != "about:blank" {
			t.Errorf("the page asked for %s", url)
		}
	}
}

// column are the numbers in a column of a CSV file.
func column(t *testing.T, file []byte, name string) (out []float64) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], name)
	for _, row := range rows[1:] {
		x, err := strconv.ParseFloat(row[at], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

func TestCancelInBrowser(t *testing.T) {
	p := openPage(t, options(), play.Edit{Text: endless})
	p.click("#run")
	p.wait(`/^[1-9]/.test(document.getElementById("progress").getAttribute("aria-valuetext"))`)
	if got := p.text(`document.getElementById("run").textContent`); got != "Cancel" {
		t.Errorf("the button says %q", got)
	}
	p.click("#run")
	p.says("status", "Cancelled.")
	if !p.is(`document.getElementById("progress").hidden`) {
		t.Error("the bar is still there")
	}
}

func TestLongRunsAreAskedFirstInBrowser(t *testing.T) {
	opt := options()
	opt.Limits.Ask = 0
	p := openPage(t, opt, play.Edit{Text: storm})
	p.click("#run")
	p.wait(`document.querySelector("dialog[open]")?.textContent.includes("This takes a while")`)
	browser.Axe(t, p.ctx)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.wait(`document.querySelector("dialog") === null`)
	if !p.is(`document.getElementById("progress").hidden`) {
		t.Error("it runs although nobody said yes")
	}
	p.click("#run")
	p.wait(`document.querySelector("dialog[open] .primary") !== null`)
	p.click("dialog .primary")
	p.says("status", "Done.")
}

func TestLinksInBrowser(t *testing.T) {
	p := openPage(t, options(), play.Edit{Text: small})
	good := link(t, play.Edit{Text: storm, Sets: []string{"seed=5"}})
	for _, c := range []struct{ name, fragment, want string }{
		{"cut off", good[:len(good)/2], "damaged"},
		{"no base64", "#s1=!!!", "damaged"},
		{"another version", "#s2=abc", "another version"},
		{"something else", "#hello=1", "no scenario"},
		{"no edit", "#s1=" + strings.TrimPrefix(link(t, play.Edit{})[4:], "x")[:3], "damaged"},
		{"too long", "#s1=" + strings.Repeat("A", 200_000), "too long"},
		{"a bomb", link(t, play.Edit{Text: strings.Repeat("x", 3<<20)}), "more than a scenario"},
	} {
		p.run(`document.getElementById("banner").hidden = true; location.hash = "` + c.fragment + `"`)
		p.wait(`!document.getElementById("banner").hidden`)
		if got := p.text(`document.getElementById("banner").textContent`); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", c.name, got)
		}
		if got := p.text(`document.getElementById("scenario").value`); got != "small" {
			t.Errorf("%s: the scenario became %q", c.name, got)
		}
	}
	p.run(`location.hash = "` + good + `"`)
	p.says("words", "storm.yaml --seed 5")

	// The button makes the same link again.
	p.run(`document.getElementById("share").click()`)
	p.wait(`location.hash.startsWith("#s1=")`)
	p.run(`Retrystorm.app.unpack(location.hash).then(e => { document.body.dataset.link = JSON.stringify(e) })`)
	p.wait(`document.body.dataset.link !== undefined`)
	if got, want := p.text(`document.body.dataset.link`), asJSON(play.Edit{Text: storm, Sets: []string{"seed=5"}}); len(got) != len(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(want)) {
		t.Errorf("the link has %s", got)
	}
}

func TestPickerInBrowser(t *testing.T) {
	ctx := browser.New(t)
	_, url := open(t, options())
	p := &tab{t, ctx, url}
	p.do(chromedp.Navigate(url))
	// Nobody sees an empty page.
	p.wait(`!document.getElementById("progress").hidden || document.querySelector("#now .rs-view") !== null`)
	p.run(`document.getElementById("live").checked = false`)
	p.click("#scenario")
	p.wait(`document.querySelectorAll("#scenarios li").length > 20`)
	browser.Axe(t, ctx)
	p.run(`document.getElementById("scenario").select(); document.getElementById("scenario").focus()`)
	p.do(chromedp.KeyEvent("nested lay"))
	p.wait(`document.querySelectorAll("#scenarios li").length === 1`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.says("words", "retrystorm run nested-layers")
	if p.is(`document.getElementById("scenarios").hidden`) == false {
		t.Error("the list stays open")
	}
}

func TestTheServerIsGoneInBrowser(t *testing.T) {
	ctx := browser.New(t)
	browser.Allow(ctx, "ERR_CONNECTION_REFUSED")
	browser.Allow(ctx, "Failed to load resource")
	s := NewServer(options())
	h := httptest.NewServer(s)
	defer h.Close()
	s.listensAt(h.Listener.Addr())
	p := &tab{t, ctx, h.URL}
	p.do(chromedp.Navigate(h.URL + "/" + link(t, play.Edit{Text: storm})))
	p.says("status", "came with the link")
	h.CloseClientConnections()
	s.Stop()
	h.Close()
	p.click("#run")
	p.says("banner", "The server does not answer")
	if !p.is(`[...document.querySelectorAll("#banner button")].some(b => b.textContent === "Try again")`) {
		t.Error("there is no other try")
	}
}
