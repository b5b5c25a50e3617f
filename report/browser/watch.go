package browser

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// watch collects what goes wrong in a page, and what it asks for.
type watch struct {
	mu       sync.Mutex
	troubles []string
	requests []string
	allowed  []string
}

type watchKey struct{}

func watchOf(ctx context.Context) *watch { return ctx.Value(watchKey{}).(*watch) }

// Allow says that a test means to cause trouble: what contains the text is no
// failure.
func Allow(ctx context.Context, text string) {
	w := watchOf(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowed = append(w.allowed, text)
}

// Requests are the addresses of what pages loaded so far, the pages included.
func Requests(ctx context.Context) []string {
	w := watchOf(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.requests...)
}

func (w *watch) see(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.trouble("exception: " + exception(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			w.trouble("console: " + arguments(e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			w.trouble("log: " + e.Entry.Text + " " + e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		w.request(e.Request.URL)
	case *network.EventLoadingFailed:
		if !e.Canceled {
			w.trouble("request failed: " + e.ErrorText)
		}
	}
}

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	return d.Text
}

func arguments(args []*runtime.RemoteObject) string {
	var out []string
	for _, a := range args {
		if a.Description != "" {
			out = append(out, a.Description)
		} else {
			out = append(out, string(a.Value))
		}
	}
	return strings.Join(out, " ")
}

func (w *watch) trouble(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.troubles = append(w.troubles, text)
}

func (w *watch) request(url string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, url)
	if !local(url) {
		w.troubles = append(w.troubles, "request to "+url)
	}
}

// local reports whether an address is of this machine.
func local(url string) bool {
	for _, start := range []string{"file:", "data:", "blob:", "about:", "http://127.0.0.1:", "http://localhost:"} {
		if strings.HasPrefix(url, start) {
			return true
		}
	}
	return false
}

func (w *watch) report(t testing.TB) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range w.troubles {
		if !w.allows(text) {
			t.Error(text)
		}
	}
}

func (w *watch) allows(text string) bool {
	for _, a := range w.allowed {
		if strings.Contains(text, a) {
			return true
		}
	}
	return false
}
