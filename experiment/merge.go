package experiment

import (
	"fmt"
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// pool is what the replications of a point add up to. It is made of integers
// and multisets only, so the order of adding does not show.
type pool struct {
	runs       int64
	requests   int64
	completion sim.Times
	members    []member      // per group of clients, where there are several
	stores     []member      // per part that a quantile is asked of
	quiet      time.Duration // until which nothing disturbed any of them
	row        time.Duration
	rows       [][]sim.Row // per service
	hops       []sim.HopRecord
	waits      []time.Duration // per service, in which all of its workers waited for others
	watched    time.Duration   // of all runs, from the warm-up
}

// member is a part of a pool: the completion times of some requests.
type member struct{ Completion sim.Times }

// add adds a replication.
func (p *pool) add(rec *sim.Record, warmup time.Duration) {
	quiet := rec.LastArrival
	if rec.HasTrigger {
		quiet = min(quiet, rec.TriggerStart)
	}
	if p.runs == 0 || quiet < p.quiet {
		p.quiet = quiet
	}
	p.runs++
	p.requests += rec.Requests
	p.completion.Merge(&rec.Completion)
	if len(rec.Groups) > 1 {
		addTimes(&p.members, len(rec.Groups), func(i int) *sim.Times { return &rec.Groups[i].Completion })
	}
	for i := range rec.Services {
		p.addRows(i, rec.Row, rec.Services[i].Timeline)
		p.addWaits(i, rec.Services[i].Blocked)
	}
	p.watched += max(0, rec.EndedAt-warmup)
	p.addHops(rec.Hops)
}

// merge adds everything that o has, which is no more used after that.
func (p *pool) merge(o *pool) {
	if p.runs == 0 {
		*p = *o
		return
	}
	p.quiet = min(p.quiet, o.quiet)
	p.runs += o.runs
	p.requests += o.requests
	p.completion.Merge(&o.completion)
	addTimes(&p.members, len(o.members), func(i int) *sim.Times { return &o.members[i].Completion })
	addTimes(&p.stores, len(o.stores), func(i int) *sim.Times { return &o.stores[i].Completion })
	for i := range o.rows {
		p.addRows(i, o.row, o.rows[i])
	}
	for i, d := range o.waits {
		p.addWaits(i, d)
	}
	p.watched += o.watched
	p.addHops(o.hops)
}

func addTimes(to *[]member, n int, times func(int) *sim.Times) {
	if len(*to) < n {
		*to = append(*to, make([]member, n-len(*to))...)
	}
	for i := range n {
		(*to)[i].Completion.Merge(times(i))
	}
}

// addRows adds a timeline of a service. Rows are powers of two times one
// window wide; the widest decides, narrower ones are joined in pairs.
func (p *pool) addRows(service int, width time.Duration, rows []sim.Row) {
	if p.row == 0 {
		p.row = width
	}
	for p.row < width {
		for i := range p.rows {
			p.rows[i] = sim.Coarsen(p.rows[i])
		}
		p.row *= 2
	}
	if len(p.rows) <= service {
		p.rows = append(p.rows, make([][]sim.Row, service+1-len(p.rows))...)
	}
	if len(rows) == 0 {
		return
	}
	per := int(p.row / width)
	if time.Duration(per)*width != p.row {
		panic(fmt.Sprintf("experiment: rows of %v and %v do not fit together", width, p.row))
	}
	sum := p.rows[service]
	for i := range rows {
		if i/per == len(sum) {
			sum = append(sum, sim.Row{})
		}
		sum[i/per].Merge(&rows[i])
	}
	p.rows[service] = sum
}

func (p *pool) addWaits(service int, d time.Duration) {
	if len(p.waits) <= service {
		p.waits = append(p.waits, make([]time.Duration, service+1-len(p.waits))...)
	}
	p.waits[service] += d
}

func (p *pool) addHops(hops []sim.HopRecord) {
	if len(p.hops) == 0 {
		p.hops = make([]sim.HopRecord, len(hops))
	}
	for i := range hops {
		addHop(&p.hops[i], &hops[i])
	}
}

func addHop(sum, h *sim.HopRecord) {
	sum.From, sum.To, sum.Policy, sum.Layer, sum.Inner = h.From, h.To, h.Policy, h.Layer, h.Inner
	for i, n := range h.Causes {
		sum.Causes[i] += n
	}
	for i, n := range h.Withheld {
		sum.Withheld[i] += n
	}
	sum.Requests += h.Requests
	sum.Calls += h.Calls
	sum.Succeeded += h.Succeeded
	sum.Timeouts += h.Timeouts
	sum.Refused += h.Refused
	sum.Reset += h.Reset
	sum.Status += h.Status
	sum.Skipped += h.Skipped
	sum.Busy.Merge(h.Busy)
	sum.Wasted.Merge(h.Wasted)
	sum.Late += h.Late
	sum.GaveUp += h.GaveUp
}

// timelines are the services over time.
func (p *pool) timelines(m *sim.Model) []Timeline {
	out := make([]Timeline, len(p.rows))
	for i := range p.rows {
		s := &m.Services[i]
		out[i] = Timeline{
			Service: s.Name, Row: p.row, Rows: p.rows[i], Replications: p.runs,
			Limited: s.Spec.Workers != server.Unlimited && s.Backlog == nil,
		}
		if out[i].Limited {
			out[i].Workers = int64(s.Spec.Workers) * int64(s.Spec.Count())
		}
	}
	return out
}

// distribution is the pooled distribution of completion times over all
// requests started, on a fixed grid, with intervals by sectioning: requests of
// one replication are not independent, replications are.
func (p *pool) distribution(done []replication) []Quantile {
	if p.requests == 0 {
		return nil
	}
	grid := gridMillionths()
	out := make([]Quantile, len(grid))
	each := make([]float64, 0, len(done))
	for i, q := range grid {
		each = each[:0]
		for r := range done {
			if v := done[r].quantiles; v != nil {
				each = append(each, v[i])
			}
		}
		pooled := quantile(&p.completion, p.requests, q)
		x := Sectioned(pooled, each)
		out[i] = Quantile{Q: float64(q) / million, Seconds: pooled, Lo: x.Lo, Hi: x.Hi}
	}
	return out
}

// gridMillionths is every percent, and finer towards the ends.
func gridMillionths() []int64 {
	grid := []int64{1_000, 5_000}
	for q := int64(10_000); q < million; q += 10_000 {
		grid = append(grid, q)
	}
	return append(grid, 995_000, 999_000, 999_900, million)
}

// means are the hops, averaged over the replications.
func (p *pool) means(m *sim.Model) []Hop {
	perRun := func(s sim.Sum) float64 { return s.Float() / 1e9 / float64(p.runs) }
	out := make([]Hop, len(p.hops))
	for i := range p.hops {
		h := &p.hops[i]
		out[i] = Hop{
			Edge:          edge(h),
			Requests:      ratio(h.Requests, p.runs),
			Calls:         ratio(h.Calls, p.runs),
			Amplification: ratio(h.Calls, p.requests),
			Timeouts:      ratio(h.Timeouts, p.runs),
			Refused:       ratio(h.Refused, p.runs),
			Reset:         ratio(h.Reset, p.runs),
			Status:        ratio(h.Status, p.runs),
			Late:          ratio(h.Late, p.runs),
			Withheld:      ratio(stoppedOn(h), p.runs),
			Skipped:       ratio(h.Skipped, p.runs),
			Busy:          perRun(h.Busy),
			Wasted:        perRun(h.Wasted),
			WastedShare:   wastedShare(h.Busy, h.Wasted),
			Blocked:       p.blocked(slices.IndexFunc(m.Services, func(s sim.Service) bool { return s.Name == h.To })),
		}
	}
	return out
}

func edge(h *sim.HopRecord) Edge { return Edge{h.From, h.To, h.Policy, h.Layer, h.Inner} }

// stoppedOn is how many attempts were not made, for any reason.
func stoppedOn(h *sim.HopRecord) int64 {
	n := int64(0)
	for g := strategies.Retry + 1; g < strategies.GiveUps; g++ {
		n += h.Withheld[g]
	}
	return n
}
