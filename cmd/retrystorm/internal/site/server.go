package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"retrystorm/cmd/retrystorm/internal/play"
)

// Options are what a server may do.
type Options struct {
	Limits play.Limits
	// Runs is how many runs go on at a time, and Waiting how many more may wait.
	Runs, Waiting int
	// ReadTime is how long a request may take to arrive.
	ReadTime time.Duration
	// RunTime is how long a run may take.
	RunTime time.Duration
	// Grace is how long a run goes on that nobody looks at: a page that is loaded
	// again comes back.
	Grace time.Duration
	// Kept is how many finished runs can be looked at again, and KeptBytes what they
	// may take together. The newest one always can.
	Kept      int
	KeptBytes int64
	// Memory is what the process may take; 0: nobody knows.
	Memory uint64
	// Hosts are what the page may be called besides an address: see [Server.allowed].
	Hosts []string
	// Remote: others than this machine may ask, at any of its addresses.
	Remote bool
	// Complain is told what went wrong inside; nil: nobody is.
	Complain func(text string)
}

// Usual are the options of a server for one person.
func Usual(limits play.Limits) Options {
	return Options{
		Limits: limits, Runs: 2, Waiting: 8, ReadTime: 15 * time.Second, RunTime: 15 * time.Minute, Grace: 20 * time.Second,
		Kept: 10, KeptBytes: 256 << 20, Memory: limits.Memory,
	}
}

// Server is the local page. It reads no file and writes none: what it serves is
// inside the program, or was made by a run.
type Server struct {
	opt     Options
	player  *play.Player
	files   map[string]file
	runs    *runs
	checks  *gate
	streams *gate
	mux     *http.ServeMux
	cross   *http.CrossOriginProtection

	mu    sync.Mutex
	hosts map[string]bool // names with the port, once that is known

	stop chan struct{} // closed when it stops
	once sync.Once
}

// Limits on what is asked for at a time.
const (
	mostChecks  = 2  // each may load a core for a moment
	mostStreams = 64 // each keeps a connection
	mostWaiting = 32
)

// NewServer makes the server of the page.
func NewServer(opt Options) *Server {
	s := &Server{
		opt: opt, player: play.New(opt.Limits), files: filesOf(page()),
		checks: newGate(mostChecks, mostWaiting), streams: newGate(mostStreams, 0),
		cross: http.NewCrossOriginProtection(), hosts: map[string]bool{}, stop: make(chan struct{}),
	}
	s.runs = newRuns(&s.opt, s.player, s.stop)
	s.mux = http.NewServeMux()
	s.routes()
	return s
}

// Serve answers until Stop is called.
func (s *Server) Serve(l net.Listener) error {
	s.listensAt(l.Addr())
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // of clients that go away
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		s.Stop()
		return err
	case <-s.stop:
	}
	// Runs and streams end by themselves now; what is still being written gets a
	// moment.
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Stop ends runs and streams, and makes Serve return.
func (s *Server) Stop() { s.once.Do(func() { close(s.stop) }) }

func (s *Server) complain(format string, args ...any) {
	if s.opt.Complain != nil {
		s.opt.Complain(fmt.Sprintf(format, args...))
	}
}
