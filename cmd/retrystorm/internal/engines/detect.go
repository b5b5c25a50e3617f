package engines

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Our own variables, for engines that are not in the table and for those that
// say which shard this is but not of how many.
const (
	ownIndex = "RETRYSTORM_SHARD_INDEX" // from 1
	ownCount = "RETRYSTORM_SHARD_COUNT"
)

// instead ends the messages of Detect.
const instead = "or give --shard K/N; " + runsAll

// engine is how an engine tells a process which part of the work it has: by an
// index and a count, or by an id within a range.
type engine struct {
	name  string
	index string
	base  int // the index of the first shard, where there is no range
	// count is a variable of the engine, or ours where the engine has none.
	count string
	// A range is from first to last in steps; a variable that is not named is
	// base, and 1. With a count as well they must agree.
	first, last, step string
	// single is the index of a job that is no array.
	single string
	// inside is a variable that is set where index and count mean a shard. An
	// index outside of that is nobody's, or an error when unclear says why.
	inside, unclear string
	hint            string // what to do when something is wrong
}

// table has the engines in the order in which they are asked: what runs whole
// machines before what may run inside, and array ids before ranks.
//
// Sources: the engines' own documentation of these variables, and for Slurm its
// behaviour (22.05).
var table = []engine{
	{
		name: "any", index: ownIndex, base: 1, count: ownCount,
	},
	{
		name: "Kubernetes Job", index: "JOB_COMPLETION_INDEX", count: ownCount,
		hint: "set " + ownCount + " to the completions of the Job",
	},
	{
		name: "Slurm array", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT",
		first: "SLURM_ARRAY_TASK_MIN", last: "SLURM_ARRAY_TASK_MAX", step: "SLURM_ARRAY_TASK_STEP",
		hint: "Slurm tells of this submission only: a part of an array that runs again needs --shard K/N",
	},
	{
		// The batch script itself is rank 0 too, and is no part of anything.
		name: "Slurm step", index: "SLURM_PROCID", count: "SLURM_NTASKS", inside: "SLURM_STEP_ID",
	},
	{name: "Open MPI", index: "OMPI_COMM_WORLD_RANK", count: "OMPI_COMM_WORLD_SIZE"},
	{name: "AWS Batch array", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"},
	{name: "Cloud Run job", index: "CLOUD_RUN_TASK_INDEX", count: "CLOUD_RUN_TASK_COUNT"},
	{name: "Google Batch", index: "BATCH_TASK_INDEX", count: "BATCH_TASK_COUNT"},
	{
		name: "GitLab CI", index: "CI_NODE_INDEX", base: 1, count: "CI_NODE_TOTAL",
		inside: "GITLAB_CI", unclear: "outside GitLab some systems count from 0",
	},
	{name: "CircleCI", index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL"},
	{name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT"},
	{name: "Bitbucket", index: "BITBUCKET_PARALLEL_STEP", count: "BITBUCKET_PARALLEL_STEP_COUNT"},
	{name: "Semaphore", index: "SEMAPHORE_JOB_INDEX", base: 1, count: "SEMAPHORE_JOB_COUNT"},
	{name: "Azure Pipelines", index: "SYSTEM_JOBPOSITIONINPHASE", base: 1, count: "SYSTEM_TOTALJOBSINPHASE"},
	{
		name: "PBS array", index: "PBS_ARRAY_INDEX", base: 1, count: ownCount,
		hint: "submit with -J 1-N and set " + ownCount + " to N",
	},
	{
		name: "SGE array", index: "SGE_TASK_ID", single: "undefined",
		first: "SGE_TASK_FIRST", last: "SGE_TASK_LAST", step: "SGE_TASK_STEPSIZE",
	},
	{
		name: "LSF array", index: "LSB_JOBINDEX", base: 1, single: "0",
		last: "LSB_JOBINDEX_END", step: "LSB_JOBINDEX_STEP",
		hint: "LSF does not say where an array begins: let it begin at 1",
	},
}

// Detect finds out from the environment which shard this process is. One shard
// of one is as none. It guesses nothing: an index of unknown many, a number out
// of range, or a count of ours without any index is an error.
func Detect(getenv func(string) string) (Shard, error) {
	for i := range table {
		e := &table[i]
		if !e.speaks(getenv) {
			continue
		}
		s, err := e.shard(getenv)
		if err != nil {
			return Shard{}, fmt.Errorf("%w; %s", err, instead)
		}
		if s.N > 1 {
			return s, nil
		}
		if e.count == ownCount {
			return Shard{}, nil // somebody said so
		}
	}
	if n := getenv(ownCount); n != "" && n != "1" {
		return Shard{}, fmt.Errorf("%s=%s is set, but nothing says which of them this is: set %s, from 1, too; %s",
			ownCount, n, ownIndex, instead)
	}
	return Shard{}, nil
}

// speaks reports whether the engine says which part of the work this is.
func (e *engine) speaks(getenv func(string) string) bool {
	index := getenv(e.index)
	if index == "" || e.single != "" && index == e.single {
		return false
	}
	return e.inside == "" || getenv(e.inside) != "" || e.unclear != "" && getenv(e.count) != "1"
}

func (e *engine) shard(getenv func(string) string) (Shard, error) {
	r, err := e.read(getenv)
	if err == nil {
		err = e.contradiction(r, getenv)
	}
	if err != nil {
		return Shard{}, err
	}
	span := fmt.Sprintf("%d-%d", r.first, r.last)
	if r.step != 1 {
		span += fmt.Sprintf(":%d", r.step)
	}
	return Shard{
		K:    (r.index-r.first)/r.step + 1,
		N:    r.count(),
		From: fmt.Sprintf("%s=%d of %s", e.index, r.index, span),
	}, nil
}

// place is an index in its range.
type place struct{ index, first, last, step int }

func (p place) count() int { return (p.last-p.first)/p.step + 1 }

// read reads the index and its range, and finds what cannot be.
func (e *engine) read(getenv func(string) string) (p place, err error) {
	number := func(name string, otherwise int) int {
		if name == "" || err != nil {
			return otherwise
		}
		var n int
		n, err = e.number(name, getenv)
		return n
	}
	p.index = number(e.index, 0)
	count := number(e.counter(getenv), 0)
	p.first, p.step = number(e.first, e.base), number(e.step, 1)
	p.last = number(e.last, min(count, MostShards+1)+p.first-1)
	switch {
	case err != nil:
		return p, err
	case e.unclear != "" && getenv(e.inside) == "":
		return p, e.errorf(getenv, "is without %s: %s", e.inside, e.unclear)
	case p.step == 0 || p.last < p.first:
		return p, e.errorf(getenv, "is of no shards at all")
	case (p.last-p.first)/p.step >= MostShards:
		return p, e.errorf(getenv, "is of more than %d shards", MostShards)
	case e.count != "" && count != p.count():
		return p, e.errorf(getenv, "has gaps, so that the number of its shard is unclear")
	case p.index < p.first || p.index > p.last || (p.index-p.first)%p.step != 0:
		return p, e.errorf(getenv, "is out of range")
	}
	return p, nil
}

// counter is the variable of the count: ours where the engine says nothing.
func (e *engine) counter(getenv func(string) string) string {
	if e.first == "" && e.last == "" && getenv(e.count) == "" && getenv(ownCount) != "" {
		return ownCount
	}
	return e.count
}

// number reads one variable.
func (e *engine) number(name string, getenv func(string) string) (int, error) {
	text := getenv(name)
	n, ok := whole(text)
	switch {
	case text == "" && e.hint == "":
		return 0, fmt.Errorf("%s=%s%s is set, but %s is not: set %s", e.index, getenv(e.index), e.whose(), name, e.remedy())
	case text == "":
		return 0, fmt.Errorf("%s=%s%s is set, but %s is not: %s", e.index, getenv(e.index), e.whose(), name, e.hint)
	case !ok:
		return 0, fmt.Errorf("%s=%s%s is no whole number", name, text, e.whose())
	}
	return n, nil
}

// remedy is what to set where a count is missing.
func (e *engine) remedy() string {
	if e.last != "" {
		return ownIndex + ", from 1, and " + ownCount
	}
	return ownCount + " to the number of shards"
}

// errorf is an error about the index in its range.
func (e *engine) errorf(getenv func(string) string, format string, args ...any) error {
	text := fmt.Sprintf("%s=%s of %s%s ", e.index, getenv(e.index), e.values(getenv), e.whose()) + fmt.Sprintf(format, args...)
	if e.hint != "" {
		text += ": " + e.hint
	}
	return errors.New(text)
}

// contradiction finds where our own count says something else, and arrays that
// look like a part of another one.
func (e *engine) contradiction(p place, getenv func(string) string) error {
	ours := getenv(ownCount)
	n, ok := whole(ours)
	switch {
	case ours != "" && (!ok || n != p.count()):
		return e.errorf(getenv, "contradicts %s=%s: set %s, from 1, too, to overrule it", ownCount, ours, ownIndex)
	case p.count() == 1 && e.first != "" && p.index > 1:
		return e.errorf(getenv, "is an array of one task, which looks like a part of another one")
	}
	return nil
}

// values are the variables that say what the index is one of.
func (e *engine) values(getenv func(string) string) string {
	var out []string
	for _, name := range []string{e.counter(getenv), e.first, e.last, e.step} {
		if name != "" {
			out = append(out, name+"="+getenv(name))
		}
	}
	return strings.Join(out, ", ")
}

// whose says to whom variables belong that are not ours.
func (e *engine) whose() string {
	if e.index == ownIndex {
		return ""
	}
	return " (" + e.name + ")"
}

// Describe is the table for people, for the help of run.
func Describe() string {
	wide := 0
	for _, e := range table {
		wide = max(wide, len(e.name))
	}
	var b strings.Builder
	b.WriteString("Without --shard the shard is what the first of these says that is set, if it is\none of more than one:\n")
	for _, e := range table {
		fmt.Fprintf(&b, "  %-*s  %s of %s\n", wide, e.name, e.index, cmp.Or(e.count, e.last))
	}
	fmt.Fprintf(&b, "%s counts from 1, the others as their engine does. An index\nwithout a count is refused; %s.", ownIndex, runsAll)
	return b.String()
}
