package engines

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "write the golden files")

// cases are a built-in scenario with nothing said, and a file with everything
// that the kind takes; see of.
func cases(t *testing.T) map[string]EmitOptions {
	t.Helper()
	file, err := os.ReadFile("testdata/odd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]EmitOptions{
		"builtin": {Scenario: "recovering-server", Source: "recovering-server", Shards: 3, Image: "registry.example/retrystorm:1"},
		"file": {
			Scenario: "odd", Source: "my scenarios/it's $HOME ${{ github.token }} $(A).yaml", File: file, Shards: 12,
			Data:  map[string][]byte{"times.csv": []byte("seconds\n0.1\n"), "data/on $(A) \"monday\".csv": []byte("t_s\r\n1\r\n")},
			Run:   []string{"--set", `title=a "b" $(C) $$ \ ${{ secrets.X }} # 'd'`, "--seed", "7", "--set", "x={a: [1, 2]}"},
			Merge: []string{"--strict"},
			JUnit: "ci/./ü.xml", Baseline: "base line",
			Estimate: 10 * time.Hour, Memory: 512<<20 + 1,
			Image: `registry.example:5000/it's/"odd"@sha256:0`,
		},
	}
}

// of leaves out what a kind does not take.
func (o EmitOptions) of(kind string) EmitOptions {
	if kind == "slurm" || kind == "github" {
		o.Image = ""
	}
	if kind == "k8s" {
		o.JUnit, o.Baseline = path.Base(o.JUnit), ""
		if o.JUnit == "." {
			o.JUnit = ""
		}
	}
	return o
}

func extension(kind string) string {
	if kind == "slurm" {
		return ".sh"
	}
	return ".yaml"
}

func emit(t *testing.T, kind string, o EmitOptions) []byte {
	t.Helper()
	got, err := Emit(kind, o.of(kind))
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return got
}

func TestEmitGolden(t *testing.T) {
	for name, o := range cases(t) {
		for _, kind := range Kinds() {
			got := emit(t, kind, o)
			golden := filepath.Join("testdata", name+"."+kind+extension(kind))
			if *update {
				if err := os.WriteFile(golden, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got; go test -update writes it):\n%s", golden, diff)
			}
			if again := emit(t, kind, o); !bytes.Equal(got, again) {
				t.Errorf("%s: not the same twice", golden)
			}
		}
	}
}

// docs parses the documents of a YAML file.
func docs(t *testing.T, text []byte) []any {
	t.Helper()
	var out []any
	d := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict())
	for {
		var v any
		if err := d.Decode(&v); err != nil {
			if err.Error() == "EOF" {
				return out
			}
			t.Fatalf("%v\n%s", err, text)
		}
		out = append(out, v)
	}
}

// at is what is in nested maps and lists under keys.
func at(t *testing.T, v any, keys ...any) any {
	t.Helper()
	for _, key := range keys {
		switch k := key.(type) {
		case string:
			m, ok := v.(map[string]any)
			if !ok || m[k] == nil {
				t.Fatalf("no %v in %v", key, v)
			}
			v = m[k]
		case int:
			l, ok := v.([]any)
			if !ok || k >= len(l) {
				t.Fatalf("no %v in %v", key, v)
			}
			v = l[k]
		}
	}
	return v
}

func text(v any) string { return fmt.Sprint(v) }

// The words of the command line, after YAML, the engine and a shell have read
// them, are those that were given.
func TestWordsArriveAsGiven(t *testing.T) {
	o := cases(t)["file"]
	run := append([]string{o.Source}, o.Run...)
	merge := []string{"merge", "shards", "-o", "odd.result", "--junit", "ci/ü.xml", "--baseline", "base line", "--strict"}
	check := func(where string, got, want []string) {
		t.Helper()
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", where, diff)
		}
	}
	hasAll := func(where, line string, want []string) {
		t.Helper()
		words := shellWords(t, line)
		for _, w := range want {
			if !slices.Contains(words, w) {
				t.Errorf("%s: no word %q in %q", where, w, words)
			}
		}
	}

	k8s := docs(t, emit(t, "k8s", o))
	if len(k8s) != 4 {
		t.Fatalf("k8s: %d documents", len(k8s))
	}
	expand := strings.NewReplacer("$$", "$") // as the kubelet does
	args := func(doc any) (out []string) {
		for _, a := range at(t, doc, "spec", "template", "spec", "containers", 0, "args").([]any) {
			if strings.Contains(strings.ReplaceAll(text(a), "$$", ""), "$") {
				t.Errorf("k8s: %v: a $ that the kubelet may expand", a)
			}
			out = append(out, expand.Replace(text(a)))
		}
		return out
	}
	check("k8s run", args(k8s[2]), append([]string{"run", "/scenario/odd.yaml", "-o", "/results/odd.shards", "--resume", "--jobs=1"}, o.Run...))
	check("k8s merge", args(k8s[3]), append([]string{"merge", "/results/odd.shards", "-o", "/results/odd.result", "--junit", "ü.xml"}, o.Merge...))
	if got := at(t, k8s[1], "data", "odd.yaml"); got != string(o.File) {
		t.Errorf("k8s: the file is not as given (-want +got):\n%s", gocmp.Diff(string(o.File), got))
	}
	if got := at(t, k8s[2], "spec", "template", "spec", "containers", 0, "image"); got != o.Image {
		t.Errorf("k8s: image %v", got)
	}

	github := docs(t, emit(t, "github", o))[0]
	evaluate := strings.NewReplacer("${{ '${{' }}", "${{") // as the runner does
	step := func(job, name string) string {
		for _, s := range at(t, github, "jobs", job, "steps").([]any) {
			if m := s.(map[string]any); m["name"] == name {
				line := text(m["run"])
				if strings.Contains(evaluate.Replace(strings.ReplaceAll(line, "${{ '${{' }}", "")), "${{") {
					t.Errorf("github: an expression in %s", line)
				}
				return evaluate.Replace(line)
			}
		}
		t.Fatalf("github: no step %s", name)
		return ""
	}
	hasAll("github run", step("shard", "Run"), run)
	check("github merge", shellWords(t, step("merge", "Merge")), merge)
	artifact := at(t, github, "jobs", "merge", "steps").([]any)
	check("github artifact", strings.Fields(text(at(t, artifact[len(artifact)-1], "with", "path"))), []string{"odd.result", "ci/ü.xml"})

	gitlab := docs(t, emit(t, "gitlab", o))[0]
	hasAll("gitlab run", text(at(t, gitlab, "odd-shard", "script", 0)), run)
	check("gitlab merge", shellWords(t, text(at(t, gitlab, "odd-merge", "script", 0))), merge)
	check("gitlab artifacts", []string{
		text(at(t, gitlab, "odd-merge", "artifacts", "paths")), text(at(t, gitlab, "odd-merge", "artifacts", "reports", "junit")),
	}, []string{"[odd.result ci/ü.xml]", "ci/ü.xml"})
	if got := at(t, gitlab, ".odd", "image"); got != o.Image {
		t.Errorf("gitlab: image %v", got)
	}
}

// shellWords is what a program named retrystorm gets from a script.
func shellWords(t *testing.T, script string) []string {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "words")
	fake := "#!/bin/sh\nprintf '%s\\0' \"$@\" >" + out + "\n"
	if err := os.WriteFile(filepath.Join(dir, "retrystorm"), []byte(fake), 0o777); err != nil {
		t.Fatal(err)
	}
	bash(t, dir, script, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "SHARD=2")
	words, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
}

// bash runs a script, where there is a bash.
func bash(t *testing.T, dir, script string, env ...string) string {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash here that runs the scripts of this test")
	}
	c := exec.Command(shell, "-eu")
	c.Dir, c.Env, c.Stdin = dir, append(os.Environ(), env...), strings.NewReader(script)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return string(out)
}

// The Slurm script, run as a task of an array, as the merge and by a person.
func TestSlurmScript(t *testing.T) {
	o := cases(t)["file"]
	dir := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("it's a $file.sh", string(emit(t, "slurm", o)))
	retrystorm := write("fake retrystorm", "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit ${CODE:-0}\n")
	write("sbatch", "#!/bin/sh\nprintf '%s\\n' sbatch \"$@\" >&2\necho '41;cluster'\n")
	run := func(args string, env ...string) []string {
		out := bash(t, dir, `exec bash "$FILE" `+args, append(env, "FILE="+file, "RETRYSTORM="+retrystorm,
			"PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))...)
		return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	}
	check := func(what string, got []string, want ...string) {
		t.Helper()
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	shard := func(k, jobs string) []string {
		return append([]string{"run", o.Source, "-o", "odd.shards", "--resume", "--jobs", jobs, "--shard", k + "/12"}, o.Run...)
	}
	check("a task", run("", "SLURM_ARRAY_TASK_ID=2", "SLURM_CPUS_PER_TASK=3"), shard("2", "3")...)
	check("a task again", run("", "SLURM_ARRAY_TASK_ID=7", "SLURM_ARRAY_TASK_COUNT=1", "SLURM_ARRAY_TASK_MIN=7"), shard("7", "1")...)
	merged := []string{"merge", "odd.shards", "-o", "odd.result", "--force", "--junit", o.JUnit, "--baseline", o.Baseline, "--strict"}
	check("merge", run("merge"), merged...)

	merge := func(more ...string) []string {
		return append(append([]string{"sbatch"}, more...), "--dependency=afterany:41", "--job-name=odd-merge", "--open-mode=append",
			"--ntasks=1", "--mem=513M", "--time=153")
	}
	submitted := func(what, args, tasks string, more ...string) {
		t.Helper()
		got := run(args)
		wrap := strings.TrimPrefix(got[len(got)-2], "--wrap=")
		check(what, append(got[:len(got)-2:len(got)-2], got[len(got)-1]), append(append(
			[]string{"sbatch", "--parsable", "--array=" + tasks, file, "shards " + tasks + " are job 41"}, merge(more...)...), "41;cluster")...)
		// What Slurm runs as the merge, with /bin/sh.
		check(what+", its merge", strings.Split(strings.TrimSuffix(bash(t, dir, `exec sh -c "$WRAP"`, "WRAP="+wrap, "RETRYSTORM="+retrystorm), "\n"), "\n"), merged...)
	}
	submitted("all", "", "1-12")
	submitted("all, and wait", "--wait", "1-12", "--wait")
	submitted("two again", "2,7", "2,7")
	submitted("two again, and wait", "--wait 2,7", "2,7", "--wait")

	code := bash(t, dir, `code=0; SLURM_ARRAY_TASK_ID=1 CODE=5 bash "$FILE" >/dev/null || code=$?; echo $code`, "FILE="+file, "RETRYSTORM="+retrystorm)
	check("exit code", []string{code}, "5\n")

	// A finished shard has its say before the merge.
	for _, k := range []string{"3", "12"} {
		finished := filepath.Join(dir, "odd.shards", "shard-"+k+"-of-12")
		if err := os.MkdirAll(finished, 0o777); err != nil {
			t.Fatal(err)
		}
		write(filepath.Join("odd.shards", "shard-"+k+"-of-12", "shard.json"), "{}")
	}
	check("merge with shards", run("merge"), append(shard("12", "1"), merged...)...)
	got := bash(t, dir, `CODE=2 bash "$FILE" merge || echo $?`, "FILE="+file, "RETRYSTORM="+retrystorm)
	check("merge with shards of another scenario", strings.Split(strings.TrimSuffix(got, "\n"), "\n"), append(shard("12", "1"), "2")...)
}

func TestSlurmScriptIsClean(t *testing.T) {
	for name, o := range cases(t) {
		script := emit(t, "slurm", o)
		file := filepath.Join(t.TempDir(), name+".sh")
		if err := os.WriteFile(file, script, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, checker := range [][]string{{"bash", "-n"}, {"shellcheck", "--shell=bash", "--severity=warning"}} {
			path, err := exec.LookPath(checker[0])
			if err != nil || runtime.GOOS == "windows" {
				t.Logf("no %s here", checker[0])
				continue
			}
			if out, err := exec.Command(path, append(checker[1:], file)...).CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %v\n%s", name, checker[0], err, out)
			}
		}
	}
}

func TestEmitHasTheShards(t *testing.T) {
	o := cases(t)["builtin"]
	github := docs(t, emit(t, "github", o))[0]
	if diff := gocmp.Diff([]any{uint64(1), uint64(2), uint64(3)}, at(t, github, "jobs", "shard", "strategy", "matrix", "shard")); diff != "" {
		t.Error(diff)
	}
	if len(docs(t, emit(t, "k8s", o))) != 3 {
		t.Error("k8s: a built-in scenario needs no ConfigMap")
	}
	gitlab := docs(t, emit(t, "gitlab", o))[0]
	if got := at(t, gitlab, "recovering-server-shard", "parallel"); text(got) != "3" {
		t.Errorf("gitlab: %v shards", got)
	}
}

// Every value of the workflow that an expression could come into holds only
// those that we wrote.
func TestGitHubExpressions(t *testing.T) {
	got := string(emit(t, "github", cases(t)["file"]))
	known := []string{
		"${{ github.ref }}", "${{ inputs.url || vars.RETRYSTORM_URL }}", "${{ inputs.sha256 || vars.RETRYSTORM_SHA256 }}",
		"${{ matrix.shard }}", "${{ !cancelled() }}", "${{ '${{' }}",
	}
	for _, k := range known {
		got = strings.ReplaceAll(got, k, "")
	}
	if at := strings.Index(got, "${{"); at >= 0 {
		t.Errorf("unknown: %.60s", got[at:])
	}
}

func TestEmitRefuses(t *testing.T) {
	ok := EmitOptions{Scenario: "a", Source: "a.yaml", File: []byte("name: a\n"), Image: "i", Shards: 8}
	const unseen = "a line break, or another character that cannot be seen, cannot be written into the file"
	data := func(name, text string) func(o *EmitOptions) {
		return func(o *EmitOptions) { o.Data = map[string][]byte{name: []byte(text)} }
	}
	for _, c := range []struct {
		kinds  string // all of them; "": all there are
		change func(o *EmitOptions)
		want   string
	}{
		{"", func(o *EmitOptions) { o.Scenario = "A b" }, `"A b" cannot be the name of a scenario`},
		{"", func(o *EmitOptions) { o.Scenario = "" }, `"" cannot be the name of a scenario`},
		{"", func(o *EmitOptions) { o.Shards = 1 }, "--shards 1: there must be 2 or more; one needs no engine"},
		{"", func(o *EmitOptions) { o.Shards = 0 }, "--shards 0: there must be 2 or more; one needs no engine"},
		{"", func(o *EmitOptions) { o.Shards = -3 }, "--shards -3: there must be 2 or more; one needs no engine"},
		{"slurm", func(o *EmitOptions) { o.Shards = 10001 }, "--shards 10001: slurm takes at most 10000"},
		{"k8s", func(o *EmitOptions) { o.Shards = 10001 }, "--shards 10001: k8s takes at most 10000"},
		{"github", func(o *EmitOptions) { o.Shards = 257 }, "--shards 257: github takes at most 256"},
		{"gitlab", func(o *EmitOptions) { o.Shards = 201 }, "--shards 201: gitlab takes at most 200"},
		{"slurm github gitlab", func(o *EmitOptions) { o.Source = "-" }, "the engine must find the scenario by its name: give a file or a built-in scenario"},
		{"", func(o *EmitOptions) { o.Source = "" }, "the engine must find the scenario by its name: give a file or a built-in scenario"},
		{"github gitlab", func(o *EmitOptions) { o.Source = "../a.yaml" }, "../a.yaml is not in the repository: give its path from the top of the repository"},
		{"github gitlab", func(o *EmitOptions) { o.Source = "/tmp/a.yaml" }, "/tmp/a.yaml is not in the repository: give its path from the top of the repository"},
		{"k8s", func(o *EmitOptions) { o.Image = "" }, "k8s needs --image, a container image with retrystorm in its PATH"},
		{"k8s", func(o *EmitOptions) { o.File = make([]byte, mostFiles+1) }, "a.yaml and the files that it reads are 1000013 bytes, and a ConfigMap takes 1000000: " +
			"put them into an image, and run the shards from there in a Job of your own"},
		{"k8s", data("b.csv", strings.Repeat("1", mostFiles)), "a.yaml and the files that it reads are 1000031 bytes, and a ConfigMap takes 1000000: " +
			"put them into an image, and run the shards from there in a Job of your own"},
		{"k8s", func(o *EmitOptions) { o.File = []byte{0xff} }, "a.yaml does not fit into a ConfigMap: it must be UTF-8"},
		{"k8s", data("b/c.csv", "\xff"), "b/c.csv does not fit into a ConfigMap: it must be UTF-8"},
		{"k8s", data("..b/c.csv", "1"), "..b/c.csv does not fit into a ConfigMap: its name cannot begin with two dots"},
		{"k8s", data("a.yaml/c.csv", "1"), "a.yaml/c.csv does not fit into a ConfigMap: a.yaml is the scenario itself"},
		{"k8s", data("b\n.csv", "1"), `"b\n.csv": ` + unseen},
		{"slurm", func(o *EmitOptions) { o.Image = "i" }, "--image i: slurm has none, it is for k8s and gitlab"},
		{"github", func(o *EmitOptions) { o.Image = "i" }, "--image i: github has none, it is for k8s and gitlab"},
		{"k8s", func(o *EmitOptions) { o.JUnit = "b/c.xml" }, "--junit b/c.xml: give a name without a folder; k8s writes it to its volume, beside the result"},
		{"k8s", func(o *EmitOptions) { o.Baseline = "b" }, "--baseline b: a pod has no such folder; copy the shards from the volume and merge them where the baseline is"},
		{"github", func(o *EmitOptions) { o.JUnit = "b/../../c.xml" }, "--junit ../c.xml: github collects files from the repository only: give a path from its top"},
		{"gitlab", func(o *EmitOptions) { o.JUnit = "/c.xml" }, "--junit /c.xml: gitlab collects files from the repository only: give a path from its top"},
		{"github", func(o *EmitOptions) { o.JUnit = "b/.." }, "--junit .: github collects files from the repository only: give a path from its top"},
		{"gitlab", func(o *EmitOptions) { o.JUnit = "[b].xml" }, "--junit [b].xml: only letters, digits and _ . / - (not at the beginning) make a path that gitlab collects"},
		{"github", func(o *EmitOptions) { o.JUnit = "-b.xml" }, "--junit -b.xml: only letters, digits and _ . / - (not at the beginning) make a path that github collects"},
		{"github gitlab", func(o *EmitOptions) { o.Baseline = "../b" }, "--baseline ../b is not in the repository: give its path from the top of the repository"},
		{"", func(o *EmitOptions) { o.Source = "a\nb" }, `"a\nb": ` + unseen},
		{"", func(o *EmitOptions) { o.Run = []string{"--set", "title=a\rb"} }, `"title=a\rb": ` + unseen},
		{"", func(o *EmitOptions) { o.Merge = []string{"\u2028"} }, `"\u2028": ` + unseen},
		{"k8s gitlab", func(o *EmitOptions) { o.Image = "a\xff" }, `"a\xff": ` + unseen},
		{"slurm", func(o *EmitOptions) { o.JUnit = "a\nb" }, `"a\nb": ` + unseen},
		{"docker", func(*EmitOptions) {}, "nothing is known of docker; there are slurm, k8s, github, gitlab"},
	} {
		for kind := range strings.FieldsSeq(cmp.Or(c.kinds, strings.Join(Kinds(), " "))) {
			o := ok.of(kind)
			c.change(&o)
			got, err := Emit(kind, o)
			if err == nil || err.Error() != c.want || got != nil {
				t.Errorf("%s: got %v, want %s", kind, err, c.want)
			}
		}
	}
	for kind, most := range map[string]int{"slurm": 10000, "k8s": 10000, "github": 256, "gitlab": 200} {
		o := ok
		o.Shards = most
		emit(t, kind, o)
	}
}

func sum(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%08x", h.Sum32())
}

// Names that YAML could take for something else, or that are too long for a
// label of DNS with what Kubernetes adds to the name of a Job ("-shards-9999").
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "on": "on", "null": "null", "y-": "y",
		strings.Repeat("a", 40):                           strings.Repeat("a", 40),
		strings.Repeat("a", 62) + "b":                     strings.Repeat("a", 31) + "-" + sum(strings.Repeat("a", 62)+"b"),
		strings.Repeat("a", 30) + strings.Repeat("-", 20): strings.Repeat("a", 30) + "-" + sum(strings.Repeat("a", 30)+strings.Repeat("-", 20)),
	} {
		if got := label(name); got != want || len(got)+len("-shards-9999") > 63 {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		o := EmitOptions{Scenario: name, Source: name, Image: "i", Shards: 2}
		for _, kind := range []string{"k8s", "github", "gitlab"} {
			for _, doc := range docs(t, emit(t, kind, o)) {
				if kind == "k8s" && at(t, doc, "metadata", "labels", "app.kubernetes.io/instance") != want {
					t.Errorf("%s: %v", name, doc)
				}
				if kind == "github" && at(t, doc, "name") != name {
					t.Errorf("%s: %v", name, at(t, doc, "name"))
				}
			}
		}
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		kind     string
		estimate time.Duration
		want     int
	}{
		{"slurm", 0, 60},
		{"slurm", time.Second, 10},         // not less
		{"slurm", 80 * time.Minute, 33},    // 10 each, and a bit, three times
		{"slurm", 8000 * time.Hour, 10080}, // a week
		{"github", 8000 * time.Hour, 360},
	} {
		for _, k := range kinds {
			if k.name != c.kind {
				continue
			}
			if got := k.limit(c.estimate, 8); got != c.want {
				t.Errorf("%s, %v: %d minutes, want %d", c.kind, c.estimate, got, c.want)
			}
		}
	}
}

// A literal reads as the text it was made of, whatever that is.
func TestLiteral(t *testing.T) {
	for _, s := range []string{
		"a: 1\n", "a: 1", "a: 1\n\n\n", "\n\na: 1\n", "  a: 1\nb\n", "a:\n\n  - b\n   \n", "", "\n", "\n\n", " ", "\t", "a\tb\n",
		"a\r\nb\r\n", "a\x00b", "ü – 漢\n", "a\u00a0b\n", "a\u0085b", "# --- not a document\n---\n...\n", "%YAML 1.2\n", "a: |\n  b\n",
	} {
		var got map[string]map[string]string
		text := "data:\n  key: " + literal([]byte(s)) + "\n  other: x\n"
		if err := yaml.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%q: %v\n%s", s, err, text)
			continue
		}
		want := map[string]map[string]string{"data": {"key": s, "other": "x"}}
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q became (-want +got):\n%s\n%s", s, diff, text)
		}
	}
}
