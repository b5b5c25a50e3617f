package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"retrystorm/cmd/retrystorm/internal/engines"
	"retrystorm/cmd/retrystorm/internal/forecast"
	"retrystorm/experiment"
	"retrystorm/report"
	"retrystorm/scenarios"
)

// runFlags are the flags of run beside those that change the scenario.
type runFlags struct {
	out           string
	jobs          int
	format        formatFlag
	quiet         bool
	force, resume bool
	dryRun        bool
	shardText     string
	shard         engines.Shard // of the work; N 0: all of it
	gates         gates
}

func (a *app) runCommand() *cobra.Command {
	var c changes
	f := runFlags{format: resultFormats()}
	cmd := &cobra.Command{
		Use:   "run SCENARIO... [-o DIR] [--set path=value]...",
		Short: "Run scenarios and print what came out",
		Long: `Run every point of a scenario (each variant at each value of the sweep) many
times, print a table, and with -o write tables, plots, report.html and the
scenario as run to a folder. Several scenarios go to DIR/NAME each, and are
printed one after the other, as JSON a stream of documents.

Work in progress is kept in DIR.partial, point by point: an interrupted run goes
on with --resume, and a folder that has a result is left alone without --force.

With --shard K/N only that part of the work is done, into DIR/shard-K-of-N;
retrystorm merge puts the parts together.

` + engines.Describe() + `

--dry-run says what a run would do, and about how long it would take.`,
		Example: `  retrystorm run aws-occ --replications 5
  retrystorm run nested-layers -o results
  retrystorm run recovering-server --variants exponential,full-jitter --set clients.count=2000
  retrystorm run aws-occ --sweep clients.count=20,40 --replications 10 --format csv
  retrystorm show nested-layers | retrystorm run - --format json --quiet`,
		Args:              between(1, -1, "a SCENARIO"),
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if err := f.findShard(cmd, a.getenv); err != nil {
				return err
			}
			if err := f.gates.check(cmd, args...); err != nil {
				return err
			}
			if err := named(cmd, f.out); err != nil {
				return err
			}
			if err := c.check(cmd); err != nil {
				return err
			}
			jobs, err := a.jobs(args, &c, &f)
			if err != nil {
				return err
			}
			if f.dryRun {
				return a.dryRun(jobs, &f)
			}
			return a.runAll(jobs, &f)
		},
	}
	c.flags(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "write the result to `DIR`: tables, plots, report.html")
	flags.IntVar(&f.jobs, "jobs", 0, "`number` of processor cores to use (default: all)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no notes")
	flags.BoolVar(&f.force, "force", false, "replace the result in DIR, start anew after an interruption")
	flags.BoolVar(&f.resume, "resume", false, "go on with an interrupted run")
	flags.StringVar(&f.shardText, "shard", "", "do only part `K/N` of the work")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be run, and about how long it would take")
	f.gates.flags(cmd)
	f.format.add(cmd)
	return cmd
}

// maxJobs is more cores than machines have; each job holds a whole run.
const maxJobs = 4096

func checkJobs(n int) error {
	if n < 0 || n > maxJobs {
		return usagef("--jobs %d: it must be 0 (all cores) to %d", n, maxJobs)
	}
	return nil
}

func (f *runFlags) check() error {
	switch {
	case checkJobs(f.jobs) != nil:
		return checkJobs(f.jobs)
	case f.out == "" && f.force:
		return usagef("--force is for -o DIR")
	case f.out == "" && f.resume:
		return usagef("--resume is for -o DIR: without it nothing is kept")
	case f.dryRun && f.format.value != "table":
		return usagef("--dry-run prints text, and no %s", f.format.value)
	case f.force && f.resume:
		return usagef("--force starts anew and --resume goes on: use one of them")
	}
	return nil
}

// findShard takes the shard from the flag, or from what an engine sets.
func (f *runFlags) findShard(cmd *cobra.Command, getenv func(string) string) (err error) {
	if cmd.Flags().Changed("shard") {
		f.shard, err = engines.Parse(f.shardText)
	} else {
		f.shard, err = engines.Detect(getenv)
	}
	if err != nil {
		return &exitError{exitUsage, err}
	}
	// A shard of one is what a script makes that was given the number; it is
	// merged like several.
	if f.shard.N == 0 || f.shard.N == 1 && (f.shardText == "" || f.out == "") {
		f.shard = engines.Shard{}
		return nil
	}
	what := fmt.Sprintf("shard %d of %d (%s)", f.shard.K, f.shard.N, f.shard.From)
	if f.out == "" && !f.dryRun {
		return usagef("%s: a shard needs -o DIR, for retrystorm merge; --shard 1/1 runs everything", what)
	}
	if f.gates.any() {
		return usagef("%s: --baseline, --strict and --junit are for retrystorm merge; a shard judges nothing", what)
	}
	return nil
}

// named refuses an empty name, which in a script is a variable without a value.
func named(cmd *cobra.Command, out string) error {
	if out == "" && cmd.Flags().Changed("output") {
		return usagef("-o: the name of the folder is empty")
	}
	return nil
}

// job is one scenario to run.
type job struct {
	name       string
	file       string // as named on the command line; "" for one that is built in
	experiment *experiment.Experiment
	origin     origin
	command    string
	clients    int64          // in the largest of its points
	dir        string         // "": no folder
	folder     *report.Folder // nil: no folder, or complete already
	complete   bool           // the folder holds this very result
}

// jobs gets everything ready that can be wrong, so that nothing has been
// written when it is.
func (a *app) jobs(args []string, c *changes, f *runFlags) (jobs []*job, err error) {
	sources, err := a.openAll(args)
	if err != nil {
		return nil, err
	}
	var wrong scenarios.Problems
	for _, src := range sources {
		p, err := c.prepare(src)
		if problems := problemsOf(err); problems != nil {
			wrong = append(wrong, problems...)
			continue
		}
		if err != nil {
			return nil, err
		}
		if src.ours {
			p.notes = nil // we know what we wrote
		}
		if !f.quiet {
			a.notes(p)
		}
		if err := f.gates.refuse(src.name, p.dropped, p.experiment); err != nil {
			return nil, err
		}
		s := p.file.Scenario
		j := &job{name: s.Name, experiment: p.experiment, command: c.command(s, src.text), clients: p.experiment.Clients()}
		if !src.ours && src.name != "stdin" {
			j.file = src.name
		}
		j.origin = origin{j.file, src.name, string(src.text), p.sets, p.file.Data(), j.command, p.dropped}
		if f.gates.baseline != "" && p.experiment.NeedsBaseline() == "" && !f.quiet {
			a.notef("note: no expectation of %s is about the baseline", s.Name)
		}
		jobs = append(jobs, j)
	}
	if len(wrong) > 0 {
		return nil, &exitError{exitUsage, wrong}
	}
	if err := f.gates.compare(jobs); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		if _, err := fitting(1, j.clients, forecast.MemoryLimit()); err != nil {
			return nil, fmt.Errorf("%s: %w", j.name, err)
		}
	}
	if f.out == "" || f.dryRun {
		return jobs, nil
	}
	return jobs, openFolders(jobs, f)
}

// fitting is how many replications fit into memory at a time, at most jobs. That
// not even one does is the fault of the scenario.
func fitting(jobs int, clients int64, limit uint64) (int, error) {
	n, err := forecast.Fitting(jobs, clients, limit)
	if err != nil {
		return 0, &exitError{exitUsage, err}
	}
	return n, nil
}

// notes says what the reader should know before the run.
func (a *app) notes(p *prepared) {
	for _, note := range p.notes {
		a.notef("note: %s", note)
	}
	for _, e := range p.dropped {
		a.notef("note: not judged, because it is about what is left out: %s", e)
	}
}

// openFolders opens the output folders of all jobs, or none.
func openFolders(jobs []*job, f *runFlags) error {
	names := map[string]bool{}
	for _, j := range jobs {
		if names[j.name] {
			return usagef("two scenarios are called %s: they cannot share the folder %s", j.name, filepath.Join(f.out, j.name))
		}
		names[j.name] = true
		j.dir = f.out
		if len(jobs) > 1 {
			j.dir = filepath.Join(f.out, j.name)
		}
	}
	for _, j := range jobs {
		if err := j.open(f); err != nil {
			closeFolders(jobs)
			if len(jobs) > 1 {
				os.Remove(f.out) // if it was made for nothing, it is empty
			}
			return err
		}
	}
	return nil
}

func closeFolders(jobs []*job) {
	for _, j := range jobs {
		if j.folder != nil {
			_ = j.folder.Close()
		}
	}
}

func (j *job) open(f *runFlags) (err error) {
	id := report.IdentityOf(j.experiment.Result(nil))
	opt := report.FolderOptions{Force: f.force, Resume: f.resume}
	if f.shard.N > 0 {
		j.folder, err = report.OpenShard(j.dir, id, f.shard.K, f.shard.N, opt)
	} else {
		j.folder, err = report.Open(j.dir, id, opt)
	}
	return folderError(err, &j.complete)
}

// folderError gives the errors of a folder their exit code. That a result is
// complete already is not one.
func folderError(err error, complete *bool) error {
	var usage *report.UsageError
	switch {
	case errors.Is(err, report.ErrComplete):
		*complete = true
		return nil
	case errors.As(err, &usage):
		return &exitError{exitUsage, err}
	}
	return err
}

// runAll runs one scenario after the other. One that fails does not keep the
// others from running; an interruption does.
func (a *app) runAll(jobs []*job, f *runFlags) error {
	defer closeFolders(jobs)
	interrupted, release := watch()
	defer release()
	code := exitOK
	var results []*experiment.Result
	for i, j := range jobs {
		if i > 0 {
			a.printf("\n")
		}
		r, err := a.runJob(j, f, interrupted)
		if r != nil {
			results = append(results, r)
		}
		if len(jobs) == i+1 || interrupted.happened() {
			if e := a.tellCI(results, &f.gates); e != nil {
				if err != nil {
					a.notef("retrystorm: %v", err)
				}
				err = e // a failure comes before an expectation that does not hold
			}
		}
		if len(jobs) == 1 {
			return err
		}
		if err != nil {
			a.notef("retrystorm: %s: %v", j.name, err)
		}
		code = worse(code, codeOf(err))
		if interrupted.happened() && i+1 < len(jobs) {
			// It may have come when this one was over, and those to come do not run.
			if stopped := interrupted.error(""); code != codeOf(stopped) {
				a.notef("retrystorm: %v", stopped)
				code = worse(code, codeOf(stopped))
			}
			break
		}
	}
	if code != exitOK {
		return &exitError{code: code} // everything has been said
	}
	return nil
}

// runJob runs a scenario, writes its folder, prints it and says what came out of
// its gates. The result is nil when there is none to judge.
func (a *app) runJob(j *job, f *runFlags, interrupted *interruption) (*experiment.Result, error) {
	r, err := a.result(j, f, interrupted)
	if err == nil && j.folder != nil {
		if f.shard.N > 0 {
			err = j.folder.Commit(nil)
		} else {
			err = j.folder.Commit(stoppable(r, interrupted))
		}
		j.complete = err == nil
	}
	if interrupted.happened() {
		return nil, interrupted.error(j.kept())
	}
	if err != nil {
		return nil, err
	}
	if !f.quiet && j.folder != nil {
		a.notef("%s: written", j.dir)
	}
	if f.shard.N > 0 {
		return nil, nil
	}
	if err := a.printResult(r, f.format.value); err != nil {
		return nil, err
	}
	if err := a.annotate(r, j.file, &f.gates); err != nil {
		return r, err
	}
	return r, f.gates.verdict(r)
}

// result runs the scenario, or reads the result that is there.
func (a *app) result(j *job, f *runFlags, interrupted *interruption) (*experiment.Result, error) {
	if j.complete {
		if !f.quiet {
			a.notef("%s: holds this result already", j.dir)
		}
		if f.shard.N > 0 {
			return nil, nil
		}
		kept, err := report.Read(os.DirFS(j.dir))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.dir, err)
		}
		return j.again(kept), nil
	}
	p := a.newProgress(j.name, f.quiet)
	defer p.end()
	opt := experiment.Options{Jobs: f.jobs, Stop: interrupted.stop, Progress: p.at, Light: true}
	if f.jobs == 0 {
		opt.Jobs = runtime.GOMAXPROCS(0)
	}
	var err error
	if opt.Jobs, err = fitting(opt.Jobs, j.clients, interrupted.limit); err != nil {
		return nil, err
	}
	if j.folder != nil {
		opt.Store = &store{j.folder, j.folder.Save}
	}
	if f.shard.N > 0 {
		if err := j.keepOrigin(f.shard.K); err != nil {
			return nil, err
		}
		opt.Shard = &experiment.Shard{K: f.shard.K, N: f.shard.N}
	}
	r, err := j.experiment.Run(opt)
	if err != nil {
		return nil, unsteady(err)
	}
	r.Command = j.command
	return r, nil
}

// again judges a result that was kept: the baseline may be another one.
func (j *job) again(kept *experiment.Result) *experiment.Result {
	r := j.experiment.Result(kept.Points)
	r.Command, r.Crossings = kept.Command, kept.Crossings
	return r
}

// keepOrigin leaves in a shard what merge needs to know.
func (j *job) keepOrigin(shard int) error {
	key := originKey + strconv.Itoa(shard)
	if _, ok := j.folder.Load(key); ok {
		return nil
	}
	b, err := json.Marshal(j.origin)
	if err != nil {
		return err
	}
	return j.folder.Save(key, b)
}

// unsteady gives a scenario without a steady state its exit code.
func unsteady(err error) error {
	var u *experiment.UnsteadyError
	if errors.As(err, &u) {
		return &exitError{exitUsage, err}
	}
	return err
}

// stoppable are the files of a result, which are not written after an
// interruption: they can take longer than somebody who pressed Ctrl-C wants to
// wait.
func stoppable(r *experiment.Result, interrupted *interruption) []report.File {
	stopped := *r
	stopped.Whole = func(i int) (*experiment.Point, error) {
		if interrupted.happened() {
			return nil, experiment.ErrInterrupted
		}
		if r.Whole == nil {
			return &r.Points[i], nil
		}
		return r.Whole(i)
	}
	files := report.Files(&stopped)
	for i, file := range files {
		files[i].Write = func(w io.Writer) error {
			if interrupted.happened() {
				return experiment.ErrInterrupted
			}
			return file.Write(w)
		}
	}
	return files
}

// kept says what is left of a job that was interrupted.
func (j *job) kept() string {
	switch {
	case j.complete:
		return j.dir + " holds the whole result"
	case j.folder == nil:
		return "nothing is kept without -o DIR"
	}
	_ = j.folder.Close()
	partial := strings.TrimRight(j.dir, string(filepath.Separator)) + ".partial"
	if _, err := os.Stat(partial); err != nil {
		return "no point was finished yet"
	}
	return fmt.Sprintf("the finished points are kept in %s; --resume goes on with them", partial)
}
