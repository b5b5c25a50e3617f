package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// pathRow is a hop of a path: how often it was wanted and how often it was
// called, per run.
type pathRow struct {
	name            string
	edge            experiment.Edge
	queue           bool // delivers
	requests, calls float64
}

// times is by how much the calls are multiplied on the hop.
func (x *pathRow) times() float64 {
	if x.requests == 0 {
		return math.NaN()
	}
	return Rounded(x.calls / x.requests)
}

// path is what one request became, in the order of the calls: what a service
// calls is below it, set in.
type path struct {
	name   string
	rows   []pathRow
	starts float64 // requests of clients
	target float64 // calls that reached the target
}

// newPath is that of an outcome of a point. Numbers are rounded before anything
// is made of them, so that a stored result gives the same.
func newPath(r *experiment.Result, o outcome) path {
	p, target := o.point, r.Target
	out := path{name: p.Variant + o.suffix()}
	for i := range p.Hops {
		if h := &p.Hops[i]; h.Amplification > 0 {
			out.starts = Rounded(h.Calls) / Rounded(h.Amplification)
			break
		}
	}
	if i := metricIndex(r, "requests"); i >= 0 {
		out.starts = Rounded(o.estimates[i].Centre)
	}
	w := pathWalk{path: &out, hops: p.Hops, queues: queueNames(p), first: make([]float64, len(p.Hops)), calls: make([]float64, len(p.Hops)), seen: map[string]bool{}}
	for i := range p.Hops {
		w.first[i], w.calls[i] = madeOn(p, i, o.ending)
		if h := &p.Hops[i]; h.Inner && h.To == target {
			out.target += w.calls[i]
		}
	}
	for i := range p.Hops { // from those whom nobody calls
		if from := p.Hops[i].From; !slices.ContainsFunc(p.Hops, func(h experiment.Hop) bool { return h.To == from }) {
			w.from(from, 0)
		}
	}
	return out
}

// madeOn is how many calls of a hop were first attempts, and how many there
// were.
func madeOn(p *experiment.Point, hop int, outcome string) (first, all float64) {
	e := p.Hops[hop].Edge
	earlier := 0 // hops that have the same name
	for _, h := range p.Hops[:hop] {
		if h.Edge == e {
			earlier++
		}
	}
	for i := range p.Attribution {
		a := &p.Attribution[i]
		if a.Withheld || a.Edge != e {
			continue
		}
		share := 1.0
		if outcome == "" {
			share = shareOf(p, a.Outcome)
		} else if a.Outcome != outcome {
			continue
		}
		n := float64(share * Rounded(a.Estimate.Centre))
		all += n
		if a.What == sim.First.String() {
			first += n
		}
	}
	if earlier > 0 {
		return 0, 0 // they are counted there
	}
	return first, all
}

// pathWalk goes down a path.
type pathWalk struct {
	*path
	hops         []experiment.Hop
	queues       []string
	first, calls []float64
	seen         map[string]bool // callers
}

// from adds the hops of a caller, and below each those of whom it calls, where
// these have not been shown before.
func (w *pathWalk) from(caller string, depth int) {
	if w.seen[caller] {
		return
	}
	w.seen[caller] = true
	arrow, queue := " -> ", slices.Contains(w.queues, caller)
	if queue {
		arrow = " ~> "
	}
	for i := range w.hops {
		h := &w.hops[i]
		if h.From != caller || w.calls[i] == 0 && slices.ContainsFunc(w.hops[:i], func(o experiment.Hop) bool { return o.Edge == h.Edge }) {
			continue
		}
		name := strings.Repeat("  ", depth) + h.From + arrow + h.To
		if !h.Inner || h.Layer > 0 {
			name += ", layer " + strconv.Itoa(h.Layer)
		}
		w.rows = append(w.rows, pathRow{name, h.Edge, queue, Rounded(w.first[i]), Rounded(w.calls[i])})
		if h.Inner {
			w.from(h.To, depth+1)
		}
	}
}

// multiplies reports whether there are more calls than were wanted anywhere.
func (x *path) multiplies() bool {
	return slices.ContainsFunc(x.rows, func(r pathRow) bool { return r.times() >= leastTimes })
}

const (
	leastTimes = 1.005 // as much as shows
	mostPaths  = 30    // rows of them
)

// pathSection shows where one request became many calls, at the severest sweep
// values, where there is more than one hop.
func pathSection(r *experiment.Result) *section {
	var paths []path
	rows := 0
	for _, p := range at(r, severest(r)) {
		for _, o := range outcomes(p) {
			if x := newPath(r, o); len(x.rows) > 1 {
				paths = append(paths, x)
				rows += len(x.rows)
			}
		}
	}
	if !slices.ContainsFunc(paths, func(x path) bool { return x.multiplies() }) {
		return nil
	}
	s := &section{}
	most := slices.MaxFunc(paths, func(a, b path) int { return compareNumbers(a.reach(), b.reach()) })
	up := ""
	if len(paths) > 1 {
		up = "up to "
	}
	s.title = "one request became " + up + Human(Rounded(most.reach()), "") + " calls to " + r.Target + whereShown(r) + ", here"
	if most.reach() < leastTimes { // the target is not where it happens
		s.title = "one request became more calls" + whereShown(r) + ", here"
	}
	if rows > mostPaths {
		shown := shortestPaths(paths, most)
		s.lines = append(s.lines, counted(int64(len(paths)-len(shown)), "more variant")+" left out: hops.csv has all")
		paths = shown
	}
	several := len(paths) > 1
	variant, hop := column{title: "variant", left: true}, column{title: "hop", left: true}
	requests, calls := column{title: "wanted", rank: 4}, column{title: "calls", rank: 3}
	each, times := column{title: perRequest, rank: 1}, column{title: "on this hop", rank: 1}
	mark := column{left: true}
	for i := range paths {
		x := &paths[i]
		for k := range x.rows {
			row := &x.rows[k]
			name := x.name
			if k > 0 {
				name = ""
			}
			variant.add(name, "")
			hop.add(row.name, "")
			requests.add(perRun(row.requests), "")
			calls.add(perRun(row.calls), "")
			each.add(Human(Rounded(row.calls/x.starts), ""), "")
			times.add(Human(row.times(), "x"), "")
			mark.add(x.mark(row), "")
		}
	}
	s.columns = []column{hop, requests, calls, each, times, mark}
	if several {
		s.columns = append([]column{variant}, s.columns...)
	}
	if slices.ContainsFunc(hop.values, func(v string) bool { return strings.Contains(v, " ~> ") }) {
		s.lines = append(s.lines, "~> is what a queue delivers")
	}
	return s
}

// reach is how many calls reached the target for a request.
func (x *path) reach() float64 { return x.target / x.starts }

// mark points at the hop that multiplies most; at several, if they do alike.
func (x *path) mark(row *pathRow) string {
	most := 0.0
	for i := range x.rows {
		if t := x.rows[i].times(); t > most {
			most = t
		}
	}
	if t := row.times(); most < leastTimes || !(t >= 0.99*most) {
		return ""
	}
	return "<- most"
}

// shortestPaths are the first path and the one with most calls.
func shortestPaths(paths []path, most path) []path {
	out := paths[:1:1]
	if most.name != out[0].name {
		out = append(out, most)
	}
	return out
}

func compareNumbers(a, b float64) int {
	switch a, b = Rounded(a), Rounded(b); {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}
