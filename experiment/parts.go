package experiment

import (
	"slices"
	"strings"

	"retrystorm/sim"
	"retrystorm/strategies"
)

// dimension is a way in which metrics fall into parts.
type dimension int

// The dimensions, in the order of the names of metrics.
const (
	byService dimension = iota
	byGroup
	byClass // of a group's requests
	byCause
	byReason
	byPolicy
	byTime     // an interval of virtual time
	dimensions // how many there are
)

func (d dimension) String() string {
	return [dimensions]string{"service", "group", "class", "cause", "reason", "policy", "t"}[d]
}

// dimensionNames are the keys of selectors of parts.
func dimensionNames() []string {
	out := make([]string, dimensions)
	for d := range dimensions {
		out[d] = d.String()
	}
	return out
}

// extent is what a metric is about where an expectation names no part.
type extent int

const (
	undivided extent = iota // there are no parts
	ofTarget                // the target's part
	ofAll                   // all parts together
	onRequest               // the same, but no part is reported by itself
)

// together reports whether a metric is about all parts.
func (e extent) together() bool { return e == ofAll || e == onRequest }

// anyPart selects all parts together.
const anyPart = "any"

// parts is which part is meant, per dimension; empty: as the extent says.
type parts [dimensions]string

// has reports whether name belongs to the part that is meant.
func (p *parts) has(d dimension, name string) bool { return p[d] == "" || p[d] == name }

// madeBy reports whether a hop is one of the group that is meant, or of a class of
// its requests.
func (p *parts) madeBy(from string) bool {
	return p.has(byGroup, from) || strings.HasPrefix(from, classOf(p[byGroup], ""))
}

// group is what records call a group, or a class of its requests.
func (p *parts) group() string {
	if p[byClass] == "" {
		return p[byGroup]
	}
	return classOf(p[byGroup], p[byClass])
}

func classOf(group, class string) string { return group + "/" + class }

// label is how the part is written, for a name or for a column, where a comma
// would need quotes.
func (p *parts) label(separator string) string {
	var named []string
	for d, v := range p {
		if v != "" {
			named = append(named, dimension(d).String()+"="+v)
		}
	}
	return "[" + strings.Join(named, separator) + "]"
}

// causes are why calls are made.
func causes() []string {
	out := make([]string, sim.Causes)
	for c := range sim.Causes {
		out[c] = c.String()
	}
	return out
}

// reasons are why attempts are not made.
func reasons() []string {
	var out []string
	for g := strategies.Retry + 1; g < strategies.GiveUps; g++ {
		out = append(out, g.String())
	}
	return out
}

// population is the requests that a metric looks at: those of a group, or all.
type population struct {
	requests, succeeded, good, failed, unfinished int64
	completion                                    *sim.Times
}

// everybody are all requests, or those of a slice.
func everybody(rec *sim.Record, s *sim.SliceRecord) population {
	if s != nil {
		return populationOf(&s.All)
	}
	return population{rec.Requests, rec.Succeeded, rec.Good, rec.Failed, rec.Unfinished, &rec.Completion}
}

func populationOf(g *sim.GroupRecord) population {
	return population{g.Requests, g.Succeeded, g.Good, g.Failed, g.Unfinished, &g.Completion}
}

// groupOf finds the requests of a group. Where there is one group only, its
// completion times are everybody's.
func groupOf(rec *sim.Record, s *sim.SliceRecord, name string) (population, bool) {
	groups := rec.Groups
	if s != nil {
		groups = s.Groups
	}
	i := slices.IndexFunc(groups, func(g sim.GroupRecord) bool { return g.Name == name })
	if i < 0 {
		return population{}, false
	}
	p := populationOf(&groups[i])
	if len(groups) == 1 {
		p.completion = everybody(rec, s).completion
	}
	return p, true
}
