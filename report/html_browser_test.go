package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"retrystorm/experiment"
	"retrystorm/report/browser"
)

// openReport writes report.html of a result to disk and opens it from there.
func openReport(t *testing.T, r *experiment.Result) *opened {
	t.Helper()
	var page bytes.Buffer
	if err := HTML(&page, r); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	o := &opened{T: t, result: r, file: "file:///" + strings.TrimPrefix(filepath.ToSlash(file), "/")}
	o.ctx = browser.New(t)
	o.do(chromedp.Navigate(o.file))
	o.wait(`document.querySelector(".rs-summary-table")`)
	return o
}

// opened is a report in a browser.
type opened struct {
	*testing.T
	ctx    context.Context
	file   string
	result *experiment.Result
}

func (o *opened) do(steps ...chromedp.Action[chromedp.Void]) {
	o.Helper()
	browser.Do(o.T, o.ctx, steps...)
}

func (o *opened) wait(script string) { o.Helper(); browser.Wait(o.T, o.ctx, script) }

func (o *opened) run(script string) { o.Helper(); browser.Get[any](o.T, o.ctx, script+"; null") }

func (o *opened) text(script string) string {
	o.Helper()
	return browser.Get[string](o.T, o.ctx, script)
}

func (o *opened) texts(selector string) []string {
	o.Helper()
	return browser.Get[[]string](o.T, o.ctx, `[...document.querySelectorAll(`+strconv.Quote(selector)+`)].filter(e => e.offsetParent !== null || e.closest("svg")).map(e => e.textContent)`)
}

// see brings a part of the page into view and waits until its charts are drawn.
func (o *opened) see(selector string) {
	o.Helper()
	q := `document.querySelector(` + strconv.Quote(selector) + `)`
	o.run(q + `.scrollIntoView({block: "center"})`)
	o.wait(q + `.querySelector("canvas")`)
}

// rows are those of a CSV file, by column.
func (o *opened) rows(name string) []map[string]string {
	o.Helper()
	for _, f := range Files(o.result) {
		if f.Name != name {
			continue
		}
		list, err := csv.NewReader(bytes.NewReader(rendered(o.T, f))).ReadAll()
		if err != nil {
			o.Fatal(err)
		}
		var out []map[string]string
		for _, line := range list[1:] {
			row := map[string]string{}
			for i, c := range line {
				row[list[0][i]] = c
			}
			out = append(out, row)
		}
		return out
	}
	o.Fatalf("no file %s", name)
	return nil
}

// closeTo reports whether a number for people is that of a file, to the digits that
// are shown.
func closeTo(shown, exact string) bool {
	shown = strings.TrimRight(strings.ReplaceAll(shown, ",", ""), "/s x%")
	x, err := strconv.ParseFloat(shown, 64)
	y, err2 := strconv.ParseFloat(exact, 64)
	return err == nil && err2 == nil && max(x-y, y-x) <= 0.5+0.005*y
}

func browserSample() *experiment.Result {
	return sample{variants: []string{"none", "exponential", "full-jitter"}, runs: 5, worst: 2}.result()
}

func TestReportInBrowser(t *testing.T) {
	r := browserSample()
	o := openReport(t, r)

	// The first screen answers what to use.
	if bottom := browser.Get[float64](t, o.ctx, `document.querySelector(".rs-summary-table tbody tr").getBoundingClientRect().bottom`); bottom > 800 {
		t.Errorf("the table begins at %v pixels, below the first screen", bottom)
	}

	t.Run("table", func(t *testing.T) {
		o := &opened{t, o.ctx, o.file, r}
		first := func() []string { o.Helper(); return o.texts(".rs-summary-table tbody td:nth-child(2) .rs-number") }
		for i, row := range o.rows("summary.csv") {
			if shown, _, _ := strings.Cut(first()[i], " "); !closeTo(shown, row["total_calls_mean"]) {
				t.Errorf("the table says %s, summary.csv %s", shown, row["total_calls_mean"])
			}
		}
		inOrder := first()
		o.do(chromedp.Focus(chromedp.CSS(".rs-summary-table thead th:nth-child(2) button")), chromedp.KeyEvent(kb.Enter))
		o.wait(`document.querySelector('th[aria-sort="ascending"]')`)
		sorted := first()
		if slices.Reverse(inOrder); !slices.Equal(sorted, inOrder) {
			t.Errorf("sorted by calls: %q, want %q", sorted, inOrder)
		}
		if !browser.Get[bool](t, o.ctx, `document.activeElement.dataset.metric === "total_calls"`) {
			t.Error("sorting loses the focus")
		}
		keys := len(o.texts(".rs-summary-table thead th"))
		o.do(chromedp.Click(chromedp.CSS(".rs-summary .rs-check input")))
		if all := len(o.texts(".rs-summary-table thead th")); all <= keys {
			t.Errorf("%d columns of all metrics, %d of the key ones", all, keys)
		}
	})

	t.Run("charts", func(t *testing.T) {
		o := &opened{t, o.ctx, o.file, r}
		o.see(".rs-panels .rs-chart")
		// Keyboard: the third row of the timeline.
		o.do(chromedp.Focus(chromedp.CSS(".rs-panels .rs-stage")), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
		var third map[string]string
		for _, row := range o.rows("timeline.csv") {
			if row["service"] == "db" && row["variant"] == "none" && row["t_s"] == "0.8" {
				third = row
			}
		}
		if got := o.text(`document.querySelector(".rs-panels .rs-where").textContent`); got != "at 0.80 s" {
			t.Errorf("the cursor is %s", got)
		}
		values := o.texts(".rs-panels .rs-chart:first-child .rs-value")
		for i, column := range []string{"arrivals_per_s", "retries_per_s", "goodput_per_s"} {
			if !closeTo(values[i], third[column]) {
				t.Errorf("%s at the cursor: %s, timeline.csv %s", column, values[i], third[column])
			}
		}
		// The mouse reads the same place in another chart.
		x := browser.Get[[]float64](t, o.ctx, `(() => { const b = document.querySelector(".rs-panels .u-over").getBoundingClientRect(); return [b.x, b.y, b.width, b.height] })()`)
		o.do(chromedp.MouseEvent("mouseMoved", x[0]+x[2]/2, x[1]+x[3]/2))
		o.wait(`document.querySelectorAll(".rs-panels .rs-where")[0].textContent !== "at 0.80 s" &&
			document.querySelectorAll(".rs-panels .rs-where")[0].textContent === document.querySelectorAll(".rs-panels .rs-where")[1].textContent`)
		// Zoom, and back.
		o.do(chromedp.DragAndDropXY(x[0]+x[2]/4, x[1]+x[3]/2, x[0]+x[2]/2, x[1]+x[3]/2))
		o.wait(`!document.querySelector(".rs-storm .rs-zoom").hidden`)
		o.do(chromedp.Focus(chromedp.CSS(".rs-storm .rs-zoom")), chromedp.KeyEvent(kb.Enter))
		o.wait(`document.querySelector(".rs-storm .rs-zoom").hidden`)
	})

	t.Run("variants", func(t *testing.T) {
		o := &opened{t, o.ctx, o.file, r}
		chip := `.rs-chip[data-variant="none"]`
		before := o.texts(".rs-panels h3")
		o.do(chromedp.Focus(chromedp.CSS(chip)), chromedp.KeyEvent(" "))
		if got := o.text(`document.querySelector('` + chip + `').getAttribute("aria-pressed")`); got != "false" {
			t.Errorf("a chip that was pressed is %s", got)
		}
		if got := o.texts(".rs-panels h3"); !slices.Equal(got, before[1:]) {
			t.Errorf("panels of %q without none, before %q", got, before)
		}
		if got := o.text(`location.hash`); got != "#variants=exponential|full-jitter" {
			t.Errorf("the address says %s", got)
		}
		o.do(chromedp.Navigate("about:blank"), chromedp.Navigate(o.file+"#variants=full-jitter"))
		o.wait(`document.querySelector(".rs-summary-table")`)
		if got := o.texts(`.rs-chip[aria-pressed="true"]`); !slices.Equal(got, []string{"full-jitter"}) {
			t.Errorf("a link to full-jitter shows %q", got)
		}
		o.do(chromedp.Navigate("about:blank"), chromedp.Navigate(o.file))
		o.wait(`document.querySelector(".rs-summary-table")`)
	})

	t.Run("replay", func(t *testing.T) {
		o := &opened{t, o.ctx, o.file, r}
		o.see(".rs-panels .rs-chart")
		o.run(`const s = document.querySelector(".rs-replay input"); s.value = 2; s.dispatchEvent(new Event("input"))`)
		if got := o.text(`document.querySelector(".rs-now").textContent`); !strings.HasPrefix(got, "2") {
			t.Errorf("the replay is at %s", got)
		}
		before := o.text(`document.querySelector(".rs-now").textContent`)
		o.do(chromedp.Focus(chromedp.CSS(".rs-play")), chromedp.KeyEvent(kb.Enter))
		o.wait(`document.querySelector(".rs-now").textContent !== "` + before + `"`)
		o.do(chromedp.KeyEvent(kb.Enter))
		o.wait(`document.querySelector(".rs-play").textContent === "Play"`)
	})

	t.Run("axe", func(t *testing.T) {
		for _, theme := range []string{"light", "dark"} {
			browser.Do(t, o.ctx, browser.Media("screen", theme))
			browser.Axe(t, o.ctx)
		}
		browser.Do(t, o.ctx, browser.Media("screen", "light"))
	})

	t.Run("phone", func(t *testing.T) {
		browser.Do(t, o.ctx, browser.Size(390, 844))
		browser.Wait(t, o.ctx, `innerWidth === 390`)
		if w := browser.Get[int](t, o.ctx, `document.documentElement.scrollWidth`); w > 390 {
			t.Errorf("a phone of 390 pixels scrolls sideways over %d", w)
		}
		browser.Do(t, o.ctx, browser.Size(1280, 800))
	})

	t.Run("print", func(t *testing.T) {
		o := &opened{t, o.ctx, o.file, r}
		o.do(browser.Media("print", "dark"))
		o.wait(`document.documentElement.dataset.theme === "light"`)
		o.wait(`[...document.querySelectorAll(".rs-chart:not([hidden]) .rs-plot")].filter(e => e.offsetParent).every(e => e.querySelector("canvas"))`)
		if n := browser.Get[int](t, o.ctx, `document.querySelectorAll("details:not([open]):not(.rs-data)").length`); n > 0 {
			t.Errorf("%d folds are closed on paper", n)
		}
		o.do(browser.Media("screen", "light"))
		o.wait(`document.documentElement.dataset.theme === undefined`)
	})

	for _, url := range browser.Requests(o.ctx) {
		if !strings.HasPrefix(url, o.file) && !strings.HasPrefix(url, "data:") && url != "about:blank" {
			t.Errorf("the report asks for %s", url)
		}
	}
}

// A place with a long name does not push the page apart.
func TestLongPlaceInBrowser(t *testing.T) {
	o := openReport(t, designsSample())
	for _, width := range []int64{1280, 390} {
		browser.Do(t, o.ctx, browser.Size(width, 800))
		browser.Wait(t, o.ctx, fmt.Sprintf("innerWidth === %d", width))
		if w := browser.Get[int64](t, o.ctx, `document.documentElement.scrollWidth`); w > width {
			t.Errorf("a page of %d pixels scrolls sideways over %d", width, w)
		}
		if h := browser.Get[float64](t, o.ctx, `document.querySelector(".rs-summary h2").getBoundingClientRect().height`); h > 40 {
			t.Errorf("the heading of the table is %v pixels high", h)
		}
	}
}

// A sweep has charts against its axis, and a choice of the place.
func TestSweepInBrowser(t *testing.T) {
	o := openReport(t, sample{variants: []string{"none", "full-jitter"}, clients: []string{"10", "20", "40"}, runs: 3, worst: 2}.result())
	o.see(".rs-metrics .rs-chart")
	before := o.texts(".rs-summary-table td:nth-child(2) .rs-number")
	o.run(`const s = document.querySelector(".rs-summary select"); s.value = "0"; s.dispatchEvent(new Event("change"))`)
	if after := o.texts(".rs-summary-table td:nth-child(2) .rs-number"); slices.Equal(before, after) {
		t.Errorf("%q at every place", after)
	}
	browser.Axe(t, o.ctx)
}

// Names are text, whatever they look like.
func TestHostileNamesInBrowser(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	r := browserSample()
	r.Title = evil + "</script>"
	r.ScenarioYAML = []byte("title: </script><img src=x onerror=alert(1)>\n")
	for i := range r.Points {
		p := &r.Points[i]
		if p.Variant == "none" {
			p.Variant = evil
		}
		p.Timelines[0].Service = evil
	}
	r.Target = evil
	o := openReport(t, r)
	o.see(".rs-panels .rs-chart")
	for _, place := range []string{".rs-title", ".rs-chips", ".rs-summary-table tbody", ".rs-panels h3"} {
		if got := strings.Join(o.texts(place), " "); !strings.Contains(got, evil) {
			t.Errorf("%s has %q, not the name", place, got)
		}
	}
	if n := browser.Get[int](t, o.ctx, `document.querySelectorAll("main script, main img").length`); n > 0 {
		t.Errorf("%d elements come from names", n)
	}
}

// Twenty variants and several services are still one page that answers.
func TestManyVariantsInBrowser(t *testing.T) {
	o := openReport(t, sample{variants: manyVariants(20), runs: 3, worst: 1}.result())
	if got := o.texts(`.rs-chip[aria-pressed="true"]`); len(got) != 8 {
		t.Errorf("the charts begin with %q", got)
	}
	o.do(chromedp.Click(chromedp.CSS(".rs-chips .rs-small")))
	o.wait(`document.querySelectorAll('.rs-chip[aria-pressed="true"]').length === 20`)
	o.see(".rs-panels .rs-chart")
	if got, want := len(o.texts(".rs-panels h3")), 20; got != want {
		t.Error(fmt.Sprint(got, " panels, want ", want))
	}
}

// A view that is still being made is drawn again and again, and keeps what people
// chose; two stand side by side.
func TestLiveInBrowser(t *testing.T) {
	o := openReport(t, browserSample())
	o.run(`
		const view = JSON.parse(document.getElementById("data").textContent);
		window.whole = view;
		window.partial = {...view, partial: true, replications: 20, points: view.points.map(p => ({...p, replications: 3, partial: true}))};
		const main = document.getElementById("view");
		main.replaceChildren(document.createElement("div"), document.createElement("div"));
		main.className = "";
		window.left = Retrystorm.render(main.children[0], {...partial, variants: view.variants, points: [], timelines: [], completion: [], paths: []}, {live: true, compact: true});
		window.right = Retrystorm.render(main.children[1], whole, {compact: true})`)
	if got := o.text(`document.querySelector(".rs-progress").textContent`); got != "Nothing finished so far" {
		t.Errorf("before anything is finished: %s", got)
	}
	o.run(`left.update(partial)`)
	if got := o.text(`document.querySelector(".rs-progress").textContent`); got != "3 of 20 replications so far" {
		t.Errorf("after three: %s", got)
	}
	o.run(`document.querySelector(".rs-chip").click(); document.querySelectorAll(".rs-sort")[1].click()`)
	o.run(`left.update(whole)`)
	if got := o.texts(`#view > :first-child .rs-chip[aria-pressed="false"]`); !slices.Equal(got, []string{"none"}) {
		t.Errorf("after an update %q are off, want none", got)
	}
	if got := browser.Get[int](t, o.ctx, `document.querySelectorAll('th[aria-sort="ascending"]').length`); got != 1 {
		t.Errorf("after an update %d columns are sorted", got)
	}
	if got := browser.Get[int](t, o.ctx, `document.querySelectorAll(".rs-progress").length`); got != 0 {
		t.Error("progress is shown when all is done")
	}
	if n := browser.Get[int](t, o.ctx, `(() => { const ids = [...document.querySelectorAll("[id]")].map(e => e.id); return ids.length - new Set(ids).size })()`); n > 0 {
		t.Errorf("%d ids stand twice", n)
	}
	o.see("#view > :first-child .rs-panels .rs-chart:not([hidden])")
	o.run(`left.destroy(); right.destroy()`)
	if got := o.text(`document.querySelector("#view > :first-child").textContent`); got != "" {
		t.Errorf("what was destroyed leaves %q", got)
	}
}
