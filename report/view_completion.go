package report

import "retrystorm/experiment"

// viewCompletion is the distribution of a point's completion times.
func viewCompletion(p *experiment.Point) ViewCompletion {
	var x ViewCompletion
	for _, q := range p.Completion {
		x.Q = append(x.Q, jsonNumber(q.Q))
		x.Seconds, x.Lo, x.Hi = append(x.Seconds, fourDigits(q.Seconds)), append(x.Lo, fourDigits(q.Lo)), append(x.Hi, fourDigits(q.Hi))
	}
	return x
}
