package sim_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

var update = flag.Bool("update", false, "rewrite golden files")

// named is a model with a name.
type named struct {
	name  string
	model *sim.Model
}

// zoo is a model of every kind, as different from each other as possible.
func zoo() []named {
	jitter := func(timeout time.Duration) strategies.Policy {
		return retry(5, timeout, backoff("full-jitter", 50*ms, s))
	}
	lossy := func(kind string, d time.Duration) random.Dist {
		return random.Dist{Kind: kind, Mean: d, SD: d / 4, CV: 1.5, Shape: 2.5, K: 3}
	}
	storm := recovering(200)
	storm.Until, storm.SLO = 3*time.Minute, 45*s

	layered := layers([3]int64{3, 3, 3}, server.Fault{Name: "bad", Kind: "errors", Share: 0.4, Answer: server.Reply{Answer: 500}, For: 20 * s})
	layered.Groups[0].Arrival = random.Arrival{Kind: "poisson", Rate: 20, Per: "all", For: 30 * s}
	layered.Services[1].Spec.ServiceTime = lossy("erlang", 10*ms)

	locked := occ(40, lossy("exponential", 10*ms), backoff("decorrelated-jitter", 5*ms, s))
	locked.Services[0].Spec.Contention = &server.Contention{Kind: "lock", Rows: 3}
	locked.Services[0].Spec.ServiceTime = lossy("lognormal", 10*ms)

	writes := occ(40, lossy("pareto", 10*ms), backoff("equal-jitter", 5*ms, s))
	writes.Services[0].Spec.Contention = &server.Contention{Kind: "write-only", Rows: 2}

	crashing := workers(8)
	crashing.ServiceTime, crashing.Slowdown = lossy("normal", 20*ms), ms
	crashing.Crash = &server.Crash{Above: 55, Restart: s, Ramp: 2 * s, RampFrom: 0.2}
	closed := sim.Group{Count: 60, Requests: random.Unlimited, Arrival: random.Arrival{Kind: "closed", Think: lossy("exponential", 100*ms)}}

	broken := workers(20)
	broken.ServiceTime = lossy("lognormal", 100*ms)
	broken.Queue = server.Queue{Limit: 50, Order: "lifo", Full: server.Reply{Answer: server.Silent}}
	broken.Faults = []server.Fault{
		{Name: "slow", Kind: "slow", At: 5 * s, For: 5 * s, Factor: 3},
		{Name: "pause", Kind: "pause", At: 8 * s, For: s},
		{Name: "less", Kind: "capacity", At: 12 * s, For: 3 * s, Share: 0.29, Ramp: 4 * s, RampFrom: 0.29},
		{Name: "late errors", Kind: "errors", At: 3 * s, For: 20 * s, Share: 0.1, AfterWork: true, Answer: server.Reply{Answer: server.Reset}},
	}
	spike := sim.Group{Count: 1, Requests: random.Unlimited, Arrival: random.Arrival{
		Kind: "profile", Per: "all", Points: []random.Point{{Rate: 50}, {At: 10 * s, Rate: 50}, {At: 12 * s, Rate: 300}, {At: 15 * s, Rate: 50}},
	}}

	limited := unlimited()
	limited.RateLimit = &server.RateLimit{Kind: "token-bucket", Rate: 1.3, Burst: 2, Answer: server.Reply{Answer: 429}, Scope: "client"}
	ticking := sim.Group{Count: 30, Requests: random.Unlimited, Arrival: random.Arrival{Kind: "every", Every: 500 * ms, Phase: "random", Jitter: 0.3}}

	list := []named{
		{"recovering", storm},
		{"layers", layered},
		{"optimistic", occ(60, lossy("abs-normal", 10*ms), backoff("full-jitter", 5*ms, s))},
		{"lock", locked},
		{"write-only", writes},
		{"one pause, late answers", onePause(4, "accept")},
		{"crashing, closed", model(closed, jitter(150*ms), lossy("exponential", 5*ms), crashing)},
		{"faults, spike", model(spike, jitter(500*ms), lossy("lognormal", 5*ms), broken)},
		{"rate limit, every", model(ticking, retry(strategies.Unlimited, s, backoff("proportional-jitter", 100*ms, 2*s)), lossy("pareto", 5*ms), limited)},
		{"no faults", model(poisson(40), jitter(0), constant(ms), workers(3))},
	}
	for _, z := range list {
		z.model.Until = min(z.model.Until, 3*time.Minute)
	}
	list = append(list, named{"defences", defences()}, named{"hints", hints()})
	for _, z := range list[6:] {
		z.model.Until, z.model.Warmup = 25*s, 2*s
	}
	list[9].model.Services[0].Spec.ServiceTime = lossy("erlang", 60*ms)
	return append(list, named{"graph", wholeGraph()}, named{"aftermath", aftermath()})
}

// wholeGraph has all that a call graph can have.
func wholeGraph() *sim.Model {
	hop := retry(3, 200*ms, backoff("full-jitter", 20*ms, s))
	hop.Propagate, hop.AvoidFailed, hop.Cancel = true, true, "running"
	m := graphAt(100, []sim.Step{
		{To: 1, Optional: true},
		{Work: true},
		{Need: 1, Skip: 0.2, Parallel: []sim.Step{{To: 1}, {To: 2}}},
	})
	m.Until, m.Warmup = 25*s, 2*s
	for st := range sim.Calls(m.Services[0].Steps) {
		st.Policies = under(hop)
	}
	m.Groups[0].Classes = []sim.Class{{Name: "light", Share: 0.8}, {Name: "heavy", Share: 0.2, Cost: 2.5}}
	m.Groups[0].Steps[0].Policies = under(hop)
	front, a, b := &m.Services[0], &m.Services[1], &m.Services[2]
	front.Async, front.Spec.Workers, front.Spec.InFlight = true, 3, 60
	a.Spec.Replicas, a.Spec.Workers, a.Spec.Balance = 3, 1, "two-choices"
	b.Spec.Replicas, b.Spec.Workers, b.Spec.Balance = 2, 1, "least"
	a.Spec.Faults = []server.Fault{{Name: "sick", Kind: "errors", Share: 0.5, At: 5 * s, For: 2 * s, Every: 6 * s, Replicas: new(int64(1)), AfterWork: true}}
	b.Expired, b.Inbox = sim.Expired{Kind: "refuse", Time: ms}, server.Inbox{Kind: "unique", Keep: 5 * s, KeepNewest: server.Unlimited, Replay: true, SameKey: 0.05}
	a.Inbox = server.Inbox{Kind: "check-then-insert", KeepNewest: 50, KeyCycle: 3 * s}
	return m
}

// aftermath has all that follows when calls are given up.
func aftermath() *sim.Model {
	p := retry(3, 300*ms, backoff("full-jitter", 50*ms, s))
	p.DeadLetter = "dead"
	spec := workers(4)
	spec.ServiceTime = exponential(50 * ms)
	spec.Faults = []server.Fault{{Name: "outage", Kind: "down", At: 8 * s, For: 3 * s, Answer: server.Reply{Answer: 503}}}
	m := model(poisson(30), p, constant(ms), spec)
	m.Until, m.Warmup = 40*s, 2*s
	consumer := sim.Step{To: 0, Policies: under(retry(1, 400*ms, backoff("none", 0, 0))), Network: constant(ms)}
	m.Services[0].Effects = true
	m.Services = append(m.Services,
		sim.Service{Name: "jobs", Steps: []sim.Step{consumer}, Backlog: &server.Backlog{
			Consumers: 5, Batch: 2, Visibility: s, MaxReceives: 3, DeadLetter: "dead", Poison: server.Poison{Share: 0.03, Answer: 422}, Retention: time.Hour,
		}},
		sim.Service{Name: "dead", Backlog: &server.Backlog{Visibility: s, MaxReceives: server.Unlimited, Retention: 25 * s}},
	)
	batch := sim.Group{Name: "batch", Count: 2, Requests: 100, Arrival: random.Arrival{Kind: "closed", Think: constant(10 * ms)}, Steps: m.Groups[0].Steps}
	queued := poisson(20)
	queued.Name, queued.Steps = "queued", []sim.Step{{To: 1, Network: constant(ms)}}
	m.Groups = append(m.Groups, batch, queued)
	m.Actions = []sim.Action{
		{Name: "again", Kind: sim.Rerun, At: 9 * s, Group: 1, Every: 10},
		{Name: "redrive", Kind: sim.Redrive, At: 20 * s, Place: 2, Pace: sim.Pace{First: 5, Grow: 2, Failures: 0.05, Pause: s}},
		{Name: "resend", Kind: sim.Resend, At: 25 * s, Group: -1, Pace: sim.Pace{Rate: 20}},
		{Name: "more", Kind: sim.Set, At: 12 * s, Place: 0, Set: sim.SetWorkers, Value: 8, Over: 5 * s},
		{Name: "less", Kind: sim.Set, At: 30 * s, Place: 0, Set: sim.SetAdmit, Value: 0.7},
	}
	return m
}

// TestGoldenRecords holds hashes of whole records. They are the same on every
// machine; a change of them is a change of results, to be made on purpose:
// go test ./sim -run TestGoldenRecords -update
func TestGoldenRecords(t *testing.T) {
	const file = "testdata/golden_records.txt"
	var b strings.Builder
	var r sim.Runner
	for _, z := range zoo() {
		for seed := range uint64(3) {
			rec, err := r.Run(z.model, seed, seed, sim.Options{})
			if err != nil {
				t.Fatalf("%s: %v", z.name, err)
			}
			text, err := json.Marshal(observe(rec, nil))
			if err != nil {
				t.Fatal(err)
			}
			hash := fnv.New64a()
			hash.Write(text)
			// The counts help to see what changed.
			fmt.Fprintf(&b, "%016x %s, seed %d: %d requests, %d succeeded, %d calls\n",
				hash.Sum64(), z.name, seed, rec.Requests, rec.Succeeded, rec.Services[z.model.Target].Calls)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(lines)) {
		switch {
		case i >= len(lines):
			t.Errorf("new: %s", got[i])
		case i >= len(got):
			t.Errorf("gone: %s", lines[i])
		case got[i] != lines[i]:
			t.Errorf("got  %s\nwant %s", got[i], lines[i])
		}
	}
}
