package engines

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// env is an environment written as NAME=value, a space between two.
func env(text string) func(string) string {
	vars := map[string]string{}
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, "=")
		vars[name] = value
	}
	return func(name string) string { return vars[name] }
}

func slurm(id, first, last, step, count string) string {
	return "SLURM_ARRAY_TASK_ID=" + id + " SLURM_ARRAY_TASK_MIN=" + first + " SLURM_ARRAY_TASK_MAX=" + last +
		" SLURM_ARRAY_TASK_STEP=" + step + " SLURM_ARRAY_TASK_COUNT=" + count
}

func sge(id, first, last, step string) string {
	return "SGE_TASK_ID=" + id + " SGE_TASK_FIRST=" + first + " SGE_TASK_LAST=" + last + " SGE_TASK_STEPSIZE=" + step
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, env string
		want      Shard
	}{
		{"nothing", "HOME=x", Shard{}},
		{"ours", "RETRYSTORM_SHARD_INDEX=3 RETRYSTORM_SHARD_COUNT=3", Shard{3, 3, "RETRYSTORM_SHARD_INDEX=3 of 1-3"}},
		{"ours wins", "RETRYSTORM_SHARD_INDEX=1 RETRYSTORM_SHARD_COUNT=2 CIRCLE_NODE_INDEX=4 CIRCLE_NODE_TOTAL=5", Shard{1, 2, "RETRYSTORM_SHARD_INDEX=1 of 1-2"}},
		{"ours says all", "RETRYSTORM_SHARD_INDEX=1 RETRYSTORM_SHARD_COUNT=1 CIRCLE_NODE_INDEX=4 CIRCLE_NODE_TOTAL=5", Shard{}},
		{"one of ours", "RETRYSTORM_SHARD_COUNT=1", Shard{}},
		{"the most", "RETRYSTORM_SHARD_INDEX=10000 RETRYSTORM_SHARD_COUNT=10000", Shard{10000, 10000, "RETRYSTORM_SHARD_INDEX=10000 of 1-10000"}},

		{"Kubernetes, first", "JOB_COMPLETION_INDEX=0 RETRYSTORM_SHARD_COUNT=4", Shard{1, 4, "JOB_COMPLETION_INDEX=0 of 0-3"}},
		{"Kubernetes, last", "JOB_COMPLETION_INDEX=3 RETRYSTORM_SHARD_COUNT=4", Shard{4, 4, "JOB_COMPLETION_INDEX=3 of 0-3"}},
		{"Kubernetes, one", "JOB_COMPLETION_INDEX=0 RETRYSTORM_SHARD_COUNT=1", Shard{}},

		{"Slurm array", slurm("7", "1", "10", "1", "10"), Shard{7, 10, "SLURM_ARRAY_TASK_ID=7 of 1-10"}},
		{"Slurm array from 0", slurm("0", "0", "2", "1", "3"), Shard{1, 3, "SLURM_ARRAY_TASK_ID=0 of 0-2"}},
		{"Slurm array with a step", slurm("7", "1", "10", "3", "4"), Shard{3, 4, "SLURM_ARRAY_TASK_ID=7 of 1-10:3"}},
		{"Slurm array of one", slurm("1", "1", "1", "1", "1"), Shard{}},
		{"a task of a Slurm array is rank 0 of its own step", slurm("2", "1", "3", "1", "3") + " SLURM_PROCID=0 SLURM_NTASKS=1", Shard{2, 3, "SLURM_ARRAY_TASK_ID=2 of 1-3"}},
		{"array wins over rank", slurm("2", "1", "3", "1", "3") + " SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_NTASKS=4", Shard{2, 3, "SLURM_ARRAY_TASK_ID=2 of 1-3"}},
		{"our count agrees", slurm("2", "1", "3", "1", "3") + " RETRYSTORM_SHARD_COUNT=3", Shard{2, 3, "SLURM_ARRAY_TASK_ID=2 of 1-3"}},
		{"srun", "SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_NTASKS=4", Shard{4, 4, "SLURM_PROCID=3 of 0-3"}},
		{"srun of one", "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1", Shard{}},
		{"the batch script of four tasks", "SLURM_PROCID=0 SLURM_NTASKS=4", Shard{}},
		{"Open MPI", "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2", Shard{2, 2, "OMPI_COMM_WORLD_RANK=1 of 0-1"}},

		{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX=9 AWS_BATCH_JOB_ARRAY_SIZE=10", Shard{10, 10, "AWS_BATCH_JOB_ARRAY_INDEX=9 of 0-9"}},
		{"Cloud Run", "CLOUD_RUN_TASK_INDEX=0 CLOUD_RUN_TASK_COUNT=3", Shard{1, 3, "CLOUD_RUN_TASK_INDEX=0 of 0-2"}},
		{"Cloud Run, one", "CLOUD_RUN_TASK_INDEX=0 CLOUD_RUN_TASK_COUNT=1", Shard{}},
		{"Google Batch", "BATCH_TASK_INDEX=1 BATCH_TASK_COUNT=3", Shard{2, 3, "BATCH_TASK_INDEX=1 of 0-2"}},

		{"GitLab", "GITLAB_CI=true CI_NODE_INDEX=1 CI_NODE_TOTAL=3", Shard{1, 3, "CI_NODE_INDEX=1 of 1-3"}},
		{"GitLab, last", "GITLAB_CI=true CI_NODE_INDEX=3 CI_NODE_TOTAL=3", Shard{3, 3, "CI_NODE_INDEX=3 of 1-3"}},
		{"GitLab, not parallel", "GITLAB_CI=true CI_NODE_TOTAL=1", Shard{}},
		{"like GitLab, one", "CI_NODE_INDEX=0 CI_NODE_TOTAL=1", Shard{}},
		{"CircleCI", "CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=2", Shard{1, 2, "CIRCLE_NODE_INDEX=0 of 0-1"}},
		{"CircleCI, not parallel", "CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=1", Shard{}},
		{"Buildkite", "BUILDKITE_PARALLEL_JOB=1 BUILDKITE_PARALLEL_JOB_COUNT=2", Shard{2, 2, "BUILDKITE_PARALLEL_JOB=1 of 0-1"}},
		{"Bitbucket", "BITBUCKET_PARALLEL_STEP=0 BITBUCKET_PARALLEL_STEP_COUNT=5", Shard{1, 5, "BITBUCKET_PARALLEL_STEP=0 of 0-4"}},
		{"Semaphore", "SEMAPHORE_JOB_INDEX=5 SEMAPHORE_JOB_COUNT=5", Shard{5, 5, "SEMAPHORE_JOB_INDEX=5 of 1-5"}},
		{"Azure", "SYSTEM_JOBPOSITIONINPHASE=2 SYSTEM_TOTALJOBSINPHASE=4", Shard{2, 4, "SYSTEM_JOBPOSITIONINPHASE=2 of 1-4"}},
		{"Azure, one", "SYSTEM_JOBPOSITIONINPHASE=1 SYSTEM_TOTALJOBSINPHASE=1", Shard{}},

		{"PBS", "PBS_ARRAY_INDEX=10 RETRYSTORM_SHARD_COUNT=10", Shard{10, 10, "PBS_ARRAY_INDEX=10 of 1-10"}},
		{"SGE", sge("4", "2", "8", "2"), Shard{2, 4, "SGE_TASK_ID=4 of 2-8:2"}},
		{"SGE, no array", sge("undefined", "undefined", "undefined", "undefined"), Shard{}},
		{"LSF", "LSB_JOBINDEX=3 LSB_JOBINDEX_END=3 LSB_JOBINDEX_STEP=1", Shard{3, 3, "LSB_JOBINDEX=3 of 1-3"}},
		{"LSF with a step", "LSB_JOBINDEX=5 LSB_JOBINDEX_END=9 LSB_JOBINDEX_STEP=4", Shard{2, 3, "LSB_JOBINDEX=5 of 1-9:4"}},
		{"LSF, no array", "LSB_JOBINDEX=0", Shard{}},

		{"an engine with one job hides no other", "CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=1 SEMAPHORE_JOB_INDEX=2 SEMAPHORE_JOB_COUNT=3", Shard{2, 3, "SEMAPHORE_JOB_INDEX=2 of 1-3"}},
		{"the count of an engine that has none is ours", "CIRCLE_NODE_INDEX=1 RETRYSTORM_SHARD_COUNT=3", Shard{2, 3, "CIRCLE_NODE_INDEX=1 of 0-2"}},
		{"a count alone is none of an engine", "CIRCLE_NODE_TOTAL=3 BUILDKITE_PARALLEL_JOB_COUNT=2", Shard{}},
	} {
		got, err := Detect(env(c.env))
		if err != nil {
			t.Errorf("%s: %s: %v", c.name, c.env, err)
		} else if got != c.want {
			t.Errorf("%s: %s: got %+v, want %+v", c.name, c.env, got, c.want)
		}
	}
}

func TestDetectRefuses(t *testing.T) {
	for _, c := range []struct{ name, env, want string }{
		{
			"our index alone", "RETRYSTORM_SHARD_INDEX=3",
			"RETRYSTORM_SHARD_INDEX=3 is set, but RETRYSTORM_SHARD_COUNT is not: set RETRYSTORM_SHARD_COUNT to the number of shards",
		},
		{
			"our index alone, and the engine has a count", "RETRYSTORM_SHARD_INDEX=3 CIRCLE_NODE_INDEX=1 CIRCLE_NODE_TOTAL=5",
			"RETRYSTORM_SHARD_INDEX=3 is set, but RETRYSTORM_SHARD_COUNT is not: set RETRYSTORM_SHARD_COUNT to the number of shards",
		},
		{
			"our count alone", "RETRYSTORM_SHARD_COUNT=3",
			"RETRYSTORM_SHARD_COUNT=3 is set, but nothing says which of them this is: set RETRYSTORM_SHARD_INDEX, from 1, too",
		},
		{
			"ours from 0", "RETRYSTORM_SHARD_INDEX=0 RETRYSTORM_SHARD_COUNT=3",
			"RETRYSTORM_SHARD_INDEX=0 of RETRYSTORM_SHARD_COUNT=3 is out of range",
		},
		{
			"ours beyond", "RETRYSTORM_SHARD_INDEX=4 RETRYSTORM_SHARD_COUNT=3",
			"RETRYSTORM_SHARD_INDEX=4 of RETRYSTORM_SHARD_COUNT=3 is out of range",
		},
		{
			"none of ours", "RETRYSTORM_SHARD_INDEX=1 RETRYSTORM_SHARD_COUNT=0",
			"RETRYSTORM_SHARD_INDEX=1 of RETRYSTORM_SHARD_COUNT=0 is of no shards at all",
		},
		{
			"too many", "RETRYSTORM_SHARD_INDEX=1 RETRYSTORM_SHARD_COUNT=10001",
			"RETRYSTORM_SHARD_INDEX=1 of RETRYSTORM_SHARD_COUNT=10001 is of more than 10000 shards",
		},
		{
			"far too many", "RETRYSTORM_SHARD_INDEX=1 RETRYSTORM_SHARD_COUNT=99999999999999999999",
			"RETRYSTORM_SHARD_INDEX=1 of RETRYSTORM_SHARD_COUNT=99999999999999999999 is of more than 10000 shards",
		},
		{
			"no number", "RETRYSTORM_SHARD_INDEX=two RETRYSTORM_SHARD_COUNT=3",
			"RETRYSTORM_SHARD_INDEX=two is no whole number",
		},
		{
			"a sign", "CIRCLE_NODE_INDEX=-1 CIRCLE_NODE_TOTAL=3",
			"CIRCLE_NODE_INDEX=-1 (CircleCI) is no whole number",
		},
		{
			"a broken count", "CIRCLE_NODE_INDEX=1 CIRCLE_NODE_TOTAL=3.5",
			"CIRCLE_NODE_TOTAL=3.5 (CircleCI) is no whole number",
		},
		{
			"out of range", "CIRCLE_NODE_INDEX=3 CIRCLE_NODE_TOTAL=3",
			"CIRCLE_NODE_INDEX=3 of CIRCLE_NODE_TOTAL=3 (CircleCI) is out of range",
		},
		{
			"no count", "CIRCLE_NODE_INDEX=1",
			"CIRCLE_NODE_INDEX=1 (CircleCI) is set, but CIRCLE_NODE_TOTAL is not: set RETRYSTORM_SHARD_COUNT to the number of shards",
		},
		{
			"Kubernetes has no count", "JOB_COMPLETION_INDEX=2",
			"JOB_COMPLETION_INDEX=2 (Kubernetes Job) is set, but RETRYSTORM_SHARD_COUNT is not: set RETRYSTORM_SHARD_COUNT to the completions of the Job",
		},
		{
			"Kubernetes with a smaller count", "JOB_COMPLETION_INDEX=3 RETRYSTORM_SHARD_COUNT=3",
			"JOB_COMPLETION_INDEX=3 of RETRYSTORM_SHARD_COUNT=3 (Kubernetes Job) is out of range: set RETRYSTORM_SHARD_COUNT to the completions of the Job",
		},
		{
			"two counts", "GITLAB_CI=true CI_NODE_INDEX=1 CI_NODE_TOTAL=3 RETRYSTORM_SHARD_COUNT=4",
			"CI_NODE_INDEX=1 of CI_NODE_TOTAL=3 (GitLab CI) contradicts RETRYSTORM_SHARD_COUNT=4: set RETRYSTORM_SHARD_INDEX, from 1, too, to overrule it",
		},
		{
			"two counts, ours of many and the engine's of one", "CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=1 RETRYSTORM_SHARD_COUNT=4",
			"CIRCLE_NODE_INDEX=0 of CIRCLE_NODE_TOTAL=1 (CircleCI) contradicts RETRYSTORM_SHARD_COUNT=4: set RETRYSTORM_SHARD_INDEX, from 1, too, to overrule it",
		},
		{
			"Slurm, task 7 again", slurm("7", "7", "7", "1", "1"),
			"SLURM_ARRAY_TASK_ID=7 of SLURM_ARRAY_TASK_COUNT=1, SLURM_ARRAY_TASK_MIN=7, SLURM_ARRAY_TASK_MAX=7, SLURM_ARRAY_TASK_STEP=1 (Slurm array) " +
				"is an array of one task, which looks like a part of another one: Slurm tells of this submission only: a part of an array that runs again needs --shard K/N",
		},
		{
			"Slurm, task 7 again, with our count", slurm("7", "7", "7", "1", "1") + " RETRYSTORM_SHARD_COUNT=10",
			"SLURM_ARRAY_TASK_ID=7 of SLURM_ARRAY_TASK_COUNT=1, SLURM_ARRAY_TASK_MIN=7, SLURM_ARRAY_TASK_MAX=7, SLURM_ARRAY_TASK_STEP=1 (Slurm array) " +
				"contradicts RETRYSTORM_SHARD_COUNT=10: set RETRYSTORM_SHARD_INDEX, from 1, too, to overrule it: Slurm tells of this submission only: a part of an array that runs again needs --shard K/N",
		},
		{
			"Slurm, 1,3,7", slurm("3", "1", "7", "1", "3"),
			"SLURM_ARRAY_TASK_ID=3 of SLURM_ARRAY_TASK_COUNT=3, SLURM_ARRAY_TASK_MIN=1, SLURM_ARRAY_TASK_MAX=7, SLURM_ARRAY_TASK_STEP=1 (Slurm array) " +
				"has gaps, so that the number of its shard is unclear: Slurm tells of this submission only: a part of an array that runs again needs --shard K/N",
		},
		{
			"Slurm, no count", "SLURM_ARRAY_TASK_ID=3",
			"SLURM_ARRAY_TASK_ID=3 (Slurm array) is set, but SLURM_ARRAY_TASK_COUNT is not: Slurm tells of this submission only: a part of an array that runs again needs --shard K/N",
		},
		{
			"Slurm, step 0", slurm("3", "1", "7", "0", "3"),
			"SLURM_ARRAY_TASK_ID=3 of SLURM_ARRAY_TASK_COUNT=3, SLURM_ARRAY_TASK_MIN=1, SLURM_ARRAY_TASK_MAX=7, SLURM_ARRAY_TASK_STEP=0 (Slurm array) " +
				"is of no shards at all: Slurm tells of this submission only: a part of an array that runs again needs --shard K/N",
		},
		{
			"like GitLab", "CI_NODE_INDEX=1 CI_NODE_TOTAL=3",
			"CI_NODE_INDEX=1 of CI_NODE_TOTAL=3 (GitLab CI) is without GITLAB_CI: outside GitLab some systems count from 0",
		},
		{
			"GitLab from 0", "GITLAB_CI=true CI_NODE_INDEX=0 CI_NODE_TOTAL=3",
			"CI_NODE_INDEX=0 of CI_NODE_TOTAL=3 (GitLab CI) is out of range",
		},
		{
			"PBS has no count", "PBS_ARRAY_INDEX=1",
			"PBS_ARRAY_INDEX=1 (PBS array) is set, but RETRYSTORM_SHARD_COUNT is not: submit with -J 1-N and set RETRYSTORM_SHARD_COUNT to N",
		},
		{
			"PBS from 0", "PBS_ARRAY_INDEX=0 RETRYSTORM_SHARD_COUNT=3",
			"PBS_ARRAY_INDEX=0 of RETRYSTORM_SHARD_COUNT=3 (PBS array) is out of range: submit with -J 1-N and set RETRYSTORM_SHARD_COUNT to N",
		},
		{
			"SGE between two steps", sge("5", "2", "8", "2"),
			"SGE_TASK_ID=5 of SGE_TASK_FIRST=2, SGE_TASK_LAST=8, SGE_TASK_STEPSIZE=2 (SGE array) is out of range",
		},
		{
			"SGE, no end", "SGE_TASK_ID=5 SGE_TASK_FIRST=2",
			"SGE_TASK_ID=5 (SGE array) is set, but SGE_TASK_STEPSIZE is not: set RETRYSTORM_SHARD_INDEX, from 1, and RETRYSTORM_SHARD_COUNT",
		},
		{
			"SGE, too large", sge("5", "1", "99999999999999999999", "1"),
			"SGE_TASK_ID=5 of SGE_TASK_FIRST=1, SGE_TASK_LAST=99999999999999999999, SGE_TASK_STEPSIZE=1 (SGE array) is of more than 10000 shards",
		},
		{
			"LSF, begins elsewhere", "LSB_JOBINDEX=4 LSB_JOBINDEX_END=10 LSB_JOBINDEX_STEP=2",
			"LSB_JOBINDEX=4 of LSB_JOBINDEX_END=10, LSB_JOBINDEX_STEP=2 (LSF array) is out of range: LSF does not say where an array begins: let it begin at 1",
		},
	} {
		s, err := Detect(env(c.env))
		if err == nil {
			t.Errorf("%s: %s: taken for %+v", c.name, c.env, s)
			continue
		}
		if diff := cmp.Diff(c.want+"; or give --shard K/N; --shard 1/1 runs everything", err.Error()); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", c.name, c.env, diff)
		}
		if s != (Shard{}) {
			t.Errorf("%s: an error, and %+v", c.name, s)
		}
	}
}

// Every engine, asked for every shard of five, counts 1 to 5.
func TestEveryEngineCountsFromOne(t *testing.T) {
	for _, e := range table {
		for k := 1; k <= 5; k++ {
			first := e.base
			if e.first != "" {
				first = 1
			}
			vars := map[string]int{e.index: first + k - 1, e.count: 5, e.first: first, e.last: first + 4, e.step: 1, e.inside: 1}
			got, err := Detect(func(name string) string {
				if n, ok := vars[name]; ok && name != "" {
					return string(rune('0' + n))
				}
				return ""
			})
			if err != nil || got.K != k || got.N != 5 || !strings.HasPrefix(got.From, e.index+"=") {
				t.Errorf("%s, shard %d: %+v, %v", e.name, k, got, err)
			}
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Shard
		err  string
	}{
		{"1/1", Shard{1, 1, "--shard 1/1"}, ""},
		{"2/3", Shard{2, 3, "--shard 2/3"}, ""},
		{"10000/10000", Shard{10000, 10000, "--shard 10000/10000"}, ""},
		{"0/3", Shard{}, "--shard 0/3: shards are counted from 1, so the first is 1/3"},
		{"4/3", Shard{}, "--shard 4/3: there are only 3 shards"},
		{"1/0", Shard{}, "--shard 1/0: there must be at least one shard; --shard 1/1 runs everything"},
		{"1/10001", Shard{}, "--shard 1/10001: at most 10000 shards"},
		{"99999999999999999999/3", Shard{}, "--shard 99999999999999999999/3: there are only 3 shards"},
		{"", Shard{}, "--shard : write K/N, as in 2/3 for the second of three shards"},
		{"3", Shard{}, "--shard 3: write K/N, as in 2/3 for the second of three shards"},
		{"/", Shard{}, "--shard /: write K/N, as in 2/3 for the second of three shards"},
		{"1/2/3", Shard{}, "--shard 1/2/3: write K/N, as in 2/3 for the second of three shards"},
		{"-1/3", Shard{}, "--shard -1/3: write K/N, as in 2/3 for the second of three shards"},
		{"1 / 3", Shard{}, "--shard 1 / 3: write K/N, as in 2/3 for the second of three shards"},
		{"%d/3", Shard{}, "--shard %d/3: write K/N, as in 2/3 for the second of three shards"},
	} {
		got, err := Parse(c.text)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != c.want || text != c.err {
			t.Errorf("%q: got %+v, %q, want %+v, %q", c.text, got, text, c.want, c.err)
		}
	}
}

func TestDescribe(t *testing.T) {
	text := Describe()
	for _, e := range table {
		if !strings.Contains(text, e.index) {
			t.Errorf("%s is missing", e.index)
		}
	}
	for line := range strings.Lines(text) {
		if len(line) > 80 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
	t.Log("\n" + text)
}
