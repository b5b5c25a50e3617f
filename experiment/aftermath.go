package experiment

import (
	"fmt"
	"math"
	"slices"
	"time"

	"retrystorm/sim"
	"retrystorm/strategies"
)

// special is a metric that only some experiments have: those whose models have
// what it is about.
type special struct {
	definition
	column func(f *features) bool
	// lacks is what is missing where it means nothing; empty: it means something
	// everywhere, so that an expectation may name it where it is no column.
	lacks string
}

// specials lists them, in the order of the reports, after those of all
// experiments. Like these they do not look at requests that started before the
// warm-up.
func specials() []special {
	var all []special
	add := func(column func(f *features) bool, lacks string, metrics ...definition) {
		for _, d := range metrics {
			all = append(all, special{d, column, lacks})
		}
	}
	add(func(f *features) bool { return f.graph }, "",
		service(share("blocked_share", "time in which all usable workers of a service waited for others / time from the warm-up to the last event; of the service where it is most", blockedShare)),
		part(share("wasted_share", "service time of the target for callers that had stopped waiting / all service time of it", func(v *view) float64 { return wastedShare(v.at().Busy, v.at().Wasted) })))
	add(func(f *features) bool { return f.refusals }, "",
		service(count("expired", "calls dropped or refused because their caller had left, or would have before they were done",
			ofServices(func(s *sim.ServiceRecord) int64 { return s.Expired }))))
	add(func(f *features) bool { return f.effects }, "no service counts what it does: give one an inbox, or inbox: none",
		service(count("effects", "times that the work of a request was done by a service, duplicates included",
			ofEffects(func(e *sim.Effects) int64 { return e.Done }))),
		service(caused(count("duplicates", "effects of a request that had been done before, by what made the call that did it again", duplicates))),
		service(count("replayed", "calls that got the stored answer of their own request",
			ofEffects(func(e *sim.Effects) int64 { return e.Replayed }))),
		service(count("conflicts", "calls answered 409 because their work was done or being done",
			ofEffects(func(e *sim.Effects) int64 { return e.Conflicts }))),
		service(count("swallowed", "calls answered by the key of another request, so that their own work was not done",
			ofEffects(func(e *sim.Effects) int64 { return e.Swallowed }))))
	add(func(f *features) bool { return f.queues }, "there are no queues", ofQueueMetrics()...)
	add(func(f *features) bool { return f.deadLetters }, "no queue and no policy has a dead_letter", lettered(queued(count("dead_letters",
		"messages that came to dead-letter queues; of another queue, those that died in it", deadLetters))))
	again := func(kind sim.ActionKind, name, what string) []definition {
		return []definition{
			count(name, what+" made again by an action", sent(kind, func(a *sim.ActionRecord) int64 { return a.Sent })),
			count(name+"_failed", "of them, those that failed again", sent(kind, func(a *sim.ActionRecord) int64 { return a.Failed })),
		}
	}
	add(func(f *features) bool { return f.redrives }, "there is no action redrive", append(again(sim.Redrive, "redriven", "messages"),
		never(seconds("redrive_ended_at", "when the last message that was redriven had been worked on or had failed; never if some are unfinished", redriveEndedAt)))...)
	add(func(f *features) bool { return f.resends }, "there is no action resend", again(sim.Resend, "resent", "failed requests")...)
	add(func(f *features) bool { return f.reruns }, "there is no action rerun", again(sim.Rerun, "rerun", "requests")...)
	add(func(f *features) bool { return f.redrives || f.resends || f.reruns }, "there is no action that makes anything again",
		seconds("second_outage", "seconds after an action began in which fewer than 90 % of the new requests were served", secondOutage))
	return all
}

// ofQueueMetrics are those of queues, which reports have of every queue too.
func ofQueueMetrics() []definition {
	number := func(name, help string, of func(*sim.QueueRecord) int64) definition {
		return queued(count(name, help, func(v *view) float64 {
			n := int64(0)
			for q := range v.queues() {
				n += of(q)
			}
			return float64(n)
		}))
	}
	return []definition{
		number("messages", "messages stored in queues, those put back by a redrive included", func(q *sim.QueueRecord) int64 { return q.Sent }),
		number("deliveries", "messages that consumers took, each time", func(q *sim.QueueRecord) int64 { return q.Deliveries }),
		queued(count("redeliveries", "calls that consumers made for messages that had been delivered before", redeliveries)),
		number("done", "messages that were worked on and are gone", func(q *sim.QueueRecord) int64 { return q.Done }),
		number("lost", "messages older than the retention", func(q *sim.QueueRecord) int64 { return q.Lost }),
		number("taken", "messages taken out by a redrive, to be worked on after all", func(q *sim.QueueRecord) int64 { return q.Redriven }),
		number("left", "messages still there when the run ended", func(q *sim.QueueRecord) int64 { return q.Left }),
		queued(seconds("oldest", "age of the oldest of those, 0 if there are none", oldest)),
		messageDelay("50", 500_000),
		messageDelay("99", 990_000),
	}
}

// featured are the metrics that experiments with these features have more.
func featured(f features) []definition {
	var out []definition
	for _, s := range specials() {
		if s.column(&f) {
			out = append(out, s.definition)
		}
	}
	return out
}

// special finds a metric that is no column. It is an error to ask for one that
// means nothing here.
func (e *Experiment) special(name string) (d definition, ok bool, err error) {
	f := e.features()
	for _, s := range specials() {
		if s.Name != name {
			continue
		}
		if s.lacks != "" && !s.column(&f) {
			return d, true, fmt.Errorf("%s means nothing here: %s", name, s.lacks)
		}
		return s.definition, true, nil
	}
	return d, false, nil
}

// service metrics are about all services together, and about each.
func service(d definition) definition {
	d.per[byService] = ofAll
	return d
}

// queued metrics are about all queues together, and about each.
func queued(d definition) definition {
	d.queued = true
	return service(d)
}

// lettered metrics fall into parts by what the last attempt came to, or why it
// was the last.
func lettered(d definition) definition {
	d.lettered = true
	d.per[byReason] = ofAll
	return d
}

func messageDelay(digits string, q int64) definition {
	return queued(seconds("message_delay_p"+digits, quantileWords(q)+" of the time from when a message was stored until it was worked on", func(v *view) float64 {
		var all sim.Times
		for q := range v.queues() {
			all.Merge(&q.Delay)
		}
		return quantile(&all, all.Len(), q)
	}))
}

// queues are those that are meant.
func (v *view) queues() func(yield func(*sim.QueueRecord) bool) {
	return func(yield func(*sim.QueueRecord) bool) {
		for i := range v.rec.Queues {
			if q := &v.rec.Queues[i]; v.parts.has(byService, q.Name) && !yield(q) {
				return
			}
		}
	}
}

// services are those that are meant, by index.
func (v *view) services() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range v.rec.Services {
			if v.parts.has(byService, v.model.Services[i].Name) && !yield(i) {
				return
			}
		}
	}
}

// ofServices sums a number over services.
func ofServices(of func(*sim.ServiceRecord) int64) func(*view) float64 {
	return func(v *view) float64 {
		n := int64(0)
		for i := range v.services() {
			n += of(&v.rec.Services[i])
		}
		return float64(n)
	}
}

// ofEffects sums a number over the services whose effects are counted; it is not
// available where there are none.
func ofEffects(of func(*sim.Effects) int64) func(*view) float64 {
	return func(v *view) float64 {
		n, counted := int64(0), false
		for i := range v.services() {
			n += of(&v.rec.Services[i].Effects)
			counted = counted || v.model.Services[i].Effects
		}
		if !counted {
			return math.NaN()
		}
		return float64(n)
	}
}

func duplicates(v *view) float64 {
	return ofEffects(func(e *sim.Effects) int64 {
		n := int64(0)
		for c, k := range e.Duplicates {
			if v.parts.has(byCause, sim.Cause(c).String()) {
				n += k
			}
		}
		return n
	})(v)
}

func blockedShare(v *view) float64 {
	most, of := time.Duration(0), v.rec.EndedAt-v.model.Warmup
	for i := range v.services() {
		most = max(most, v.rec.Services[i].Blocked)
	}
	if of <= 0 {
		return math.NaN()
	}
	return float64(most) / float64(of)
}

func wastedShare(busy, wasted sim.Sum) float64 {
	if busy == (sim.Sum{}) {
		return math.NaN()
	}
	return wasted.Float() / busy.Float()
}

// redeliveries are counted where consumers call: as calls of the outermost
// layer.
func redeliveries(v *view) float64 {
	n := int64(0)
	for q := range v.queues() {
		for i := range v.rec.Hops {
			if h := &v.rec.Hops[i]; h.From == q.Name && h.Layer == 0 {
				n += h.Causes[sim.Redelivery]
			}
		}
	}
	return float64(n)
}

func oldest(v *view) float64 {
	most := time.Duration(0)
	for q := range v.queues() {
		if q.Left > 0 {
			most = max(most, q.Oldest)
		}
	}
	return inSeconds(most)
}

// deadLetters counts messages where they came to. Of a queue to which none come,
// it counts those that died in it, wherever they went.
func deadLetters(v *view) float64 {
	n := int64(0)
	for q := range v.queues() {
		if v.parts[byService] != "" && !deadLetterQueues(v.model)[q.Name] {
			return float64(q.Dead)
		}
		for _, r := range q.Reasons {
			if v.forReason(&r) {
				n += r.Count
			}
		}
	}
	return float64(n)
}

// forReason reports whether a reason is meant: by an outcome or a class of them,
// as in retry_on, or by why there were no more attempts.
func (v *view) forReason(r *sim.Reason) bool {
	word := v.parts[byReason]
	if v.parts.has(byReason, r.Why.String()) {
		return true
	}
	set, err := strategies.ParseOutcomes([]string{word})
	return err == nil && set.Has(r.Outcome)
}

// deadLetterQueues are the queues that are given what others give up.
func deadLetterQueues(m *sim.Model) map[string]bool {
	out := map[string]bool{}
	look := func(steps []sim.Step) {
		for s := range sim.Calls(steps) {
			for _, p := range s.Policies {
				out[p.DeadLetter] = true
			}
		}
	}
	for i := range m.Groups {
		look(m.Groups[i].Steps)
		for k := range m.Groups[i].Classes {
			look(m.Groups[i].Classes[k].Steps)
		}
	}
	for i := range m.Services {
		look(m.Services[i].Steps)
		if b := m.Services[i].Backlog; b != nil {
			out[b.DeadLetter] = true
		}
	}
	delete(out, "")
	return out
}

// checkReason refuses words that are neither an outcome nor why somebody gave up.
func checkReason(word string) error {
	if word == anyPart || slices.Contains(reasons(), word) {
		return nil
	}
	if _, err := strategies.ParseOutcomes([]string{word}); err != nil {
		return fmt.Errorf("reason %w; or why there were no more attempts: %s", err, listOf(reasons()))
	}
	return nil
}

// sent sums a number over the actions of a kind.
func sent(kind sim.ActionKind, of func(*sim.ActionRecord) int64) func(*view) float64 {
	return func(v *view) float64 {
		n := int64(0)
		for i := range v.rec.Actions {
			if v.model.Actions[i].Kind == kind {
				n += of(&v.rec.Actions[i])
			}
		}
		return float64(n)
	}
}

func redriveEndedAt(v *view) float64 {
	last := time.Duration(0)
	for i := range v.rec.Actions {
		if v.model.Actions[i].Kind == sim.Redrive {
			last = max(last, v.rec.Actions[i].EndedAt)
		}
	}
	switch last {
	case 0:
		return math.NaN()
	case sim.Never:
		return math.Inf(1)
	default:
		return inSeconds(last)
	}
}

func secondOutage(v *view) float64 {
	n := int64(0)
	for i := range v.rec.Actions {
		if v.model.Actions[i].Kind != sim.Set {
			n += v.rec.Actions[i].Outage
		}
	}
	return float64(n)
}
