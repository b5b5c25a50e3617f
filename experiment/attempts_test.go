package experiment

import (
	"slices"
	"strings"
	"testing"
	"time"

	"retrystorm/scenarios"
)

func resultOf(t *testing.T, text string) *Result {
	t.Helper()
	f, err := scenarios.Load("test", []byte(text), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const twoClients = `
name: two
seed: 1
replications: 3
until: 10s
clients: {count: 2, arrival: burst at 0s, calls: api, policy: p, network: 10ms}
services:
  api:
    workers: 1
    service_time: 100ms
    queue: 0 full 503
policies:
  p: {timeout: 1s, max_attempts: 3, retry_on: [5xx], backoff: fixed 1s}
`

func TestAttempts(t *testing.T) {
	p := &resultOf(t, twoClients).Points[0]
	ms := time.Millisecond
	want := []Attempt{
		{0, 10 * ms, false, "ok"},
		{1, 10 * ms, false, "503"},
		{1, 1030 * ms, true, "ok"},
	}
	got := slices.Clone(p.Attempts)
	if got[0].Outcome != "ok" { // either may be the first
		for i := range got {
			got[i].Client = 1 - got[i].Client
		}
		slices.SortStableFunc(got, func(a, b Attempt) int { return int(a.At-b.At)*2 + int(a.Client-b.Client) })
	}
	if !slices.Equal(got, want) {
		t.Errorf("attempts %v, want %v", got, want)
	}
}

// Every call of the record is among the attempts, whatever becomes of it.
func TestAttemptsAreTheCalls(t *testing.T) {
	for _, name := range []string{
		"backoff-cap", "budget-or-breaker", "fan-out", "nested-layers", "one-pause", "rate-limited", "redrive-time", "retry-after", "slow-job", "webhook-cap",
	} {
		b, ok := scenarios.Builtin(name)
		if !ok {
			t.Fatal(name)
		}
		f, err := scenarios.Load(name, b.Source, nil, []string{"replications=1", "warmup=0s", "clients.count=7"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, err := New(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, err := e.Run(Options{Jobs: 1, Light: true, Variants: e.variants[:1]})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p := &r.Points[len(r.Points)-1]
		if calls := p.Estimates[column(t, e, "total_calls")].Centre; calls == 0 || float64(len(p.Attempts)) != calls {
			t.Errorf("%s: %d attempts of %v calls", name, len(p.Attempts), calls)
		}
		for i := range p.Attempts {
			a := &p.Attempts[i]
			if a.Outcome == "" || a.Client < 0 || i > 0 && a.At < p.Attempts[i-1].At {
				t.Fatalf("%s: attempt %d is %+v", name, i, *a)
			}
		}
	}
}

// Only small runs are taken down.
func TestAttemptsOfLargeRuns(t *testing.T) {
	r := resultOf(t, strings.Replace(twoClients, "count: 2", "count: 2000", 1))
	if n := len(r.Points[0].Attempts); n > 0 {
		t.Errorf("%d attempts are kept", n)
	}
}
