package report

import (
	"io/fs"
	"math"
	"slices"
	"time"

	"retrystorm/experiment"
)

// attempted reports whether there are runs whose attempts are kept.
func attempted(r *experiment.Result) bool {
	return slices.ContainsFunc(r.Points, func(p experiment.Point) bool { return len(p.Attempts) > 0 })
}

// attemptsTable has a row for each call to the target in replication 1 of a small
// run.
func attemptsTable(r *experiment.Result) *table {
	return keyed(r, "attempts", func(l *lines, p *experiment.Point) {
		for i := range p.Attempts {
			a := &p.Attempts[i]
			l.row()
			l.whole(int(a.Client))
			l.number(a.At.Seconds())
			l.flag(a.Retry)
			l.text(a.Outcome)
		}
	}, columnsOf(whole64, "client", "client, from 0 over all groups; of a group with a single client the request"),
		columnsOf(numeric, "t_s", "when the call reached the target, in virtual seconds, in replication 1"),
		columnsOf(whole64, "retry", "1 unless it is a first attempt"),
		columnsOf(words, "outcome", "what its caller saw: ok, timeout, refused, reset, a status, cancelled, expired, late (its caller had left) or unfinished"))
}

func readAttempts(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, attemptsTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		p.Attempts = append(p.Attempts, experiment.Attempt{
			Client: int64(row.finite(i)), At: time.Duration(math.Round(row.finite(i+1) * 1e9)), Retry: row.text(i+2) == "1", Outcome: row.text(i + 3),
		})
		return nil
	})
}
