package report

import (
	"io"
	"strings"

	"retrystorm/experiment"
)

// Plots are the pictures that make sense for a result, in the order in which
// to look at them.
func Plots(r *experiment.Result) []File {
	return plots(r, Compare(r))
}

func plots(r *experiment.Result, c Comparisons) []File {
	if len(r.Points) == 0 {
		return nil
	}
	alone := func(draw func(*experiment.Result) picture) func(*experiment.Result, Comparisons) picture {
		return func(r *experiment.Result, _ Comparisons) picture { return draw(r) }
	}
	var files []File
	for _, p := range []struct {
		name string
		draw func(*experiment.Result, Comparisons) picture
	}{
		{"calls.png", alone(plotCalls)},
		{"completion.png", alone(plotCompletion)},
		{"tradeoff.png", plotTradeoff},
		{"bisect.png", alone(plotBisection)},
		{"sensitivity.png", alone(plotEffects)},
		{"arrivals.png", alone(plotArrivals)},
		{"causes.png", alone(plotCauses)},
		{"cdf.png", alone(plotDistribution)},
		{"amplification.png", alone(plotAmplification)},
	} {
		if pic := p.draw(r, c); pic != nil {
			files = append(files, File{Name: p.name, Write: pic.WritePNG})
		}
	}
	return files
}

// picture is a Figure or Dots; nil when there is nothing to show.
type picture interface{ WritePNG(w io.Writer) error }

// subtitle says what a picture of all points is made of.
func subtitle(r *experiment.Result, parts ...string) string {
	return madeOf(r, pointers(r), parts)
}

// subtitleAt is the same of a picture of some points, all at the severest place.
func subtitleAt(r *experiment.Result, points []*experiment.Point, parts ...string) string {
	return madeOf(r, points, append([]string{where(r, severest(r))}, parts...))
}

func madeOf(r *experiment.Result, points []*experiment.Point, parts []string) string {
	var s strings.Builder
	s.WriteString(headline(r))
	for _, p := range append(parts, replicated(points)) {
		if p != "" { // the blanks inside a short part do not break
			s.WriteString(" · " + strings.ReplaceAll(p, " ", "\u00a0"))
		}
	}
	return s.String()
}
