package sim

import (
	"errors"
	"fmt"
	"time"

	"retrystorm/sim/event"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Options are how a run is watched and stopped.
type Options struct {
	// Stop ends the run early with ErrStopped when it is closed.
	Stop <-chan struct{}
	// Most ends it in the same way soon after so many events; 0: never.
	Most int64
	// Trace, if set, is told every event in order.
	Trace func(TraceEvent)
	// Dead asks for Record.Dead.
	Dead bool
}

// ErrStopped is returned by a run that was stopped from outside.
var ErrStopped = errors.New("stopped")

// Runner runs replications, reusing its memory from one to the next. The zero
// value is ready; it is for one goroutine.
type Runner struct {
	model *Model
	now   time.Duration
	set   event.Set
	slots arena
	// extras has one for every slot if the model is rich.
	extras extras
	rich   bool

	places []place  // per service
	queues []*queue // per service; nil for those that are none
	hops   []hop
	groups []group
	pools  []states
	acts   []act    // per action
	cycled []*inbox // those whose keys begin again

	reruns   bool    // somebody's clients begin again
	resends  bool    // somebody sends failed requests again
	failures []again // failed requests, if so
	redone   int64   // what has been sent again so far
	open     int64   // queues with consumers that have something to do

	steps                    uint32      // so far, while the model is compiled
	costs                    bool        // of some requests are not 1
	hopNames                 []HopRecord // names only
	entries                  []string    // names of Record.Groups
	rowKey                   random.Key
	triggerStart, triggerEnd time.Duration
	hasTrigger               bool

	sent    time.Duration      // the last instant in which all that waited for it has been sent
	alive   int64              // requests that have not ended
	ahead   int64              // request starts that are scheduled
	flying  int64              // calls in a slot: under way, inside a service, or awaited in vain
	dead    []uint32           // calls lost in the last crash
	beyond  bool               // another request would have started, but for the end
	fewer   bool               // have started than should: the run has too many events already
	opened  uint32             // the window of events fetched last
	touched uint32             // keeps fetch from being optimised away
	failure strategies.Failure // what the policy is asked about
	trace   func(TraceEvent)
	rec     recorder
}

// Run simulates one replication of a model that validation let through. The
// record is valid until the next Run. The model must not change between runs:
// what was made of it for the last run is used again.
func (r *Runner) Run(m *Model, seed, replication uint64, opt Options) (*Record, error) {
	if err := r.prepare(m, seed, replication); err != nil {
		return nil, err
	}
	r.trace, r.rec.letters, r.fewer = opt.Trace, opt.Dead, false
	for i := range r.groups {
		if !r.openGroup(i, &opt) {
			return nil, ErrStopped
		}
	}
	for i := range r.places {
		for k := range r.places[i].replicas {
			r.scheduleChange(i, k)
		}
	}
	r.openActs()
	if err := r.loop(&opt); err != nil {
		return nil, err
	}
	if r.fewer {
		return nil, ErrStopped
	}
	r.rec.finish(r)
	if err := r.check(); err != nil {
		return nil, err
	}
	return &r.rec.Record, nil
}

// stopEvery is how many events, or clients that start together, there are between
// two looks at whether the run is to stop.
const stopEvery = 1 << 14

// stopped says whether somebody wants the run to stop.
func stopped(opt *Options) bool {
	select {
	case <-opt.Stop:
		return true
	default:
		return false
	}
}

// tooMany says whether a run with so many events is to stop.
func tooMany(events int64, opt *Options) bool { return opt.Most > 0 && events >= opt.Most }

// loop is the one place where time advances.
func (r *Runner) loop(opt *Options) error {
	crowd := crowdLimit(r.model)
	until, same := r.model.Until, int64(0)
	for r.alive+r.ahead+r.flying+r.open > 0 || r.awaited() {
		e, ok := r.set.Pop()
		if !ok || e.At >= until {
			// What is left waits for ever, or for a time after the end.
			r.now = until
			r.rec.advance(r, until)
			return nil
		}
		if e.At != r.now {
			r.now, same = e.At, 0
			if e.At >= r.rec.edge {
				r.rec.advance(r, e.At)
			}
		}
		if same++; same > crowd+100*r.redone {
			return fmt.Errorf("stuck at %v: more than %d events at one instant", r.now, crowd)
		}
		if r.rec.Events++; r.rec.Events%stopEvery == 0 && (stopped(opt) || tooMany(r.rec.Events, opt)) {
			return ErrStopped
		}
		if r.slots.used > cached && r.set.Opened() != r.opened {
			r.fetch()
		}
		switch kindOf(e.Key) {
		case kindChange:
			r.change(int(e.Ref), int(e.Gen))
		case kindAct:
			r.act(int(e.Ref))
		case kindDone:
			if r.call(e.Ref).gen == e.Gen {
				r.done(e.Ref)
			}
		case kindAnswer:
			if r.call(e.Ref).gen == e.Gen {
				r.answer(e.Ref)
			}
		case kindTimeout:
			r.timer(e.Ref, e.Gen)
		case kindVisible:
			r.visible(r.places[e.Ref].queue)
		case kindStart:
			if !r.start(int(e.Gen), e.Ref, opt) {
				return ErrStopped
			}
		case kindSend:
			if c := r.call(e.Ref); c.gen == e.Gen {
				r.due(e.Ref, c)
			}
		case kindHedge:
			r.hedge(e.Ref, e.Gen)
		case kindCancel:
			r.sent = r.now
			if r.call(e.Ref).gen == e.Gen {
				r.cancelled(e.Ref)
			}
		case kindArrive:
			r.sent = r.now
			if c := r.call(e.Ref); c.gen == e.Gen {
				r.arrive(e.Ref, c)
			}
		}
	}
	if r.beyond {
		r.now = until
		r.rec.advance(r, until)
	}
	return nil
}

// cached is how many slots stay in a core's cache by themselves.
const cached = 4096

// fetch touches the slots that the next events are about. One after the other
// each would be waited for; asked for together they arrive together.
func (r *Runner) fetch() {
	r.opened = r.set.Opened()
	touched := uint32(0)
	for _, e := range r.set.Window() {
		if kindOf(e.Key) != kindStart && e.Ref < r.slots.used {
			s := r.slots.at(e.Ref)
			touched ^= s.task.gen ^ s.call.gen
		}
	}
	r.touched = touched
}

// crowdLimit is how many events may run at one instant before the run counts
// as stuck.
func crowdLimit(m *Model) int64 {
	limit := int64(1_000_000)
	for _, g := range m.Groups {
		limit += 100 * g.Count
	}
	return limit
}

// push schedules an event about a call.
func (r *Runner) push(k kind, at time.Duration, slot uint32, c *call) {
	r.set.Push(event.Event{At: at, Key: eventKey(k, c.client, c.key), Ref: slot, Gen: c.gen})
}

// change applies what a fault, a ramp or a restart changes at this instant.
func (r *Runner) change(service, replica int) {
	s := &r.places[service].replicas[replica]
	if s.scheduled != r.now {
		return // something moved the next change
	}
	s.scheduled = -1
	s.Change(r.now)
	r.changed(service, replica)
}

// changed goes on after the state of a station has changed.
func (r *Runner) changed(service, replica int) {
	p := &r.places[service]
	if r.trace != nil {
		r.traceStation(service, replica)
	}
	r.serveWaiting(service, replica)
	p.count(replica)
	r.rec.usable(service, r.now, p.usable)
	r.scheduleChange(service, replica)
}

// scheduleChange schedules the station's next change, unless it already is.
func (r *Runner) scheduleChange(service, replica int) {
	s := &r.places[service].replicas[replica]
	at, ok := s.NextChange()
	if !ok || at == s.scheduled || at >= r.model.Until {
		return
	}
	s.scheduled = at
	key := eventKey(kindChange, uint32(service), random.Key(replica)<<32)
	r.set.Push(event.Event{At: at, Key: key, Ref: uint32(service), Gen: uint32(replica)})
}
