package scenarios

import (
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/strategies"
)

// comeback is how long after its first call to a place the same work can come
// there again, and what brings it.
type comeback struct {
	time time.Duration
	why  string
}

func (b comeback) later(than comeback) bool { return b.time > than.time }

// keeping notes inboxes that forget a key while the same work can still come.
func (v *validator) keeping() {
	if !slices.ContainsFunc(v.scenario.Services, func(s Service) bool { return s.Inbox.On() && s.Inbox.Keep > 0 }) {
		return
	}
	all := v.comebacks()
	for i := range v.scenario.Services {
		s := &v.scenario.Services[i]
		if last := all[i]; s.Inbox.On() && s.Inbox.Keep > 0 && s.Inbox.Keep < last.time {
			v.warn("services."+s.Name+".inbox.keep", "the same work can come again "+FormatDuration(last.time.Round(time.Millisecond))+
				" after it was done ("+last.why+"), and a key is kept for "+FormatDuration(s.Inbox.Keep)+": then it is done twice")
		}
	}
}

// comebacks are those of every place: along each way to it, the longest that
// policies and queues go on trying, and what operators send again.
func (v *validator) comebacks() []comeback {
	g, until := v.graph, v.scenario.Until
	all := make([]comeback, g.count())
	take := func(place int, b comeback) bool {
		b.time = min(b.time, until)
		later := b.later(all[place])
		if later {
			all[place] = b
		}
		return later
	}
	follow := func() {
		for range g.count() + 1 { // a circle leads no further than that
			changed := false
			v.eachHop(func(from int, c caller, step *Step, layers []layer) {
				b := v.trying(layers)
				if c.queue {
					b = v.delivering(g.queue(from), b)
				}
				if from >= 0 {
					if above := all[from]; above.later(b) {
						b.why = above.why
					}
					b.time = after(b.time, all[from].time)
				}
				changed = take(g.places[step.To], b) || changed
			})
			if !changed {
				return
			}
		}
	}
	follow()
	for i := range v.scenario.Actions {
		a := &v.scenario.Actions[i]
		v.sentAgain(a, func(place int, kept time.Duration) {
			take(place, comeback{min(a.At, after(kept, all[place].time)), "actions." + a.Name})
		})
	}
	follow()
	return all
}

// sentAgain tells of the places that an action sends work to again, and how long
// what it sends has been kept at most.
func (v *validator) sentAgain(a *Action, to func(place int, kept time.Duration)) {
	g := v.graph
	first := func(c caller, kept time.Duration) {
		for step := range c.calls.Calls() {
			to(g.places[step.To], kept)
		}
	}
	switch a.Kind {
	case "resend", "rerun":
		for _, group := range v.scenario.AllGroups() {
			for _, c := range group.callers() {
				if a.Group == "" || a.Group == group.Name {
					first(c, ever)
				}
			}
		}
	case "redrive":
		place := g.places[a.Queue]
		if g.queue(place) == nil {
			return
		}
		kept := g.queue(place).Retention
		v.eachHop(func(from int, c caller, step *Step, layers []layer) {
			given := slices.ContainsFunc(layers, func(l layer) bool { return l.DeadLetter == a.Queue })
			if given || c.queue && g.queue(from).DeadLetter == a.Queue {
				to(g.places[step.To], kept)
			}
		})
	}
}

// trying is how long the policies of a step go on making calls.
func (v *validator) trying(layers []layer) comeback {
	var b comeback
	for i := len(layers) - 1; i >= 0; i-- {
		l := layers[i]
		b = comeback{lasting(l.Policy, b.time, v.scenario.Until), "retries under " + l.path}
	}
	return b
}

// lasting is the longest time from the first call under a policy to the last,
// given how long the calls of one attempt go on.
func lasting(p *strategies.Policy, each, until time.Duration) time.Duration {
	const many = 1000 // attempts: more are as good as no end
	rules := p.Compile()
	waits := rules.Waits()
	limit := until
	for _, l := range []time.Duration{p.MaxElapsed, p.Deadline} {
		if l > 0 {
			limit = min(limit, l)
		}
	}
	if noEnd(p.MaxAttempts) {
		return limit
	}
	t := each
	for k := int64(1); k < min(p.MaxAttempts, many) && k <= waits.Steps() && t < limit; k++ {
		t = after(t, after(max(p.Timeout, each), waits.Max(k)))
	}
	return min(t, limit)
}

// delivering is how long a queue goes on delivering a message.
func (v *validator) delivering(q *Queue, each comeback) comeback {
	again := q.Retention
	if q.MaxReceives != server.Unlimited {
		again = min(again, time.Duration(min(float64(q.MaxReceives-1)*float64(q.Visibility), float64(longTime))))
	}
	if again > each.time {
		each.why = "deliveries of queues." + q.Name
	}
	return comeback{after(each.time, again), each.why}
}
