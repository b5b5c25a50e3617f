package sim

import (
	"fmt"
	"time"

	"retrystorm/server"
	"retrystorm/sim/event"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// A queue answers a call as soon as its message is stored. What its consumers do
// with a message, a delivery, is a task without a parent, whose only step is the
// queue's; the consumer is busy until the delivery has ended, retries and all.
// A message is whatever of a request one call has stored. All deliveries of it
// carry the request's numbers, so they have one idempotency key; and all messages
// of a request in a queue are poisoned or none.

// queue is a Service with a Backlog, compiled, in the state of the run.
type queue struct {
	spec      *server.Backlog
	messages  *server.Messages
	cargo     []cargo       // of the messages, by their numbers
	place     int           // which service it is
	first     int           // the hop of its consumers; 0 if there are none
	consumed  bool          // there are
	dead      *queue        // where its dead messages go
	scheduled time.Duration // when its pending event pops; -1: there is none
	feeding   bool
	open      bool     // its consumers have something to do, or may have
	tallies   [2]tally // of messages of requests before the warm-up, and of those that count
	delay     Times
	reasons   []Reason
}

// tally counts the messages of a queue.
type tally struct{ sent, deliveries, done, dead, lost, redriven int64 }

func (t *tally) left() int64 { return t.sent - t.done - t.dead - t.lost - t.redriven }

// cargo is what a message carries.
type cargo struct {
	lineage
	key             random.Key // of the call that stored it, or of the task whose call it was
	client, request uint32
	origin          origin
	opens           Cause // why its first delivery is made
	action          int32 // number of the action that sent it again, from 1; 0: none
	failed          strategies.Outcome
	letter
}

// errand is what a task without a parent is done for.
type errand struct {
	kind     errandKind
	number   uint32 // of the queue's place, or of the action
	consumer uint32
	message  uint32
}

type errandKind uint8

const (
	ownRequest errandKind = iota // none: it is a client's request, for the first time
	delivery                     // of a message
	oneCall                      // a call that was given up is made again, and no more
	resent                       // a request is made again
	repeated                     // a client makes a request again, and will go on from there
)

// makeQueues makes the queues, before the hops that lead to them.
func (r *Runner) makeQueues(m *Model) error {
	r.queues = make([]*queue, len(m.Services))
	for i := range m.Services {
		if b := m.Services[i].Backlog; b != nil {
			consumed := len(m.Services[i].Steps) > 0
			r.queues[i] = &queue{spec: b, place: i, consumed: consumed, messages: server.NewMessages(*b, consumed)}
		}
	}
	for i, q := range r.queues {
		if q == nil || q.spec.DeadLetter == "" {
			continue
		}
		if q.dead = r.queueNamed(m, q.spec.DeadLetter); q.dead == nil {
			return noQueue("queue "+m.Services[i].Name, q.spec.DeadLetter)
		}
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		if err := r.findDeadLetters(m, g.Name, g.Steps); err != nil {
			return err
		}
		for k := range g.Classes {
			if err := r.findDeadLetters(m, g.Classes[k].entry(g), g.Classes[k].Steps); err != nil {
				return err
			}
		}
	}
	for i := range m.Services {
		if err := r.findDeadLetters(m, m.Services[i].Name, m.Services[i].Steps); err != nil {
			return err
		}
	}
	return nil
}

// findDeadLetters sees to it that the dead-letter queues of policies are there.
func (r *Runner) findDeadLetters(m *Model, who string, steps []Step) error {
	for s := range Calls(steps) {
		for _, p := range s.Policies {
			if p.DeadLetter != "" && r.queueNamed(m, p.DeadLetter) == nil {
				return noQueue(who, p.DeadLetter)
			}
		}
	}
	return nil
}

// queueNamed is the queue with a name, or nil.
func (r *Runner) queueNamed(m *Model, name string) *queue {
	for i, q := range r.queues {
		if q != nil && m.Services[i].Name == name {
			return q
		}
	}
	return nil
}

func noQueue(who, name string) error {
	return fmt.Errorf("sim: %s: dead_letter %q is not a queue", who, name)
}

// join gives the queue the hops of its consumers.
func (q *queue) join(hops []hop, first int) {
	q.first = first
	if q.spec.Poison.Share == 0 {
		return
	}
	for i := range hops {
		if hops[i].inner == 0 {
			hops[i].poison = &q.spec.Poison
		}
	}
}

func (q *queue) reset() {
	q.messages.Reset()
	q.cargo, q.scheduled, q.open, q.tallies = q.cargo[:0], -1, false, [2]tally{}
	q.reasons = q.reasons[:0]
	q.delay.Reset()
}

func (q *queue) tally(o origin) *tally { return &q.tallies[o&1] }

// store runs when a call reaches a queue.
func (r *Runner) store(i uint32, c *call, h *hop, q *queue) {
	r.rec.arrived(q.place, r.now, c)
	if r.trace != nil {
		r.traceCall(c, TraceStored)
	}
	m := cargo{lineage: r.extras.at(i).call.lineage, key: c.key, client: c.client, request: c.request, origin: c.origin}
	m.limit = 0 // whoever sends has what he wants
	m.path = r.below(m.path, c.hop)
	r.send(i, c, h, server.OK, r.now+r.leg(h, c, random.NetworkBack, 0))
	r.keep(q, &m, r.now)
}

// keep puts a message into a queue; it was stored for the first time at since.
func (r *Runner) keep(q *queue, m *cargo, since time.Duration) {
	i := q.messages.Store(r.now, since)
	for uint64(len(q.cargo)) <= uint64(i) {
		q.cargo = append(q.cargo, cargo{})
	}
	q.cargo[i] = *m
	q.tally(m.origin).sent++
	r.feed(q)
}

// feed gives the consumers that are free what there is for them.
func (r *Runner) feed(q *queue) {
	if q.feeding {
		return // it goes on below
	}
	q.feeding = true
	for d, ok := q.messages.Next(r.now); ok; d, ok = q.messages.Next(r.now) {
		r.deliver(q, d)
	}
	q.feeding = false
	r.catchUp(q)
}

// catchUp brings the books, and the pending event, up to what a queue has become.
func (r *Runner) catchUp(q *queue) {
	m := &r.rec.meters[q.place]
	if n := q.messages.Waiting() - m.waiting; n != 0 {
		r.rec.waits(q.place, r.now, n)
	}
	if n := q.messages.Working() - m.inService; n != 0 {
		r.rec.serves(q.place, r.now, n)
	}
	if open := q.consumed && !(q.messages.Len() == 0 && q.messages.Rests()); open != q.open {
		q.open = open
		if open {
			r.open++
		} else {
			r.open--
		}
	}
	at, ok := q.messages.NextChange()
	at = max(at, r.now) // a dead message may be too old when it comes
	if !ok || at >= r.model.Until || q.scheduled >= 0 && q.scheduled <= at {
		return // an event that comes too early asks again
	}
	q.scheduled = at
	key := eventKey(kindVisible, uint32(q.place), random.Key(at))
	r.set.Push(event.Event{At: at, Key: key, Ref: uint32(q.place)})
}

// visible runs when messages may become visible, or too old.
func (r *Runner) visible(q *queue) {
	if q.scheduled != r.now {
		return // an earlier one was scheduled since
	}
	q.scheduled = -1
	for g, ok := q.messages.Change(r.now); ok; g, ok = q.messages.Change(r.now) {
		m := q.cargo[g.Message]
		if g.Dead {
			q.tally(m.origin).dead++
			r.died(q, &m, &g)
		} else {
			q.tally(m.origin).lost++
			r.traceMessage(q, &m, TraceLost, "", int64(g.Receives))
		}
		r.rec.meters[q.place].row.Failed++
		r.sentAgainEnded(m.action, false)
	}
	r.feed(q)
}

// deliver begins the delivery of a message.
func (r *Runner) deliver(q *queue, d server.Delivery) {
	m := &q.cargo[d.Message]
	q.tally(m.origin).deliveries++
	cause, opens := m.cause, m.opens
	if d.Receive > 1 {
		cause, opens = Redelivery, Redelivery
	}
	key := m.key.Child(uint64(r.hops[q.first].name), uint64(d.Receive), 0)
	slot, t, x := r.errandTask(m, q.first, key, errand{delivery, uint32(q.place), d.Consumer, d.Message})
	x.cause, x.opens = cause, opens
	if r.trace != nil {
		r.traceMessage(q, m, TraceDelivered, r.hopNames[q.first].To, int64(d.Receive))
	}
	r.beginStep(slot, t)
}

// errandTask makes a task without a parent that is no client's request.
func (r *Runner) errandTask(m *cargo, hop int, key random.Key, e errand) (uint32, *task, *taskExtra) {
	slot := r.take()
	t, x := r.task(slot), &r.extras.at(slot).task
	*x = taskExtra{planned: x.planned, lineage: m.lineage, errand: e} // hedges of the last owner may be pending
	t.client, t.request, t.parent, t.key = m.client, m.request, none, key
	t.hop, t.origin, t.started, t.state, t.call = uint16(hop), m.origin, r.now, alive, none
	return slot, t, x
}

// errandEnded runs when a task without a parent has ended that is no client's
// request, or one made again.
func (r *Runner) errandEnded(slot uint32, t *task, out strategies.Outcome) {
	e := r.extras.at(slot).task.errand
	group, client := t.origin.group(), t.client
	if e.kind == resent || e.kind == repeated {
		r.over(slot, t, out == strategies.OK)
	}
	r.release(slot, t)
	if e.kind == delivery {
		r.delivered(r.places[e.number].queue, e, out)
		return
	}
	r.sentAgainEnded(int32(e.number)+1, out == strategies.OK)
	if e.kind == repeated {
		r.clientGoesOn(group, client)
	}
}

// delivered runs when a delivery has ended. The first that succeeds takes the
// message away.
func (r *Runner) delivered(q *queue, e errand, out strategies.Outcome) {
	m := &q.cargo[e.message]
	if out != strategies.OK {
		m.failed = out
	}
	if g, done := q.messages.End(r.now, e.consumer, out == strategies.OK); done {
		q.tally(m.origin).done++
		if m.origin.counted() {
			q.delay.Add(r.now - g.Stored)
			r.rec.Services[q.place].Succeeded++
		}
		r.rec.meters[q.place].row.Succeeded++
		r.sentAgainEnded(m.action, true)
	}
	r.feed(q)
}

// poisoned reports whether the message that a call is about can never be worked
// on.
func (r *Runner) poisoned(c *call, h *hop) bool {
	return random.Unit(r.requestKey(c).Draw(random.Poison, 0)) < h.poison.Share
}

// stored records a message that came without a call.
func (b *recorder) stored(q *queue, m *cargo, cause Cause) {
	t := &b.meters[q.place]
	t.row.Causes[cause]++
	if !m.origin.counted() {
		return
	}
	b.Services[q.place].Causes[cause]++
	t.calls++
	if cause != First {
		t.retries++
	}
}

// openQueues opens the books of the queues, on the memory of the last run.
func (b *recorder) openQueues(r *Runner, old []QueueRecord) {
	b.Queues = old[:0]
	for i, q := range r.queues {
		if q != nil && q.consumed {
			b.meters[i].usable = q.spec.Consumers
		}
	}
}

// closeQueues closes the books of the queues.
func (b *recorder) closeQueues(r *Runner) {
	for i, q := range r.queues {
		if q == nil {
			continue
		}
		t := &q.tallies[1]
		v := QueueRecord{
			Name: r.model.Services[i].Name, Sent: t.sent, Deliveries: t.deliveries, Done: t.done,
			Dead: t.dead, Lost: t.lost, Redriven: t.redriven, Left: t.left(), Delay: q.delay, Reasons: q.reasons,
		}
		if at, ok := q.messages.Oldest(func(i uint32) bool { return q.cargo[i].origin.counted() }); ok {
			v.Oldest = r.now - at
		}
		b.Services[i].Inside = v.Left
		b.Queues = append(b.Queues, v)
	}
}

// check asserts that no message has been lost from sight.
func (q *queue) check(s *ServiceRecord, m *meter) error {
	all, counted := &q.tallies[0], &q.tallies[1]
	if left := all.left() + counted.left(); left != q.messages.Len() {
		return fmt.Errorf("%+v and %+v: %d messages should be left, but %d are", *all, *counted, left, q.messages.Len())
	}
	if m.waiting != q.messages.Waiting() || m.inService != q.messages.Working() {
		return fmt.Errorf("%d messages wait and %d are at work; books say %d and %d", q.messages.Waiting(), q.messages.Working(), m.waiting, m.inService)
	}
	var arrivals int64
	for i := range s.Timeline {
		arrivals += s.Timeline[i].Arrivals
	}
	if sent := all.sent + counted.sent; arrivals != sent || s.Calls != counted.sent {
		return fmt.Errorf("%d messages, but %d in the timeline; %d of them count, but %d calls do", sent, arrivals, counted.sent, s.Calls)
	}
	return nil
}
