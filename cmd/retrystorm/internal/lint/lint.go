package lint

import (
	"fmt"
	"slices"
	"strings"

	"retrystorm/scenarios"
)

// checks look at one point. The first ones fill in what later ones ask for.
var checks = []func(*view){
	(*view).amplification, (*view).deadlines, (*view).timeouts, (*view).budgets, (*view).breakers,
	(*view).hedges, (*view).jitter, (*view).retryAfter, (*view).loads, (*view).queues, (*view).idempotency, (*view).unused,
}

// File looks at all points of a scenario.
func File(name string, f *scenarios.File) (*Result, error) {
	all := newMerger(f)
	for i := range f.Points() {
		s, err := f.Resolve(i)
		if err != nil {
			return nil, err
		}
		places, err := f.Places(i)
		if err != nil {
			return nil, err
		}
		v, err := newView(s, places)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		v.report = func(subject string, found Finding) {
			found.Place = places.Of(found.Path)
			all.found(i, subject, found)
		}
		for k := range v.groups {
			g := &v.groups[k]
			var rows []Row
			g.calls, rows = v.amplify(g, false)
			g.sustained, _ = v.amplify(g, true)
			for _, row := range rows {
				all.row(i, row)
			}
		}
		for _, check := range checks {
			check(v)
		}
	}
	r := &Result{File: name, Scenario: f.Scenario.Name, Points: f.Points()}
	r.Calls, r.Findings = all.rows(), append(all.findings(), notes(f)...)
	slices.SortStableFunc(r.Findings, order)
	return r, nil
}

// notes are the notes that validate has; those that say what a check of ours
// says too are left out.
func notes(f *scenarios.File) []Finding {
	var out []Finding
	for _, p := range f.Notes {
		found := Finding{
			Check: General, Severity: Note, Path: p.Path, Message: p.Message,
			Place: scenarios.Place{File: p.File, Line: p.Line, Col: p.Col},
		}
		switch {
		case strings.HasPrefix(p.Message, "whoever is not answered"):
			continue // no-timeout
		case strings.HasSuffix(p.Path, ".library"):
			found.Check, found.Message = Defect, p.Value+": "+p.Message
		case strings.HasPrefix(p.Message, "has no effect"), strings.HasPrefix(p.Message, "nobody obeys it"):
			found.Check = NoEffect
		}
		out = append(out, found)
	}
	return out
}
