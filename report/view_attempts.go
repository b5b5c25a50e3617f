package report

import (
	"slices"

	"retrystorm/experiment"
)

// viewAttempts are the attempts of replication 1, with the digits that a picture
// needs.
func viewAttempts(p *experiment.Point) ViewAttempts {
	x := ViewAttempts{Outcomes: []string{}}
	for i := range p.Attempts {
		a := &p.Attempts[i]
		x.Outcomes = addNew(x.Outcomes, a.Outcome)
		kind := 0
		if a.Retry {
			kind = 1
		}
		x.T, x.Client = append(x.T, digits(a.At.Seconds(), 6)), append(x.Client, a.Client)
		x.Kind, x.Outcome = append(x.Kind, kind), append(x.Outcome, slices.Index(x.Outcomes, a.Outcome))
		x.Clients = max(x.Clients, a.Client+1)
	}
	return x
}
