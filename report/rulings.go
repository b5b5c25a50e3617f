package report

import (
	"fmt"
	"strings"

	"retrystorm/experiment"
)

// tallied counts expectations by ruling.
type tallied map[experiment.Ruling]int

func tally(list []experiment.Judgement) tallied {
	n := tallied{}
	for _, j := range list {
		n[j.Ruling]++
	}
	return n
}

// allHold reports whether nothing needs to be said.
func (n tallied) allHold(of int) bool { return n[experiment.Pass] == of }

// summary is what became of the expectations, in one line.
func (n tallied) summary(of int) string {
	if n.allHold(of) {
		if of == 1 {
			return "the expectation holds"
		}
		return "all " + counted(int64(of), "expectation") + " hold"
	}
	var parts []string
	if broken := n[experiment.Fail]; broken > 0 {
		parts = append(parts, NotHeld(broken, of))
	}
	for _, w := range []struct {
		ruling         experiment.Ruling
		single, plural string
	}{{experiment.Unclear, "is undecided", "are undecided"}, {experiment.Skipped, "was skipped", "were skipped"}} {
		k := n[w.ruling]
		switch {
		case k == 0:
		case of == 1:
			parts = append(parts, "the expectation "+w.single)
		case len(parts) == 0 && k == 1:
			parts = append(parts, fmt.Sprintf("1 of %d expectations %s", of, w.single))
		case len(parts) == 0:
			parts = append(parts, fmt.Sprintf("%d of %d expectations %s", k, of, w.plural))
		case k == 1:
			parts = append(parts, "1 "+w.single)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", k, w.plural))
		}
	}
	return strings.Join(parts, ", ")
}

// NotDecided says that expectations are undecided, and what would decide them.
func NotDecided(r *experiment.Result) string {
	n, need := 0, 0
	known := true
	for _, j := range r.Expectations {
		if j.Ruling == experiment.Unclear {
			n++
			known = known && j.Need > 0
			need = max(need, j.Need)
		}
	}
	text := fmt.Sprintf("%d of %s undecided", n, counted(int64(len(r.Expectations)), "expectation"))
	if len(r.Expectations) == 1 {
		text = "the expectation is undecided"
	}
	if known {
		text += "; about " + counted(int64(need), "more replication") + " of each point would decide"
	}
	return text
}

// NotHeld says how many expectations did not hold.
func NotHeld(broken, of int) string {
	if of == 1 {
		return "the expectation did not hold"
	}
	return fmt.Sprintf("%d of %s did not hold", broken, counted(int64(of), "expectation"))
}

// reasons are the lines below an expectation that does not plainly hold.
func reasons(j *experiment.Judgement) []string {
	if j.Ruling == experiment.Pass {
		return nil
	}
	var out []string
	if j.Detail != "" {
		out = append(out, j.Detail)
	}
	if s := spreadOfRulings(j); s != "" {
		out = append(out, s)
	}
	if j.Ruling == experiment.Unclear {
		out = append(out, needed(j.Need))
	}
	return out
}

// spreadOfRulings says at how many points an expectation came to its ruling,
// when it is about several.
func spreadOfRulings(j *experiment.Judgement) string {
	if len(j.Cases) < 2 {
		return ""
	}
	n := tallied{}
	for _, c := range j.Cases {
		n[c.Ruling]++
	}
	points := counted(int64(len(j.Cases)), "point")
	switch j.Ruling {
	case experiment.Fail:
		s := fmt.Sprintf("it fails at %d of %s", n[experiment.Fail], points)
		if k := n[experiment.Unclear]; k > 0 {
			s += fmt.Sprintf(" and is undecided at %d", k)
		}
		return s
	case experiment.Unclear:
		return fmt.Sprintf("it is undecided at %d of %s", n[experiment.Unclear], points)
	}
	return ""
}

// needed says what would decide.
func needed(replications int) string {
	if replications == 0 {
		return "nobody can tell how many more replications would decide"
	}
	return "about " + counted(int64(replications), "more replication") + " would decide, if the numbers are what they seem"
}
