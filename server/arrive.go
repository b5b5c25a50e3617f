package server

import (
	"time"

	"retrystorm/sim/random"
)

// Arrive decides what happens to a call that reaches the station. Draws are
// named after the call's key, so they don't depend on what else happened.
func (s *Station) Arrive(now time.Duration, c Call) Decision {
	d := Decision{Fate: Starts}
	if s.guarded {
		if d = s.admit(now, c.Client, c.Key, c.Request, c.Retry); d.Fate != Starts {
			return d
		}
	}
	free := s.inService < s.usable
	if !free && s.queue.n >= s.queue.limit {
		return s.overflow(now, c)
	}
	if inside := s.Inside(); inside >= s.above {
		if inside >= s.inFlight {
			return s.overflow(now, c)
		}
		return s.die(now)
	}
	if free {
		s.inService++
		return d
	}
	s.join(now, c)
	d.Fate = Waits
	return d
}

// join puts a call into the queue.
func (s *Station) join(now time.Duration, c Call) {
	if s.queue.plain {
		s.queue.push(c.ID)
	} else {
		s.queue.enter(now, c)
	}
}

// overflow answers a call that finds no place.
func (s *Station) overflow(now time.Duration, c Call) Decision {
	if s.limiter.active {
		s.limiter.drop(now)
	}
	return s.turnAway(now, 0, c.Client, c.Key, &s.full)
}

// admit sends a call on (Starts) or answers it.
func (s *Station) admit(now time.Duration, client uint64, key, request random.Key, retry bool) Decision {
	if s.down.reply != nil {
		return s.turnAway(now, s.down.end, client, key, s.down.reply)
	}
	if s.admitted < 1 && random.Unit(key.Draw(random.Admit, 0)) >= s.admitted {
		return answered(Refused, Hint{})
	}
	if s.bans.length > 0 {
		if rest, banned := s.bans.rest(now, client); banned {
			return s.banish(now, rest, key)
		}
	}
	if s.rate.kind != noLimit && !s.rate.admit(now, client) {
		return s.limit(now, client, key)
	}
	d := Decision{Fate: Starts}
	if len(s.failing) > 0 {
		if d = s.fail(now, client, key, request); d.Fate != Starts {
			return d
		}
	}
	if s.shed.active && s.shed.refuses(s.queue.n, retry) {
		return s.turnAway(now, 0, client, key, &s.shed.reply)
	}
	if s.limiter.active && !s.limiter.rules.Acquire(&s.limiter.state) {
		return s.turnAway(now, 0, client, key, &s.limiter.reply)
	}
	return d
}

// banish answers a client that is banned for the rest of that time.
func (s *Station) banish(now, rest time.Duration, key random.Key) Decision {
	r := &s.rate.reply
	return answered(r.answer, r.read(r.tell(now, rest, key)))
}

// limit answers a call above the rate limit.
func (s *Station) limit(now time.Duration, client uint64, key random.Key) Decision {
	r := &s.rate.reply
	asked, told := s.ask(now, 0, client, key, r)
	if s.bans.length > 0 {
		s.bans.tell(now, now+told, client)
	}
	return answered(r.answer, asked)
}

// fail applies the errors faults. Each draws, whatever the others did: for the
// call, or for the request, whose calls then all get the same.
func (s *Station) fail(now time.Duration, client uint64, key, request random.Key) Decision {
	var atOnce, afterWork cause
	for _, f := range s.failing {
		from := key
		if f.stored {
			from = request
		}
		if f.share < 1 && random.Unit(from.Draw(random.Error, f.index)) >= f.share {
			continue
		}
		r := &f.reply
		if len(f.mix) > 0 {
			r = f.draw(from)
		}
		if f.afterWork {
			afterWork.add(r, f.to)
		} else {
			atOnce.add(r, f.to)
		}
	}
	switch {
	case atOnce.reply != nil:
		return s.turnAway(now, atOnce.end, client, key, atOnce.reply)
	case afterWork.reply != nil:
		asked, _ := s.ask(now, afterWork.end, client, key, afterWork.reply)
		return Decision{Fate: Starts, ErrorAfter: true, Answer: afterWork.answer(), Asked: asked}
	default:
		return Decision{Fate: Starts}
	}
}
