package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// Plots are the pictures that make sense for a result, in the order in which
// to look at them.
func Plots(r *experiment.Result) []File {
	return plots(r, Compare(r))
}

func plots(r *experiment.Result, c Comparisons) []File {
	var files []File
	for _, p := range pictures(r, c) {
		files = append(files, File{Name: p.file, Write: p.WritePNG})
	}
	return files
}

// plotFile is a picture and the file that it is for.
type plotFile struct {
	file string
	picture
}

func pictures(r *experiment.Result, c Comparisons) []plotFile {
	if len(r.Points) == 0 {
		return nil
	}
	alone := func(draw func(*experiment.Result) picture) func(*experiment.Result, Comparisons) picture {
		return func(r *experiment.Result, _ Comparisons) picture { return draw(r) }
	}
	few, remark := fewer(r, c)
	var list []plotFile
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
		{"backlog.png", alone(plotBacklog)},
		{"duplicates.png", alone(plotDuplicates)},
		{"cdf.png", alone(plotDistribution)},
		{"amplification.png", alone(plotAmplification)},
	} {
		of := few
		if p.name == "causes.png" {
			of = r // it makes a choice of its own
		}
		pic := p.draw(of, c)
		if remark != "" && of == few {
			remarked(pic, remark)
		}
		if pic != nil {
			list = append(list, plotFile{p.name, pic})
		}
	}
	return list
}

// mostVariants is how many variants a picture shows: there are no more styles
// that people tell apart.
const mostVariants = 20

// fewer is a result with no more variants than a picture shows, and a remark
// that says so where some are left out.
func fewer(r *experiment.Result, c Comparisons) (few *experiment.Result, remark string) {
	all := variants(r)
	if len(all) <= mostVariants {
		return r, ""
	}
	shown := worthShowing(r, c, all)
	out := *r
	out.Points = slices.DeleteFunc(slices.Clone(r.Points), func(p experiment.Point) bool { return !shown[p.Variant] })
	out.Crossings = slices.DeleteFunc(slices.Clone(r.Crossings), func(x experiment.Crossing) bool { return !shown[x.Variant] })
	out.Sensitivity = slices.DeleteFunc(slices.Clone(r.Sensitivity), func(e experiment.Effect) bool { return !shown[e.Variant] })
	return &out, fmt.Sprintf("%d of %d variants shown", len(shown), len(all))
}

// worthShowing are the first variant and the one that others are compared with,
// those that titles name because they are the least or the most, and of the
// others some from the first to the last.
func worthShowing(r *experiment.Result, c Comparisons, all []string) map[string]bool {
	shown := map[string]bool{all[0]: true}
	points := at(r, severest(r))
	for _, p := range points {
		if len(p.Outcomes) > 0 { // titles tell of the first that is split
			shown[p.Variant] = true
			break
		}
	}
	for _, name := range []string{"total_calls", "completion_p50", "completion_p99", "peak_retry", "amplification"} {
		m := metricIndex(r, name)
		if m < 0 {
			continue
		}
		least, most, _ := extremes(claims(r, m))
		for _, p := range points {
			if n := quoted(p.Variant); n == least.name || n == most.name {
				shown[p.Variant] = true
			}
		}
	}
	if best := frontByCalls(c); len(best) > 0 {
		shown[best[0].variant], shown[best[len(best)-1].variant] = true, true
	}
	if c.Reference != "" {
		shown[c.Reference] = true
	}
	rest := slices.DeleteFunc(slices.Clone(all), func(v string) bool { return shown[v] })
	for _, i := range spreadOver(len(rest), mostVariants-len(shown)) {
		shown[rest[i]] = true
	}
	return shown
}

// remarked adds a remark to the subtitle of a picture, if there is one.
func remarked(p picture, remark string) {
	remark = " · " + strings.ReplaceAll(remark, " ", "\u00a0")
	switch p := p.(type) {
	case *Figure:
		p.Subtitle += remark
	case *Dots:
		p.Subtitle += remark
	}
}

// picture is a Figure or Dots; nil when there is nothing to show.
type picture interface {
	WritePNG(w io.Writer) error
	drawn() *page
}

// subtitle says what a picture of all points is made of.
func subtitle(r *experiment.Result, parts ...string) string {
	return madeOf(r, pointers(r), parts)
}

// subtitleAt is the same of a picture of some points, all at the severest place.
func subtitleAt(r *experiment.Result, points []*experiment.Point, parts ...string) string {
	return madeOf(r, points, append([]string{drawnAt(r, severest(r))}, parts...))
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
