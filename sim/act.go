package sim

import (
	"fmt"
	"time"

	"retrystorm/sim/event"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// action is an Action, in the state of the run.
type action struct {
	*Action
	only   strategies.OutcomeSet
	replay replay
	outage outage
}

// compileActions makes the actions of a model.
func (r *Runner) compileActions(m *Model) (err error) {
	r.actions, r.reruns, r.resends = nil, false, false
	for i := range m.Actions {
		a := action{Action: &m.Actions[i]}
		if a.only, err = strategies.ParseOutcomes(a.Only); err != nil {
			return err
		}
		if a.Kind == Redrive && r.queues[a.Place] == nil {
			return fmt.Errorf("sim: action %s: %s is not a queue", a.Name, m.Services[a.Place].Name)
		}
		r.reruns = r.reruns || a.Kind == Rerun
		r.resends = r.resends || a.Kind == Resend
		r.actions = append(r.actions, a)
	}
	return nil
}

// openActions schedules the actions of a run.
func (r *Runner) openActions() {
	r.failures = r.failures[:0]
	for i := range r.actions {
		a := &r.actions[i]
		a.replay.reset()
		a.outage = outage{from: a.At, end: a.At + outageBlock}
		r.scheduleAct(i, a.At)
	}
}

// scheduleAct schedules what an action does next; it has one such event at most.
func (r *Runner) scheduleAct(i int, at time.Duration) {
	if at >= r.model.Until {
		return
	}
	r.acting++
	r.set.Push(event.Event{At: at, Key: eventKey(kindAct, uint32(i), random.Key(at)), Ref: uint32(i)})
}

// act runs when somebody does something.
func (r *Runner) act(i int) {
	r.acting--
	switch a := &r.actions[i]; a.Kind {
	case Redrive, Resend:
		r.goOnSending(i, a)
	case Rerun:
		r.rerunAll(i, a)
	case Set:
	}
}

// outage finds the time, after an action, in which too few requests are served.
type outage struct {
	from, end       time.Duration // of the action; of the open block
	requests, ok    int64         // that started, and succeeded, in the open block
	seconds, latest int64         // latest: of blocks after which no request has started yet
}

// outageBlock is what is looked at as one.
const outageBlock = 10 * time.Second

// started counts a new request. What came before it was not the end.
func (o *outage) started(now time.Duration) {
	if now < o.from {
		return
	}
	o.roll(now)
	o.seconds += o.latest
	o.latest = 0
	o.requests++
}

func (o *outage) succeeded(now time.Duration) {
	if now >= o.from {
		o.roll(now)
		o.ok++
	}
}

// roll closes the block that is open if it is over.
func (o *outage) roll(now time.Duration) {
	if now < o.end {
		return
	}
	if 10*o.ok < 9*o.requests {
		o.latest += int64(outageBlock / time.Second)
	}
	o.requests, o.ok = 0, 0
	o.end += (now - o.end) / outageBlock * outageBlock
	o.end += outageBlock
}

// closeActions closes the books of the actions.
func (b *recorder) closeActions(r *Runner) {
	for i := range r.actions {
		a := &r.actions[i]
		v := &a.replay
		e := ActionRecord{
			Name: a.Name, Sent: v.sent, Succeeded: v.succeeded, Failed: v.failed,
			Unfinished: v.sent - v.succeeded - v.failed, EndedAt: v.endedAt, Outage: a.outage.seconds,
		}
		if e.Unfinished > 0 || !v.begun || v.next < len(v.list) || a.Kind == Rerun && r.catchesUp(a.Group) {
			e.EndedAt = Never
		}
		b.Actions = append(b.Actions, e)
	}
}
