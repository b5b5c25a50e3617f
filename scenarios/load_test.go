package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
)

const recovering = `
name: recovering
clients: {count: 10000, arrival: burst, calls: db, policy: app, network: 25ms}
services:
  db: {workers: 100, queue: 400 full 503, faults: {outage: down at 0s for 30s}}
policies:
  app: {timeout: 1s, max_attempts: unlimited, backoff: full-jitter 100ms cap 20s}
`

func TestDefaults(t *testing.T) {
	f := mustLoad(t, "name: x\nclients: {calls: db}\nservices: {db: {}}\n")
	s := f.Scenario
	if s.Seed != 1 || s.Replications.Most() != 20 || s.Until != 10*time.Minute || s.Window != 100*time.Millisecond || s.SLO != 0 || s.Trigger != nil {
		t.Errorf("top level: %+v", s)
	}
	if s.Clients.Count != 1 || s.Clients.Arrival.Kind != "burst" || s.Clients.Requests != nil {
		t.Errorf("clients: %+v", s.Clients)
	}
	db := s.Services[0]
	if db.Workers != random.Unlimited || db.Queue.Limit != random.Unlimited || db.Queue.Full.Answer != 503 || !db.Blocking || db.Expired.Kind != "serve" || db.Crash != nil {
		t.Errorf("service: %+v", db)
	}
	if f.Points() != 1 || f.Variants()[0] != "base" || len(f.Axes()) != 0 || len(f.Notes) != 0 {
		t.Errorf("points: %d %v %v %v", f.Points(), f.Variants(), f.Axes(), f.Notes)
	}
	if got := f.Point(0); got.Variant != "base" || len(got.Sweep) != 0 {
		t.Errorf("point: %+v", got)
	}
}

func TestPointsInOrder(t *testing.T) {
	f := mustLoad(t, recovering+`
variants: {as-is: {}, hasty: {policies.app.timeout: 100ms}}
sweep:
  clients.count: [10, 1e3]
  load: {low: {services.db.workers: 1000}, high: {services.db.workers: 10, services.db.queue: unlimited}}
`)
	var got []string
	for i := range f.Points() {
		p := f.Point(i)
		s, err := f.Resolve(i)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s %v %v: %v %d %d %d", p.Index, p.Variant, p.Sweep, p.Numbers,
			s.Policies[0].Timeout, s.Clients.Count, s.Services[0].Workers, s.Services[0].Queue.Limit))
	}
	want := []string{
		"0 as-is [10 low] [10 NaN]: 1s 10 1000 400",
		"1 as-is [10 high] [10 NaN]: 1s 10 10 -1",
		"2 as-is [1e3 low] [1000 NaN]: 1s 1000 1000 400",
		"3 as-is [1e3 high] [1000 NaN]: 1s 1000 10 -1",
		"4 hasty [10 low] [10 NaN]: 100ms 10 1000 400",
		"5 hasty [10 high] [10 NaN]: 100ms 10 10 -1",
		"6 hasty [1e3 low] [1000 NaN]: 100ms 1000 1000 400",
		"7 hasty [1e3 high] [1000 NaN]: 100ms 1000 10 -1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f.Scenario.Clients.Count != 10000 {
		t.Error("the base scenario has changed")
	}
	if _, err := f.Resolve(8); err == nil {
		t.Error("there is no point 8")
	}
}

func TestOverrides(t *testing.T) {
	get := func(t *testing.T, sets ...string) *Scenario { return mustLoad(t, recovering, sets...).Scenario }
	t.Run("a kind keeps the other fields", func(t *testing.T) {
		b := get(t, "policies.app.backoff.kind=exponential").Policies[0].Backoff
		if b.Kind != "exponential" || b.Base != 100*time.Millisecond || b.Cap != 20*time.Second {
			t.Errorf("%+v", b)
		}
	})
	t.Run("a value replaces", func(t *testing.T) {
		b := get(t, "policies.app.backoff=exponential 1s").Policies[0].Backoff
		if b.Base != time.Second || b.Cap != 0 {
			t.Errorf("%+v", b)
		}
		p := get(t, "policies.app={max_attempts: 2}").Policies[0]
		if p.Timeout != 0 || p.MaxAttempts != 2 || p.Backoff.Kind != "none" {
			t.Errorf("%+v", p)
		}
	})
	t.Run("into a one-line form", func(t *testing.T) {
		s := get(t, "services.db.queue.order=lifo", "clients.network.kind=exponential", "services.db.faults.outage.answer=503")
		if q := s.Services[0].Queue; q.Order != "lifo" || q.Limit != 400 || s.Clients.Network.Kind != "exponential" || s.Services[0].Faults[0].Answer.Answer != 503 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("what is not in the file", func(t *testing.T) {
		s := get(t, "services.db.crash.above=5", "services.db.service_time.mean=5ms", "trigger.at=5s", "services.db.faults.second=pause at 5s for 1s")
		if c := s.Services[0].Crash; c == nil || c.Above != 5 || c.Restart != 30*time.Second || s.Services[0].ServiceTime.Mean != 5*time.Millisecond || s.Trigger.At != 5*time.Second || len(s.Services[0].Faults) != 2 {
			t.Errorf("%+v", s)
		}
	})
	t.Run("stars", func(t *testing.T) {
		f := mustLoad(t, "name: x\nclients: {calls: [a, b]}\nservices: {a: {}, b: {}}\ntarget: a\n",
			"services.*.workers=7", "clients.calls.*.network=5ms")
		for i, s := range f.Scenario.Services {
			if s.Workers != 7 || f.Scenario.Clients.Calls[i].Network.Mean != 5*time.Millisecond {
				t.Errorf("%+v", s)
			}
		}
	})
	t.Run("whole things", func(t *testing.T) {
		f := mustLoad(t, recovering, "seed=5", "variants={a: {}, b: {until: 5m}}", "sweep={clients.count: [1, 2]}", "expect=[a < b]", "name=other")
		if f.Points() != 4 || f.Scenario.Seed != 5 || f.Scenario.Name != "other" || f.Expect[0] != (Expectation{Text: "a < b"}) {
			t.Errorf("%+v", f)
		}
	})
	t.Run("none", func(t *testing.T) {
		f := mustLoad(t, strings.Replace(recovering, "queue:", "crash: 5, queue:", 1), "services.db.crash=none", "policies.app.timeout=none")
		if f.Scenario.Services[0].Crash != nil || f.Scenario.Policies[0].Timeout != 0 {
			t.Errorf("%+v", f.Scenario)
		}
	})
}

func TestSetErrors(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"clients.count", "--set 1: clients.count: write --set PATH=VALUE"},
		{"clients.count=", "--set 1: clients.count: an empty value"},
		{"clients.count=ten", "--set 1: clients.count: ten: not a number"},
		{"clients.cuont=5", "--set 1: clients.cuont: no such field cuont in clients; did you mean count?"},
		{"clients.policy.timeout=5s", "--set 1: clients.policy.timeout: clients.policy is the name of a policy; write policies.app.timeout"},
		{"services.*.crash.restart=5s", "--set 1: services.db.crash.above: missing"},
		{"policies.app.backoff=fixed 1s factor 3", "--set 1: policies.app.backoff.factor: not used by kind fixed"},
		{"clients.count={", "--set 1: clients.count: {: not YAML"},
		{"services.db.calls=db", "--set 1: services.db.calls.db: {to: db}: the service calls itself"},
		{"until=0.1", "--set 1: until: 0.1: a duration needs a unit"},
		{"window=1ns", "--set 1: window: 1ns: more than 10^6 windows in 10m; the smallest window allowed is 600us"},
	} {
		_, err := Load("x.yaml", []byte(recovering), nil, []string{c.set})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.set, err, c.want)
		}
	}
	_, err := Load("x.yaml", []byte(recovering+"variants: {a: {clients.count: 5}}\n"), nil, []string{"clients.count=6", "clients={calls: db}"})
	if want := "--set 2: clients: set by --set 2, while --set 1 sets clients.count (value 6); only one of them can\n" +
		"x.yaml:8:16: clients.count: set by variant a and by --set 1 (value 6); only one of them can; --variants leaves variants out\n" +
		"x.yaml:8:16: clients.count: set by variant a, while --set 2 sets clients (value {calls: [{to: db}]}); only one of them can; --variants leaves variants out"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestExtends(t *testing.T) {
	const src = `
name: x
clients: {calls: db, policy: child, network: 1ms}
services: {db: {}}
policies:
  child: {extends: parent, timeout: 2s, retry_on: [5xx], backoff: {cap: 9s}}
  parent: {extends: root, backoff: full-jitter 100ms cap 20s}
  root: {max_attempts: 5, timeout: 1s, max_elapsed: 1m}
variants:
  as-is: {}
  more: {policies.root.max_attempts: 8, policies.child.backoff.kind: fixed}
`
	f := mustLoad(t, src)
	for i, want := range []struct {
		attempts int64
		kind     string
	}{{5, "full-jitter"}, {8, "fixed"}} {
		s, err := f.Resolve(i)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Model()
		if err != nil {
			t.Fatal(err)
		}
		p := m.Groups[0].Steps[0].Policies[0]
		if p.MaxAttempts != want.attempts || p.Timeout != 2*time.Second || p.MaxElapsed != time.Minute || p.RetryOn[0] != "5xx" ||
			p.Backoff.Kind != want.kind || p.Backoff.Base != 100*time.Millisecond || p.Backoff.Cap != 9*time.Second {
			t.Errorf("%+v", p)
		}
	}
	inline := mustLoad(t, strings.Replace(src, "policy: child", "policy: {extends: child, timeout: 3s}", 1))
	if p := inline.Scenario.Clients.Policy.Inline; p.Timeout != 3*time.Second || p.MaxAttempts != 5 {
		t.Errorf("%+v", p)
	}
}

func TestModel(t *testing.T) {
	f := mustLoad(t, `
name: x
slo: 2s
warmup: 1s
trigger: {at: 5s, for: 1s}
target: b
clients:
  arrival: poisson 5/s
  calls: [a, {to: b, name: second, policy: {max_attempts: 7}, network: 3ms}]
  policy: app
  network: 2ms
services:
  a: {calls: b}
  b: {service_time: 5ms}
policies: {app: {timeout: 1s, max_attempts: 2}}
`)
	s, err := f.Resolve(0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Model()
	if err != nil {
		t.Fatal(err)
	}
	g := m.Groups[0]
	if m.Target != 1 || s.TargetName() != "b" || m.SLO != 2*time.Second || m.Warmup != time.Second || m.Trigger.For != time.Second || g.Requests != random.Unlimited || g.Name != "clients" {
		t.Errorf("%+v", m)
	}
	if st := g.Steps[0]; st.Name != "a" || st.To != 0 || st.Policies[0].Name != "app" || st.Policies[0].MaxAttempts != 2 || st.Network.Mean != 2*time.Millisecond {
		t.Errorf("%+v", st)
	}
	if st := g.Steps[1]; st.Name != "second" || st.To != 1 || st.Policies[0].Name != "" || st.Policies[0].MaxAttempts != 7 || st.Policies[0].Timeout != 0 || st.Network.Mean != 3*time.Millisecond {
		t.Errorf("%+v", st)
	}
	inner := m.Services[0].Steps[0]
	if inner.To != 1 || len(inner.Policies) != 0 || inner.Network.Kind != "constant" || inner.Network.Mean != 0 {
		t.Errorf("%+v", inner)
	}
	burst := mustLoad(t, "name: x\nclients: {calls: db}\nservices: {db: {}}\n").Scenario
	if got := burst.Clients.requests(); got != 1 {
		t.Errorf("a burst has %d requests", got)
	}
}

// TestGroups checks who calls whom how when there are several groups.
func TestGroups(t *testing.T) {
	f := mustLoad(t, `
name: x
clients: {count: 9, processes: 3, calls: [a, {to: c, policy: {timeout: 7s}}], policy: [outer, inner]}
groups:
  jobs: {count: 5, idempotent: false, arrival: every 5s, calls: b, policy: inner}
  plain: {calls: c}
services:
  a: {calls: b, policy: inner}
  b: {calls: c, expired: drop, workers: 1}
  c: {}
policies:
  unused: {timeout: 1s}
  inner: {timeout: 2s}
  outer: {timeout: 3s}
`)
	m, err := f.Scenario.Model()
	if err != nil {
		t.Fatal(err)
	}
	show := func(steps []sim.Step) string {
		var out []string
		for _, s := range steps {
			var text strings.Builder
			text.WriteString(s.Name)
			for _, p := range s.Policies {
				text.WriteString(fmt.Sprintf(" %s:%v", p.Name, p.Timeout))
			}
			out = append(out, fmt.Sprintf("%s %v", text.String(), s.Idempotent))
		}
		return strings.Join(out, ", ")
	}
	var got []string
	for _, g := range m.Groups {
		got = append(got, fmt.Sprintf("%s %d in %d: %s", g.Name, g.Count, g.Processes, show(g.Steps)))
	}
	for _, s := range m.Services {
		got = append(got, fmt.Sprintf("%s %v: %s", s.Name, s.Expired.Kind == "drop", show(s.Steps)))
	}
	want := []string{
		"clients 9 in 3: a outer:3s inner:2s true, c :7s true",
		"jobs 5 in 5: b inner:2s false",
		"plain 1 in 1: c true",
		"a false: b inner:2s true",
		"b true: c false", // jobs get there
		"c false: ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if inner := m.Groups[1].Steps[0].Policies[0]; inner != m.Groups[0].Steps[0].Policies[1] || inner != m.Services[0].Steps[0].Policies[0] {
		t.Error("steps under one policy do not share it")
	}
	if len(f.Scenario.AllGroups()) != 3 || f.Scenario.AllGroups()[2].Name != "plain" {
		t.Error("groups are not in order")
	}
	only := mustLoad(t, "name: x\ngroups: {some: {calls: db}}\nservices: {db: {}}\n", "groups.some.count=7", "groups.more={calls: db}")
	if g := only.Scenario.AllGroups(); only.Scenario.Clients != nil || len(g) != 2 || g[0].Count != 7 || g[1].Count != 1 {
		t.Errorf("%+v", g)
	}
}

// TestCallerOverrides checks paths into what callers and servers say.
func TestCallerOverrides(t *testing.T) {
	const src = `
name: x
clients: {calls: db, policy: [p], network: 1ms}
services:
  db: {workers: 1, queue: 5, faults: {f: {kind: errors, mix: {503: 60%, 429: 40%}}}}
policies:
  p: {max_attempts: 3, backoff: fixed 1s, backoff_on: {429: fixed 2s}, budget: tokens 500}
  lib: {library: aws-sdk-go-v2, version: 1.48}
`
	s := mustLoad(t, src,
		"services.db.queue.full.retry_after=30s", // the answer stays what it is by default
		"services.db.faults.f.mix.503.retry_after=recovery", "services.db.faults.f.mix.*.form=ms",
		"policies.p.backoff_on.429.base=4s", "policies.p.backoff_on.5xx=exponential 1s", "policies.p.backoff.first_exponent=0",
		"policies.lib.backoff_on.429.cap=9s", "policies.lib.budget=none", "policies.p.budget.kind=throttle",
		"policies.p.hedge.after=p99.9", "policies.p.limiter=rate 10/s", "clients.processes=1", "groups.new={calls: db, policy: lib}",
	).Scenario
	db, p, lib := s.Services[0], s.Policies[0], s.Policies[1]
	if q := db.Queue; q.Full.Answer != 503 || q.Full.RetryAfter != (server.Asked{Kind: server.AskedDelay, Delay: 30 * time.Second}) || q.Full.Form != "seconds" {
		t.Errorf("%+v", q)
	}
	if m := db.Faults[0].Mix; m[0].Answer != "503" || m[0].RetryAfter.Kind != server.AskedRecovery || m[1].RetryAfter.Kind != server.AskedNothing || m[1].Form != "ms" || m[1].Share != 0.4 {
		t.Errorf("%+v", m)
	}
	if b := p.BackoffOn; len(b) != 2 || b[0].Outcome != "429" || b[0].Base != 4*time.Second || b[1].Outcome != "5xx" || b[1].Kind != "exponential" {
		t.Errorf("%+v", b)
	}
	if p.Budget.Kind != "throttle" || p.Budget.Tokens != 500 || p.Hedge.After.Quantile != 0.999 || p.Limiter.Rate != 10 || s.Clients.Policy.Layers[0] != "p" {
		t.Errorf("%+v", p)
	}
	if b := lib.BackoffOn[0]; lib.Budget != nil || b.Kind != "full-jitter" || b.Base != time.Second || b.Cap != 9*time.Second {
		t.Errorf("%+v", lib)
	}
	for _, c := range []struct{ set, want string }{
		{"clients.policy.timeout=5s", "--set 1: clients.policy.timeout: clients.policy is a list of policies; write policies.NAME.timeout with one of the names: [p]"},
		{"policies.p.backoff_on.slow.base=5s", "--set 1: policies.p.backoff_on.slow.base: slow: not an outcome"},
		{"services.db.faults.f.mix.599.share=5%", "--set 1: services.db.faults.f.mix.599.share: there is no 599 in services.db.faults.f.mix"},
		{"policies.p.hedge.after.delay=5s", "--set 1: policies.p.hedge.after.delay: policies.p.hedge.after is a single value"},
		{"policies.p.version=1.40", "--set 1: policies.p.version: 1.40: whose version? library is missing"},
		{"clients.processes=2", "--set 1: clients.processes: 2: more processes than clients"},
	} {
		_, err := Load("x.yaml", []byte(src), nil, []string{c.set})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.set, err, c.want)
		}
	}
}

// TestLongAnswers checks that an answer is written in full only when it says
// more than a word.
func TestLongAnswers(t *testing.T) {
	f := mustLoad(t, "name: x\nclients: {calls: db}\nservices: {db: {workers: 1, queue: 5 full 503, limiter: {kind: aimd, answer: 429 retry_after 5s}, faults: {f: {kind: errors, answer: {answer: 500}}}}}\n")
	want := "name: x\nclients:\n  calls:\n    - to: db\nservices:\n  db:\n    workers: 1\n    queue:\n      limit: 5\n      full: 503\n    limiter:\n      kind: aimd\n      answer:\n        answer: 429\n        retry_after: 5s\n    faults:\n      f:\n        kind: errors\n        answer: 500\n"
	if diff := cmp.Diff(want, string(f.Long())); diff != "" {
		t.Error(diff)
	}
}

func TestDataFiles(t *testing.T) {
	dir := fstest.MapFS{
		"arrivals.csv":     {Data: []byte("t_s\n0\n1.5\n2\n")},
		"data/service.csv": {Data: []byte("seconds\n0.1\n0.2\n")},
		"bad.csv":          {Data: []byte("x\n1\n")},
	}
	src := "name: x\nclients: {calls: db, arrival: trace arrivals.csv}\nservices: {db: {service_time: file data/service.csv}}\n"
	f, err := Load("x.yaml", []byte(src), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Scenario.Clients.Arrival.Times; len(got) != 3 || got[1] != 1500*time.Millisecond {
		t.Errorf("times %v", got)
	}
	if got := f.Scenario.Services[0].ServiceTime.Values; len(got) != 2 {
		t.Errorf("values %v", got)
	}
	before := f.Hash()
	dir["arrivals.csv"] = &fstest.MapFile{Data: []byte("t_s\n0\n1.5\n3\n")}
	if f, err = Load("x.yaml", []byte(src), dir, nil); err != nil || f.Hash() == before {
		t.Errorf("the hash does not know the data: %v", err)
	}
	for name, want := range map[string]string{
		"../arrivals.csv": "a file stands in the scenario's folder", "/etc/passwd": "a file stands", "none.csv": "cannot be read: file does not exist", "data": "cannot be read", "bad.csv": "",
	} {
		_, err := Load("x.yaml", []byte(strings.Replace(src, "arrivals.csv", name, 1)), dir, nil)
		if err == nil || !strings.Contains(err.Error(), name+": "+want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Load("x.yaml", []byte(src), nil, nil); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("without a folder: %v", err)
	}
}

func TestProblemAt(t *testing.T) {
	f := mustLoad(t, recovering+"expect:\n  - a < 5\nsweep: {clients.count: [5, 6]}\n")
	for path, want := range map[string]string{
		"policies.app.timeout": "test.yaml:7:18", "services.db.queue.full": "test.yaml:5:38", "clients.nothing.here": "test.yaml:3:11",
		"expect[1]": "test.yaml:9:5", "sweep.clients.count": "test.yaml:10:24", "sweep.clients.count[2]": "test.yaml:10:28", "nothing": "test.yaml:2:1", "": "test.yaml:2:1",
	} {
		if got := f.ProblemAt(path, "v", "m").String(); !strings.HasPrefix(got, want+": ") {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	if got := f.Expect[0]; got != (Expectation{"a < 5", 9, 5}) {
		t.Errorf("%+v", got)
	}
}

func TestLanguageExamples(t *testing.T) {
	for name, src := range languageExamples(t) {
		checkLong(t, name, src)
	}
}

func TestBuiltins(t *testing.T) {
	for _, b := range Builtins() {
		checkLong(t, b.Name, b.Source)
		f := mustLoad(t, string(b.Source))
		if f.Scenario.Name != b.Name || f.Scenario.Title != b.Title || b.Title == "" {
			t.Errorf("%s: calls itself %s, %q", b.Name, f.Scenario.Name, f.Scenario.Title)
		}
		lines := strings.Split(string(b.Source), "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "source: ") })
		for i, want := range []string{"# yaml-language-server: $schema=../scenario.schema.json", "name: ", "title: ", "seed: ", "replications: ", "until: "} {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s, line %d: %q, want %q", b.Name, i+1, lines[i], want)
			}
		}
		if len(f.Expect) == 0 && f.bisect == nil { // which looks for something
			t.Errorf("%s expects nothing", b.Name)
		}
	}
	for _, name := range []string{"aws-occ", "recovering-server", "nested-layers", "congestion-collapse", "synchronised-waves"} {
		if _, ok := Builtin(name); !ok {
			t.Errorf("there is no %s", name)
		}
	}
	if _, ok := Builtin("../builtin/aws-occ"); ok {
		t.Error("a name is not a path")
	}
}

// checkLong loads the long form again and compares all points.
func checkLong(t *testing.T, name string, src []byte) {
	t.Helper()
	f := mustLoad(t, string(src))
	g := mustLoad(t, string(f.Long()))
	if string(g.Long()) != string(f.Long()) || f.Hash() != g.Hash() {
		t.Errorf("%s: the long form of the long form differs", name)
	}
	if f.Points() != g.Points() {
		t.Fatalf("%s: %d points, then %d", name, f.Points(), g.Points())
	}
	for i := range f.Points() {
		a, err := f.Resolve(i)
		if err != nil {
			t.Fatal(err)
		}
		b, err := g.Resolve(i)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s, point %d: %s", name, i, diff)
		}
		if diff := cmp.Diff(f.Point(i), g.Point(i), cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if _, err := a.Model(); err != nil {
			t.Error(err)
		}
	}
}

// TestLongForm draws scenarios and checks that the long form loses nothing.
func TestLongForm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		one := func(words ...string) string { return rapid.SampledFrom(words).Draw(rt, "word") }
		src := "name: x\nnetwork: \n"
		src = fmt.Sprintf("name: x\ntitle: %s\nclients: {calls: %s, policy: %s, network: %s, arrival: %s}\n",
			yamlString(rapid.String().Draw(rt, "title")), one("db", "[a, db]", "[{to: a, network: exponential 5ms}, {to: a, name: again}]"), one("app", "{extends: app, timeout: none}", "{timeout: 1s}"),
			one("1ms", "uniform 1ms to 2ms", "{mean: 1/s}"), one("burst", "poisson 5/s", "{kind: profile, points: [0s 5/s, {at: 5s, rate: 6/s}]}"))
		src += "services:\n  a: {calls: db, queue: " + one("5", "5 full silent", "{order: lifo}") + ", workers: 3}\n"
		src += "  db: {rate_limit: " + one("none", "token-bucket 5/s", "{kind: fixed-window, limit: 1e2}") + ", crash: " + one("none", "5", "5 restart 1m") + "}\n"
		src += "policies: {app: {max_attempts: " + one("unlimited", "3") + ", retry_on: " + one("[5xx, 429]", "[any]") + ", backoff: " + one("fixed 1s", "full-jitter 1s cap 5s") + "}}\n"
		src += "variants: {as-is: {}, other: {" + one("services.*.workers: 5", "policies.app.backoff: fixed 2s", "policies.app.backoff.kind: equal-jitter", "clients.calls: [db]") + "}}\n"
		src += "sweep: {" + one("clients.count: [1, 2_0]", "clients.count: 1..3 step 1", "size: {small: {clients.count: 5}, large: {clients.count: 1e3, until: 1h}}") + "}\n"
		src += "expect: [" + yamlString(rapid.String().Draw(rt, "expect")) + "]\n"
		f, err := Load("x.yaml", []byte(src), nil, nil)
		if err != nil {
			rt.Skip(err)
		}
		g, err := Load("long.yaml", f.Long(), nil, nil)
		if err != nil {
			rt.Fatalf("%v\n%s", err, f.Long())
		}
		if string(f.Long()) != string(g.Long()) || f.Expect[0].Text != g.Expect[0].Text {
			rt.Fatalf("long form differs:\n%s\n%s", f.Long(), g.Long())
		}
		for i := range f.Points() {
			a, _ := f.Resolve(i)
			b, _ := g.Resolve(i)
			if diff := cmp.Diff(a, b); diff != "" {
				rt.Fatalf("%s\n%s", diff, f.Long())
			}
		}
	})
}
