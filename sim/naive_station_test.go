package sim_test

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Services that do more than the naive model knows (queues in other orders,
// answers that ask to wait, limiters, shedding) are decided by the real
// station, which has oracles of its own.

func beyondNaive(v *server.Spec) bool {
	asks := v.Queue.Full.RetryAfter.Kind != 0
	for _, f := range v.Faults {
		asks = asks || f.Answer.RetryAfter.Kind != 0 || len(f.Mix) > 0 || f.Stored
	}
	if l := v.RateLimit; l != nil {
		asks = asks || l.Answer.RetryAfter.Kind != 0 || l.Ban > 0
	}
	order := v.Queue.Order
	return asks || v.Limiter != nil || v.Shed != nil || v.Queue.MaxWait > 0 || order != "" && order != "fifo" && order != "lifo"
}

// nextChange schedules the station's next change.
func (n *naive) nextChange(s *site) {
	n.cancel(s.change)
	s.change = nil
	at, ok := s.station.NextChange()
	if !ok {
		return
	}
	s.change = n.at(at, onChange, uint32(s.index), random.Key(s.replica), func() {
		s.change = nil
		s.station.Change(n.now)
		n.next(s)
		set(&s.usableLog, n.now, max(0, s.usable(n.now)))
		n.nextChange(s)
	})
}

func (n *naive) askStation(s *site, a *attempt) {
	d := s.station.Arrive(n.now, n.visit(a))
	n.ask(a, d.Answer, d.Asked)
	switch d.Fate {
	case server.Answered, server.Lost:
		n.reply(s, a, d.Answer)
	case server.Crashes:
		n.crash(s, a)
	case server.Starts:
		a.answer = d.Answer
		n.serve(s, a)
	case server.Waits:
		a.answer = d.Answer
		s.queue = append(s.queue, a)
		set(&s.waitLog, n.now, int64(len(s.queue)))
	}
}

// visit is what a station has to know of a call.
func (n *naive) visit(a *attempt) server.Call {
	c := server.Call{ID: a.id, Client: uint64(a.by.group)<<32 | n.member(a.by), Key: a.key, Request: n.requestKey(a), Retry: a.cause != 0}
	switch {
	case a.layer.policy.Propagate: // it goes by what it is told
		if a.carried > n.now && a.carried < forever {
			c.Deadline = a.carried
		}
	case a.awaited() && a.deadline < forever:
		c.Deadline = a.deadline
	}
	return c
}

// requestKey is what all calls of a request on one hop share.
func (n *naive) requestKey(a *attempt) random.Key {
	c := a.by
	return n.groups[c.group].Child(uint64(c.client), uint64(c.request), 1).Child(a.layer.name, 0, 0)
}

// demand is how much work a call asks of a service.
func (n *naive) demand(s *site, a *attempt) time.Duration {
	if a.refused {
		return n.m.Services[s.index].Expired.Time
	}
	service, key := s.spec.ServiceTime.Sampler(), a.key
	if s.spec.Redraw == "request" {
		key = n.requestKey(a)
	}
	return times(service.At(key.Draw(random.Service, 0)), n.cost(a.by))
}

// ask notes what an answer asks for.
func (n *naive) ask(a *attempt, answer server.Answer, hint server.Hint) {
	form := map[server.Form]strategies.AskedForms{
		server.FormSeconds: strategies.AskedSeconds, server.FormDate: strategies.AskedDate, server.FormMillis: strategies.AskedMillis,
	}[hint.Form]
	a.hinted = hint.Set && answer != server.OK && a.layer.rules.Reads(strategies.Outcome(answer), form)
	a.asked, a.askedAt, a.dated = hint.Wait, n.now, hint.Form == server.FormDate
}

func (n *naive) nextOfStation(s *site) {
	for {
		t, ok := s.station.Next(n.now)
		if !ok {
			return
		}
		var a *attempt
		for i, b := range s.queue {
			if b.id == t.Call {
				a = b
				s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
				break
			}
		}
		set(&s.waitLog, n.now, int64(len(s.queue)))
		switch {
		case t.Dropped:
			n.ask(a, t.Answer, t.Asked)
			n.reply(s, a, t.Answer)
		case s.drop && !a.awaited():
			n.expired(s, a)
			s.station.Leave(n.now, n.now-a.arrived, true)
			n.reply(s, a, server.Silent)
		default:
			n.serve(s, a)
		}
	}
}
