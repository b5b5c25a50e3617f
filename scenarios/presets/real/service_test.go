package real

import (
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// The scenario of testdata/twin.yaml.
const (
	clients = 200
	outage  = 10 * time.Second
	admits  = 20                   // calls in a second
	network = 5 * time.Millisecond // one way
	window  = 100 * time.Millisecond
)

// service is the server that the real libraries call. Calls that arrive at the
// same instant reach it in any order; how many it admits does not depend on it.
type service struct {
	start      time.Time
	network    time.Duration
	retryAfter string  // what a 503 of the limit asks for, in seconds
	flaky      float64 // share of calls that fail after the outage

	mu       sync.Mutex
	calls    int
	windows  map[time.Duration]int // calls that arrived, by window
	second   time.Duration         // the last one that admitted a call
	admitted int                   // in it
}

var errUnavailableHTTP = errors.New("503")

// call is refused during the outage and answered 503 above the limit.
func (s *service) call() error {
	time.Sleep(s.network)
	defer time.Sleep(s.network)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Since(s.start)
	s.calls++
	s.windows[now/window]++
	if now < outage {
		return syscall.ECONNREFUSED
	}
	if second := now / time.Second; second != s.second {
		s.second, s.admitted = second, 0
	}
	if s.admitted == admits {
		return errUnavailableHTTP
	}
	s.admitted++
	if s.flaky > 0 && rand.Float64() < s.flaky {
		return errUnavailableHTTP
	}
	return nil
}

// RoundTrip is a call over HTTP.
func (s *service) RoundTrip(*http.Request) (*http.Response, error) {
	switch err := s.call(); err {
	case nil:
		return httpAnswer(http.StatusOK), nil
	case errUnavailableHTTP:
		if s.retryAfter != "" {
			return httpAnswer(http.StatusServiceUnavailable, "Retry-After: "+s.retryAfter), nil
		}
		return httpAnswer(http.StatusServiceUnavailable), nil
	default:
		return nil, err
	}
}

// outcome is what a run of the scenario came to, by the names that the
// simulator uses.
type outcome map[string]float64

// play runs the scenario once, with requests made by a real library. They start
// together, or each at a random time within spread.
func play(t *testing.T, s *service, spread time.Duration, request func(*service) error) outcome {
	s.windows = map[time.Duration]int{}
	var done []time.Duration
	synctest.Test(t, func(*testing.T) {
		s.start = time.Now()
		var group sync.WaitGroup
		for range clients {
			group.Go(func() {
				if spread > 0 {
					time.Sleep(rand.N(spread))
				}
				begun := time.Now()
				if request(s) == nil {
					s.mu.Lock()
					done = append(done, time.Since(begun))
					s.mu.Unlock()
				}
			})
		}
		group.Wait()
	})
	slices.Sort(done)
	peak := 0
	for _, n := range s.windows {
		peak = max(peak, n)
	}
	quantile := func(percent int) float64 {
		if rank := (percent*clients + 99) / 100; rank <= len(done) {
			return done[rank-1].Seconds()
		}
		return math.Inf(1)
	}
	return outcome{
		"total_calls":    float64(s.calls),
		"peak_load":      float64(peak) / window.Seconds(),
		"succeeded":      float64(len(done)),
		"completion_p50": quantile(50),
		"completion_p90": quantile(90),
		"completion_p99": quantile(99),
	}
}
