package report

import (
	"io"
	"strings"

	"retrystorm/experiment"
)

// Plots are the pictures that make sense for a result, in the order in which
// to look at them.
func Plots(r *experiment.Result) []File {
	if len(r.Points) == 0 {
		return nil
	}
	var files []File
	for _, p := range []struct {
		name string
		draw func(*experiment.Result) picture
	}{
		{"calls.png", plotCalls},
		{"completion.png", plotCompletion},
		{"arrivals.png", plotArrivals},
		{"causes.png", plotCauses},
		{"cdf.png", plotDistribution},
		{"amplification.png", plotAmplification},
	} {
		if pic := p.draw(r); pic != nil {
			files = append(files, File{Name: p.name, Write: pic.WritePNG})
		}
	}
	return files
}

// picture is a Figure or Dots; nil when there is nothing to show.
type picture interface{ WritePNG(w io.Writer) error }

// subtitle says what a picture is made of.
func subtitle(r *experiment.Result, parts ...string) string {
	var s strings.Builder
	s.WriteString(r.Scenario)
	if r.Title != "" {
		s.WriteString(": " + r.Title)
	}
	for _, p := range append(parts, counted(r.Replications, "replication")) {
		if p != "" { // the blanks inside a short part do not break
			s.WriteString(" · " + strings.ReplaceAll(p, " ", "\u00a0"))
		}
	}
	return s.String()
}
