package experiment

import (
	"math"
	"slices"
)

// Winner is which of the points at a place is best in something.
type Winner struct {
	// Best is the index of the best, -1 where none has a value. Others may be as
	// good: Tied are those that cannot be told from it.
	Best int
	Tied []int
	// Against compares each point with the best, adjusted for the choice; the
	// zero value for the best itself.
	Against []Contrast
}

// WinnerIn finds the best point in a metric: the least with better -1, the most
// with 1.
func WinnerIn(r *Result, points []*Point, metric, better int) Winner {
	values, centres := make([][]float64, len(points)), make([]float64, len(points))
	split := false
	for i, p := range points {
		values[i], centres[i] = columnOf(p, metric), p.Estimates[metric].Centre
		split = split || len(p.Outcomes) > 0
	}
	return winner(r.Metrics[metric], values, centres, better, split)
}

// winner compares the one with the best centre with all others, pair by pair of
// replications. Which one that is depends on luck too: of several that do not
// differ, it is the one with the most luck, and against the one with the least it
// looks better than it is. So each comparison counts as one of all that there
// could have been, between any two of them (Holm).
func winner(m Metric, values [][]float64, centres []float64, better int, split bool) Winner {
	w := Winner{Best: -1, Against: make([]Contrast, len(values))}
	for i, c := range centres {
		if !math.IsNaN(c) && (w.Best < 0 || float64(better)*c > float64(better)*centres[w.Best]) {
			w.Best = i
		}
	}
	if w.Best < 0 {
		return w
	}
	pairs := len(values) * (len(values) - 1) / 2
	p := make([]float64, 0, pairs)
	for i := range values {
		if i != w.Best {
			w.Against[i] = contrast(m, values[i], values[w.Best], split)
			p = append(p, w.Against[i].P)
		}
	}
	for len(p) < pairs {
		p = append(p, 1) // those that nobody looked at
	}
	adjusted := Holm(p)
	for i := range values {
		if i == w.Best {
			continue
		}
		c := &w.Against[i]
		c.decide(adjusted[0])
		adjusted = adjusted[1:]
		if c.Direction != -better { // nor when it seems to be better after all
			w.Tied = append(w.Tied, i)
		}
	}
	return w
}

// Enough is how many replications a sign test needs to tell the best of so many
// points from the others, if all pairs agree.
func Enough(points int) int {
	pairs := float64(points * (points - 1) / 2)
	n, p := 1, 1.0
	for p*pairs > 1-level {
		n++
		p /= 2
	}
	return n
}

func metricNamed(r *Result, name string) int {
	return slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.Name == name })
}
