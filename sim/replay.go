package sim

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// What is sent again is sent in batches: all at once, evenly spaced, or both. A
// batch of which few fail is followed by a larger one.

// replay is a redrive, a resend or a rerun, in the state of the run.
type replay struct {
	begun                   bool
	sending                 bool    // batches end only when all of them is sent
	list                    []again // what is to be sent
	next                    int
	size, left              int64 // of a batch; what of the present one is still to be sent
	out, failures, inBatch  int64 // of the present batch: under way, failed, sent
	since                   time.Duration
	sent, succeeded, failed int64
	endedAt                 time.Duration
}

// again is a request, by its client, number and how often it has been made; or a
// message, by its number and serial number in its queue.
type again struct {
	who, what uint32
	count     uint64
	group     int
}

// goOnSending sends what is to be sent now, and sees to what comes later.
func (r *Runner) goOnSending(i int, a *Action, x *act) {
	v, pace := &x.replay, &a.Pace
	if !v.begun {
		v.begun, v.endedAt = true, r.now
		r.list(a, x)
		v.size = pace.First
	}
	if v.left == 0 {
		v.left, v.since = v.size, r.now
		if pace.First == 0 {
			v.left = int64(len(v.list))
		}
		v.failures, v.inBatch = 0, 0
	}
	v.sending = true
	for v.left > 0 && v.next < len(v.list) {
		if pace.Rate > 0 {
			at := v.since + spaced(v.inBatch, pace.Rate)
			if at > r.now {
				v.sending = false
				r.scheduleAct(i, at)
				return
			}
		}
		w := v.list[v.next]
		v.next++
		v.out++
		if !r.sendAgain(i, a, v, w) {
			v.out--
			continue
		}
		v.left--
		v.inBatch++
	}
	v.sending, v.left = false, 0
	r.nextBatch(i)
}

// spaced is when the n-th of evenly spaced things happens, from 0 on.
func spaced(n int64, rate float64) time.Duration {
	at := float64(n) / rate * 1e9
	if at >= math.MaxInt64/2 {
		return math.MaxInt64 / 2
	}
	return time.Duration(math.Round(at))
}

// list notes what an action is about.
func (r *Runner) list(a *Action, x *act) {
	v := &x.replay
	if a.Kind == Resend {
		for i := range r.groups {
			if g := &r.groups[i]; g.best != nil && (a.Group < 0 || a.Group == i) {
				g.again() // or what clients that begin again make next would be the same run
			}
		}
		kept := r.failures[:0]
		for _, f := range r.failures {
			if a.Group < 0 || a.Group == f.group {
				if g := &r.groups[f.group]; g.best != nil {
					f.count = uint64(g.runs) - 1
				}
				v.list = append(v.list, f)
			} else {
				kept = append(kept, f)
			}
		}
		r.failures = kept
		return
	}
	q := r.queues[a.Place]
	for number, serial := range q.messages.Visible() {
		if m := &q.cargo[number]; m.dead && (len(a.Only) == 0 || x.only.Has(m.outcome)) {
			v.list = append(v.list, again{who: number, count: serial})
		}
	}
}

// sendAgain sends one thing again, if it is still there.
func (r *Runner) sendAgain(i int, a *Action, v *replay, w again) bool {
	if a.Kind == Redrive && !r.redrive(i, r.queues[a.Place], w.who, w.count) {
		return false
	}
	v.sent++
	r.redone++
	if a.Kind == Resend {
		run := min(uint8(w.count), 254) + 1
		r.request(w.group, w.who, w.what, lineage{run: run, cause: Resent}, errand{kind: resent, number: uint32(i)})
	}
	return true
}

// sentAgainEnded runs when something has ended that an action had sent, by the
// action's number, from 1.
func (r *Runner) sentAgainEnded(action int32, ok bool) {
	if action == 0 {
		return
	}
	v := &r.acts[action-1].replay
	v.endedAt = r.now
	v.out--
	if ok {
		v.succeeded++
	} else {
		v.failed++
		v.failures++
	}
	r.nextBatch(int(action - 1))
}

// nextBatch schedules the next batch when all of the last have ended.
func (r *Runner) nextBatch(i int) {
	v, pace := &r.acts[i].replay, &r.model.Actions[i].Pace
	if v.sending || v.left > 0 || v.out > 0 || v.next == len(v.list) {
		return
	}
	if float64(v.failures) > float64(pace.Failures*float64(v.inBatch)) {
		v.size = pace.First
		r.scheduleAct(i, r.now+pace.Pause)
		return
	}
	v.size = int64(min(float64(float64(v.size)*max(pace.Grow, 1)), float64(len(v.list))))
	r.scheduleAct(i, r.now)
}

// rerun is how often, and how far, the clients of a group have come, if they may
// begin again.
type rerun struct {
	best   []uint32        // requests that each client has ever made
	starts []time.Duration // when it starts the next one; Never: it does not wait for that
	runs   uint8           // how often they have begun again, or what failed was sent again
	action uint32          // that made them
}

func newRerun(count int64) rerun {
	return rerun{best: make([]uint32, count), starts: make([]time.Duration, count)}
}

func (g *rerun) reset() {
	clear(g.best)
	for i := range g.starts {
		g.starts[i] = Never
	}
	g.runs = 0
}

// again counts another run.
func (g *rerun) again() { g.runs = min(g.runs, 254) + 1 }

// expected reports whether a client is to start a request now, and not another
// one instead.
func (g *rerun) expected(client uint32, now time.Duration) bool {
	if client == none {
		return true
	}
	ok := g.starts[client] == now
	if ok {
		g.starts[client] = Never
	}
	return ok
}

// reruns reports whether somebody makes the clients of a group begin again.
func (m *Model) reruns(group int) bool {
	return slices.ContainsFunc(m.Actions, func(a Action) bool { return a.Kind == Rerun && (a.Group == group || a.Group < 0) })
}

// repeated is what a client's next request is made for, if it has been made
// before.
func (r *Runner) repeated(group int, client, request uint32) (lineage, errand) {
	g := &r.groups[group]
	if request >= g.best[client] {
		g.best[client] = request + 1
		return lineage{}, errand{}
	}
	v := &r.acts[g.action].replay
	v.sent++
	v.out++
	return lineage{run: g.runs, cause: Repeated}, errand{kind: repeated, number: g.action}
}

// catchesUp reports whether clients of a group have not come again to where they
// had been.
func (r *Runner) catchesUp(group int) bool {
	for i := range r.groups {
		g := &r.groups[i]
		for c := range g.best {
			if (group < 0 || group == i) && g.made[c] < g.best[c] {
				return true
			}
		}
	}
	return false
}

// rerunAll makes the clients of a group begin again.
func (r *Runner) rerunAll(i int, a *Action, x *act) {
	x.replay.begun, x.replay.endedAt = true, r.now
	for g := range r.groups {
		if a.Group < 0 || a.Group == g {
			r.beginAgain(i, a, g)
		}
	}
}

// beginAgain ends what the clients of a group are doing and lets them begin
// again, at the last restart point that they have passed. Those that have not
// begun yet go on.
func (r *Runner) beginAgain(i int, a *Action, group int) {
	g := &r.groups[group]
	if g.best == nil {
		return
	}
	doing := r.requestsOf(group)
	next := 0
	g.again()
	g.action = uint32(i)
	for c := range g.made {
		client := uint32(c)
		if g.made[c] == 0 {
			continue
		}
		passed := g.made[c]
		if next < len(doing) && r.task(doing[next]).client == client {
			passed--
			r.abandon(doing[next])
			next++
		}
		if g.starts[c] != Never {
			r.ahead-- // its event will be ignored
			g.starts[c] = Never
		}
		g.made[c] = 0
		if a.Every > 0 {
			g.made[c] = uint32(int64(passed) / a.Every * a.Every)
		}
		if n := int64(g.made[c]); n < g.limit || g.limit < 0 {
			r.scheduleStart(group, client, r.now)
		}
	}
	r.redone += int64(len(g.made))
	r.failures = slices.DeleteFunc(r.failures, func(f again) bool { return f.group == group && f.what >= g.made[f.who] })
}

// requestsOf lists the tasks that clients of a group are waiting for, by client.
func (r *Runner) requestsOf(group int) []uint32 {
	r.dead = r.dead[:0]
	for s := range r.slots.used {
		t := r.task(s)
		if t.state == idle || t.parent != none || t.origin.group() != group {
			continue
		}
		if k := r.extras.at(s).task.kind; k == ownRequest || k == repeated {
			r.dead = append(r.dead, s)
		}
	}
	slices.SortFunc(r.dead, func(a, b uint32) int { return cmp.Compare(r.task(a).client, r.task(b).client) })
	return r.dead
}

// abandon ends a request in failure.
func (r *Runner) abandon(slot uint32) {
	t, e := r.task(slot), r.extras.at(slot).task.errand
	if e.kind == ownRequest {
		r.alive--
		r.rec.requestEnded(r, t, false)
	}
	if r.trace != nil {
		r.traceTask(t, TraceFailed)
	}
	r.release(slot, t)
	if e.kind == repeated {
		r.sentAgainEnded(int32(e.number)+1, false)
	}
}
