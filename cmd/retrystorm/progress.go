package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far a run is: a bar on a terminal, otherwise a plain line
// now and then, so that a log tells a long run from a stuck one.
type progress struct {
	w    io.Writer
	name string
	bar  *progressbar.ProgressBar // nil: plain lines
	last time.Time                // when the last line was written
	now  func() time.Time
}

// plainEvery is the time between two plain lines. Runs that are shorter say
// nothing.
const plainEvery = 10 * time.Second

// newProgress is the progress of one scenario; it is nil where nothing is to
// be shown, and a nil progress shows nothing.
func (a *app) newProgress(name string, quiet bool) *progress {
	if quiet {
		return nil
	}
	p := &progress{w: a.stderr, name: name, now: time.Now, last: time.Now()}
	if a.barWanted() {
		theme := progressbar.ThemeDefault
		if !a.speaksUTF8() {
			theme = progressbar.ThemeASCII
		}
		p.bar = progressbar.NewOptions64(1,
			progressbar.OptionSetTheme(theme),
			progressbar.OptionSetWriter(a.stderr),
			progressbar.OptionSetDescription(name),
			progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(30),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionEnableColorCodes(false),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// barWanted reports whether standard error is a terminal with a person before
// it.
func (a *app) barWanted() bool {
	_, terminal := terminalWidth(a.stderr)
	return terminal && a.getenv("CI") == "" && a.getenv("TERM") != "dumb"
}

// at is told how many of all replications are done. It is not for several
// goroutines at once.
func (p *progress) at(done, total int) {
	if p == nil {
		return
	}
	if p.bar != nil {
		p.bar.ChangeMax(total)
		_ = p.bar.Set(done) // a terminal that has gone shows nothing
		return
	}
	if now := p.now(); now.Sub(p.last) >= plainEvery {
		p.last = now
		fmt.Fprintf(p.w, "%s: %d of %d replications\n", p.name, done, total)
	}
}

// end takes the bar away.
func (p *progress) end() {
	if p != nil && p.bar != nil {
		_ = p.bar.Clear()
	}
}
