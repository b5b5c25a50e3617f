package report

import (
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"time"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// timelineTable has one row per point, service and time, means over the
// replications.
func timelineTable(r *experiment.Result) *table {
	return keyed(r, "timeline", func(l *lines, p *experiment.Point) {
		for i := range p.Timelines {
			t := &p.Timelines[i]
			for k := range t.Rows {
				x := &t.Rows[k]
				capacity := math.NaN()
				if t.Limited {
					capacity = level(*t, x.Capacity)
				}
				l.row()
				l.text(t.Service)
				l.number(start(*t, k), rate(*t, x.Arrivals), rate(*t, x.Retries), rate(*t, x.Succeeded),
					rate(*t, x.Failed), level(*t, x.InService), level(*t, x.Waiting), capacity)
				for _, n := range x.Causes[sim.First+1:] {
					l.number(rate(*t, n))
				}
			}
		}
	}, columnsOf(words, "service", "name of the service, or of the queue"), columnsOf(numeric,
		"t_s", "start of the row in virtual seconds",
		"arrivals_per_s", "calls reaching the service per second; messages stored by the queue",
		"retries_per_s", "of them retries, hedges and redeliveries",
		"goodput_per_s", "successful answers per second",
		"failures_per_s", "other answers per second, and calls that got none",
		"in_service", "calls in service, mean over the row; messages being worked on",
		"waiting", "calls waiting, mean over the row; messages that are not being worked on",
		"capacity", "usable workers, mean over the row; empty when unlimited"), causeColumns())
}

// causeColumns split the retries of a timeline by their cause; what is left of
// the arrivals are first attempts.
func causeColumns() []tableColumn {
	return columnsOf(numeric,
		"after_timeout_per_s", "retries per second after a timeout, by what happened to the attempt before",
		"after_refused_per_s", "retries per second after a refusal",
		"after_reset_per_s", "retries per second after a reset",
		"after_status_per_s", "retries per second after a 4xx or 5xx status",
		"after_rejected_per_s", "retries per second after the caller's own breaker or limiter stopped an attempt",
		"hedges_per_s", "calls per second sent while another attempt was in flight",
		"redeliveries_per_s", "calls per second delivered again by a queue",
		"redriven_per_s", "calls per second for messages that came back from a dead-letter queue",
		"resent_per_s", "calls per second for failed requests that an operator made again",
		"rerun_per_s", "calls per second for requests of a batch that ran again")
}

// readTimelines fills the timelines that the manifest announced. Rates and
// levels become sums again, which is exact as far as 9 digits go.
func readTimelines(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, timelineTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		t := timelineOf(p, row.text(i))
		if t == nil {
			return fmt.Errorf("service: the manifest has no timeline of %q for this point", row.text(i))
		}
		if want := Number(start(*t, len(t.Rows))); row.text(i+1) != want {
			return fmt.Errorf("t_s: %q; expected %s", row.text(i+1), want)
		}
		x := sim.Row{
			Arrivals:  countOf(*t, row.finite(i+2)),
			Retries:   countOf(*t, row.finite(i+3)),
			Succeeded: countOf(*t, row.finite(i+4)),
			Failed:    countOf(*t, row.finite(i+5)),
			InService: areaOf(*t, row.finite(i+6)),
			Waiting:   areaOf(*t, row.finite(i+7)),
		}
		if t.Limited {
			x.Capacity = areaOf(*t, row.finite(i+8))
		}
		x.Causes[sim.First] = x.Arrivals
		for k := range causeColumns() {
			n := countOf(*t, row.finite(i+9+k))
			x.Causes[k+1] = n
			x.Causes[sim.First] -= n
		}
		t.Rows = append(t.Rows, x)
		return nil
	})
}

func timelineOf(p *experiment.Point, service string) *experiment.Timeline {
	for i := range p.Timelines {
		if p.Timelines[i].Service == service {
			return &p.Timelines[i]
		}
	}
	return nil
}

// start is when row k starts, in seconds.
func start(t experiment.Timeline, k int) float64 {
	return (time.Duration(k) * t.Row).Seconds()
}

// rate is a sum over the replications as a mean rate per second.
func rate(t experiment.Timeline, n int64) float64 {
	return float64(n) / float64(t.Replications) / t.Row.Seconds()
}

// countOf is the inverse of rate.
func countOf(t experiment.Timeline, perSecond float64) int64 {
	return int64(math.Round(perSecond * float64(t.Replications) * t.Row.Seconds()))
}

// level is an area over the replications as a mean number.
func level(t experiment.Timeline, area sim.Sum) float64 {
	return area.Float() / float64(t.Replications) / float64(t.Row)
}

// areaOf is the inverse of level.
func areaOf(t experiment.Timeline, mean float64) sim.Sum {
	f := new(big.Float).SetFloat64(math.Round(max(0, mean) * float64(t.Replications) * float64(t.Row)))
	n, _ := f.Int(nil)
	lo := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	return sim.Sum{Hi: n.Rsh(n, 64).Uint64(), Lo: lo.Uint64()}
}
