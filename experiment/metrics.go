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
	value func(*view) float64
}

// view is a finished replication, seen as a metric asks for it.
type view struct {
	rec     *sim.Record
	model   *sim.Model
	service int
	parts   parts
	population
}

// at is what the service saw.
func (v *view) at() *sim.ServiceRecord { return &v.rec.Services[v.service] }

// of is the metric's value in a replication; not available where there is no
// such part.
func (d *definition) of(rec *sim.Record, m *sim.Model) float64 {
	v := view{rec: rec, model: m, service: m.Target, parts: d.parts, population: everybody(rec)}
	if name := d.parts[byService]; name != "" {
		v.service = slices.IndexFunc(m.Services, func(s sim.Service) bool { return s.Name == name })
		if v.service < 0 {
			return math.NaN()
		}
	}
	if name := d.parts[byGroup]; name != "" {
		var ok bool
		if v.population, ok = groupOf(rec, name); !ok {
			return math.NaN()
		}
	}
	return d.value(&v)
}

// only is the same metric of a part.
func (d definition) only(p parts) definition {
	d.parts = p
	d.Name += p.label(", ")
	d.Column += p.label("&")
	return d
}

// definitions lists the metrics, each once, in the order of the reports.
// Requests that started before the warm-up count in none of them.
func definitions() []definition {
	return []definition{
		called(caused(part(count("total_calls", "calls that reached the target, whatever was answered",
			func(v *view) float64 { return float64(calls(v)) })))),
		calling(caused(part(factor("amplification", "total calls / requests started",
			func(v *view) float64 { return ratio(calls(v), v.requests) })))),
		part(count("retries", "calls that reached the target and were not first attempts: retries, hedges, redeliveries",
			func(v *view) float64 { return float64(v.at().Retries) })),
		stopped(count("withheld", "attempts that policies did not make, on all hops: retries given up, calls stopped",
			func(v *view) float64 { return float64(withheld(v)) })),
		part(rate("peak_load", "most calls that reached the target in a window / its width",
			func(v *view) float64 { return perSecond(v.at().PeakCalls, v.model.Window) })),
		part(rate("peak_retry", "most retries, hedges and redeliveries that reached the target in a window / its width",
			func(v *view) float64 { return perSecond(v.at().PeakRetries, v.model.Window) })),
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
		part(rate("throughput", "calls the target answered / time from the warm-up to the last event",
			func(v *view) float64 { return perSecond(answered(v.at()), observed(v)) })),
		part(count("failures", "calls to the target that got another answer than success, or none",
			func(v *view) float64 { return float64(answered(v.at()) - v.at().Succeeded + v.at().Silent) })),
		part(seconds("wasted_work", "service time of the target for callers that had stopped waiting",
			func(v *view) float64 { return v.at().Wasted.Float() / 1e9 })),
		part(share("utilisation", "busy worker time / usable worker time of the target", utilisation)),
		part(count("crashes", "times the target died of overload",
			func(v *view) float64 { return float64(v.at().Crashes) })),

		grouped(never(seconds("completion_p50", "median of the completion time, the unsuccessful as infinite",
			completion(500_000)))),
		grouped(never(seconds("completion_p90", "90 % quantile of the completion time, the unsuccessful as infinite",
			completion(900_000)))),
		grouped(never(seconds("completion_p99", "99 % quantile of the completion time, the unsuccessful as infinite",
			completion(990_000)))),
		grouped(never(seconds("completion_p999", "99.9 % quantile of the completion time, the unsuccessful as infinite",
			completion(999_000)))),
		grouped(seconds("success_p50", "median of the completion time of successful requests",
			success(500_000))),
		grouped(seconds("success_p90", "90 % quantile of the completion time of successful requests",
			success(900_000))),
		grouped(seconds("success_p99", "99 % quantile of the completion time of successful requests",
			success(990_000))),
		grouped(seconds("success_mean", "mean completion time of successful requests",
			func(v *view) float64 { return mean(v.completion) })),
		never(seconds("finished_at", "when the last request ended; never if some are unfinished",
			finishedAt)),
		never(seconds("recovery", "time from the end of the trigger until the system serves what is offered again",
			func(v *view) float64 { return recovery(v.rec, v.model) })),
		outcome(share("locked_in", "1 if the system never recovers, 0 if it does; not a burst that has given up",
			func(v *view) float64 { return lockedIn(v.rec, v.model) })),
	}
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

// grouped metrics are about requests, and exist for every group of clients.
func grouped(d definition) definition {
	d.per[byGroup] = ofAll
	return d
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
	if v.parts[byGroup] != "" || v.parts[byPolicy] != "" {
		all, of = sent(v)
	}
	if v.parts[byCause] == "" {
		return all
	}
	return of[slices.Index(causes(), v.parts[byCause])]
}

// sent are the calls on the hops from the group to the service that have the
// policy in one of their layers.
func sent(v *view) (all int64, of [sim.Causes]int64) {
	service := v.model.Services[v.service].Name
	under := false
	for i := range v.rec.Hops {
		h := &v.rec.Hops[i]
		under = h.Layer > 0 && under || v.parts.has(byPolicy, h.Policy)
		if !h.Inner || !under || h.To != service || !v.parts.has(byGroup, h.From) {
			continue
		}
		all += h.Calls
		for c := range of {
			of[c] += h.Causes[c]
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
		if !v.parts.has(byGroup, h.From) || !v.parts.has(byService, h.To) || !v.parts.has(byPolicy, h.Policy) {
			continue
		}
		for g := strategies.Retry + 1; g < strategies.GiveUps; g++ {
			if v.parts.has(byReason, g.String()) {
				n += h.Withheld[g]
			}
		}
	}
	return n
}

// observed is the time in which counted requests could do something.
func observed(v *view) time.Duration { return v.rec.EndedAt - v.model.Warmup }

func answered(s *sim.ServiceRecord) int64 { return s.Succeeded + s.Refused + s.Reset + s.Status }

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
