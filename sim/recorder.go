package sim

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// maxRows is how many rows a service's timeline has at most.
const maxRows = 600

// recorder fills a Record while a run goes on. It closes its books at edges:
// the ends of windows and of seconds, whichever comes first.
type recorder struct {
	Record
	warmup, slo time.Duration
	window      time.Duration
	start, edge time.Duration // of the open interval between edges
	windowEnd   time.Duration
	second      Bin // being filled
	secondEnd   time.Duration
	perRow      int // windows in a row of the timelines
	inRow       int // windows closed in the open row
	burst       int64
	succeeded   int64 // all requests, for Done99
	area        Sum   // under the number of requests alive
	moment      int64 // of the requests that started and ended in the interval
	residence   Sum   // sum of the times that ended requests were alive
	meters      []meter
	letters     bool // Record.Dead is asked for
	acts        []act
}

// meter is one service's part of the books.
type meter struct {
	calls, retries                int64 // counted, in the open window
	inService, waiting, usable    int64 // present levels
	mService, mWaiting, mCapacity int64 // sum of change * (time - start) in the open interval
	row                           Row   // being filled
	parked                        int64 // calls that wait for others without a worker
	calling                       int64 // workers that wait for others
	blocked                       bool  // all usable ones do
	blockedSince                  time.Duration
}

const second = time.Second

// reset opens the books of a run, on the memory of the last one.
func (b *recorder) reset(m *Model, r *Runner) {
	old := b.Record
	old.Completion.Reset()
	if n := burstSize(m); n > 0 {
		old.Completion.Grow(n)
	}
	*b = recorder{
		warmup: m.Warmup, slo: m.SLO, window: m.Window,
		windowEnd: m.Window, secondEnd: second, edge: min(m.Window, second),
		perRow: 1, burst: burstSize(m), meters: b.meters[:0],
	}
	b.Record = Record{
		Completion: old.Completion,
		Services:   old.Services[:0],
		Groups:     old.Groups[:0],
		Hops:       append(old.Hops[:0], r.hopNames...),
		Bins:       old.Bins[:0],
		Row:        m.Window,
		Done99:     Never,
		HasTrigger: r.hasTrigger, TriggerStart: r.triggerStart, TriggerEnd: r.triggerEnd,
	}
	b.openActions(m, old.Actions)
	b.Dead, b.acts = old.Dead[:0], r.acts
	known := old.Groups[:cap(old.Groups)]
	for i, name := range r.entries {
		g := GroupRecord{Name: name}
		if i < len(known) {
			g.Completion = known[i].Completion
			g.Completion.Reset()
		}
		b.Groups = append(b.Groups, g)
	}
	b.openSlices(m, old.Slices)
	spare := old.Services[:cap(old.Services)]
	for i := range r.places {
		s := ServiceRecord{}
		if i < len(spare) {
			s.Timeline = spare[i].Timeline[:0]
		}
		b.Services = append(b.Services, s)
		b.meters = append(b.meters, meter{usable: r.places[i].usable})
	}
	b.openQueues(r, old.Queues)
}

// burstSize is how many requests there will be when all groups are bursts that
// make a known number of requests; 0 otherwise.
func burstSize(m *Model) int64 {
	var n int64
	for _, g := range m.Groups {
		if g.Arrival.Kind != "burst" || g.Requests == random.Unlimited {
			return 0
		}
		n += g.Count * g.Requests
	}
	return n
}

// advance closes the books up to t.
func (b *recorder) advance(r *Runner, t time.Duration) {
	for b.edge <= t {
		b.close(r, b.edge)
		if b.edge == b.windowEnd {
			b.closeWindow(r)
		}
		if b.edge == b.secondEnd {
			b.closeSecond(r)
		}
		b.start, b.edge = b.edge, min(b.windowEnd, b.secondEnd)
	}
}

// close adds the areas of the interval that ends at t. Levels are tracked by
// moments: the area under a level n over [start, t) is n*(t-start) minus the
// sum of its changes, each times when it happened after start.
func (b *recorder) close(r *Runner, t time.Duration) {
	d := int64(t - b.start)
	addArea(&b.area, r.alive, d, &b.moment)
	for i := range b.meters {
		m := &b.meters[i]
		addArea(&m.row.InService, m.inService, d, &m.mService)
		addArea(&m.row.Waiting, m.waiting, d, &m.mWaiting)
		addArea(&m.row.Capacity, m.usable, d, &m.mCapacity)
	}
}

func addArea(s *Sum, level, d int64, moment *int64) {
	s.Add(level, d)
	if *moment >= 0 {
		s.Sub(Sum{Lo: uint64(*moment)})
	} else {
		s.Merge(Sum{Lo: uint64(-*moment)})
	}
	*moment = 0
}

// closeWindow compares the window that ends with the largest so far.
func (b *recorder) closeWindow(r *Runner) {
	after := b.HasTrigger && b.windowEnd-b.window >= b.TriggerEnd
	b.slicePeaks(r.model.Until)
	for i := range b.meters {
		m, s := &b.meters[i], &b.Services[i]
		s.PeakCalls = max(s.PeakCalls, m.calls)
		s.PeakRetries = max(s.PeakRetries, m.retries)
		if after {
			s.PeakAfter = max(s.PeakAfter, m.calls)
		}
		m.calls, m.retries = 0, 0
	}
	b.windowEnd += b.window
	if b.inRow++; b.inRow == b.perRow {
		b.closeRow()
	}
}

// closeRow appends the open row to each timeline; full timelines are halved.
func (b *recorder) closeRow() {
	b.inRow = 0
	for i := range b.meters {
		s := &b.Services[i]
		row := &b.meters[i].row
		row.Arrivals = total(&row.Causes)
		row.Retries = row.Arrivals - row.Causes[First]
		s.Timeline = append(s.Timeline, *row)
		b.meters[i].row = Row{}
	}
	if len(b.Services[0].Timeline) < maxRows {
		return
	}
	for i := range b.Services {
		b.Services[i].Timeline = Coarsen(b.Services[i].Timeline)
	}
	b.perRow *= 2
	b.Row *= 2
}

// Coarsen merges neighbouring rows in place.
func Coarsen(rows []Row) []Row {
	n := 0
	for i := 0; i < len(rows); i += 2 {
		row := rows[i]
		if i+1 < len(rows) {
			row.Merge(&rows[i+1])
		}
		rows[n] = row
		n++
	}
	return rows[:n]
}

// Merge adds o.
func (w *Row) Merge(o *Row) {
	w.Arrivals += o.Arrivals
	w.Retries += o.Retries
	for i := range w.Causes {
		w.Causes[i] += o.Causes[i]
	}
	w.Succeeded += o.Succeeded
	w.Wasted += o.Wasted
	w.Failed += o.Failed
	w.InService.Merge(o.InService)
	w.Waiting.Merge(o.Waiting)
	w.Capacity.Merge(o.Capacity)
}

func (b *recorder) closeSecond(r *Runner) {
	b.secondEnd += second
	if b.HasTrigger {
		b.second.Unfinished = r.alive
		b.Bins = append(b.Bins, b.second)
	}
	b.second = Bin{}
}

// finish closes the books at the end of the run.
func (b *recorder) finish(r *Runner) {
	b.EndedAt = r.now
	b.close(r, r.now)
	b.start = r.now
	early := r.now < r.model.Until
	if early || r.now > b.windowEnd-b.window {
		b.closeWindow(r)
	}
	if b.inRow > 0 {
		b.closeRow()
	}
	if early || r.now > b.secondEnd-second {
		b.closeSecond(r)
	}
	for s := range r.slots.used {
		t := r.task(s)
		if t.state == idle || t.parent != none || r.rich && r.extras.at(s).task.kind != ownRequest {
			continue
		}
		b.residence.Add(1, int64(r.now-t.started))
		if t.origin.counted() {
			b.Unfinished++
			b.Groups[t.origin.group()].Unfinished++
			entry := r.classEntry(t)
			if entry >= 0 {
				b.Groups[entry].Unfinished++
			}
			b.sliceUnfinished(t, entry)
		}
	}
	for i := range b.Hops {
		h := &b.Hops[i]
		h.Calls = total(&h.Causes)
		s := &b.Services[r.hops[i].to]
		s.Busy.Merge(h.Busy)
		s.Wasted.Merge(h.Wasted)
	}
	b.leaveOutForks(r)
	for i := range r.places {
		v := &b.Services[i]
		v.Calls = total(&v.Causes)
		v.Retries = v.Calls - v.Causes[First]
		if b.meters[i].blocked {
			v.Blocked += max(0, r.now-max(b.meters[i].blockedSince, b.warmup))
		}
		v.Inside = v.Calls - v.Succeeded - v.Refused - v.Reset - v.Silent - v.Status
	}
	b.closeQueues(r)
	b.closeActions(r)
}

// leaveOutForks takes the hops out that are none.
func (b *recorder) leaveOutForks(r *Runner) {
	n := 0
	for i := range b.Hops {
		if r.hops[i].branches != nil {
			continue
		}
		b.Hops[n] = b.Hops[i]
		for s := range b.Slices {
			b.Slices[s].Hops[n] = b.Slices[s].Hops[i]
		}
		n++
	}
	b.Hops = b.Hops[:n]
	for s := range b.Slices {
		b.Slices[s].Hops = b.Slices[s].Hops[:n]
	}
}

// since is how long the open interval has lasted.
func (b *recorder) since(now time.Duration) int64 { return int64(now - b.start) }

func (b *recorder) requestStarted(r *Runner, t *task) {
	b.LastArrival = r.now
	for i := range b.acts {
		b.acts[i].outage.started(r.now)
	}
	b.second.Started++
	b.moment += b.since(r.now)
	if t.origin.counted() {
		b.Requests++
		b.Groups[t.origin.group()].Requests++
		entry := r.classEntry(t)
		if entry >= 0 {
			b.Groups[entry].Requests++
		}
		if b.Slices != nil {
			b.sliceStarted(t, entry)
		}
	}
}

func (b *recorder) requestEnded(r *Runner, t *task, ok bool) {
	b.moment -= b.since(r.now)
	took := r.now - t.started
	b.residence.Add(1, int64(took))
	if ok {
		for i := range b.acts {
			b.acts[i].outage.succeeded(r.now)
		}
		b.second.Succeeded++
		b.succeeded++
		if b.burst > 0 && b.succeeded == b.burst-b.burst/100 {
			b.Done99 = r.now
		}
	}
	if !t.origin.counted() {
		return
	}
	b.FinishedAt = r.now
	g := &b.Groups[t.origin.group()]
	good := b.slo == 0 || took <= b.slo
	entry := r.classEntry(t)
	if entry >= 0 {
		b.Groups[entry].end(ok, good)
		if ok {
			b.Groups[entry].Completion.Add(took)
		}
	}
	if b.Slices != nil {
		b.sliceEnded(t, entry, ok, good, took)
	}
	if !ok {
		b.Failed++
		g.Failed++
		return
	}
	b.Succeeded++
	g.Succeeded++
	if good {
		b.Good++
		g.Good++
	}
	b.Completion.Add(took)
	if len(b.Groups) > 1 {
		g.Completion.Add(took)
	}
}

// stepBegun, stepSkipped, sent, unsent, withheld, copyFailed, gaveUp, stepDone and late keep
// the books of hops.

func (b *recorder) stepBegun(t *task) {
	if t.origin.counted() {
		b.Hops[t.hop].Requests++
	}
}

func (b *recorder) stepSkipped(t *task) {
	if t.origin.counted() {
		b.Hops[t.hop].Skipped++
	}
}

func (b *recorder) sent(c *call) {
	if c.origin.counted() {
		b.Hops[c.hop].Causes[c.cause%Causes]++
	}
}

func (b *recorder) unsent(c *call) {
	if c.origin.counted() {
		b.Hops[c.hop].Causes[c.cause]--
	}
}

// withheld records an attempt that was not made.
func (b *recorder) withheld(now time.Duration, hop uint16, o origin, why strategies.GiveUp) {
	if o.counted() {
		b.Hops[hop].Withheld[why]++
		if b.Slices != nil {
			b.sliceWithheld(now, hop, why)
		}
	}
}

func (b *recorder) gaveUp(t *task) {
	if t.origin.counted() {
		b.Hops[t.hop].GaveUp++
	}
}

// copyFailed records one copy of an attempt that failed.
func (b *recorder) copyFailed(t *task, out strategies.Outcome) {
	if !t.origin.counted() {
		return
	}
	h := &b.Hops[t.hop]
	switch out {
	case strategies.Rejected: // it is withheld
	case strategies.Timeout:
		h.Timeouts++
	case strategies.Refused:
		h.Refused++
	case strategies.Reset:
		h.Reset++
	default:
		h.Status++
	}
}

func (b *recorder) stepDone(t *task) {
	if t.origin.counted() {
		b.Hops[t.hop].Succeeded++
	}
}

func (b *recorder) late(c *call) {
	if c.origin.counted() {
		b.Hops[c.hop].Late++
	}
}

// The rest keeps the books of services.

func (b *recorder) arrived(service int, now time.Duration, c *call) {
	m := &b.meters[service]
	m.row.Causes[c.cause%Causes]++
	if !c.origin.counted() {
		return
	}
	b.Services[service].Causes[c.cause%Causes]++
	m.calls++
	if c.cause != First {
		m.retries++
	}
	if b.Slices != nil {
		b.sliceArrived(now, c)
	}
}

func (b *recorder) read(service int, c *call) {
	if c.origin.counted() {
		b.Services[service].Reads++
	}
}

func (b *recorder) waits(service int, now time.Duration, change int64) {
	m := &b.meters[service]
	m.waiting += change
	m.mWaiting += change * b.since(now)
}

func (b *recorder) serves(service int, now time.Duration, change int64) {
	m := &b.meters[service]
	m.inService += change
	m.mService += change * b.since(now)
}

// usable records that the number of usable workers is n from now on.
func (b *recorder) usable(service int, now time.Duration, n int64) {
	m := &b.meters[service]
	m.mCapacity += (n - m.usable) * b.since(now)
	m.usable = n
	if m.calling > 0 {
		b.blocked(service, now)
	}
}

// calls records that more or fewer workers wait for what the service calls.
func (b *recorder) calls(service int, now time.Duration, change int64) {
	m := &b.meters[service]
	m.calling += change
	b.blocked(service, now)
}

// blocked records whether all usable workers wait for others.
func (b *recorder) blocked(service int, now time.Duration) {
	m := &b.meters[service]
	all := m.usable > 0 && m.calling >= m.usable
	switch {
	case all && !m.blocked:
		m.blockedSince = now
	case m.blocked && !all:
		b.Services[service].Blocked += max(0, now-max(m.blockedSince, b.warmup))
	}
	m.blocked = all
}

// parks records that more or fewer calls are inside without a worker or a place
// in the queue.
func (b *recorder) parks(service int, change int64) { b.meters[service].parked += change }

// worked records service time that was given, to nobody if wasted.
func (b *recorder) worked(c *call, wasted bool) {
	if !c.origin.counted() {
		return
	}
	h := &b.Hops[c.hop]
	h.Busy.Add(1, int64(c.work))
	if wasted {
		h.Wasted.Add(1, int64(c.work))
	}
}

// answered records an answer, or that there is none (Silent).
func (b *recorder) answered(service int, now time.Duration, c *call, a server.Answer, wasted bool) {
	row := &b.meters[service].row
	switch {
	case a != server.OK:
		row.Failed++
	case wasted:
		row.Wasted++
	default:
		row.Succeeded++
	}
	if !c.origin.counted() {
		return
	}
	if b.Slices != nil {
		b.sliceAnswered(now, service, a)
	}
	s := &b.Services[service]
	switch a {
	case server.OK:
		s.Succeeded++
	case server.Refused:
		s.Refused++
	case server.Reset:
		s.Reset++
	case server.Silent:
		s.Silent++
	default:
		s.Status++
	}
}

// crashed takes what was inside a station out of the books.
func (b *recorder) crashed(service int, now time.Duration, waiting, inService, parked, calling int64) {
	b.Services[service].Crashes++
	b.waits(service, now, -waiting)
	b.serves(service, now, -inService)
	b.parks(service, -parked)
	b.calls(service, now, -calling)
}
