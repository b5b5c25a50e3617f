package report

import (
	"testing"

	"retrystorm/experiment"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// Of layers only the innermost makes calls, but each withholds; hops to others
// than the target withhold, but make no calls to it.
func TestLedger(t *testing.T) {
	row := func(outcome, to string, inner, withheld bool, what string, n float64) experiment.Attribution {
		return experiment.Attribution{
			Outcome: outcome, Edge: experiment.Edge{From: "clients", To: to, Inner: inner}, Withheld: withheld,
			What: what, Estimate: experiment.Estimate{Centre: n},
		}
	}
	p := &experiment.Point{
		Attribution: []experiment.Attribution{
			row("locked in", "db", false, false, "first", 1000),
			row("locked in", "db", true, false, "first", 10),
			row("locked in", "cache", true, false, "first", 1000),
			row("locked in", "db", false, true, "budget", 3),
			row("locked in", "db", true, true, "budget", 4),
			row("recovered", "db", true, false, "first", 20),
			row("recovered", "cache", true, true, "budget", 5),
		},
		Outcomes: []experiment.Outcome{{Name: "locked in", Replications: 1}, {Name: "recovered", Replications: 3}},
	}
	for _, c := range []struct {
		outcome       string
		first, budget float64
	}{{"locked in", 10, 7}, {"recovered", 20, 5}, {"", 17.5, 5.5}} {
		l := newLedger(p, "db", c.outcome)
		if l.made[sim.First] != c.first || l.withheld[strategies.BudgetEmpty] != c.budget || l.calls() != c.first {
			t.Errorf("%q: %+v", c.outcome, l)
		}
	}
}

// First attempts, and retries until the attempts are used up, are no news.
func TestEventful(t *testing.T) {
	var l ledger
	l.made[sim.First], l.withheld[strategies.AttemptsExhausted] = 5, 5
	if l.eventful() {
		t.Error("nothing happened")
	}
	l.made[sim.Hedged] = 1
	if !l.eventful() {
		t.Error("there was a hedge")
	}
	l.made[sim.Hedged], l.withheld[strategies.NotRetryable] = 0, 1
	if !l.eventful() {
		t.Error("something was not retried")
	}
}

// What is a first attempt on the last hop may repeat something all the same.
func TestUpstream(t *testing.T) {
	a := experiment.Attribution{Edge: experiment.Edge{From: "clients", To: "api", Inner: true}, What: "timeout"}
	p := &experiment.Point{Attribution: []experiment.Attribution{a}}
	if upstream([]*experiment.Point{p}, "api") {
		t.Error("it is the last hop")
	}
	if !upstream([]*experiment.Point{p}, "db") {
		t.Error("clients retried before the hop to db")
	}
	p.Attribution[0].Withheld = true
	if upstream([]*experiment.Point{p}, "db") {
		t.Error("nothing was made")
	}
}

func TestAboutShare(t *testing.T) {
	for x, want := range map[float64]string{0: "0 %", 1e-6: "<1 %", 0.004: "<1 %", 0.41: "41 %", 0.999: ">99 %", 1: "100 %"} {
		if got := aboutShare(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}

// Peaks are named for what there was besides first attempts.
func TestExtraCalls(t *testing.T) {
	for _, c := range []struct {
		causes []string
		want   string
	}{
		{[]string{"first"}, "retries"},
		{[]string{"first", "status", "timeout"}, "retries"},
		{[]string{"first", "hedge"}, "hedges"},
		{[]string{"first", "status", "hedge"}, "retries and hedges"},
		{[]string{"rejected", "hedge", "redelivery"}, "retries, hedges and redeliveries"},
	} {
		r := &experiment.Result{Target: "db", Points: []experiment.Point{{}}}
		add := func(what, to string, inner, withheld bool) {
			p := &r.Points[0]
			p.Attribution = append(p.Attribution, experiment.Attribution{Edge: experiment.Edge{To: to, Inner: inner}, What: what, Withheld: withheld})
		}
		for _, what := range c.causes {
			add(what, "db", true, false)
		}
		add("redelivery", "other", true, false)
		add("timeout", "db", false, false)
		add("budget", "db", true, true)
		if got := listed(extraCalls(r)); got != c.want {
			t.Errorf("%v: %q, not %q", c.causes, got, c.want)
		}
	}
}
