package scenarios

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"retrystorm/sim/random"
	"retrystorm/strategies"
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
	if s.Seed != 1 || s.Replications != 20 || s.Until != 10*time.Minute || s.Window != 100*time.Millisecond || s.SLO != 0 || s.Trigger != nil {
		t.Errorf("top level: %+v", s)
	}
	if s.Clients.Count != 1 || s.Clients.Arrival.Kind != "burst" || s.Clients.Requests != nil {
		t.Errorf("clients: %+v", s.Clients)
	}
	db := s.Services[0]
	if db.Workers != random.Unlimited || db.Queue.Limit != random.Unlimited || db.Queue.Full != 503 || !db.Blocking || db.Expired != "serve" || db.Crash != nil {
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
		if q := s.Services[0].Queue; q.Order != "lifo" || q.Limit != 400 || s.Clients.Network.Kind != "exponential" || s.Services[0].Faults[0].Answer != 503 {
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
		p := m.Groups[0].Steps[0].Policy
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
	if st := g.Steps[0]; st.Name != "a" || st.To != 0 || st.Policy.MaxAttempts != 2 || st.Network.Mean != 2*time.Millisecond {
		t.Errorf("%+v", st)
	}
	if st := g.Steps[1]; st.Name != "second" || st.To != 1 || st.Policy.MaxAttempts != 7 || st.Policy.Timeout != 0 || st.Network.Mean != 3*time.Millisecond {
		t.Errorf("%+v", st)
	}
	inner := m.Services[0].Steps[0]
	if inner.To != 1 || inner.Policy.MaxAttempts != 1 || inner.Network.Kind != "constant" || inner.Network.Mean != 0 {
		t.Errorf("%+v", inner)
	}
	// The policy of a step that names none is what an empty policy decodes to.
	empty := mustLoad(t, "name: x\nclients: {calls: db, policy: {}}\nservices: {db: {}}\n").Scenario.Clients.Policy.Inline.Policy
	if diff := cmp.Diff(empty, inner.Policy, cmp.Comparer(func(a, b strategies.Backoff) bool { return a.Kind == b.Kind })); diff != "" {
		t.Error(diff)
	}
	burst := mustLoad(t, "name: x\nclients: {calls: db}\nservices: {db: {}}\n").Scenario
	if got := burst.Clients.requests(); got != 1 {
		t.Errorf("a burst has %d requests", got)
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
		for i, want := range []string{"# yaml-language-server: $schema=../scenario.schema.json", "name: ", "title: ", "seed: ", "replications: ", "until: "} {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s, line %d: %q, want %q", b.Name, i+1, lines[i], want)
			}
		}
		if len(f.Expect) == 0 {
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
