package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"retrystorm/sim"
)

// TestGraphs checks what steps, queues, classes and actions are resolved to.
func TestGraphs(t *testing.T) {
	f := mustLoad(t, string(languageExamples(t)["testdata/language/everything-about-graphs.yaml"]))
	s, err := f.Resolve(0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Model()
	if err != nil {
		t.Fatal(err)
	}
	name := func(i int) string { return m.Services[i].Name }
	var show func(steps []sim.Step) string
	show = func(steps []sim.Step) string {
		var out []string
		for i := range steps {
			step := &steps[i]
			text := "work"
			if !step.Work {
				text = step.Name
				if len(step.Parallel) > 0 {
					text += fmt.Sprintf("{%s}%d", show(step.Parallel), step.Need)
				} else if text != name(step.To) {
					text += ">" + name(step.To)
				}
				if step.Skip > 0 {
					text += fmt.Sprintf("-%.2f", step.Skip)
				}
				if step.Optional {
					text += "?"
				}
				for _, p := range step.Policies {
					text += ":" + p.Timeout.String()
				}
			}
			out = append(out, text)
		}
		return strings.Join(out, " ")
	}
	var got []string
	for _, g := range m.Groups {
		got = append(got, fmt.Sprintf("%s x%v: %s", g.Name, g.Cost, show(g.Steps)))
		for _, c := range g.Classes {
			got = append(got, fmt.Sprintf("%s/%s %v x%v: %s", g.Name, c.Name, c.Share, c.Cost, show(c.Steps)))
		}
	}
	for i := range m.Services {
		v := &m.Services[i]
		text := fmt.Sprintf("%s: %s", v.Name, show(v.Steps))
		if v.Async {
			text += " async"
		}
		if v.Effects {
			text += " counted"
		}
		if v.Backlog != nil {
			text += fmt.Sprintf(" %d %v", v.Backlog.MaxReceives, v.Backlog.DeadLetter)
		}
		got = append(got, text)
	}
	for _, a := range m.Actions {
		text := fmt.Sprintf("%s %d %v", a.Name, a.Kind, a.At)
		if a.Kind == sim.Set {
			text += fmt.Sprintf(" %s %d %v %v", name(a.Place), a.Set, a.Value, a.Over)
		} else {
			text += fmt.Sprintf(" %d %d %v %d %v %d", a.Place, a.Group, a.Pace.Rate, a.Pace.First, a.Only, a.Every)
		}
		got = append(got, text)
	}
	want := []string{
		"clients x1.5: web:2s",
		"clients/browse 0.9 x1: ",
		"clients/buy 0.09 x3: web:4s jobs?:4s",
		"clients/export 0.01 x20: ",
		"batch x1: web jobs-0.50",
		"web: auth:500ms work both{a:2s either{b:500ms c:500ms}1 cache-0.80?:500ms}2 db-0.70:500ms async counted",
		"auth:  counted", "a:  counted", "b:  counted", "c:  counted", "cache:  counted", "db:  counted", "worker: db counted",
		"jobs: worker:10s 3 dlq", "dlq:  -1 ", "given-up:  -1 ",
		"again 0 2h0m0s 9 -1 0 10 [5xx timeout] 0",
		"given 0 2h0m0s 10 -1 10 0 [] 0",
		"failed 1 2h30m0s -1 -1 5 0 [] 0",
		"rerun 2 1h0m0s -1 1 0 0 [] 100",
		"close 3 1h40m0s web 0 0.1 0s",
		"open 3 1h41m0s web 0 1 10m0s",
		"open 3 1h41m0s db 1 40 10m0s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if at := s.Start(); !at.Equal(time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC)) {
		t.Error(at)
	}
	for i, both := range []int{2, 2, 3, 3, 2, 2, 2, 2} { // two visibilities each
		s, err := f.Resolve(i)
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.Model()
		if err != nil {
			t.Fatal(err)
		}
		if step := m.Services[0].Steps[2]; step.Need != both {
			t.Errorf("point %d needs %d of them", i, step.Need)
		}
		if v := m.Services[8].Backlog.Visibility; v != []time.Duration{30 * time.Second, time.Minute}[i%2] {
			t.Errorf("point %d: %v", i, v)
		}
	}
}

// TestCounted checks where the work of requests is counted, at all points alike.
func TestCounted(t *testing.T) {
	const src = `
name: x
clients: {calls: [a, b]}
groups: {others: {count: 5, calls: c}}
services: {a: {INBOX}, b: {calls: d}, c: {}, d: {}}
queues: {q: {TO}, dead: {}}
policies: {p: {dead_letter: dead}}
target: a
until: 1h
`
	for _, c := range []struct{ inbox, to, more, want string }{
		{"", "", "", ""},
		{"inbox: none", "", "", "a"},
		{"", "", "variants: {as-is: {}, other: {services.c.inbox: unique}}", "c"},
		{"", "", "sweep: {services.c.inbox.keep: [1s, 2s]}\nvariants: {a: {services.c.inbox.kind: unique}}", "c"},
		{"", "", "variants: {as-is: {}, other: {services.*.inbox: unique}}", "a b c d"},
		{"", "", "variants: {as-is: {}, other: {services.c: {inbox: none}}}", "c"},
		{"", "", "expect: ['duplicates == 0']", "a b c d"},
		{"", "to: b", "", "b d"},
		{"", "", "variants: {as-is: {}, other: {queues.q: {to: b}}}", "b d"},
		{"", "", "actions: {again: resend failed at 5m group others}", "c"},
		{"", "", "variants: {as-is: {}, other: {actions.again: rerun others at 5m}}", "c"},
		{"", "", "actions: {again: redrive dead at 5m}", ""},
		{"", "", "actions: {again: redrive dead at 5m}\nvariants: {as-is: {}, other: {services.b.policy: p}}", "d"},
		{"", "to: c, max_receives: 2, dead_letter: dead", "actions: {again: redrive dead at 5m}", "c"},
	} {
		text := strings.NewReplacer("INBOX", c.inbox, "TO", c.to).Replace(src) + c.more
		f := mustLoad(t, text)
		for i := range f.Points() {
			s, err := f.Resolve(i)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(s.Counted, " "); got != c.want {
				t.Errorf("%+v, point %d: counted at %q", c, i, got)
			}
		}
		if got := strings.Join(f.Scenario.Counted, " "); got != c.want {
			t.Errorf("%+v: counted at %q", c, got)
		}
	}
}

// TestZeroTimeGraphs checks what takes no time among steps.
func TestZeroTimeGraphs(t *testing.T) {
	const (
		broken = "{service_time: 1ms, faults: {f: errors}}"
		slow   = "{service_time: 1ms}"
	)
	for _, c := range []struct {
		calls, web string // of clients that begin again at once, and of a service
		stuck      bool
	}{
		{"quick", "", true},
		{"slow", "", false},
		{"[quick, slow]", "", false},
		{"[broken, slow]", "", true},
		{"[{to: broken, optional: true}, slow]", "", false},
		{"{to: slow, optional: true}", "", false},
		{"{to: slow, share: 0%}", "", true},
		{"{to: slow, share: 50%}", "", false},
		{"{to: quick, share: 50%}", "", true},
		{"{parallel: [quick, slow]}", "", false},
		{"{parallel: [quick, slow], need: first}", "", true},
		{"{parallel: [broken, slow]}", "", true},
		{"{parallel: [broken, slow], need: first}", "", false},
		{"{parallel: [quick, {to: quick, name: again}]}", "", true},
		{"jobs", "", true}, // a message is stored at once
		{"web", "{calls: [work, slow]}", false},
		{"web", "{calls: [broken, work], service_time: 1ms}", true},
		{"web", "{calls: [work, broken], service_time: 1ms}", false},
		{"web", "{calls: [{to: broken, optional: true}, work], service_time: 1ms}", false},
		{"web", "{calls: jobs}", true},
	} {
		if c.web == "" {
			c.web = "{}"
		}
		src := "name: x\nclients: {arrival: closed, calls: " + c.calls + "}\nservices: {quick: {}, slow: " + slow + ", broken: " + broken + ", web: " + c.web + "}\nqueues: {jobs: {to: slow}}\ntarget: slow\n"
		_, err := Load("x.yaml", []byte(src), nil, nil)
		if (err != nil) != c.stuck || err != nil && !strings.Contains(err.Error(), "requests follow each other without end and take no time") {
			t.Errorf("%s %s: %v, want stuck %v", c.calls, c.web, err, c.stuck)
		}
	}
}

// TestWindowDefault checks that a run of a week needs no window.
func TestWindowDefault(t *testing.T) {
	for until, want := range map[string]time.Duration{"10m": 100 * time.Millisecond, "27h": 100 * time.Millisecond, "28h": time.Second, "7d": time.Second, "300d": time.Minute} {
		if got := mustLoad(t, "name: x\nuntil: "+until+"\nclients: {calls: db}\nservices: {db: {}}\n").Scenario.Window; got != want {
			t.Errorf("%s: %v", until, got)
		}
	}
}

// TestStepsInOrder checks that the steps of a model come as they are written.
func TestStepsInOrder(t *testing.T) {
	f := mustLoad(t, "name: x\nclients: {calls: [a, {parallel: [b, {parallel: [{to: a, name: c}, {to: b, name: d}], name: e}]}, {to: a, name: f}]}\nservices: {a: {}, b: {}}\ntarget: a\n")
	m, err := f.Scenario.Model()
	if err != nil {
		t.Fatal(err)
	}
	var written, made []string
	for step := range f.Scenario.Clients.Calls.Calls() {
		written = append(written, step.address())
	}
	for step := range sim.Calls(m.Groups[0].Steps) {
		made = append(made, step.Name)
	}
	if !slices.Equal(written, made) || strings.Join(made, "") != "abcdf" {
		t.Errorf("%v, then %v", written, made)
	}
}

// What an action sets is named by a path, and can be set, swept and bisected as
// everything else.
func TestPathsIntoWhatActionsSet(t *testing.T) {
	const src = `name: x
clients: {calls: db}
services: {db: {workers: 5}}
actions: {half: {at: 1m, set: {services.db.admit: 50%, services.db.workers: 3}}}
`
	set := func(settings ...Setting) []Setting { return settings }
	for _, c := range []struct {
		more string
		sets []string
		want [][]Setting
	}{
		{"", []string{"actions.half.set.services.db.admit=10%"}, [][]Setting{set(Setting{"services.db.admit", "10%"}, Setting{"services.db.workers", "3"})}},
		{"sweep: {actions.half.set.services.db.workers: 1..2 step 1}\n", nil, [][]Setting{
			set(Setting{"services.db.admit", "50%"}, Setting{"services.db.workers", "1"}),
			set(Setting{"services.db.admit", "50%"}, Setting{"services.db.workers", "2"}),
		}},
		{"variants: {a: {actions.half.set: {services.db.admit: 1%}}, b: {actions.*.set.services.db.admit: 2%}}\n", nil, [][]Setting{
			set(Setting{"services.db.admit", "1%"}),
			set(Setting{"services.db.admit", "2%"}, Setting{"services.db.workers", "3"}),
		}},
	} {
		f, err := Load("x.yaml", []byte(src+c.more), nil, c.sets)
		if err != nil {
			t.Error(err)
			continue
		}
		for i, want := range c.want {
			s, err := f.Resolve(i)
			if err != nil {
				t.Error(err)
			} else if got := s.Actions[0].Set; !slices.Equal(got, want) {
				t.Errorf("%q %q, point %d: %v, want %v", c.more, c.sets, i, got, want)
			}
		}
	}
	_, err := Load("x.yaml", []byte(src+"variants: {a: {actions.half.set: {services.db.admit: 1%}, actions.half.set.services.db.admit: 2%}}\n"), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "only one of them can") {
		t.Error(err)
	}
}
