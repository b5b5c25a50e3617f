package report

import (
	"fmt"
	"math"

	"retrystorm/experiment"
)

// viewPaths are how one request became many calls at a point: where replications
// split, ending by ending, the more frequent first.
func viewPaths(r *experiment.Result, p *experiment.Point, variant, place int) []ViewPath {
	var out []ViewPath
	if len(p.Hops) == 0 {
		return nil
	}
	for _, o := range outcomes(p) {
		x := newPath(r, o)
		if !(x.starts > 0) || math.IsInf(x.starts, 1) || len(x.rows) == 0 {
			continue
		}
		path := ViewPath{Variant: variant, Place: place, Requests: x.starts, Ending: o.endingText(), Hops: []ViewHop{}}
		for i := range x.rows {
			row := &x.rows[i]
			each := Rounded(row.calls / x.starts)
			h := ViewHop{
				From: row.edge.From, To: row.edge.To, Policy: row.edge.Policy, Queue: row.queue,
				Wanted: row.requests, Calls: row.calls, PerRequest: each, Times: jsonNumber(row.times()),
				Most: x.mark(row) != "",
			}
			h.Text = fmt.Sprintf("%s to %s: %s calls for %s that were wanted", h.From, h.To, perRun(h.Calls), perRun(h.Wanted))
			if t := row.times(); !math.IsNaN(t) {
				h.Text += ", " + Human(t, "") + " for each"
			}
			h.Text += "; " + Human(each, "") + " per request"
			path.Hops = append(path.Hops, h)
		}
		out = append(out, path)
	}
	return out
}

// endingText is how the replications of an outcome ended: 7 of 20 locked in.
func (o *outcome) endingText() string {
	if o.share == "" {
		return ""
	}
	return o.share + " " + o.ending
}
