package report

import (
	"slices"

	"retrystorm/experiment"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// ledgerRow is a ledger with the variant's name, and the outcome where
// replications split.
type ledgerRow struct {
	name string
	ledger
}

// ledgers are those of all variants at the severest sweep values.
func ledgers(r *experiment.Result) []ledgerRow {
	var rows []ledgerRow
	for _, p := range at(r, severest(r)) {
		for _, o := range outcomes(p) {
			rows = append(rows, ledgerRow{p.Variant + o.suffix(), newLedger(p, r.Target, o.ending)})
		}
	}
	return rows
}

// causeSections are where the calls came from and why others were not made, if
// there is more to say than that there were first attempts.
func causeSections(r *experiment.Result) []*section {
	rows := ledgers(r)
	if !slices.ContainsFunc(rows, func(l ledgerRow) bool { return l.eventful() }) {
		return nil
	}
	made, withheld := []column{ledgerNames(rows)}, []column{ledgerNames(rows)}
	for c := range sim.Causes {
		made = appendSome(made, head{title: shortCause(c), rank: 1 + int(c)}, rows,
			func(l *ledger) (n, of float64) { return l.made[c], l.calls() })
	}
	for g := strategies.Retry + 1; g < strategies.GiveUps; g++ {
		// The last reasons say most.
		withheld = appendSome(withheld, head{title: shortReason(g), rank: int(strategies.GiveUps - g)}, rows,
			func(l *ledger) (n, of float64) { return l.withheld[g], 0 })
	}
	var out []*section
	add := func(title string, columns []column, lines ...string) {
		if len(columns) < 2 { // there are only names
			return
		}
		s := &section{title: title + whereShown(r), columns: columns}
		s.cutRows()
		s.lines = append(s.lines, lines...)
		out = append(out, s)
	}
	var above []string
	if upstream(at(r, severest(r)), r.Target) {
		above = append(above, "first: on the hop to "+r.Target+"; callers further up retried too (attribution.csv has every hop)")
	}
	add("where the calls to "+r.Target+" came from, per run", made, above...)
	hops := ""
	if severalHops(at(r, severest(r))) {
		hops = " on all hops"
	}
	add("attempts that were not made"+hops+", by reason, per run", withheld)
	return out
}

func ledgerNames(rows []ledgerRow) column {
	c := column{title: "variant", left: true}
	for _, l := range rows {
		c.add(l.name, "")
	}
	return c
}

// appendSome adds a column, if any of its values is not 0, with the shares of
// what they are a part of, if anything.
func appendSome(columns []column, h head, rows []ledgerRow, value func(*ledger) (n, of float64)) []column {
	c := column{title: h.title, rank: h.rank}
	most := 0.0
	for i := range rows {
		n, of := value(&rows[i].ledger)
		most = max(most, n)
		share := ""
		if of > 0 && n > 0 {
			share = "(" + aboutShare(n/of) + ")"
		}
		c.add(perRun(n), share)
	}
	if most == 0 {
		return columns
	}
	return append(columns, c)
}

// perRun is a mean count: its tenths matter only when it is small.
func perRun(x float64) string {
	if x >= 100 {
		return fixed(x, 0)
	}
	return Human(x, "")
}

// aboutShare is a share in whole percents, but never nothing for something.
func aboutShare(x float64) string {
	switch {
	case x > 0 && x < 0.005:
		return "<1 %"
	case x < 1 && x > 0.995:
		return ">99 %"
	}
	return fixed(100*x, 0) + " %"
}
