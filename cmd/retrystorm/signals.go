package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"retrystorm/cmd/retrystorm/internal/forecast"
)

// interruption is a request to stop: by Ctrl-C, from the system, or because
// memory runs out. Only the first is handled: whoever asks twice does not want
// to wait.
type interruption struct {
	stop  chan struct{}
	code  atomic.Int32 // the exit code, once interrupted
	limit uint64       // of memory; 0: unknown
}

// watch begins to notice signals and how much memory is used, until release is
// called.
func watch() (i *interruption, release func()) { return watchUpTo(forecast.MemoryLimit()) }

// watchSignals notices only signals.
func watchSignals() (i *interruption, release func()) { return watchUpTo(0) }

func watchUpTo(limit uint64) (i *interruption, release func()) {
	i = &interruption{stop: make(chan struct{}), limit: limit}
	before := debug.SetMemoryLimit(-1)
	if i.limit > 0 {
		debug.SetMemoryLimit(int64(i.limit / 10 * 9)) // tidy up before it is time to stop
	}
	caught, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go i.wait(caught, done)
	return i, func() {
		signal.Stop(caught)
		close(done)
		debug.SetMemoryLimit(before)
	}
}

// wait is over after the first reason to stop, or when done is closed.
func (i *interruption) wait(caught chan os.Signal, done chan struct{}) {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for code := exitOK; code == exitOK; {
		select {
		case s := <-caught:
			signal.Stop(caught)
			code = exitInterrupted
			if s == syscall.SIGTERM {
				code = exitTerminated
			}
		case <-look.C:
			if i.limit == 0 || forecast.MemoryUsed() <= i.limit {
				continue
			}
			code = exitFailed
		case <-done:
			return
		}
		i.code.Store(int32(code))
		close(i.stop)
	}
}

// happened reports whether there was a signal.
func (i *interruption) happened() bool { return i.code.Load() != 0 }

// error is the interruption as the end of the command; detail may be empty.
func (i *interruption) error(detail string) error {
	code, text := int(i.code.Load()), "interrupted"
	switch code {
	case exitTerminated:
		text = "terminated"
	case exitFailed:
		text = fmt.Sprintf("stopped because %s of memory do not do; fewer --jobs, fewer clients or a limited queue need less", forecast.Size(i.limit))
	}
	if detail != "" {
		text += ": " + detail
	}
	return &exitError{code, fmt.Errorf("%s", text)}
}
