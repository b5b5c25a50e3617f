package lint

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// causes finds how the calls of each service can fail, those of the services
// that call nobody first.
func (v *view) causes() {
	v.failing = make([][]failure, len(v.model.Services))
	for k := len(v.order) - 1; k >= 0; k-- {
		i := v.order[k]
		if v.isQueue(i) {
			continue
		}
		c := collector{path: "services." + v.model.Services[i].Name + "."}
		below := v.failsBelow(i)
		c.answers(&v.model.Services[i].Spec)
		c.times(&v.model.Services[i], v.nominal[i], len(below) > 0 && !v.model.Services[i].Async)
		c.list = append(c.list, below...)
		v.failing[i] = c.list
	}
}

// failsBelow are the failures of a service that come of what it calls.
func (v *view) failsBelow(service int) []failure {
	var out []failure
	add := func(f failure) {
		for i := range out {
			if o := &out[i]; o.outcome == f.outcome && o.why == f.why && o.overload == f.overload && o.together == f.together {
				o.late = max(o.late, f.late)
				return
			}
		}
		out = append(out, f)
	}
	for i := range v.hops {
		h := &v.hops[i]
		if h.caller != service || h.ignored {
			continue
		}
		for _, f := range v.failing[h.To] {
			up := failure{outcome: badGateway, late: longest, why: f.why, together: f.together, overload: f.overload, below: true}
			if h.fails(0, &f) {
				add(up)
			}
			up.outcome, up.late = strategies.Timeout, h.lasts(&f)
			add(up)
		}
	}
	return out
}

// lasts is how long a run of a hop may take when all attempts end so.
func (h *hop) lasts(f *failure) time.Duration {
	const many = 1000
	each := after(f.late, h.far())
	for i := len(h.layers) - 1; i >= 0; i-- {
		l := &h.layers[i]
		each = firstOf(l.Timeout, each)
		if h.retries(i, f) {
			most := l.most(f.outcome)
			if most > many {
				each = longest
			} else {
				waits := l.rules.WaitsAfter(f.outcome)
				one := each
				for k := int64(1); k < most; k++ {
					each = after(after(each, waits.Max(k)), one)
				}
			}
		}
		each = firstOf(l.Deadline, each)
	}
	return each
}

// collector gathers the failures of one service.
type collector struct {
	path string // of the service
	list []failure
}

// answer adds what a field says, or its default.
func (c *collector) answer(r server.Reply, otherwise server.Answer, field string, f failure) {
	if r.Answer == server.OK {
		r.Answer = otherwise
	}
	f.outcome, f.path = outcomeOf(r.Answer), c.path+field
	if f.outcome == strategies.Timeout { // silence
		f.late = longest
	} else {
		f.reply = &r
	}
	c.list = append(c.list, f)
}

func outcomeOf(a server.Answer) strategies.Outcome {
	switch a {
	case server.Refused:
		return strategies.Refused
	case server.Reset:
		return strategies.Reset
	case server.Silent:
		return strategies.Timeout
	}
	return strategies.Outcome(a)
}

// answers are the failures that the service itself says.
func (c *collector) answers(spec *server.Spec) {
	for i := range spec.Faults {
		c.fault(spec, &spec.Faults[i])
	}
	if spec.Crash != nil {
		why := c.path + "crash hits all callers"
		c.list = append(c.list,
			failure{outcome: strategies.Refused, why: why, together: true, overload: true},
			failure{outcome: strategies.Reset, late: longest, why: why, together: true, overload: true})
	}
	if r := spec.RateLimit; r != nil {
		f := failure{why: c.path + "rate_limit refuses callers together", together: true, overload: true}
		if r.Scope == "client" {
			f.why, f.together = c.path+"rate_limit refuses each client by itself", false
		}
		c.answer(r.Answer, 429, "rate_limit.answer", f)
	}
	limited := spec.Workers != server.Unlimited
	full := failure{why: c.path + "queue refuses callers together", together: true, overload: true}
	if limited && spec.Queue.Limit != server.Unlimited {
		c.answer(spec.Queue.Full, 503, "queue.full", full)
	}
	if limited && (spec.Queue.MaxWait > 0 || spec.Queue.Order == "codel") {
		full.late = longest
		c.answer(spec.Queue.Full, 503, "queue.full", full)
	}
	if spec.Limiter != nil {
		c.answer(spec.Limiter.Answer, 503, "limiter.answer", failure{why: c.path + "limiter refuses callers together", together: true, overload: true})
	}
	if spec.Shed != nil {
		c.answer(spec.Shed.Answer, 503, "shed.answer", failure{why: c.path + "shed refuses callers together", together: true, overload: true})
	}
	if spec.Contention != nil && spec.Contention.Kind != "lock" {
		c.list = append(c.list, failure{outcome: 409, late: longest, why: c.path + "contention lets one of several through", overload: true})
	}
}

// fault adds the answers of a fault.
func (c *collector) fault(spec *server.Spec, f *server.Fault) {
	field := "faults." + f.Name
	found := failure{why: c.path + field + " hits all callers", together: true}
	share := spec.Reach(f)
	if f.Kind == "errors" {
		share *= f.Share
	}
	if share < 0.5 {
		found.why, found.together = c.path+field+" hits some callers", false
	}
	if f.AfterWork {
		found.quick, found.late = least(spec.ServiceTime), longest
	}
	switch {
	case f.Kind == "down":
		c.answer(f.Answer, server.Refused, field+".answer", found)
	case f.Kind != "errors" || f.Share == 0:
	case len(f.Mix) == 0:
		c.answer(f.Answer, 500, field+".answer", found)
	default:
		for _, m := range f.Mix {
			var a server.Answer
			if m.Share > 0 && a.UnmarshalText([]byte(m.Answer)) == nil {
				c.answer(server.Reply{Answer: a, RetryAfter: m.RetryAfter, Spread: m.Spread, Form: m.Form}, a, field+".mix."+m.Answer, found)
			}
		}
	}
}

// times adds how long calls may take when there are too many of them, and in
// each fault. Mean is the time of a call when all is well; fragile services
// hold their workers while others fail.
func (c *collector) times(s *sim.Service, mean float64, fragile bool) {
	spec := &s.Spec
	usual := failure{outcome: strategies.Timeout, late: slowest(spec, mean, 1, fragile), overload: true, why: c.path + "workers are all busy"}
	if spec.Workers == server.Unlimited {
		usual.why = c.path + "service_time is long"
		usual.overload = spec.Slowdown > 0 || spec.Contention != nil
	}
	c.list = append(c.list, usual)
	for i := range spec.Faults {
		f := &spec.Faults[i]
		found := failure{outcome: strategies.Timeout, together: true, why: c.path + "faults." + f.Name + " hits all callers"}
		if spec.Reach(f) < 0.5 {
			found.why, found.together = c.path+"faults."+f.Name+" hits some callers", false
		}
		switch {
		case f.Kind == "slow":
			found.late = slowest(spec, mean, max(f.Factor, 1), fragile)
		case f.Kind == "capacity" && f.Share < 1 && spec.Workers != server.Unlimited:
			found.late = slowest(spec, mean, 1/f.Share, fragile)
		case f.Kind == "pause" && f.For == 0:
			found.late = longest
		case f.Kind == "pause":
			found.late = after(usual.late, f.For)
		case f.Ramp > 0 && spec.Workers != server.Unlimited:
			found.late = longest
		default:
			continue
		}
		if f.Ramp > 0 && spec.Workers != server.Unlimited {
			found.late = longest
		}
		c.list = append(c.list, found)
	}
}

// slowest is the longest that a call takes, waiting for a worker included, when
// all work takes factor times as long.
func slowest(spec *server.Spec, mean, factor float64, fragile bool) time.Duration {
	variance := spec.ServiceTime.Variance()
	if spec.Contention != nil && spec.Contention.Kind == "lock" {
		return longest
	}
	if spec.Workers == server.Unlimited {
		if spec.Slowdown > 0 {
			return longest
		}
		return beyond(float64(mean*factor), float64(variance*factor*factor))
	}
	q := &spec.Queue
	if fragile || q.Limit == server.Unlimited || q.Order != "fifo" && q.Order != "codel" && q.Order != "" {
		return longest
	}
	workers, ahead := float64(spec.Workers), float64(q.Limit)
	each := mean + float64((workers-1)*spec.Slowdown.Seconds())
	share := ahead / workers
	return beyond(float64((each+float64(share*each))*factor), float64((variance+float64(share/workers*variance))*factor*factor))
}
