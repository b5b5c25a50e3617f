package sim

import (
	"fmt"
	"time"

	"retrystorm/sim/event"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// act is an Action in the state of the run.
type act struct {
	steps, done uint32        // of what takes several
	from        float64       // the value that it started from, of a setting
	next        time.Duration // when it goes on; Never: not in this run

	only   strategies.OutcomeSet
	replay replay
	outage outage
}

// compileActs makes the actions of a model.
func (r *Runner) compileActs(m *Model) (err error) {
	r.acts, r.reruns, r.resends = make([]act, len(m.Actions)), false, false
	for i := range m.Actions {
		a := &m.Actions[i]
		if r.acts[i].only, err = strategies.ParseOutcomes(a.Only); err != nil {
			return fmt.Errorf("sim: action %s: %w", a.Name, err)
		}
		if a.Kind == Redrive && r.queues[a.Place] == nil {
			return fmt.Errorf("sim: action %s: %s is not a queue", a.Name, m.Services[a.Place].Name)
		}
		r.reruns = r.reruns || a.Kind == Rerun
		r.resends = r.resends || a.Kind == Resend
	}
	return nil
}

// openActs schedules the actions.
func (r *Runner) openActs() {
	r.failures = r.failures[:0]
	for i := range r.acts {
		x, at := &r.acts[i], r.model.Actions[i].At
		*x = act{next: Never, only: x.only, replay: replay{list: x.replay.list[:0]}, outage: outage{from: at, end: at + outageBlock}}
		r.scheduleAct(i, at)
	}
}

// scheduleAct lets an action go on at a time. One has at most one pending event.
func (r *Runner) scheduleAct(i int, at time.Duration) {
	if at >= r.model.Until {
		return
	}
	r.acts[i].next = at
	r.set.Push(event.Event{At: at, Key: eventKey(kindAct, uint32(i), random.Key(0)), Ref: uint32(i)})
}

// act runs when it is time for an action, or for the next step of one.
func (r *Runner) act(i int) {
	a, x := &r.model.Actions[i], &r.acts[i]
	x.next = Never
	switch a.Kind {
	case Redrive, Resend:
		r.goOnSending(i, a, x)
	case Rerun:
		r.rerunAll(i, a, x)
	case Set:
		r.adjust(i, a, x)
	}
}

// awaited reports whether an action that is to come makes work where there is
// none any more. The others do not keep a run alive.
func (r *Runner) awaited() bool {
	for i := range r.acts {
		a, next := &r.model.Actions[i], r.acts[i].next
		if next == Never {
			continue
		}
		switch a.Kind {
		case Redrive, Resend, Rerun:
			return true
		case Set:
			if a.Set == SetRate && next < r.groups[a.Group].end {
				return true
			}
		}
	}
	return false
}

// mostSteps is how many steps a setting takes at most to its new value.
const mostSteps = 1000

// adjust brings a setting to its new value: at once, or evenly, in steps of one
// worker if there are not too many. It begins with what the value then is.
func (r *Runner) adjust(i int, a *Action, x *act) {
	if x.steps == 0 {
		x.from, x.steps = r.setting(a), 1
		if a.Over > 0 {
			x.steps = stepsTo(a, x.from)
			r.scheduleAct(i, x.when(a))
			return
		}
	}
	x.done++
	value := a.Value
	if x.done < x.steps {
		value = x.from + float64((a.Value-x.from)*float64(x.done))/float64(x.steps)
	}
	r.put(a, value)
	if x.done < x.steps {
		r.scheduleAct(i, x.when(a))
		return
	}
	r.rec.Actions[i].EndedAt = r.now
}

// stepsTo is how many steps it takes to set a value linearly. To and from no
// limit it is one.
func stepsTo(a *Action, from float64) uint32 {
	n := float64(mostSteps)
	if a.Set == SetWorkers {
		if n = max(a.Value-from, from-a.Value); min(a.Value, from) < 0 {
			n = 1
		}
	}
	return uint32(max(1, min(n, mostSteps, float64(a.Over))))
}

// when is the instant of the next step, rounded up.
func (x *act) when(a *Action) time.Duration {
	n, all := int64(x.done)+1, int64(x.steps)
	whole, rest := int64(a.Over)/all, int64(a.Over)%all
	return a.At + time.Duration(whole*n+(rest*n+all-1)/all)
}

// setting is the present value of what an action sets.
func (r *Runner) setting(a *Action) float64 {
	switch a.Set {
	case SetAdmit:
		return r.places[a.Place].station.Admit()
	case SetWorkers:
		return float64(r.places[a.Place].station.Workers())
	default:
		return r.tempoOf(a.Group)
	}
}

// put gives what an action sets a new value. Workers are whole ones.
func (r *Runner) put(a *Action, value float64) {
	if a.Set == SetRate {
		r.setTempo(a.Group, value)
		return
	}
	p := &r.places[a.Place]
	for k := range p.replicas {
		if a.Set == SetAdmit {
			p.replicas[k].SetAdmit(r.now, value)
		} else {
			p.replicas[k].SetWorkers(r.now, int64(value))
		}
		r.changed(a.Place, k)
	}
}

// setsRate reports whether an action sets the rate of a group.
func setsRate(m *Model, group int) bool {
	for i := range m.Actions {
		if a := &m.Actions[i]; a.Kind == Set && a.Set == SetRate && a.Group == group {
			return true
		}
	}
	return false
}

// openActions opens the books of the actions, on the memory of the last run.
func (b *recorder) openActions(m *Model, old []ActionRecord) {
	b.Actions = old[:0]
	for i := range m.Actions {
		b.Actions = append(b.Actions, ActionRecord{Name: m.Actions[i].Name, EndedAt: Never})
	}
}

// closeActions closes the books of the actions.
func (b *recorder) closeActions(r *Runner) {
	for i := range b.Actions {
		a, x, e := &r.model.Actions[i], &r.acts[i], &b.Actions[i]
		e.Outage = x.outage.seconds
		if a.Kind == Set {
			continue
		}
		v := &x.replay
		e.Sent, e.Succeeded, e.Failed, e.Unfinished = v.sent, v.succeeded, v.failed, v.sent-v.succeeded-v.failed
		if v.begun && e.Unfinished == 0 && v.next == len(v.list) && !(a.Kind == Rerun && r.catchesUp(a.Group)) {
			e.EndedAt = v.endedAt
		}
	}
}
