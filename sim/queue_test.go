package sim_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// backlog is a queue of n consumers.
func backlog(n int64, visibility time.Duration) *server.Backlog {
	return &server.Backlog{
		Consumers: n, Batch: 1, Visibility: visibility, MaxReceives: strategies.Unlimited,
		Poison: server.Poison{Answer: 422}, Retention: 4 * 24 * time.Hour,
	}
}

// queued is a group that sends to the queue jobs, from which consumers take what
// the service worker does; dead messages go to the queue dlq.
func queued(g sim.Group, worker server.Spec, b *server.Backlog, policy strategies.Policy) *sim.Model {
	g.Name = "clients"
	g.Steps = []sim.Step{{Name: "jobs", To: 1, Network: constant(0)}}
	m := &sim.Model{Until: time.Hour, Window: s, Groups: []sim.Group{g}, Services: []sim.Service{
		{Name: "worker", Spec: worker},
		{Name: "jobs", Backlog: b, Steps: []sim.Step{{Name: "worker", To: 0, Network: constant(0), Policies: under(policy)}}},
		{Name: "dlq", Backlog: backlog(1, 30*s)},
	}}
	if b.MaxReceives > 0 {
		b.DeadLetter = "dlq"
	}
	return m
}

// takes is a service that any number can be in, for a time.
func takes(d time.Duration) server.Spec {
	spec := unlimited()
	spec.ServiceTime = constant(d)
	return spec
}

var one = strategies.Policy{MaxAttempts: 1}

// A job of 900 s and a visibility of 30 s: 30 consumers work on it at once (C163).
func TestCopiesOfASlowJob(t *testing.T) {
	for _, c := range []struct {
		work, visibility time.Duration
		consumers, want  int64
	}{
		{900 * s, 30 * s, 100, 30}, // ceil(900/30)
		{900 * s, 31 * s, 100, 30},
		{900 * s, 29 * s, 100, 32},
		{900 * s, 899 * s, 100, 2},
		{900 * s, 900 * s, 100, 1}, // done beats visible
		{900 * s, 30 * s, 5, 5},    // no more than there are
	} {
		m := queued(burst(1), takes(c.work), backlog(c.consumers, c.visibility), one)
		m.Window = 10 * s
		rec := run(t, m, 1, 1)
		var most float64
		for _, row := range rec.Services[1].Timeline {
			most = max(most, row.InService.Float()/float64(rec.Row))
		}
		if q := rec.Queues[0]; q.Deliveries != c.want || q.Done != 1 || int64(math.Ceil(most)) != c.want {
			t.Errorf("%v of work, visible again after %v, %d consumers: %d deliveries, %v at once; want %d", c.work, c.visibility, c.consumers, q.Deliveries, most, c.want)
		}
		if got := rec.Services[0].Causes; got[sim.First] != 1 || got[sim.Redelivery] != c.want-1 {
			t.Errorf("calls by cause %v", got)
		}
	}
}

// A handler takes 30 s, ten are let in at once, and messages are received three
// times, each time as long as they stay invisible: healthy messages die, unless
// that is several times as long as the handler takes (C165). In 3 x k x 30 s, 3 k
// rounds of ten are done.
func TestVisibilityAndDeadLetters(t *testing.T) {
	for k := range int64(6) {
		k++
		visibility := time.Duration(k) * 30 * s
		spec := workers(10)
		spec.ServiceTime = constant(30 * s)
		spec.Queue = server.Queue{Order: "fifo", Full: server.Reply{Answer: 429}}
		p := retry(strategies.Unlimited, 0, backoff("fixed", s, s))
		p.MaxElapsed = visibility - s
		b := backlog(150, visibility)
		b.MaxReceives = 3
		rec := run(t, queued(burst(150), spec, b, p), 1, 1)
		jobs, dlq := &rec.Queues[0], &rec.Queues[1]
		want := max(0, 150-30*k)
		if jobs.Dead != want || jobs.Done != 150-want || dlq.Sent != want || dlq.Left != want {
			t.Errorf("invisible for %v: %d dead, want %d; dead letters %+v", visibility, jobs.Dead, want, dlq)
		}
		if want > 0 && (len(dlq.Reasons) != 1 || dlq.Reasons[0] != sim.Reason{Outcome: 429, Why: strategies.AttemptsExhausted, Count: want}) {
			t.Errorf("reasons %v", dlq.Reasons)
		}
	}
}

// The poisoned die, and nobody else, and they cost the worker receives times as
// much. The seed is fixed; 500 of 50,000 are expected, and 4 standard deviations
// are 90.
func TestPoisonShare(t *testing.T) {
	spec := workers(10)
	spec.ServiceTime = constant(s)
	b := backlog(50, 30*s)
	b.MaxReceives, b.Poison.Share = 3, 0.01
	m := queued(poisson(7), spec, b, one)
	m.Groups[0].Arrival.For, m.Until = 7200*s, 3*time.Hour
	rec := run(t, m, 1, 1)
	jobs := rec.Queues[0]
	if share := float64(jobs.Dead) / float64(jobs.Sent); math.Abs(share-0.01) > 0.0018 {
		t.Errorf("%.4f of the messages are poisoned, want 0.01", share)
	}
	if n := rec.Services[0].Calls; n != jobs.Sent+2*jobs.Dead || n != jobs.Deliveries || rec.Services[0].Status != 3*jobs.Dead || jobs.Left != 0 {
		t.Errorf("%d calls for %+v", n, jobs)
	}
}

// One message that can never be worked on stops an ordered queue until it is
// dead: receives times visibility. Without a limit, for ever.
func TestPoisonBlocks(t *testing.T) {
	last := func(ordered bool, receives int64) (*sim.Record, time.Duration) {
		b := backlog(4, 30*s)
		b.Ordered, b.MaxReceives, b.Poison.Share = ordered, receives, 0.1
		m := queued(burst(10), takes(s), b, one)
		rec := run(t, m, 3, 1)
		return rec, rec.Queues[0].Delay.Rank(rec.Queues[0].Done)
	}
	free, took := last(false, 3)
	n := free.Queues[0].Dead
	if n == 0 || free.Queues[0].Done != 10-n || took > 10*s {
		t.Errorf("not ordered: %d dead, %d done within %v", n, free.Queues[0].Done, took)
	}
	blocked, _ := last(true, 3)
	if q := blocked.Queues[0]; q.Dead != n || q.Done != 10-n {
		t.Errorf("ordered: %+v", q)
	}
	if ended := blocked.EndedAt; ended != time.Duration(n)*90*s+time.Duration(10-n)*s {
		t.Errorf("%d poisoned messages stop an ordered queue until %v", n, ended)
	}
	stuck, _ := last(true, strategies.Unlimited)
	if q := stuck.Queues[0]; q.Left == 0 || q.Deliveries < 3600/30 || stuck.EndedAt != time.Hour || q.Oldest != time.Hour {
		t.Errorf("for ever: %+v until %v", q, stuck.EndedAt)
	}
}

// Consumers of a queue are workers, and messages customers: the wait is that of
// M/M/c. Seeds are fixed; 4.5 standard errors, as in the theory tests.
func TestQueueIsMMc(t *testing.T) {
	for _, c := range []struct {
		rate float64
		n    int64
	}{{0.7, 1}, {2.1, 3}, {8, 10}} {
		var all sample
		for replication := range uint64(20) {
			spec := unlimited()
			spec.ServiceTime = exponential(s)
			m := queued(poisson(c.rate), spec, backlog(c.n, time.Hour), one)
			m.Window, m.Until = 10*s, time.Duration(20_000/c.rate)*s
			m.Warmup = m.Until / 20
			rec := run(t, m, 7, replication)
			d := &rec.Queues[0].Delay
			all = append(all, d.Sum().Float()/float64(d.Len())/1e9)
		}
		agree(t, "mean time in the queue", all.mean(), all.se(), 1+erlangC(c.n, c.rate)/(float64(c.n)-c.rate))
	}
}

// erlangC is the share of customers that wait, at service rate 1.
func erlangC(c int64, a float64) float64 {
	term, sum := 1.0, 0.0
	for k := range c {
		sum += term
		term *= a / float64(k+1)
	}
	term *= float64(c) / (float64(c) - a)
	return term / (sum + term)
}

// A batch is invisible from when it is taken: the last ones are delivered again
// while they wait for their turn.
func TestBatch(t *testing.T) {
	for batch, want := range map[int64]int64{1: 10, 3: 10, 4: 11} {
		b := backlog(1, 30*s)
		b.Batch = batch
		m := queued(burst(10), takes(10*s), b, one)
		rec := run(t, m, 1, 1)
		// Four take 40 s: the last is due again at 30 s, but done before anybody
		// else is free.
		if q := rec.Queues[0]; q.Done != 10 || q.Deliveries < want-1 {
			t.Errorf("batches of %d: %+v", batch, q)
		}
		b.Consumers = 2
		if q := run(t, m, 1, 1).Queues[0]; q.Done != 10 || (q.Deliveries > 10) != (batch == 4) {
			t.Errorf("batches of %d, two consumers: %+v", batch, q)
		}
	}
}

// What nobody takes out is lost when it is too old, also where it is only stored;
// the age of a dead message goes on.
func TestRetention(t *testing.T) {
	b := backlog(1, 10*s)
	b.MaxReceives, b.Poison.Share = 2, 1
	m := queued(sim.Group{Count: 1, Requests: 60, Arrival: random.Arrival{Kind: "closed", Think: constant(60 * s)}}, takes(s), b, one)
	m.Services[2].Backlog.Retention = 100 * s
	rec := run(t, m, 1, 1)
	jobs, dlq := rec.Queues[0], rec.Queues[1]
	if jobs.Dead != 60 || dlq.Sent != 60 || dlq.Lost != 58 || dlq.Left != 2 || rec.EndedAt != 59*time.Minute+20*s {
		t.Errorf("%+v\n%+v until %v", jobs, dlq, rec.EndedAt)
	}
	// Taken at once and 10 s later, it dies after 20 s.
	if dlq.Oldest != rec.EndedAt-(58*time.Minute+20*s) {
		t.Errorf("the oldest is %v old", dlq.Oldest)
	}
}

// Delayed messages wait, and the caller does not.
func TestDelay(t *testing.T) {
	b := backlog(5, 30*s)
	b.Delay = 45 * s
	rec := run(t, queued(burst(5), takes(s), b, one), 1, 1)
	if d := &rec.Queues[0].Delay; d.Rank(1) != 46*s || d.Rank(5) != 46*s || rec.FinishedAt != 0 {
		t.Errorf("worked on after %v, callers done at %v", d.Rank(1), rec.FinishedAt)
	}
}

// A call that is given up is stored, and its request has failed.
func TestPolicyDeadLetter(t *testing.T) {
	spec := takes(10 * ms)
	spec.Faults = []server.Fault{{Name: "down", Kind: "down", For: time.Minute, Answer: server.Reply{Answer: 503}}}
	p := retry(3, s, backoff("fixed", 10*s, 10*s))
	p.DeadLetter = "dlq"
	m := model(burst(4), p, constant(5*ms), spec)
	m.Services = append(m.Services, sim.Service{Name: "dlq", Backlog: backlog(1, s)})
	m.Actions = []sim.Action{{Name: "redrive", Kind: sim.Redrive, At: 2 * time.Minute, Place: 1, Group: -1}}
	var r sim.Runner
	var lines []string
	rec, err := r.Run(m, 1, 1, sim.Options{Dead: true, Trace: func(e sim.TraceEvent) { lines = append(lines, e.String()) }})
	if err != nil {
		t.Fatal(err)
	}
	if rec.Failed != 4 || rec.Requests != 4 || len(rec.Dead) != 4 || rec.Queues[0].Redriven != 4 || rec.Queues[0].Left != 0 {
		t.Fatalf("%+v", rec.Queues[0])
	}
	d := rec.Dead[0]
	if d.Queue != "dlq" || d.From != "clients" || d.To != "db" || d.Outcome != 503 || d.Why != strategies.AttemptsExhausted ||
		d.Attempts != 3 || d.First != 10*ms || d.Last != 20*s+30*ms || d.Started != 0 || d.Trace == rec.Dead[1].Trace || d.Payload == d.Trace {
		t.Errorf("%+v", d)
	}
	a := rec.Actions[0]
	if a.Sent != 4 || a.Succeeded != 4 || a.EndedAt != 2*time.Minute+20*ms || rec.Services[0].Causes[sim.Redriven] != 4 {
		t.Errorf("%+v, causes %v", a, rec.Services[0].Causes)
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{"clients 1 request 1: clients > dlq dead after attempt 3", "dlq > db redriven"} {
		if !strings.Contains(text, want) {
			t.Errorf("the trace does not say %q:\n%s", want, text)
		}
	}
}

func TestQueueErrors(t *testing.T) {
	var r sim.Runner
	m := queued(burst(1), takes(s), backlog(1, s), one)
	m.Services[1].Backlog.DeadLetter = "nowhere"
	if _, err := r.Run(m, 1, 1, sim.Options{}); err == nil || !strings.Contains(err.Error(), `"nowhere" is not a queue`) {
		t.Error(err)
	}
}

// A queue that loses nothing is a service with its consumers for workers: with
// constant service times every message takes exactly as long as a call.
func TestQueueIsAStation(t *testing.T) {
	for c := range int64(4) {
		spec := workers(c + 1)
		spec.ServiceTime = constant(700 * ms)
		direct := run(t, model(poisson(float64(c+1)*1.3), one, constant(0), spec), 5, 1)
		rec := run(t, queued(poisson(float64(c+1)*1.3), takes(700*ms), backlog(c+1, time.Hour), one), 5, 1)
		d := &rec.Queues[0].Delay
		// What is done at the end of the run differs: nothing, as both are cut there.
		if d.Len() != direct.Succeeded || d.Sum() != direct.Completion.Sum() || rec.Services[1].Inside != direct.Unfinished {
			t.Errorf("%d consumers: %d done, %d direct", c+1, d.Len(), direct.Succeeded)
		}
		for k := int64(1); k <= d.Len(); k++ {
			if d.Rank(k) != direct.Completion.Rank(k) {
				t.Fatalf("%d consumers: number %d takes %v, want %v", c+1, k, d.Rank(k), direct.Completion.Rank(k))
			}
		}
	}
}

// A week in which 200,000 messages wait: no step looks at all of them, or this
// takes hours.
func TestWeekOfBacklog(t *testing.T) {
	if testing.Short() {
		t.Skip("a million messages")
	}
	spec := workers(4)
	spec.ServiceTime = constant(s)
	spec.Faults = []server.Fault{{Name: "slow", Kind: "slow", At: 24 * time.Hour, For: 48 * time.Hour, Factor: 100}}
	b := backlog(4, 10*time.Minute)
	m := queued(poisson(1.3), spec, b, one)
	m.Until, m.Window = 7*24*time.Hour, time.Minute
	rec := run(t, m, 1, 1)
	var most float64
	for _, row := range rec.Services[1].Timeline {
		most = max(most, row.Waiting.Float()/float64(rec.Row))
	}
	if q := rec.Queues[0]; most < 200_000 || q.Lost > 0 || q.Done < 700_000 {
		t.Errorf("%v waiting, %+v", most, q.Done)
	}
}

// A run of a model with queues needs no memory the second time.
func TestNoAllocationsInQueues(t *testing.T) {
	b := backlog(3, 5*s)
	b.MaxReceives, b.Batch, b.Poison.Share = 3, 2, 0.1
	jobs := queued(poisson(2), takes(s), b, one)
	jobs.Actions = []sim.Action{{Name: "redrive", Kind: sim.Redrive, At: 20 * time.Minute, Place: 2, Group: -1, Pace: sim.Pace{First: 1, Grow: 2, Pause: s}}}
	calls := outage(50, sim.Pace{Rate: 20})
	resend := outage(50, sim.Pace{First: 10, Grow: 2})
	resend.Actions[0].Kind = sim.Resend
	for _, m := range []*sim.Model{jobs, calls, resend} {
		var r sim.Runner
		once := func() {
			if _, err := r.Run(m, 1, 1, sim.Options{Dead: true}); err != nil {
				t.Fatal(err)
			}
		}
		once()
		if n := testing.AllocsPerRun(2, once); n > 0 {
			t.Errorf("%v allocations in a run", n)
		}
	}
}
