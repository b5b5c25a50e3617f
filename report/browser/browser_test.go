package browser

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// quiet is a test whose failures are looked at, not reported.
type quiet struct {
	testing.TB
	failures []string
}

func (q *quiet) Helper()           {}
func (q *quiet) Error(args ...any) { q.failures = append(q.failures, args[0].(string)) }

func page(body string) chromedp.Action[chromedp.Void] {
	html := `<!doctype html><html lang="en"><title>page</title><main><h1>page</h1>` + body + `</main></html>`
	return chromedp.Navigate("data:text/html," + url.PathEscape(html))
}

func TestTroubleIsReported(t *testing.T) {
	ctx := New(t)
	w := watchOf(ctx)
	Do(t, ctx, page(`<script>
		console.error("on purpose"); setTimeout(() => { throw new Error("nobody catches") });
		fetch("http://example.com/").catch(() => { document.title = "tried" })</script>`))
	Wait(t, ctx, `document.title === "tried"`)
	q := &quiet{TB: t}
	w.report(q)
	all := strings.Join(q.failures, "\n")
	for _, want := range []string{"on purpose", "nobody catches", "request to http://example.com/"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not reported in:\n%s", want, all)
		}
	}
	for _, text := range []string{"on purpose", "nobody catches", "example.com", "ERR_NAME_NOT_RESOLVED"} {
		Allow(ctx, text)
	}
}

func TestAxeFinds(t *testing.T) {
	ctx := New(t)
	Do(t, ctx, page(`<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">`))
	q := &quiet{TB: t}
	Axe(q, ctx)
	if all := strings.Join(q.failures, "\n"); !strings.Contains(all, "image-alt") {
		t.Errorf("an image without a text is not found: %q", all)
	}
	Do(t, ctx, page(`<p>Nothing wrong here.</p>`))
	Axe(t, ctx)
}
