package experiment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// aftermath is a model with everything that only some have: two queues, effects
// at the first of two services, classes, and actions.
func aftermath() *sim.Model {
	m := oneService()
	db := m.Services[0]
	db.Name, db.Effects, db.Expired.Kind = "worker", true, "refuse"
	m.Services = []sim.Service{
		db,
		{Name: "api", Async: true, Spec: db.Spec},
		{Name: "jobs", Backlog: &server.Backlog{DeadLetter: "dlq"}, Steps: []sim.Step{{Name: "worker"}}},
		{Name: "dlq", Backlog: &server.Backlog{}},
	}
	m.Groups[0].Classes = []sim.Class{{Name: "large", Share: 0.1}, {Name: "small", Share: 0.9}}
	m.Actions = []sim.Action{{Name: "redrive", Kind: sim.Redrive, At: 4 * time.Second}, {Name: "again", Kind: sim.Resend, At: 5 * time.Second}, {Name: "admit", Kind: sim.Set}}
	return m
}

// aftermathRecord is a replication of it.
func aftermathRecord() *sim.Record {
	rec := worked()
	rec.Services = []sim.ServiceRecord{
		{
			Expired: 3, Blocked: time.Second, Busy: sim.Sum{Lo: 8e9}, Wasted: sim.Sum{Lo: 2e9},
			Effects: sim.Effects{Done: 12, Requests: 8, Replayed: 5, Conflicts: 2, Swallowed: 1, Duplicates: [sim.Causes]int64{sim.Redelivery: 3, sim.Redriven: 1}},
		},
		{Expired: 1, Blocked: 2 * time.Second},
		{},
		{},
	}
	rec.EndedAt = 10 * time.Second
	rec.Queues = []sim.QueueRecord{
		{Name: "jobs", Sent: 20, Deliveries: 30, Done: 15, Dead: 3, Left: 2, Oldest: 7 * time.Second},
		{Name: "dlq", Sent: 10, Lost: 1, Redriven: 6, Left: 3, Oldest: 9 * time.Second, Reasons: []sim.Reason{
			{Outcome: strategies.Timeout, Why: strategies.AttemptsExhausted, Count: 1},
			{Outcome: 503, Why: strategies.AttemptsExhausted, Count: 2},
			{Outcome: 503, Why: strategies.DeadlineExceeded, Count: 1},
		}},
	}
	for i := range 10 {
		rec.Queues[0].Delay.Add(time.Duration(i+1) * time.Second)
	}
	rec.Hops = []sim.HopRecord{
		{From: "clients", To: "jobs", Inner: true, Withheld: [strategies.GiveUps]int64{strategies.BreakerOpen: 1}},
		{From: "clients/large", To: "jobs", Inner: true, Withheld: [strategies.GiveUps]int64{strategies.BreakerOpen: 2}},
		{From: "clients2", To: "jobs", Inner: true, Withheld: [strategies.GiveUps]int64{strategies.BreakerOpen: 4}},
		{From: "jobs", To: "worker", Inner: true, Causes: [sim.Causes]int64{sim.First: 20, sim.Redelivery: 10, sim.AfterTimeout: 5}},
	}
	rec.Actions = []sim.ActionRecord{
		{Name: "redrive", Sent: 4, Succeeded: 3, Failed: 1, EndedAt: 9 * time.Second, Outage: 2},
		{Name: "again", Sent: 6, Failed: 2, Outage: 1, EndedAt: sim.Never},
		{Name: "admit", Outage: 99},
	}
	rec.Groups = []sim.GroupRecord{{Name: "clients", Requests: 10}, {Name: "clients/large", Requests: 3}, {Name: "clients/small", Requests: 7}}
	for i := range 3 {
		rec.Dead = append(rec.Dead, sim.DeadLetter{
			Queue: "dlq", From: "jobs", Group: "clients", Client: int64(i), Request: 5, To: "worker",
			Outcome: 503, Why: strategies.AttemptsExhausted, Attempts: 3, Started: 1, First: 2, Last: 3, Trace: 0xabc, Payload: 0xdef,
		})
	}
	return rec
}

// aftermathTest is an experiment with it.
func aftermathTest(replications int, run runFunc) *Experiment {
	e := newTest([]string{"base"}, nil, nil, replications, run)
	e.use([]*sim.Model{aftermath()})
	e.metrics = append(e.metrics, featured(e.features())...)
	e.queueMetrics = ofQueues(e.features())
	return e
}

func TestSpecialMetrics(t *testing.T) {
	want := map[string]float64{
		"blocked_share": 0.2, "wasted_share": 0.25, "expired": 4,
		"effects": 12, "duplicates": 4, "replayed": 5, "conflicts": 2, "swallowed": 1,
		"messages": 30, "deliveries": 30, "redeliveries": 10, "done": 15, "lost": 1, "taken": 6, "left": 5, "oldest": 9,
		"message_delay_p50": 5, "message_delay_p99": 10, "dead_letters": 4,
		"redriven": 4, "redriven_failed": 1, "redrive_ended_at": 9, "resent": 6, "resent_failed": 2, "second_outage": 3,
	}
	rec, m := aftermathRecord(), aftermath()
	f := featuresOf(m)
	if want := (features{graph: true, effects: true, queues: true, deadLetters: true, refusals: true, redrives: true, resends: true}); f != want {
		t.Errorf("features %+v", f)
	}
	seen := map[string]bool{}
	for _, d := range definitions() {
		seen[d.Name], seen[d.Column] = true, true
	}
	for _, d := range featured(f) {
		w, ok := want[d.Name]
		if got := d.of(rec, m); !ok || !near(got, w, 1e-15) {
			t.Errorf("%s = %v, want %v", d.Name, got, w)
		}
		if seen[d.Name] || seen[d.Column] {
			t.Errorf("%s is there twice", d.Name)
		}
		delete(want, d.Name)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	if n := len(featured(features{})); n > 0 || featuresOf(oneService()) != (features{}) {
		t.Errorf("%d metrics more for nothing", n)
	}
	for name, change := range map[string]func(){
		"dead_letters":     func() { rec.Queues = nil },
		"redrive_ended_at": func() { rec.Actions[0].EndedAt = sim.Never },
		"wasted_share":     func() { rec.Services[0].Busy = sim.Sum{} },
		"effects":          func() { m.Services[0].Effects = false },
		"blocked_share":    func() { rec.EndedAt = 0 },
		"oldest":           func() { rec.Queues = nil },
	} {
		change()
		w := map[string]float64{"dead_letters": 0, "oldest": 0, "redrive_ended_at": inf}
		v, ok := w[name]
		if !ok {
			v = nan
		}
		for _, d := range featured(f) {
			if got := d.of(rec, m); d.Name == name && !same(got, v) {
				t.Errorf("%s = %v, want %v", name, got, v)
			}
		}
	}
}

// What expectations can select, and what they are told if they cannot.
func TestSpecialParts(t *testing.T) {
	run := func(*sim.Model, uint64, uint64, sim.Options) (*sim.Record, error) { return aftermathRecord(), nil }
	e := aftermathTest(2, run)
	for _, x := range []string{
		"duplicates == 4", "duplicates[cause=redelivery] == 3", "duplicates[service=worker, cause=redrive] == 1", "duplicates[cause=hedge] == 0",
		"dead_letters[queue=dlq] == 4", "dead_letters[service=jobs] == 3", "dead_letters[reason=timeout] == 1", "dead_letters[reason=5xx] == 3",
		"dead_letters[reason=deadline] == 1", "dead_letters[queue=dlq, reason=attempts] == 3", "dead_letters[reason=transient] == 4",
		"messages[queue=jobs] == 20", "oldest[queue=jobs] == 7s", "message_delay_p99[queue=jobs] == 10s", "redeliveries[queue=jobs] == 10",
		"blocked_share[service=worker] == 10%", "blocked_share == 20%", "expired[service=api] == 1", "wasted_share[service=worker] == 25%",
		"requests[class=large] == 3", "requests[group=clients, class=small] == 7", "requests[class=any] == 10", "redrive_ended_at == 9s",
		"second_outage == 3s", "withheld[group=clients, reason=breaker, service=jobs] == 3",
	} {
		if err := e.expect(x, 1, 1); err != nil {
			t.Errorf("%s: %v", x, err)
		}
	}
	r, err := e.Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range r.Expectations {
		if j.Ruling != Pass {
			t.Errorf("%s: %s", j.Text, j.Detail)
		}
	}
	for x, want := range map[string]string{
		"dead_letters[reason=broken] == 0":  `reason "broken" is not an outcome; allowed: timeout, refused, reset, rejected, a status 400 to 599, 4xx, 5xx, transient, any; or why there were no more attempts: not-retryable, attempts`,
		"messages[queue=worker] == 0":       `queue "worker" matches nothing; there are: jobs, dlq, any`,
		"total_calls[queue=jobs] == 0":      `nothing is swept by "queue"`,
		"requests[class=huge] == 0":         `class "huge" matches nothing; there are: large, small, any`,
		"total_calls[class=large] == 0":     "total_calls is not measured per class",
		"rerun > 0":                         "rerun means nothing here: there is no action rerun",
		"dead_leters == 0":                  "did you mean dead_letters?",
		"duplicates[t=0s..1s] == 0":         "duplicates is about the whole run",
		"redriven[service=worker] == 0":     "redriven is not measured per service",
		"message_delay_p99[group=x] == 10s": "message_delay_p99 is not measured per group",
	} {
		if err := e.expect(x, 1, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", x, err, want)
		}
	}
	// Everywhere, if asked for.
	for _, x := range []string{"blocked_share[service=db] < 1%", "expired == 0", "wasted_share < 1%"} {
		if err := newTest([]string{"none"}, nil, nil, 1, nil).expect(x, 1, 1); err != nil {
			t.Errorf("%s: %v", x, err)
		}
	}
}

// A class may be of several groups.
func TestClassOfSeveralGroups(t *testing.T) {
	m := aftermath()
	m.Groups = append(m.Groups, sim.Group{Name: "batch", Classes: []sim.Class{{Name: "large"}}})
	e := newTest([]string{"base"}, nil, nil, 1, nil)
	e.use([]*sim.Model{m})
	if err := e.expect("requests[class=large] == 0", 1, 1); err == nil || !strings.Contains(err.Error(), "class large is one of clients or batch: write group= with it") {
		t.Error(err)
	}
	if err := e.expect("requests[class=large, group=batch] == 0", 1, 1); err != nil {
		t.Error(err)
	}
}

// Points have the queues, duplicates, reasons and dead letters, those of the
// first replication only; so have points that shards share.
func TestAftermathOfPoints(t *testing.T) {
	run := func(_ *sim.Model, _, replication uint64, opt sim.Options) (*sim.Record, error) {
		rec := aftermathRecord()
		if opt.Dead != (replication == 0) {
			return nil, fmt.Errorf("replication %d: %v", replication, opt.Dead)
		}
		if replication > 0 {
			rec.Dead = nil
			rec.Queues[1].Reasons = rec.Queues[1].Reasons[:1]
			rec.Services[0].Effects.Duplicates[sim.Redelivery] = 0
		}
		return rec, nil
	}
	r, err := aftermathTest(2, run).Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Points[0]
	if len(p.Dead) != 3 || p.DeadMore != 0 || p.Dead[1].Client != 1 || p.Dead[0].Reason != "503" || p.Dead[0].GaveUp != "attempts" {
		t.Errorf("dead: %+v", p.Dead)
	}
	means := func(list []Tally) (out []string) {
		for _, x := range list {
			out = append(out, fmt.Sprint(x.Place, " ", x.What, " ", x.Why, " ", x.Estimate.Centre))
		}
		return out
	}
	if diff := cmp.Diff([]string{"worker redelivery  1.5", "worker redrive  1"}, means(p.Duplicates)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"dlq timeout attempts 1", "dlq 503 attempts 1", "dlq 503 deadline 0.5"}, means(p.DeadReasons)); diff != "" {
		t.Error(diff)
	}
	if len(p.Queues) != 2 || p.Queues[1].Name != "dlq" || p.Queues[0].Estimates[0].Centre != 20 || len(p.Queues[0].Estimates) != len(r.QueueMetrics) {
		t.Errorf("queues: %+v", p.Queues)
	}
	if len(p.Groups) != 3 || p.Groups[1].Name != "clients/large" {
		t.Errorf("groups: %+v", p.Groups)
	}
	for i, m := range r.GroupMetrics { // withheld attempts are a group's, not a class's
		if n := p.Groups[1].Estimates[i].N; m.Name == "withheld" && (n != 0 || p.Groups[0].Estimates[i].N != 2) || m.Name == "requests" && n != 2 {
			t.Errorf("%s of a class: %d", m.Name, n)
		}
	}
	if diff := cmp.Diff([]Span{{"redrive", 4 * time.Second, 4 * time.Second}, {"again", 5 * time.Second, 5 * time.Second}, {"admit", 0, 0}}, p.Actions); diff != "" {
		t.Error(diff)
	}
	all := newMemory()
	for k := 1; k <= 2; k++ {
		if _, err := aftermathTest(2, run).Run(Options{Jobs: 1, Store: all, Shard: &Shard{k, 2}}); err != nil {
			t.Fatal(err)
		}
	}
	merged, err := aftermathTest(2, run).Run(Options{Store: all, Sealed: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.pieces) != 2 {
		t.Errorf("%d pieces", len(all.pieces))
	}
	if diff := cmp.Diff(r, merged, alike); diff != "" {
		t.Error(diff)
	}
}

// Of very many dead letters the first are kept, and it is said.
func TestManyDeadLetters(t *testing.T) {
	e := aftermathTest(1, func(*sim.Model, uint64, uint64, sim.Options) (*sim.Record, error) {
		rec := aftermathRecord()
		for len(rec.Dead) < mostDead+7 {
			rec.Dead = append(rec.Dead, rec.Dead[0])
		}
		return rec, nil
	})
	r, err := e.Run(Options{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := "only the first 1000 dead letters of replication 1 are kept, for dead_letters.jsonl, of base (7 more)"
	if p := r.Points[0]; len(p.Dead) != mostDead || p.DeadMore != 7 || len(r.Notes) != 1 || r.Notes[0] != want {
		t.Errorf("%d, %d more; %q", len(p.Dead), p.DeadMore, r.Notes)
	}
}
