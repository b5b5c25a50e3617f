package report

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"retrystorm/experiment"
	"retrystorm/sim"
)

const (
	manifestFile = "manifest.json"
	scenarioFile = "scenario.yaml"
	reportFile   = "report.md"
)

// Files are all files of an output folder, the manifest last. Extra files are
// listed in the manifest like the others.
func Files(r *experiment.Result, extra ...File) []File {
	files := []File{{Name: scenarioFile, Write: func(w io.Writer) error { return Scenario(w, r) }}}
	list := tables(r)
	passes := map[scope]*pass{}
	for _, s := range []scope{ofPoints, ofPlaces, ofResult} {
		passes[s] = &pass{r, s}
	}
	for _, t := range list {
		files = append(files, tableFiles(t, passes[t.scope])...)
	}
	if knows(r, "dead_letters") {
		files = append(files, passes[ofPoints].file(lettersFile, func(w io.Writer) (maker, error) { return &letterWriter{w, r}, nil }))
	}
	files = append(files, File{Name: reportFile, Write: func(w io.Writer) error { return Markdown(w, r) }})
	files = append(files, File{Name: htmlFile, Write: func(w io.Writer) error { return HTML(w, r) }})
	files = append(append(files, Plots(r)...), extra...)
	names := []string{manifestFile}
	for _, f := range files {
		names = append(names, f.Name)
	}
	return append(files, passes[ofPoints].file(manifestFile, func(w io.Writer) (maker, error) {
		return newManifestMaker(w, r, list, names)
	}))
}

// Summary writes summary.csv: one row per point, with the centre and interval
// of every metric over the replications.
func Summary(w io.Writer, r *experiment.Result) error {
	points := *r
	points.Whole = nil // brief points have all that it needs
	return tableFiles(summaryTable(r), &pass{&points, ofPoints})[0].Write(w)
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
	readers := []func(fs.FS, *experiment.Result, index) error{
		readSummary, readRuns, readTimelines, readCompletion, readHops, readAttributions,
	}
	if m.split() {
		readers = append(readers, readOutcomes)
	}
	if m.grouped() {
		readers = append(readers, readGroups)
	}
	if len(r.QueueMetrics) > 0 {
		readers = append(readers, readQueues)
	}
	if knows(r, "dead_letters") {
		readers = append(readers, readDead, readLetters)
	}
	if knows(r, "duplicates") {
		readers = append(readers, readDuplicates)
	}
	if m.attempted() {
		readers = append(readers, readAttempts)
	}
	if err := m.read(dir, r, readers...); err != nil {
		return nil, err
	}
	if err := m.complete(r); err != nil {
		return nil, err
	}
	return r, nil
}

// ReadBaseline restores what another run is compared with: the points with
// their estimates and runs, and nothing else of them.
func ReadBaseline(dir fs.FS) (*experiment.Result, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	for i := range m.Points {
		p := &m.Points[i]
		p.Outcomes, p.Quantiles, p.Hops, p.Attribution, p.Groups = 0, 0, 0, 0, 0
		p.Queues, p.DeadReasons, p.Dead, p.Duplicates = 0, 0, 0, 0
		p.Attempts, p.Timelines, p.Shading = 0, nil, nil
	}
	r := m.result()
	if err := m.read(dir, r, readSummary, readRuns); err != nil {
		return nil, err
	}
	if err := m.complete(r); err != nil {
		return nil, err
	}
	return r, nil
}

// read fills the points of a result.
func (m *manifest) read(dir fs.FS, r *experiment.Result, readers ...func(fs.FS, *experiment.Result, index) error) error {
	m.makeRoom(r)
	points := newIndex(r)
	for _, read := range readers {
		if err := read(dir, r, points); err != nil {
			return err
		}
	}
	for i := range r.Points {
		if r.Points[i].Estimates != nil {
			countValues(&r.Points[i])
		}
	}
	return nil
}

// makeRoom makes the lists of the points as long as they will be, of which there
// may be very many.
func (m *manifest) makeRoom(r *experiment.Result) {
	for i := range r.Points {
		p, x := &r.Points[i], &m.Points[i]
		p.Runs = make([]experiment.Run, 0, room(x.Runs))
		p.Completion = make([]experiment.Quantile, 0, room(x.Quantiles))
		p.Hops = make([]experiment.Hop, 0, room(x.Hops))
		p.Attribution = make([]experiment.Attribution, 0, room(x.Attribution))
		for j := range p.Timelines {
			p.Timelines[j].Rows = make([]sim.Row, 0, room(x.Timelines[j].Rows))
		}
	}
}

// room is what is believed of the length of a list before its rows are seen.
func room(n int) int { return min(max(n, 0), 1<<10) }

// split reports whether there is an outcomes.csv.
func (m *manifest) split() bool {
	return slices.ContainsFunc(m.Points, func(p manifestPoint) bool { return p.Outcomes > 0 })
}

// grouped reports whether there is a groups.csv.
func (m *manifest) grouped() bool {
	return slices.ContainsFunc(m.Points, func(p manifestPoint) bool { return p.Groups > 0 })
}

// attempted reports whether there is an attempts.csv.
func (m *manifest) attempted() bool {
	return slices.ContainsFunc(m.Points, func(p manifestPoint) bool { return p.Attempts > 0 })
}

// complete checks that no rows are missing or doubled.
func (m *manifest) complete(r *experiment.Result) error {
	for i := range r.Points {
		p, want := &r.Points[i], m.Points[i]
		check := func(table string, got, want int) error {
			if got == want {
				return nil
			}
			return fmt.Errorf("%s.csv: point %s has %d values instead of %d: the file is damaged",
				table, pointName(r, p), got, want)
		}
		rows, wantRows := 0, 0
		for j, t := range p.Timelines {
			rows += len(t.Rows)
			wantRows += want.Timelines[j].Rows
		}
		for _, err := range []error{
			check("summary", len(p.Estimates), len(r.Metrics)),
			check("outcomes", len(p.Outcomes), want.Outcomes),
			check("runs", len(p.Runs), want.Runs),
			check("timeline", rows, wantRows),
			check("completion", len(p.Completion), want.Quantiles),
			check("hops", len(p.Hops), want.Hops),
			check("attribution", len(p.Attribution), want.Attribution),
			check("groups", len(p.Groups), want.Groups),
			check("queues", len(p.Queues), want.Queues),
			check("dead_letters", len(p.DeadReasons), want.DeadReasons),
			check("duplicates", len(p.Duplicates), want.Duplicates),
			check("attempts", len(p.Attempts), want.Attempts),
		} {
			if err != nil {
				return err
			}
		}
		if n := len(p.Dead); n != want.Dead {
			return fmt.Errorf("%s: point %s has %d messages instead of %d: the file is damaged", lettersFile, pointName(r, p), n, want.Dead)
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
