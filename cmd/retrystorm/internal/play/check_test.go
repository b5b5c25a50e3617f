package play

import (
	"slices"
	"strings"
	"testing"

	"retrystorm/scenarios"
)

const small = `name: small
title: A <small> one
replications: 10
until: 10s
clients: {count: 50, calls: db, policy: app, network: 5ms}
services:
  db: {workers: 2, service_time: 10ms, queue: 5, faults: {outage: down at 0s for 1s}}
policies:
  app: {max_attempts: 5, backoff: full-jitter 100ms}
variants:
  as-is: {}
  patient: {policies.app.max_attempts: 20}
expect:
  - total_calls < 10000
`

func newPlayer() *Player {
	return New(Limits{Jobs: 2, Memory: 1 << 30, Points: 100, Calls: 1e8, Kept: 64 << 20, Ask: 60})
}

func TestCheck(t *testing.T) {
	c := newPlayer().Check(Edit{small, []string{"seed=7", "clients.count=40"}})
	if len(c.Problems) > 0 || c.Name != "small" || c.Title != "A <small> one" || len(c.Axes) > 0 || c.Axes == nil {
		t.Errorf("got %+v", c)
	}
	if want := "retrystorm run small.yaml --seed 7 --replications 10 --set clients.count=40"; c.Command != want {
		t.Errorf("got %s", c.Command)
	}
	if !slices.Equal(c.Variants, []string{"as-is", "patient"}) {
		t.Errorf("got %q", c.Variants)
	}
	e := c.Estimate
	if e == nil || e.Points != 2 || e.Replications != 10 || e.Calls < 1000 || e.Calls > 100_000 || e.Text == "" || e.Refused != "" {
		t.Errorf("got %+v", e)
	}
}

func TestProblemsHaveTheirPlace(t *testing.T) {
	for _, c := range []struct {
		text string
		sets []string
		want Problem // but for its message, of which it is a part
	}{
		{"utnil: 5s\n" + small, nil, Problem{Line: 1, Col: 1, EndCol: 6, Set: -1, Path: "utnil", Message: "did you mean until?"}},
		{strings.Replace(small, "5ms", "5mss", 1), nil, Problem{Line: 5, Col: 55, EndCol: 59, Set: -1, Path: "clients.network.mean", Message: "5mss: not a duration"}},
		{strings.Replace(small, "full-jitter 100ms", "full-jiter 100ms", 1), nil, Problem{Line: 9, Col: 35, EndCol: 45, Set: -1, Path: "policies.app.backoff", Message: "did you mean full-jitter?"}},
		{strings.Replace(small, "A <small> one", `"ä" € {x`, 1), nil, Problem{Line: 2, Set: -1}},
		{"title: ärgerlich\nname: \"ä ö ü\" # x\n" + small[12:], nil, Problem{Line: 2, Col: 7, EndCol: 14, Set: -1, Path: "name"}},
		{strings.Replace(small, "- total_calls < 10000", "- totel_calls < 10000", 1), nil, Problem{Line: 14, Col: 5, EndCol: 24, Set: -1, Path: "expect[1]", Message: "totel_calls"}},
		{small, []string{"seed=1", "clients.cuont=5"}, Problem{Set: 1, Path: "clients.cuont", Message: "no such field"}},
		{small, []string{"policies.app.max_attempts=5"}, Problem{Line: 12, Col: 13, EndCol: 38, Set: -1, Message: "only one of them can"}},
		{small, []string{"nothing"}, Problem{Set: 0, Message: "write --set PATH=VALUE"}},
		{"", nil, Problem{Line: 1, Col: 1, EndCol: 1, Set: -1, Message: "the file is empty"}},
		{"\x01", nil, Problem{Line: 1, Col: 1, EndCol: 2, Set: -1, Message: "not text"}},
		{strings.Replace(small, "service_time: 10ms", "service_time: file times.csv", 1), nil, Problem{Line: 7, Set: -1, Message: "times.csv"}},
	} {
		got := newPlayer().Check(Edit{c.text, c.sets})
		if len(got.Problems) == 0 {
			t.Errorf("%s: nothing is wrong", c.text)
			continue
		}
		p := got.Problems[0]
		if p.Severity != "error" || p.Line != c.want.Line || c.want.Col > 0 && (p.Col != c.want.Col || p.EndCol != c.want.EndCol) ||
			p.Set != c.want.Set || c.want.Path != "" && p.Path != c.want.Path || !strings.Contains(p.Message, c.want.Message) {
			t.Errorf("%s %q\ngot  %+v\nwant %+v", c.text, c.sets, p, c.want)
		}
		if got.Estimate != nil || got.Knobs == nil || got.Variants == nil {
			t.Errorf("%+v", got)
		}
	}
}

func TestNotes(t *testing.T) {
	noted := strings.Replace(small, "as-is: {}", "as-is: {until: 5s}", 1)
	c := newPlayer().Check(Edit{noted, nil})
	if len(c.Problems) != 1 || c.Problems[0].Severity != "note" || c.Problems[0].Line != 11 || c.Estimate == nil {
		t.Errorf("got %+v", c.Problems)
	}
	b, _ := scenarios.Builtin("sdk-defaults") // has notes, which its author knows
	if c := newPlayer().Check(Edit{string(b.Source), nil}); len(c.Problems) > 0 {
		t.Errorf("got %+v", c.Problems)
	}
}

func TestTooLargeIsRefused(t *testing.T) {
	for want, sets := range map[string][]string{
		"clients at most would do": {"clients.count=50000000"},
		"200 points; 100 at most":  {"variants={a: {}}", "sweep={clients.count: 1..200 step 1}"},
	} {
		c := newPlayer().Check(Edit{small, sets})
		if c.Estimate == nil || !strings.Contains(c.Estimate.Refused, want) {
			t.Errorf("%q: %+v %+v", sets, c.Estimate, c.Problems)
		}
	}
	r, err := prepare(Edit{small, nil})
	if err != nil {
		t.Fatal(err)
	}
	for calls, want := range map[float64]string{
		4e8:  "about 400,000,000 calls; 100,000,000 at most are made here, and retrystorm run has no such limit; replications: 2 would do",
		4e12: "; fewer points, clients or calls would do",
	} {
		if got := newPlayer().tooManyCalls(r.experiment, calls); !strings.HasSuffix(got, want) {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestLongAsksFirst(t *testing.T) {
	p := New(Limits{Jobs: 1})
	if c := p.Check(Edit{small, nil}); !c.Estimate.Ask {
		t.Errorf("it takes longer than nothing: %+v", c.Estimate)
	}
}

// A trial of very many clients sees little but how they begin: nobody knows how long
// that takes, so it is asked.
func TestUnknownAsksFirst(t *testing.T) {
	p := New(Limits{Jobs: 1, Ask: 1e9})
	if c := p.Check(Edit{small, []string{"clients.count=2_000_000"}}); c.Estimate == nil || !c.Estimate.Ask || !c.Estimate.Unknown || !strings.HasPrefix(c.Estimate.Text, "at least ") {
		t.Errorf("got %+v, %+v", c.Estimate, c.Problems)
	}
}

func TestCompletions(t *testing.T) {
	c := newPlayer().Complete(Cursor{small + "  - comp", 15, 9})
	i := slices.IndexFunc(c.Items, func(c Completion) bool { return c.Label == "completion_p99" })
	if c.From != 5 || i < 0 || c.Items[i].Help == "" {
		t.Errorf("got %+v", c)
	}
	if c := newPlayer().Complete(Cursor{"", 99, 99}); c.Items == nil {
		t.Error("null is no list")
	}
}
