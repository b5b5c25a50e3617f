package findings

import (
	"fmt"
	"strings"
	"time"

	"retrystorm/experiment"
)

// triage claims that fields of dead letters tell, of at least a share of them,
// whether they die again when all are sent again. A letter is taken for one of
// those that do if most others with the same fields are, and if no other is like
// it, if most of all others are.
type triage struct {
	text, variant string
	by            []string // fields; none: nothing is known
	least         float64
}

func (c triage) sentence() string { return c.text }

// told are the fields that dead letters can be told apart by.
var told = map[string]func(*experiment.DeadLetter) string{
	"reason":       func(d *experiment.DeadLetter) string { return d.Reason },
	"gave_up":      func(d *experiment.DeadLetter) string { return d.GaveUp },
	"attempts":     func(d *experiment.DeadLetter) string { return fmt.Sprint(d.Attempts) },
	"to":           func(d *experiment.DeadLetter) string { return d.To },
	"last_failure": func(d *experiment.DeadLetter) string { return d.Last.Truncate(5 * time.Minute).String() },
}

func (c triage) judge(in *inquiry) (verdict, error) {
	p, err := quoted(in.result, c.variant, "")
	if err != nil {
		return verdict{}, err
	}
	if p.DeadMore > 0 {
		return verdict{}, fmt.Errorf("findings: %d dead letters of %s are not kept", p.DeadMore, c.variant)
	}
	letters, again := deaths(p.Dead)
	kinds := make([]string, len(letters))
	for i := range letters {
		for _, f := range c.by {
			kinds[i] += told[f](&letters[i]) + "\n"
		}
	}
	right := experiment.Share(guesses(kinds, again))
	v := verdict{
		Word: string(experiment.Undecided),
		Measured: fmt.Sprintf("%.1f %% [%.1f, %.1f] of the %d letters of one run are told apart by %s; claimed: %g %% or more",
			100*right.Centre, 100*right.Lo, 100*right.Hi, len(letters), byWhat(c.by), 100*c.least),
	}
	switch {
	case right.Lo >= c.least:
		v.Word = string(experiment.Confirmed)
	case right.Hi < c.least:
		v.Word = string(experiment.Refuted)
	}
	return v, nil
}

func byWhat(fields []string) string {
	if len(fields) == 0 {
		return "their number alone"
	}
	return strings.Join(fields, " and ")
}

// deaths are the first deaths of messages, and whether there was another.
func deaths(dead []experiment.DeadLetter) (first []experiment.DeadLetter, again []bool) {
	type id struct {
		group           string
		client, request int64
	}
	at := map[id]int{}
	for _, d := range dead {
		k := id{d.Group, d.Client, d.Request}
		if i, ok := at[k]; ok {
			again[i] = true
			continue
		}
		at[k] = len(first)
		first, again = append(first, d), append(again, false)
	}
	return first, again
}

// guesses is 1 for each that is taken for what it is by the others of its kind.
func guesses(kinds []string, is []bool) []float64 {
	type count struct{ yes, all int }
	of, all := map[string]count{}, count{}
	add := func(c count, yes bool, n int) count {
		if yes {
			c.yes += n
		}
		c.all += n
		return c
	}
	for i, k := range kinds {
		of[k], all = add(of[k], is[i], 1), add(all, is[i], 1)
	}
	right := make([]float64, len(kinds))
	for i, k := range kinds {
		likely := false
		for _, c := range []count{add(of[k], is[i], -1), add(all, is[i], -1)} {
			if 2*c.yes != c.all {
				likely = 2*c.yes > c.all
				break
			}
		}
		if likely == is[i] {
			right[i] = 1
		}
	}
	return right
}
