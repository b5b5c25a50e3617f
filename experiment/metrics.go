package experiment

import (
	"math"
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// definition is a metric together with the way to get it.
type definition struct {
	Metric
	kind kind
	// per says in which dimensions the metric has parts, parts which is meant.
	per   [dimensions]extent
	parts parts
	// slice is the interval that parts names; empty for the whole run.
	slice sim.Slice
	// windowed metrics look at the windows in it.
	windowed bool
	// queued metrics are about queues; the reasons of lettered ones are outcomes too.
	queued, lettered bool
	value            func(*view) float64
}

// view is a finished replication, seen as a metric asks for it.
type view struct {
	rec     *sim.Record
	model   *sim.Model
	service int
	slice   *sim.SliceRecord // nil for the whole run
	parts   parts
	population
}

// at is what the service saw.
func (v *view) at() *sim.ServiceRecord { return &v.rec.Services[v.service] }

// of is the metric's value in a replication; not available where there is no
// such part.
func (d *definition) of(rec *sim.Record, m *sim.Model) float64 {
	v, ok := d.view(rec, m)
	if !ok {
		return math.NaN()
	}
	return d.value(&v)
}

// view is what the metric looks at, if there is such a part.
func (d *definition) view(rec *sim.Record, m *sim.Model) (v view, ok bool) {
	v = view{rec: rec, model: m, service: m.Target, parts: d.parts}
	if d.parts[byClass] != "" && d.per[byClass] == undivided {
		return v, false // a group's row has it, those of its classes have not
	}
	if name := d.parts[byService]; name != "" {
		v.service = slices.IndexFunc(m.Services, func(s sim.Service) bool { return s.Name == name })
		if v.service < 0 {
			return v, false
		}
	}
	if d.slice != (sim.Slice{}) {
		i := slices.IndexFunc(rec.Slices, func(s sim.SliceRecord) bool { return s.Slice == d.slice })
		if i < 0 {
			return v, false
		}
		v.slice = &rec.Slices[i]
	}
	v.population = everybody(rec, v.slice)
	if name := d.parts.group(); name != "" {
		if v.population, ok = groupOf(rec, v.slice, name); !ok {
			return v, false
		}
	}
	return v, true
}

// only is the same metric of a part.
func (d definition) only(p parts) definition {
	d.parts = p
	if t := p[byTime]; t != "" {
		d.slice, _ = parseSlice(t)
		d.Help += "; in " + t + ": requests by when they start, calls by when they reach the service, answers by when they are given, rates over its length"
	}
	d.Name += p.label(", ")
	d.Column += p.label("&")
	return d
}

// Metrics lists what expectations can be about, whatever the experiment, by name.
func Metrics() []Metric {
	var out []Metric
	for _, d := range definitions() {
		out = append(out, d.Metric)
	}
	for _, s := range specials() {
		if !slices.ContainsFunc(out, func(m Metric) bool { return m.Name == s.Name }) {
			out = append(out, s.Metric)
		}
	}
	return out
}

// definitions lists the metrics that every experiment has, each once, in the
// order of the reports. Requests that started before the warm-up count in none
// of them.
func definitions() []definition {
	return []definition{
		timed(called(caused(part(count("total_calls", "calls that reached the target, whatever was answered",
			func(v *view) float64 { return float64(calls(v)) }))))),
		timed(calling(caused(part(factor("amplification", "total calls / requests started",
			func(v *view) float64 { return ratio(calls(v), v.requests) }))))),
		timed(part(count("retries", "calls that reached the target and were not first attempts: retries, hedges, redeliveries",
			func(v *view) float64 { return float64(retries(v)) }))),
		timed(stopped(count("withheld", "attempts that policies did not make, on all hops: retries given up, calls stopped",
			func(v *view) float64 { return float64(withheld(v)) }))),
		windowed(part(rate("peak_load", "most calls that reached the target in a window / its width",
			func(v *view) float64 { return perSecond(peakCalls(v), v.model.Window) }))),
		windowed(part(rate("peak_retry", "most retries, hedges and redeliveries that reached the target in a window / its width",
			func(v *view) float64 { return perSecond(peakRetries(v), v.model.Window) }))),
		part(rate("peak_after", "peak load over windows that start at or after the end of the trigger",
			peakAfter)),
		part(factor("peak_load_x", "peak load / nominal capacity of the target", peakOfCapacity)),

		grouped(count("requests", "requests started",
			func(v *view) float64 { return float64(v.requests) })),
		grouped(count("succeeded", "requests that succeeded",
			func(v *view) float64 { return float64(v.succeeded) })),
		grouped(count("failed", "requests that gave up",
			func(v *view) float64 { return float64(v.failed) })),
		grouped(count("unfinished", "requests alive when the run ended",
			func(v *view) float64 { return float64(v.unfinished) })),
		grouped(share("failed_share", "requests that gave up / requests started",
			func(v *view) float64 { return ratio(v.failed, v.requests) })),

		grouped(rate("offered_load", "requests started / time from the warm-up to the last event",
			func(v *view) float64 { return perSecond(v.requests, observed(v)) })),
		grouped(rate("goodput", "requests succeeded within the slo / time from the warm-up to the last event",
			func(v *view) float64 { return perSecond(v.good, observed(v)) })),
		timed(part(rate("throughput", "calls the target answered / time from the warm-up to the last event",
			func(v *view) float64 { a := answers(v); return perSecond(a.good+a.bad, observed(v)) }))),
		timed(part(count("failures", "calls to the target that got another answer than success, or none",
			func(v *view) float64 { a := answers(v); return float64(a.bad + a.none) }))),
		part(seconds("wasted_work", "service time of the target for callers that had stopped waiting",
			func(v *view) float64 { return v.at().Wasted.Float() / 1e9 })),
		part(share("utilisation", "busy worker time / usable worker time of the target", utilisation)),
		part(count("crashes", "times the target died of overload",
			func(v *view) float64 { return float64(v.at().Crashes) })),

		completionQuantile("50", 500_000),
		completionQuantile("90", 900_000),
		completionQuantile("99", 990_000),
		completionQuantile("999", 999_000),
		successQuantile("50", 500_000),
		successQuantile("90", 900_000),
		successQuantile("99", 990_000),
		grouped(seconds("success_mean", "mean completion time of successful requests",
			func(v *view) float64 { return mean(v.completion) })),
		never(seconds("finished_at", "when the last request ended; never if some are unfinished",
			finishedAt)),
		never(seconds("recovery", "time from the end of the trigger until the system serves what is offered again",
			func(v *view) float64 { return recovery(v.rec, v.model) })),
		outcome(share("locked_in", "1 if the system never recovers or relapses for good, 0 if not; not a burst that has given up",
			func(v *view) float64 { return lockedIn(v.rec, v.model) })),
	}
}

// cost is what calls and waiting cost together, in calls, where a second of
// completion_p99 is worth so many calls.
func cost(exchange float64) definition {
	wait := completion(990_000)
	return never(count("cost", "total calls + completion_p99 in seconds x the calls that a second is worth",
		func(v *view) float64 { return float64(calls(v)) + float64(exchange*wait(v)) }))
}

// The kinds of metric, and what sets them apart.

func count(name, help string, value func(*view) float64) definition {
	return define(name, "", "", help, number, value)
}

func factor(name, help string, value func(*view) float64) definition {
	return define(name, "", "x", help, number, value)
}

func share(name, help string, value func(*view) float64) definition {
	return define(name, "", "", help, fraction, value)
}

func rate(name, help string, value func(*view) float64) definition {
	return define(name, "_per_s", "/s", help, frequency, value)
}

func seconds(name, help string, value func(*view) float64) definition {
	return define(name, "_s", "s", help, duration, value)
}

func define(name, suffix, unit, help string, k kind, value func(*view) float64) definition {
	return definition{Metric: Metric{Name: name, Column: name + suffix, Unit: unit, Help: help}, kind: k, value: value}
}

// part metrics exist for every service; by default they are the target's.
func part(d definition) definition {
	d.per[byService] = ofTarget
	return d
}

// caused metrics fall into parts by why the calls were made.
func caused(d definition) definition {
	d.per[byCause] = ofAll
	return d
}

// timed metrics exist for every interval of time: requests belong to it by when
// they start, calls by when they reach the service, answers by when they are
// given.
func timed(d definition) definition {
	d.per[byTime] = ofAll
	return d
}

// windowed metrics are about the windows in an interval.
func windowed(d definition) definition {
	d.windowed = true
	return timed(d)
}

// grouped metrics are about requests, and exist for every group of clients,
// every class of requests in it and every interval.
func grouped(d definition) definition {
	d.per[byGroup], d.per[byClass] = ofAll, ofAll
	return timed(d)
}

// calling metrics are about calls, which those that a group makes itself are a
// part of.
func calling(d definition) definition {
	d.per[byGroup] = onRequest
	return d
}

// called metrics are calling, and fall into parts by the policies.
func called(d definition) definition {
	d.per[byPolicy] = onRequest
	return calling(d)
}

// stopped metrics are about what was not done: between any caller and any
// service, under any policy, for any reason.
func stopped(d definition) definition {
	d.per[byService], d.per[byGroup], d.per[byReason], d.per[byPolicy] = ofAll, ofAll, ofAll, onRequest
	return d
}

func never(d definition) definition {
	d.Infinite = true
	return d
}

func outcome(d definition) definition {
	d.Share = true
	return d
}

// The formulas that need more than a line.

func ratio(n, of int64) float64 {
	if of == 0 {
		return math.NaN()
	}
	return float64(n) / float64(of)
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return math.NaN()
	}
	return float64(n) * 1e9 / float64(d)
}

// calls are those that reached the service, all or those of a cause. Those of
// a group or under a policy are what was sent on the hops, which is more by what
// is on its way when the run ends.
func calls(v *view) int64 {
	s := v.at()
	all, of := s.Calls, s.Causes
	if v.slice != nil || v.parts[byGroup] != "" || v.parts[byPolicy] != "" {
		all, of = onHops(v)
	}
	if v.parts[byCause] == "" {
		return all
	}
	return of[slices.Index(causes(), v.parts[byCause])]
}

// retries are the calls that were not first attempts.
func retries(v *view) int64 {
	if v.slice == nil {
		return v.at().Retries
	}
	all, of := onHops(v)
	return all - of[sim.First]
}

// onHops are the calls on the hops from the group to the service that have the
// policy in one of their layers: those that reached it in the slice, or all that
// were sent.
func onHops(v *view) (all int64, of [sim.Causes]int64) {
	service := v.model.Services[v.service].Name
	under := false
	for i := range v.rec.Hops {
		h := &v.rec.Hops[i]
		under = h.Layer > 0 && under || v.parts.has(byPolicy, h.Policy)
		if !h.Inner || !under || h.To != service || !v.parts.madeBy(h.From) {
			continue
		}
		from := &h.Causes
		if v.slice != nil {
			from = &v.slice.Hops[i].Causes
		}
		for c, n := range from {
			of[c] += n
			all += n
		}
	}
	return all, of
}

// withheld are the attempts not made on the hops that lead from the group to
// the service, by the policy.
func withheld(v *view) int64 {
	n := int64(0)
	for i := range v.rec.Hops {
		h := &v.rec.Hops[i]
		if !v.parts.madeBy(h.From) || !v.parts.has(byService, h.To) || !v.parts.has(byPolicy, h.Policy) {
			continue
		}
		from := &h.Withheld
		if v.slice != nil {
			from = &v.slice.Hops[i].Withheld
		}
		for g := strategies.Retry + 1; g < strategies.GiveUps; g++ {
			if v.parts.has(byReason, g.String()) {
				n += from[g]
			}
		}
	}
	return n
}

// observed is the time in which counted requests could do something: up to the
// last event, or to the end of the slice.
func observed(v *view) time.Duration {
	if s := v.slice; s != nil {
		return s.To - max(s.From, v.model.Warmup)
	}
	return v.rec.EndedAt - v.model.Warmup
}

// replies are what calls to the service came to.
type replies struct{ good, bad, none int64 }

func answers(v *view) replies {
	if v.slice != nil {
		s := &v.slice.Services[v.service]
		return replies{s.Succeeded, s.Failed, s.Silent}
	}
	s := v.at()
	return replies{s.Succeeded, s.Refused + s.Reset + s.Status, s.Silent}
}

func peakCalls(v *view) int64 {
	if v.slice != nil {
		return v.slice.Services[v.service].PeakCalls
	}
	return v.at().PeakCalls
}

func peakRetries(v *view) int64 {
	if v.slice != nil {
		return v.slice.Services[v.service].PeakRetries
	}
	return v.at().PeakRetries
}

// peakAfter is not available when no window comes after the trigger.
func peakAfter(v *view) float64 {
	window := int64(v.model.Window)
	if !v.rec.HasTrigger || ceilDiv(int64(v.rec.TriggerEnd), window)*window >= int64(v.model.Until) {
		return math.NaN()
	}
	return perSecond(v.at().PeakAfter, v.model.Window)
}

func peakOfCapacity(v *view) float64 {
	capacity, ok := v.model.Services[v.service].Spec.Capacity()
	if !ok || capacity <= 0 {
		return math.NaN()
	}
	return perSecond(v.at().PeakCalls, v.model.Window) / capacity
}

// utilisation is taken from the rows of the timeline that start after the
// warm-up: they know the usable workers at every instant.
func utilisation(v *view) float64 {
	if v.model.Services[v.service].Spec.Workers == server.Unlimited {
		return math.NaN()
	}
	var busy, usable sim.Sum
	first := ceilDiv(int64(v.model.Warmup), int64(v.rec.Row))
	for i, row := range v.at().Timeline {
		if int64(i) >= first {
			busy.Merge(row.InService)
			usable.Merge(row.Capacity)
		}
	}
	if usable == (sim.Sum{}) {
		return math.NaN()
	}
	return busy.Float() / usable.Float()
}

func finishedAt(v *view) float64 {
	switch {
	case v.rec.Requests == 0:
		return math.NaN()
	case v.rec.Unfinished > 0:
		return math.Inf(1)
	default:
		return inSeconds(v.rec.FinishedAt)
	}
}

// completion is a quantile, in millionths, over all requests started: nobody
// looks good by dropping work.
func completion(q int64) func(*view) float64 {
	return func(v *view) float64 { return quantile(v.completion, v.requests, q) }
}

// success is a quantile, in millionths, over the successful requests.
func success(q int64) func(*view) float64 {
	return func(v *view) float64 { return quantile(v.completion, v.completion.Len(), q) }
}

const million = 1_000_000

// quantile is the value of rank ceil(q n) among n, in seconds; what is not in
// times is infinite.
func quantile(times *sim.Times, n, q int64) float64 {
	rank := ceilDiv(q*n, million)
	switch {
	case n == 0:
		return math.NaN()
	case rank > times.Len():
		return math.Inf(1)
	default:
		return inSeconds(times.Rank(rank))
	}
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// inSeconds rounds once, so that 52.7 s is the number 52.7.
func inSeconds(d time.Duration) float64 { return float64(d) / 1e9 }

// mean is the mean of the times, in seconds.
func mean(times *sim.Times) float64 {
	if times.Len() == 0 {
		return math.NaN()
	}
	return times.Sum().Float() / float64(times.Len()) / 1e9
}
