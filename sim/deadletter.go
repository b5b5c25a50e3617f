package sim

import (
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/strategies"
)

// letter is what a message tells that came to a queue because it could not be
// worked on: one that died in another queue, or a call that was given up.
type letter struct {
	from            *queue             // where it died; nil: it is a call
	hop             uint16             // of the call, or of the consumers of that queue
	member, process uint32             // who made the call
	outcome         strategies.Outcome // of the last attempt
	why             strategies.GiveUp
	attempts        uint32
	first, last     time.Duration
	dead            bool // else there is no letter
}

// died runs when a message is dead: it goes to the dead-letter queue, or is lost.
func (r *Runner) died(q *queue, m *cargo, g *server.Gone) {
	to := ""
	if q.dead != nil {
		to = r.model.Services[q.dead.place].Name
	}
	r.traceMessage(q, m, TraceDead, to, int64(g.Receives))
	if q.dead == nil {
		return
	}
	dead := *m
	dead.action = 0
	dead.letter = letter{
		from: q, hop: uint16(q.first), outcome: m.failed, why: strategies.AttemptsExhausted,
		attempts: g.Receives, first: g.First, last: g.Last, dead: true,
	}
	if g.Pending {
		dead.outcome = strategies.Timeout // nobody has answered
	}
	r.post(q.dead, &dead, g.Since)
}

// writeOff puts a call that is given up into the dead-letter queue of its policy.
func (r *Runner) writeOff(slot uint32, t *task, h *hop, out strategies.Outcome, why strategies.GiveUp, unsent bool) {
	x := &r.extras.at(slot).task
	m := cargo{lineage: x.lineage, key: t.key, client: t.client, request: t.request, origin: t.origin}
	m.letter = letter{
		hop: t.hop, member: x.member, process: x.process, outcome: out, why: why,
		attempts: t.attempt, first: r.now, last: r.now, dead: true,
	}
	if unsent {
		m.attempts--
	}
	if t.attempt > 0 {
		m.first = x.failed
	}
	m.limit = 0
	r.traceLetter(h.dead, &m)
	r.post(h.dead, &m, r.now)
}

// post puts a dead letter into a queue.
func (r *Runner) post(q *queue, m *cargo, since time.Duration) {
	m.opens = First
	r.rec.stored(q, m, First)
	if m.origin.counted() {
		q.count(m)
		if r.rec.letters {
			r.rec.Dead = append(r.rec.Dead, r.deadLetter(q, m))
		}
	}
	r.keep(q, m, since)
}

// count counts a dead letter by its reason.
func (q *queue) count(m *cargo) {
	i := 0
	for i < len(q.reasons) && (q.reasons[i].Outcome < m.outcome || q.reasons[i].Outcome == m.outcome && q.reasons[i].Why < m.why) {
		i++
	}
	if i == len(q.reasons) || q.reasons[i].Outcome != m.outcome || q.reasons[i].Why != m.why {
		q.reasons = slices.Insert(q.reasons, i, Reason{Outcome: m.outcome, Why: m.why})
	}
	q.reasons[i].Count++
}

func (r *Runner) deadLetter(q *queue, m *cargo) DeadLetter {
	hop := &r.hopNames[m.hop]
	group := m.origin.group()
	trace := r.groups[group].rootKey(m.client, m.request)
	return DeadLetter{
		Queue: r.model.Services[q.place].Name, From: hop.From, To: hop.To, Group: r.model.Groups[group].Name,
		Client: int64(m.client), Request: int64(m.request), Outcome: m.outcome, Why: m.why, Attempts: int64(m.attempts),
		Started: m.begun, First: m.first, Last: m.last,
		Trace: uint64(trace), Payload: uint64(trace.Child(uint64(r.hops[m.hop].name), 0, 0)),
	}
}

// redrive sends a dead letter to where it came from: a message into its queue,
// as if it were new, a call to its service. It reports whether it was still
// there to be sent.
func (r *Runner) redrive(action int, q *queue, number uint32, serial uint64) bool {
	g, ok := q.messages.Remove(number, serial)
	if !ok {
		return false
	}
	m := q.cargo[g.Message]
	q.tally(m.origin).redriven++
	m.run, m.cause, m.opens, m.again = min(m.run, 254)+1, Redriven, Redriven, Redriven
	m.key = m.key.Child(uint64(r.hops[m.hop].name), 0, uint64(m.run))
	r.traceMessage(q, &m, TraceRedriven, r.hopNames[m.hop].To, int64(m.attempts))
	r.catchUp(q)
	old := m.letter
	m.letter = letter{}
	if old.from == nil {
		slot, t, x := r.errandTask(&m, int(old.hop), m.key, errand{kind: oneCall, number: uint32(action)})
		x.opens, x.member, x.process = Redriven, old.member, old.process
		r.beginStep(slot, t)
		return true
	}
	m.action = int32(action) + 1
	r.rec.stored(old.from, &m, Redriven)
	r.keep(old.from, &m, r.now)
	return true
}

// alone reports whether a task is one call that is made again, and no more.
func (r *Runner) alone(slot uint32) bool {
	return r.rich && r.extras.at(slot).task.kind == oneCall
}

// traceMessage tells of a message that a queue has to do with.
func (r *Runner) traceMessage(q *queue, m *cargo, k TraceKind, to string, attempt int64) {
	if r.trace == nil {
		return
	}
	e := r.messageEvent(m, k)
	e.From, e.To, e.Attempt = r.model.Services[q.place].Name, to, attempt
	r.trace(e)
}

// traceLetter tells of a call that is given up and goes to a queue.
func (r *Runner) traceLetter(q *queue, m *cargo) {
	if r.trace == nil {
		return
	}
	e := r.messageEvent(m, TraceDead)
	e.From, e.To, e.Attempt = r.hopNames[m.hop].From, r.model.Services[q.place].Name, int64(m.attempts)
	r.trace(e)
}

func (r *Runner) messageEvent(m *cargo, k TraceKind) TraceEvent {
	return TraceEvent{At: r.now, Kind: k, Group: r.model.Groups[m.origin.group()].Name, Client: int64(m.client), Request: int64(m.request)}
}
