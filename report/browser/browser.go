// Package browser drives a headless Chromium in the tests of pages. Only tests
// import it.
package browser

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// New starts a browser with an empty profile and no network but this machine, and
// gives its tab. The test is skipped in short runs, and where there is no browser. At
// the end it fails with whatever went wrong in the page: exceptions, errors on the
// console, requests that failed and requests that should not have been made.
func New(t testing.TB) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	w := &watch{}
	ctx, cancel := chromedp.NewExecAllocator(background(t), options(t)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(context.WithValue(ctx, watchKey{}, w), chromedp.WithListener(w.see))
	t.Cleanup(cancel)
	Do(t, ctx, Size(1280, 800))
	t.Cleanup(func() { w.report(t) })
	return ctx
}

// background ends shortly before the test would be killed, so that what the browser
// waits for is reported as the failure.
func background(t testing.TB) context.Context {
	d, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return context.Background()
	}
	at, ok := d.Deadline()
	if !ok {
		return context.Background()
	}
	ctx, cancel := context.WithDeadline(context.Background(), at.Add(-10*time.Second))
	t.Cleanup(cancel)
	return ctx
}

func options(t testing.TB) []chromedp.ExecAllocatorOption {
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(find(t)),
		chromedp.NoSandbox, // the pages are our own, and root has no sandbox
		chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(2*time.Minute), // a loaded machine starts slowly
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
	)
}

// find is the browser of the environment, or the first of the usual names.
func find(t testing.TB) string {
	if name := os.Getenv("CHROMIUM"); name != "" {
		return name
	}
	for _, name := range []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		`C:\Program Files\Google\Chrome\Application\chrome.exe`,
	} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const missing = "no Chromium: install it, or set CHROMIUM to its path, to test pages in a browser"
	if os.Getenv("RETRYSTORM_NEEDS_BROWSER") != "" { // where leaving tests out would go unnoticed
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// Do does steps, and ends the test when one fails.
func Do(t testing.TB, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Get evaluates JavaScript, awaits it when it is a promise, and ends the test when
// that fails.
func Get[T any](t testing.TB, ctx context.Context, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return v
}

// patience is far more than anything takes, on the most loaded machine.
const patience = 2 * time.Minute

// Wait waits until JavaScript is true. Errors pass: a page that is being left has
// no place where it could run.
func Wait(t testing.TB, ctx context.Context, script string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		done, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+script+")"))
		if done && err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v, %v", script, ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Size makes the window so many pixels wide and high.
func Size(width, height int64) chromedp.Action[chromedp.Void] {
	return chromedp.EmulateViewport(width, height)
}

// Media makes the page believe in a medium (screen, print) and a colour scheme
// (light, dark).
func Media(medium, scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media:    medium,
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// Shot writes what a window of that size shows to a PNG file.
func Shot(ctx context.Context, width, height int64, file string) error {
	if err := chromedp.Do(ctx, Size(width, height)); err != nil {
		return err
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	return os.WriteFile(file, png, 0o666)
}
