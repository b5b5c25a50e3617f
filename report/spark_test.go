package report

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"time"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// sparkLines are the lines that end a table.
func sparkLines(r *experiment.Result, c Comparisons, opt TableOptions) []string {
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	printer{out, opt}.sparks(r, c)
	out.Flush()
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}

// loadSample is a result whose load over time is given, in calls a second.
func loadSample(loads ...[]int64) *experiment.Result {
	r := &experiment.Result{Scenario: "load", Target: "db", Replications: 2}
	for i, load := range loads {
		line := experiment.Timeline{Service: "db", Row: time.Second, Replications: 2}
		for _, n := range load {
			line.Rows = append(line.Rows, sim.Row{Arrivals: 2 * n})
		}
		r.Points = append(r.Points, experiment.Point{
			Variant: string(rune('a' + i)), Replications: 2, Timelines: []experiment.Timeline{line},
		})
	}
	return r
}

func TestSparklines(t *testing.T) {
	even := loadSample([]int64{8, 7, 6, 5, 4, 3, 2, 1}, []int64{0, 0, 16, 16})
	even.Points[1].Shading = []experiment.Span{{Name: "db-outage", From: 0, To: 2 * time.Second}}
	even.Points[1].Actions = []experiment.Span{{Name: "again", From: 6 * time.Second, To: 6 * time.Second}}
	burst := loadSample([]int64{7000, 1, 1, 1, 2, 4, 10, 29})
	for _, c := range []struct {
		r    *experiment.Result
		opt  TableOptions
		want string
	}{
		{even, TableOptions{Width: 35, Blocks: true}, `calls reaching db over time (means
  over 1 s and 2 replications), all
  lines to the same scale, up to
  16/s
a  ▄▄▄▄▄▃▃▃▃▃▂▂▂▂▂▁▁▁▁  8/s at 0 s
b      ██████           16/s at 2 s
   ^^^^^         |
   0               8 s
^ db outage 0 s to 2 s; | again at
  6 s`},
		{burst, TableOptions{}, `calls reaching db over time (means over 1 s and 2 replications), all lines to
  the same scale, up to 7,000/s and logarithmic: each level is 3 times the one
  below
a  @@@@@@@@.............................::::::::-------========  7,000/s at 0 s
   0                                                        8 s`},
	} {
		if got := strings.Join(sparkLines(c.r, Comparisons{}, c.opt), "\n"); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
	for name, r := range map[string]*experiment.Result{
		"nothing": loadSample([]int64{0, 0, 0, 0, 0}), "an instant": loadSample([]int64{9, 0, 0, 0, 0, 0}),
	} {
		if got := sparkLines(r, Comparisons{}, TableOptions{}); len(got[0]) > 0 {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// No line is wider than asked for, and where blocks are not asked for all is
// ASCII, whatever the result.
func TestSparklinesFit(t *testing.T) {
	samples := plotSamples()
	delete(samples, "long") // which has only more points
	samples["many"] = sample{variants: manyVariants(57), clients: []string{"10", "20"}, runs: 2, worst: 1.01}.result()
	shown := 0
	for name, r := range samples {
		c := comparisonsOf(r)
		for _, width := range []int{1, 7, 15, 16, 17, 20, 23, 24, 25, 31, 40, 53, 66, 79, 80, 120} {
			for _, blocks := range []bool{true, false} {
				lines := sparkLines(r, c, TableOptions{Width: width, Blocks: blocks})
				if len(lines) > 1 {
					shown++
				}
				if len(lines) > mostVariants+40 {
					t.Errorf("%s has %d lines at width %d", name, len(lines), width)
				}
				for _, line := range lines {
					if n := length(line); n > width {
						t.Errorf("%s, width %d: %d wide: %q", name, width, n, line)
					}
					if !blocks && ascii(line) != line {
						t.Errorf("%s: not ASCII: %q", name, line)
					}
				}
			}
		}
	}
	if shown == 0 {
		t.Error("there are no sparklines")
	}
}

func TestSparklinesWithoutWidth(t *testing.T) {
	for _, line := range sparkLines(plotSamples()["twelve"], Comparisons{}, TableOptions{}) {
		if length(line) > sparkWidth {
			t.Errorf("%q", line)
		}
	}
}

func TestShortenedTo(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"full-jitter", 11, "full-jitter"},
		{"full-jitter", 8, "ful..ter"},
		{"full-jitter", 7, "ful..er"},
		{"µµµµµ", 4, "µ..µ"},
		{"full-jitter", 2, ".."},
		{"", 4, ""},
	} {
		if got := shortenedTo(c.text, c.n); got != c.want {
			t.Errorf("%q in %d: got %q, want %q", c.text, c.n, got, c.want)
		}
	}
}
