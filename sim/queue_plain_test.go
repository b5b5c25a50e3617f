package sim_test

import (
	"fmt"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"

	"pgregory.net/rapid"
)

// plainWorld is a queue, its consumers and its dead-letter queue, which looks at
// everything in every second; all times are whole seconds.
type plainWorld struct {
	spec             server.Backlog
	work             int
	retention        int // of the dead-letter queue
	downFrom, downTo int
	poisoned         bool
	messages         []*plainMsg
	dead             []int // when they were first stored, of those in the dead-letter queue
	busy             []*plainBusy
	nth              int
	jobs, dlq        sim.QueueRecord
	delays           int
	unclear          bool
}

type plainMsg struct {
	stored, due, nth, receives int
	hidden, gone               bool
}

type plainBusy struct {
	batch []*plainMsg
	until int
}

func secs(d time.Duration) int { return int(d / s) }

func (w *plainWorld) feed(t int) {
	for len(w.busy) < int(w.spec.Consumers) {
		c := &plainBusy{until: t + w.work}
		for len(c.batch) < int(w.spec.Batch) {
			m := w.first()
			if m == nil {
				break
			}
			w.nth++
			m.receives++
			m.hidden, m.due, m.nth = true, t+secs(w.spec.Visibility), w.nth
			c.batch = append(c.batch, m)
		}
		if len(c.batch) == 0 {
			return
		}
		w.jobs.Deliveries++
		w.busy = append(w.busy, c)
	}
}

func (w *plainWorld) first() (best *plainMsg) {
	for _, m := range w.messages {
		if m.gone {
			continue
		}
		if w.spec.Ordered {
			if m.hidden {
				return nil
			}
			return m
		}
		if !m.hidden && (best == nil || m.nth < best.nth) {
			best = m
		}
	}
	return best
}

// end ends the first delivery of a consumer.
func (w *plainWorld) end(c *plainBusy, t int, ok bool) {
	m := c.batch[0]
	if ok && !m.gone {
		m.gone = true
		w.jobs.Done++
		w.delays += t - m.stored
	}
	if c.batch = c.batch[1:]; len(c.batch) > 0 {
		w.jobs.Deliveries++
		c.until = t + w.work
	} else {
		for i := range w.busy {
			if w.busy[i] == c {
				w.busy = append(w.busy[:i:i], w.busy[i+1:]...)
				break
			}
		}
	}
	w.feed(t)
}

// visible lets time pass for the messages, the oldest taken first.
func (w *plainWorld) visible(t int) {
	kept := w.dead[:0]
	for _, since := range w.dead {
		if since+w.retention == t {
			w.dlq.Lost++
		} else {
			kept = append(kept, since)
		}
	}
	w.dead = kept
	for _, m := range w.messages {
		if !m.gone && m.stored+secs(w.spec.Retention) == t {
			m.gone = true
			w.jobs.Lost++
		}
	}
	for {
		var next *plainMsg
		for _, m := range w.messages {
			if !m.gone && m.hidden && m.due == t && (next == nil || m.nth < next.nth) {
				next = m
			}
		}
		if next == nil {
			break
		}
		if w.spec.MaxReceives > 0 && next.receives >= int(w.spec.MaxReceives) {
			next.gone = true
			w.jobs.Dead++
			if next.stored+w.retention > t {
				w.dead = append(w.dead, next.stored)
			} else {
				w.dlq.Lost++ // too old when it comes
			}
			w.dlq.Sent++
			continue
		}
		w.nth++
		next.hidden, next.nth = false, w.nth
	}
	w.feed(t)
}

func (w *plainWorld) step(t, arrive int) {
	var ending []*plainBusy
	for _, c := range w.busy {
		if c.until == t {
			ending = append(ending, c)
		}
	}
	for _, c := range ending {
		// Of consumers that end at once the first may be given what another has
		// just done: who that is only the simulator knows.
		w.unclear = w.unclear || len(ending) > 1 && !w.poisoned && !c.batch[0].gone && !c.batch[0].hidden
	}
	for _, c := range ending {
		w.end(c, t, !w.poisoned)
	}
	w.visible(t)
	for range arrive {
		w.nth++
		w.jobs.Sent++
		w.messages = append(w.messages, &plainMsg{stored: t, nth: w.nth})
		w.feed(t)
	}
	// What begins while the worker is down fails at once.
	for i := 0; i < len(w.busy) && w.downFrom <= t && t < w.downTo; {
		if c := w.busy[i]; c.until == t+w.work {
			w.end(c, t, false)
			i = 0
		} else {
			i++
		}
	}
}

// TestQueueAgainstPlain holds queues in a simulation against one that looks at
// everything in every second.
func TestQueueAgainstPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := func(name string, from, to int) time.Duration {
			return time.Duration(rapid.IntRange(from, to).Draw(t, name)) * s
		}
		b := backlog(rapid.Int64Range(1, 5).Draw(t, "consumers"), whole("visibility", 1, 12))
		b.Batch = pick[int64](t, "batch", 1, 2, 4)
		b.MaxReceives = pick[int64](t, "receives", strategies.Unlimited, 1, 2, 3)
		b.Ordered = pick(t, "ordered", false, true)
		b.Retention = whole("retention", 5, 60)
		b.Poison.Share = pick[float64](t, "poison", 0, 0, 1)
		work, kept := whole("work", 1, 15), whole("kept", 5, 80)
		spec := takes(work)
		w := &plainWorld{spec: *b, work: secs(work), retention: secs(kept), poisoned: b.Poison.Share > 0}
		if b.Batch == 1 { // else it matters who of an instant comes first
			from, long := whole("down", 0, 30), whole("for", 1, 20)
			spec.Faults = []server.Fault{{Name: "down", Kind: "down", At: from, For: long, Answer: server.Reply{Answer: 503}}}
			w.downFrom, w.downTo = secs(from), secs(from+long)
		}
		m := queued(burst(1), spec, b, one)
		m.Until = 200 * s
		m.Services[2].Backlog.Retention = kept
		group := m.Groups[0]
		m.Groups = nil
		arrive := map[int]int{}
		for i := range rapid.IntRange(1, 6).Draw(t, "bursts") {
			g := group
			g.Name, g.Count, g.Arrival.At = fmt.Sprint(i), rapid.Int64Range(1, 4).Draw(t, "messages"), whole("at", 0, 40)
			m.Groups = append(m.Groups, g)
			arrive[secs(g.Arrival.At)] += int(g.Count)
		}
		for i := range 200 {
			w.step(i, arrive[i])
		}
		if w.unclear {
			return
		}
		rec := runIn(t, m)
		jobs, dlq := rec.Queues[0], rec.Queues[1]
		got := fmt.Sprint(jobs.Sent, jobs.Deliveries, jobs.Done, jobs.Dead, jobs.Lost, jobs.Delay.Sum().Float()/1e9, dlq.Sent)
		want := fmt.Sprint(w.jobs.Sent, w.jobs.Deliveries, w.jobs.Done, w.jobs.Dead, w.jobs.Lost, w.delays, w.dlq.Sent)
		if got != want || rec.EndedAt == m.Until && (dlq.Lost != w.dlq.Lost || dlq.Left != int64(len(w.dead))) {
			t.Fatalf("sent, deliveries, done, dead, lost, delays, dead letters: %s, want %s; %+v, want %d lost", got, want, dlq, w.dlq.Lost)
		}
	})
}

func runIn(t *rapid.T, m *sim.Model) *sim.Record {
	var r sim.Runner
	rec, err := r.Run(m, 1, 1, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}
