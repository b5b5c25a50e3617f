package sim

import (
	"time"

	"retrystorm/sim/random"
)

// tempo is by what the rate of a group's open arrivals is multiplied, where an
// action sets that. The next arrival comes when as many are expected to have
// come as it needs, so what has passed of the wait for it stays passed when the
// factor changes.
type tempo struct {
	factor float64
	set    bool          // it has been; until then arrivals are those without it
	from   time.Duration // the last arrival, or change
	need   float64       // how many must be expected from then on, before the next
	next   time.Duration // when that is scheduled; Never: not at all
}

func (r *Runner) tempoOf(group int) float64 {
	if t := r.groups[group].tempo; t != nil {
		return t.factor
	}
	return 1
}

// setTempo sets the factor of a group, if its arrivals have a rate.
func (r *Runner) setTempo(i int, factor float64) {
	g := &r.groups[i]
	t := g.tempo
	if t == nil || factor == t.factor {
		return
	}
	t.need = max(0, t.need-float64(t.factor*g.process.Integral(t.from, r.now)))
	t.from, t.factor, t.set = r.now, factor, true
	if t.next < Never {
		r.ahead-- // it will be found to be stale
	}
	r.scheduleInTempo(i)
}

// pace schedules the next arrival of a group whose rate is set.
func (r *Runner) pace(i int, prev time.Duration) {
	g := &r.groups[i]
	t, u := g.tempo, g.key.Draw(random.Start, uint64(g.next))
	t.from, t.need = prev, g.process.Need(g.next, u)
	if t.set {
		r.scheduleInTempo(i)
		return
	}
	at, ok := g.process.Next(g.next, prev, u)
	if !ok {
		at = Never
	}
	r.scheduleAt(i, at)
}

func (r *Runner) scheduleInTempo(i int) {
	g := &r.groups[i]
	at := Never
	if g.tempo.factor > 0 {
		at = g.process.After(g.tempo.from, g.tempo.need/g.tempo.factor)
	}
	r.scheduleAt(i, at)
}

func (r *Runner) scheduleAt(i int, at time.Duration) {
	g := &r.groups[i]
	g.tempo.next = at
	if at >= g.end {
		g.tempo.next = Never
	}
	if at < Never {
		r.scheduleStart(i, uint32(g.next), at)
	}
}

// stale reports whether the start of a group's request was moved.
func (g *group) stale(client uint32, now time.Duration) bool {
	return g.tempo != nil && (g.tempo.next != now || client != uint32(g.next))
}
