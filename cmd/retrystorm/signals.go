package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// interruption is a request to stop, by Ctrl-C or from the system. Only the
// first is handled: whoever asks twice does not want to wait.
type interruption struct {
	stop chan struct{}
	code atomic.Int32 // the exit code, once interrupted
}

// watchSignals begins to notice signals, until release is called.
func watchSignals() (i *interruption, release func()) {
	i = &interruption{stop: make(chan struct{})}
	caught, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-caught:
			signal.Stop(caught)
			code := exitInterrupted
			if s == syscall.SIGTERM {
				code = exitTerminated
			}
			i.code.Store(int32(code))
			close(i.stop)
		case <-done:
		}
	}()
	return i, func() {
		signal.Stop(caught)
		close(done)
	}
}

// happened reports whether there was a signal.
func (i *interruption) happened() bool { return i.code.Load() != 0 }

// error is the interruption as the end of the command; detail may be empty.
func (i *interruption) error(detail string) error {
	code, text := int(i.code.Load()), "interrupted"
	if code == exitTerminated {
		text = "terminated"
	}
	if detail != "" {
		text += ": " + detail
	}
	return &exitError{code, fmt.Errorf("%s", text)}
}
