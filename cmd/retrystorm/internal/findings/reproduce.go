package findings

import (
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"

	"retrystorm/experiment"
	"retrystorm/report"
	"retrystorm/scenarios"
)

// Options are how findings are reproduced and watched.
type Options struct {
	Jobs int // 0: all cores
	Stop <-chan struct{}
	// Progress is told which scenario runs and how far it is.
	Progress func(scenario string, done, total int)
}

// Reproduce runs the named findings (none: all of them) and brings the folder
// up to date: each finding's own folder, FINDINGS.md and MANIFEST. It replaces
// exactly the files that MANIFEST says are its own, when everything has run.
func Reproduce(dir string, names []string, opt Options) error {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	if opt.Jobs == 0 {
		opt.Jobs = runtime.NumCPU()
	}
	out := newOutput(dir)
	for _, f := range chosen {
		if err := f.run(out, opt); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return out.commit(chosen)
}

// Names lists the findings.
func Names() []string {
	var names []string
	for _, f := range Catalogue() {
		names = append(names, f.Name)
	}
	return names
}

func choose(names []string) ([]Finding, error) {
	all := Catalogue()
	if len(names) == 0 {
		return all, nil
	}
	for _, n := range names {
		if !slices.Contains(Names(), n) {
			return nil, &UnknownError{n}
		}
	}
	return slices.DeleteFunc(all, func(f Finding) bool { return !slices.Contains(names, f.Name) }), nil
}

// UnknownError is the name of a finding that does not exist.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown finding %q; there are: %s", e.Name, strings.Join(Names(), ", "))
}

// run runs a finding's experiments and judges its claims.
func (f *Finding) run(out *output, opt Options) error {
	var rows []row
	for _, e := range f.Experiments {
		r, err := simulate(e.Scenario, nil, opt, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Scenario, err)
		}
		in := &inquiry{result: r, rerun: func(value string, variants ...string) (*experiment.Result, error) {
			return simulate(e.Scenario, []string{
				fmt.Sprintf("sweep={%s: [%s]}", r.Axes[0], value), "expect=[]",
			}, opt, variants)
		}}
		for _, c := range e.Claims {
			v, err := c.judge(in)
			if err != nil {
				return err
			}
			rows = append(rows, row{f.Name, c.sentence(), f.Source, v.Measured, v.Word})
		}
		if err := e.keep(out, f, r); err != nil {
			return err
		}
	}
	return out.add(path.Join(f.Name, verdictsFile), writeVerdicts(rows))
}

// keep takes the files of a result that the experiment keeps.
func (e *Experiment) keep(out *output, f *Finding, r *experiment.Result) error {
	files := report.Files(r)
	if i := slices.IndexFunc(r.Metrics, func(m experiment.Metric) bool { return m.Name == "finished_at" }); i >= 0 {
		files = append(files, report.File{Name: "finished.png", Write: func(w io.Writer) error { return finishedFigure(r, i).WritePNG(w) }})
	}
	dir := f.Name
	if e.Scenario != f.Name {
		dir = path.Join(f.Name, e.Scenario)
	}
	for _, name := range e.Files {
		i := slices.IndexFunc(files, func(file report.File) bool { return file.Name == name })
		if i < 0 {
			return fmt.Errorf("no file %s in a result of %s", name, e.Scenario)
		}
		if err := out.add(path.Join(dir, name), files[i].Write); err != nil {
			return err
		}
	}
	return nil
}

// simulate runs a built-in scenario.
func simulate(name string, sets []string, opt Options, variants []string) (*experiment.Result, error) {
	b, ok := scenarios.Builtin(name)
	if !ok {
		return nil, fmt.Errorf("no built-in scenario %s", name)
	}
	file, err := scenarios.Load(name+".yaml", b.Source, nil, sets)
	if err != nil {
		return nil, err
	}
	e, err := experiment.New(file)
	if err != nil {
		return nil, err
	}
	o := experiment.Options{Jobs: opt.Jobs, Stop: opt.Stop, Variants: variants}
	if opt.Progress != nil {
		o.Progress = func(done, total int) { opt.Progress(name, done, total) }
	}
	r, err := e.Run(o)
	if err != nil {
		return nil, err
	}
	s := file.Scenario
	r.Command = fmt.Sprintf("retrystorm run %s --seed %d --replications %d", s.Name, s.Seed, s.Replications.Most())
	return r, nil
}
