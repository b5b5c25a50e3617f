package lint

import (
	"fmt"
	"slices"
	"strings"

	"retrystorm/server"
)

// capacity is the most that a service can serve per second. Where calls slow
// each other down, n of them take service_time + (n-1) slowdown.
func capacity(spec server.Spec) (perSecond float64, ok bool) {
	if spec.Slowdown > 0 {
		one, more := spec.ServiceTime.MeanSeconds(), spec.Slowdown.Seconds()
		perSecond, ok = 1/more, true
		if n := float64(spec.Workers); spec.Workers != server.Unlimited {
			perSecond = n / (one + float64((n-1)*more))
		}
		perSecond *= float64(spec.Count())
	}
	nominal, limited := spec.Capacity()
	if limited && (!ok || nominal < perSecond) {
		return nominal, true
	}
	return perSecond, ok
}

// loads compares what is asked of services with what they can serve.
func (v *view) loads() {
	for _, s := range v.order {
		service := &v.model.Services[s]
		capacity, limited := capacity(service.Spec)
		load := v.asked(s)
		if !limited || load == 0 {
			continue
		}
		path := "services." + service.Name
		if load >= capacity {
			v.report("", Finding{
				Check: Load, Severity: Problem, Path: path + "." + v.capacityField(s),
				Message: fmt.Sprintf("%s gets %s and can serve %s (%s), without a single retry", service.Name, perSecond(load), perSecond(capacity), percent(load/capacity)),
				Fix:     "more capacity, or less load",
			})
			continue
		}
		v.vulnerable(s, load, capacity)
	}
}

// vulnerable reports a service that its callers' retries can keep overloaded
// after whatever started it is over, because they retry what overload causes.
func (v *view) vulnerable(s int, load, capacity float64) {
	total, breaker := 0.0, ""
	var chain []factor
	for i := range v.groups {
		g := &v.groups[i]
		if g.rate == 0 || g.base[s] == 0 {
			continue
		}
		r := &g.sustained[s]
		cost := g.worth[s] / g.base[s]
		total += float64(g.rate * cost * min(r.calls.N, r.average.N))
		if len(r.chain) > len(chain) {
			chain = r.chain
		}
		for k := range r.chain {
			if l := r.chain[k].layer; l != nil && l.Breaker != nil {
				breaker = l.field("breaker")
			}
		}
	}
	top := largest(chain)
	if total < capacity || top == nil || top.layer == nil || top.layer.MaxAttempts == 1 { // hedges have a check of their own
		return
	}
	name := v.model.Services[s].Name
	amplification := total / load
	f := Finding{Check: Load, Severity: Problem, Path: top.limits()}
	f.Message = fmt.Sprintf("retries alone can keep %s overloaded: when everything fails its callers never stop asking", name)
	if amplification < inf {
		f.Message = fmt.Sprintf("retries alone can keep %s overloaded: when everything fails it gets %s x %s = %s, and it can serve %s; below %s it recovers by itself",
			name, perSecond(load), number(amplification), perSecond(total), perSecond(capacity), perSecond(capacity/amplification))
	}
	f.Fix = "a retry budget, fewer attempts, or load that is turned away early"
	if breaker != "" {
		f.Severity = Note
		f.Message += ", unless " + breaker + " opens"
		f.Fix = ""
	}
	v.report(name, f)
}

// capacityField is what limits a service.
func (v *view) capacityField(s int) string {
	spec := v.model.Services[s].Spec
	rate := spec.RateLimit
	spec.RateLimit = nil
	both, _ := capacity(v.model.Services[s].Spec)
	own, limited := capacity(spec)
	switch {
	case rate != nil && (!limited || both < own):
		return "rate_limit"
	case spec.Slowdown > 0:
		return "slowdown"
	}
	return "workers"
}

// idempotency reports calls that must not be done twice and may be.
func (v *view) idempotency() {
	v.eachLayer(func(h *hop, i int) {
		l := &h.layers[i]
		if h.Idempotent || v.service(h).Inbox.Kind == "unique" {
			return
		}
		name := v.service(h).Name
		if l.hedges() > 0 {
			v.report(h.path+" "+name, Finding{
				Check: Idempotency, Severity: Problem, Path: l.field("hedge"),
				Message: fmt.Sprintf("requests are not idempotent, but calls from %s to %s are hedged: both copies may be done", h.from, name),
				Fix:     "no hedges for these calls",
			})
		}
		if l.MaxAttempts == 1 {
			return
		}
		var after []string
		for _, o := range anyOutcome {
			word := ""
			switch {
			case !l.rules.Retryable(o) || l.most(o) == 1:
			case o >= 500:
				word = "5xx"
			case o.String() == "reset", o.String() == "timeout" && l.Timeout > 0:
				word = o.String()
			}
			if word != "" && !slices.Contains(after, word) {
				after = append(after, word)
			}
		}
		if len(after) == 0 {
			return
		}
		v.report(h.path+" "+name, Finding{
			Check: Idempotency, Severity: Problem, Path: l.field("retry_on"),
			Message: fmt.Sprintf("requests are not idempotent, but calls from %s to %s are retried after %s: the work may have been done", h.from, name, strings.Join(after, ", ")),
			Fix:     "idempotent_only: true",
		})
	})
}
