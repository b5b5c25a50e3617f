package report

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"retrystorm/experiment"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// The kinds of row of attribution.csv.
const (
	kindMade     = "made"
	kindWithheld = "withheld"
)

// attributionTable says why calls were made and why others were not, one row
// per hop and cause or reason.
func attributionTable(r *experiment.Result) *table {
	return keyed(r, "attribution", func(l *lines, p *experiment.Point) {
		for i := range p.Attribution {
			a := &p.Attribution[i]
			l.row()
			l.text(a.Outcome)
			l.edge(&a.Edge)
			l.text(kindOf(a), a.What)
			l.number(a.Estimate.Centre, a.Estimate.Lo, a.Estimate.Hi)
		}
	},
		columnsOf(words, "outcome", "how the replications ended that the row is about; empty when all ended alike"),
		edgeColumns(),
		columnsOf(words,
			"kind", "made: attempts sent, by cause; withheld: attempts that the policy did not make, by reason",
			"what", "cause: first, what happened to the attempt before, hedge, redelivery, redrive, resend or rerun; or reason; what never happened has no row"),
		columnsOf(numeric,
			"mean", "mean per replication",
			"lo", "lower end of the 95 % interval of the mean",
			"hi", "upper end of the 95 % interval of the mean"))
}

func kindOf(a *experiment.Attribution) string {
	if a.Withheld {
		return kindWithheld
	}
	return kindMade
}

func readAttributions(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, attributionTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		a := experiment.Attribution{
			Outcome: row.text(i), Edge: readEdge(row, i+1), What: row.text(i + 7),
			Estimate: experiment.Estimate{Centre: row.finite(i + 8), Lo: row.number(i + 9), Hi: row.number(i + 10)},
		}
		known := causeNames()
		switch row.text(i + 6) {
		case kindMade:
		case kindWithheld:
			a.Withheld, known = true, reasonNames()
		default:
			return fmt.Errorf("kind: %q; expected %s or %s", row.text(i+6), kindMade, kindWithheld)
		}
		if !slices.Contains(known, a.What) {
			return fmt.Errorf("what: %q is none of the %s calls that this program knows", a.What, kindOf(&a))
		}
		p.Attribution = append(p.Attribution, a)
		return nil
	})
}

// readEdge reads the columns from, to, policy, layer and inner.
func readEdge(row *row, i int) experiment.Edge {
	return experiment.Edge{
		From: row.text(i), To: row.text(i + 1), Policy: row.text(i + 2),
		Layer: int(row.unsigned(i + 3)), Inner: row.unsigned(i+4) == 1,
	}
}

func causeNames() []string {
	out := make([]string, sim.Causes)
	for c := range sim.Causes {
		out[c] = c.String()
	}
	return out
}

// reasonNames begin with Retry, which is no reason, so that a reason is an
// index.
func reasonNames() []string {
	out := make([]string, strategies.GiveUps)
	for g := range strategies.GiveUps {
		out[g] = g.String()
	}
	return out
}

// ledger is why calls reached the target, and why attempts were withheld on
// any hop: means over the replications.
type ledger struct {
	made     [sim.Causes]float64
	withheld [strategies.GiveUps]float64
}

// newLedger is that of an outcome; without one, of all replications.
func newLedger(p *experiment.Point, target, outcome string) ledger {
	causes, reasons := causeNames(), reasonNames()
	var l ledger
	for i := range p.Attribution {
		a := &p.Attribution[i]
		share := 1.0
		if outcome == "" {
			share = shareOf(p, a.Outcome)
		} else if a.Outcome != outcome {
			continue
		}
		n := float64(share * a.Estimate.Centre)
		switch {
		case a.Withheld:
			l.withheld[slices.Index(reasons, a.What)] += n
		case a.Inner && a.To == target:
			l.made[slices.Index(causes, a.What)] += n
		}
	}
	return l
}

// upstream reports whether calls were made again anywhere before the hop to the
// target, so that a first attempt there may be a repetition all the same.
func upstream(points []*experiment.Point, target string) bool {
	return slices.ContainsFunc(points, func(p *experiment.Point) bool {
		return slices.ContainsFunc(p.Attribution, func(a experiment.Attribution) bool {
			return !a.Withheld && a.What != sim.First.String() && (a.To != target || !a.Inner)
		})
	})
}

// severalHops reports whether attempts were withheld on more than one hop.
func severalHops(points []*experiment.Point) bool {
	var first *experiment.Edge
	for _, p := range points {
		for i := range p.Attribution {
			a := &p.Attribution[i]
			switch {
			case !a.Withheld:
			case first == nil:
				first = &a.Edge
			case first.From != a.From || first.To != a.To || first.Layer != a.Layer:
				return true
			}
		}
	}
	return false
}

// extraCalls lists the kinds of calls that were not first attempts, at the
// severest sweep values; retries, if there were none.
func extraCalls(r *experiment.Result) []string {
	var found [sim.Causes]bool
	causes := causeNames()
	for _, p := range at(r, severest(r)) {
		for i := range p.Attribution {
			a := &p.Attribution[i]
			if c := slices.Index(causes, a.What); !a.Withheld && a.Inner && a.To == r.Target && c >= 0 {
				found[c] = true
			}
		}
	}
	var kinds []string
	if slices.Contains(found[sim.First+1:sim.Hedged], true) || !slices.Contains(found[sim.Hedged:], true) {
		kinds = append(kinds, "retries")
	}
	if found[sim.Hedged] {
		kinds = append(kinds, "hedges")
	}
	if found[sim.Redelivery] {
		kinds = append(kinds, "redeliveries")
	}
	if slices.Contains(found[sim.Redriven:], true) {
		kinds = append(kinds, "what operators send again")
	}
	return kinds
}

// listed writes a, b and c.
func listed(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// shareOf is the share of the replications that ended so, among those whose
// ending is known.
func shareOf(p *experiment.Point, outcome string) float64 {
	n, of := 0, 0
	for _, o := range p.Outcomes {
		of += o.Replications
		if o.Name == outcome {
			n = o.Replications
		}
	}
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// calls is how many there are of all causes.
func (l *ledger) calls() float64 {
	n := 0.0
	for _, x := range l.made {
		n += x
	}
	return n
}

// eventful reports whether there is more than first attempts, and retries that
// ended because the attempts were used up.
func (l *ledger) eventful() bool {
	for c, x := range l.made {
		if sim.Cause(c) != sim.First && x > 0 {
			return true
		}
	}
	for g, x := range l.withheld {
		if strategies.GiveUp(g) != strategies.AttemptsExhausted && x > 0 {
			return true
		}
	}
	return false
}

// short names a cause in a column or a legend.
func shortCause(c sim.Cause) string {
	switch c {
	case sim.First:
		return "first attempts"
	case sim.Hedged:
		return "hedges"
	case sim.Redelivery:
		return "redelivered"
	case sim.Redriven:
		return "redriven"
	case sim.Resent:
		return "resent"
	case sim.Repeated:
		return "run again"
	default:
		return "after " + c.String()
	}
}

// longCause continues "41 % of the calls were".
func longCause(c sim.Cause) string {
	switch c {
	case sim.AfterTimeout:
		return "retries after timeouts"
	case sim.AfterRefused:
		return "retries after refusals"
	case sim.AfterReset:
		return "retries after resets"
	case sim.AfterStatus:
		return "retries after errors"
	case sim.AfterRejected:
		return "retries after rejections"
	case sim.Redelivery:
		return "redeliveries"
	case sim.Redriven:
		return "redriven messages"
	case sim.Resent:
		return "requests sent again"
	case sim.Repeated:
		return "requests of a batch run again"
	default:
		return shortCause(c)
	}
}

func shortReason(g strategies.GiveUp) string {
	switch g {
	case strategies.NotRetryable:
		return "not retryable"
	case strategies.AttemptsExhausted:
		return "attempts used up"
	case strategies.TimeExhausted:
		return "time used up"
	case strategies.HedgesSpent:
		return "hedge budget"
	default:
		return g.String()
	}
}

// longReason says what stopped n attempts.
func longReason(g strategies.GiveUp, n string) string {
	switch g {
	case strategies.NotRetryable:
		return n + " failures were not to be retried"
	case strategies.AttemptsExhausted:
		return n + " calls used up their attempts"
	case strategies.TimeExhausted:
		return "the time limit stopped " + n
	case strategies.RetryAfterTooLong:
		return "the Retry-After rule stopped " + n
	case strategies.HedgesSpent:
		return "the budget for hedges stopped " + n
	default:
		return "the " + g.String() + " stopped " + n
	}
}
