package report

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"retrystorm/experiment"
)

const (
	manifestFile    = "manifest.json"
	scenarioFile    = "scenario.yaml"
	summaryFile     = "summary.csv"
	runsFile        = "runs.csv"
	timelineFile    = "timeline.csv"
	completionFile  = "completion.csv"
	hopsFile        = "hops.csv"
	attributionFile = "attribution.csv"
	outcomesFile    = "outcomes.csv" // only when some replications ended otherwise
	groupsFile      = "groups.csv"   // only when there are several groups of clients
)

// File is one file of an output folder, and how to write it.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Files are all files of an output folder, the manifest last. Extra files are
// listed in the manifest like the others.
func Files(r *experiment.Result, extra ...File) []File {
	of := func(write func(io.Writer, *experiment.Result) error) func(io.Writer) error {
		return func(w io.Writer) error { return write(w, r) }
	}
	files := []File{
		{scenarioFile, of(Scenario)},
		{summaryFile, of(Summary)},
		{runsFile, of(Runs)},
		{timelineFile, of(Timelines)},
		{completionFile, of(Completion)},
		{hopsFile, of(Hops)},
		{attributionFile, of(Attributions)},
	}
	if split(r) {
		files = append(files, File{outcomesFile, of(Outcomes)})
	}
	if grouped(r) {
		files = append(files, File{groupsFile, of(Groups)})
	}
	files = append(append(files, Plots(r)...), extra...)
	names := []string{manifestFile}
	for _, f := range files {
		names = append(names, f.Name)
	}
	return append(files, File{manifestFile, func(w io.Writer) error { return writeManifest(w, r, names) }})
}

// Scenario writes scenario.yaml: the scenario as run, overrides applied.
func Scenario(w io.Writer, r *experiment.Result) error {
	_, err := w.Write(r.ScenarioYAML)
	return err
}

// Read restores a Result from an output folder. Numbers come back as they
// were written, so every file and picture made of it is the same again.
func Read(dir fs.FS) (*experiment.Result, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	r := m.result()
	if r.ScenarioYAML, err = fs.ReadFile(dir, scenarioFile); err != nil {
		return nil, missing(scenarioFile, err)
	}
	points := newIndex(r)
	readers := []func(fs.FS, *experiment.Result, index) error{
		readSummary, readRuns, readTimelines, readCompletion, readHops, readAttributions,
	}
	if m.split() {
		readers = append(readers, readOutcomes)
	}
	if m.grouped() {
		readers = append(readers, readGroups)
	}
	for _, read := range readers {
		if err := read(dir, r, points); err != nil {
			return nil, err
		}
	}
	if err := m.complete(r); err != nil {
		return nil, err
	}
	for i := range r.Points {
		countValues(&r.Points[i])
	}
	return r, nil
}

// split reports whether there is an outcomes.csv.
func (m *manifest) split() bool {
	return slices.ContainsFunc(m.Points, func(p manifestPoint) bool { return p.Outcomes > 0 })
}

// grouped reports whether there is a groups.csv.
func (m *manifest) grouped() bool {
	return slices.ContainsFunc(m.Points, func(p manifestPoint) bool { return p.Groups > 0 })
}

// complete checks that no rows are missing or doubled.
func (m *manifest) complete(r *experiment.Result) error {
	for i := range r.Points {
		p, want := &r.Points[i], m.Points[i]
		check := func(file string, got, want int) error {
			if got == want {
				return nil
			}
			return fmt.Errorf("%s: point %s has %d values instead of %d: the file is damaged",
				file, pointName(r, p), got, want)
		}
		rows, wantRows := 0, 0
		for j, t := range p.Timelines {
			rows += len(t.Rows)
			wantRows += want.Timelines[j].Rows
		}
		for _, err := range []error{
			check(summaryFile, len(p.Estimates), len(r.Metrics)),
			check(outcomesFile, len(p.Outcomes), want.Outcomes),
			check(runsFile, len(p.Runs), want.Runs),
			check(timelineFile, rows, wantRows),
			check(completionFile, len(p.Completion), want.Quantiles),
			check(hopsFile, len(p.Hops), want.Hops),
			check(attributionFile, len(p.Attribution), want.Attribution),
			check(groupsFile, len(p.Groups), want.Groups),
		} {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// pointName names a point in messages: none[clients.count=100].
func pointName(r *experiment.Result, p *experiment.Point) string {
	var name strings.Builder
	name.WriteString(p.Variant)
	for i, v := range p.Sweep {
		sep := ", "
		if i == 0 {
			sep = "["
		}
		name.WriteString(sep + r.Axes[i] + "=" + v)
	}
	if len(p.Sweep) > 0 {
		name.WriteString("]")
	}
	return name.String()
}
