package engines

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"hash/fnv"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"
)

// EmitOptions say what an engine shall run.
type EmitOptions struct {
	Scenario string // its name
	// Source is what run is given: the path of a file, or the name of a built-in
	// scenario.
	Source string
	// File is what the file holds; nil: the scenario is built in. Data are the
	// files that it reads, by their paths from its folder.
	File   []byte
	Data   map[string][]byte
	Shards int // how many there are
	// Run are more words for the run of each shard (--set, --seed, ...), and
	// Merge for the merge (--strict), as the program gets them: quoting is done
	// here.
	Run, Merge []string
	// JUnit is the file that the merge writes; "": what JUnit says. Baseline is
	// the folder that it compares with; "": none.
	JUnit, Baseline string
	// Estimate is how long everything takes on one core; 0: not known.
	Estimate time.Duration
	Memory   int64  // in bytes, that one shard may need; 0: DefaultMemory
	Image    string // k8s: with retrystorm in its PATH; gitlab: may be empty; others: has none
}

const (
	// DefaultShards is how many shards there are when nobody says.
	DefaultShards = 8
	// DefaultMemory is what one shard may need when nobody knows.
	DefaultMemory = 2 << 30
)

// kind is an engine that files are written for.
type kind struct {
	name string
	most int // shards that it takes
	// minutes is the longest that a job may take.
	minutes int
	// repository: the engine works in a checkout, which all files must be in.
	repository bool
	image      bool // it runs containers
	// word writes a word of the command line in the file's language.
	word func(string) string
}

const week = 7 * 24 * 60

var kinds = []kind{
	{name: "slurm", most: MostShards, minutes: week, word: shell},
	{name: "k8s", most: MostShards, minutes: week, image: true, word: func(s string) string { return quoted(strings.ReplaceAll(s, "$", "$$")) }},
	// What looks like an expression is one, wherever it stands in a workflow.
	{name: "github", most: 256, minutes: 6 * 60, repository: true, word: func(s string) string {
		return strings.ReplaceAll(shell(s), "${{", "${{ '${{' }}")
	}},
	{name: "gitlab", most: 200, minutes: week, repository: true, image: true, word: shell},
}

// Kinds are the engines that Emit knows.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// JUnit is the file that the merge of an engine writes when nobody names one;
// "": none.
func JUnit(engine, scenario string) string {
	for _, k := range kinds {
		if k.name == engine && k.repository {
			return scenario + ".junit.xml"
		}
	}
	return ""
}

//go:embed templates
var templates embed.FS

// Emit writes the file that makes an engine run a scenario in shards and merge
// them.
func Emit(engine string, o EmitOptions) ([]byte, error) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == engine })
	if at < 0 {
		return nil, fmt.Errorf("nothing is known of %s; there are %s", engine, strings.Join(Kinds(), ", "))
	}
	k := &kinds[at]
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	o.JUnit = cmp.Or(o.JUnit, JUnit(engine, o.Scenario))
	if k.repository {
		o.JUnit, o.Baseline = filepath.ToSlash(filepath.Clean(o.JUnit)), filepath.ToSlash(o.Baseline)
	}
	for _, wrong := range []error{k.check(&o), k.checkGates(&o), k.checkWords(&o)} {
		if wrong != nil {
			return nil, wrong
		}
	}
	t, err := template.New(k.name).Funcs(template.FuncMap{
		"word": k.word, "words": k.words, "yaml": quoted, "literal": literal, "inc": func(n int) int { return n + 1 },
		"dir": path.Dir,
	}).ParseFS(templates, "templates/"+k.name+".tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, k.name+".tmpl", o.job(k)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// names are the names that scenarios have.
var names = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)

// mostFiles is what fits into a ConfigMap, which may have 1 MiB with all of its
// names.
const mostFiles = 1_000_000

func (k *kind) check(o *EmitOptions) error {
	builtin := o.File == nil
	switch {
	case !names.MatchString(o.Scenario):
		return fmt.Errorf("%q cannot be the name of a scenario", o.Scenario)
	case o.Shards < 2:
		return fmt.Errorf("--shards %d: there must be 2 or more; one needs no engine", o.Shards)
	case o.Shards > k.most:
		return fmt.Errorf("--shards %d: %s takes at most %d", o.Shards, k.name, k.most)
	case o.Source == "" || o.Source == "-" && k.name != "k8s":
		return fmt.Errorf("the engine must find the scenario by its name: give a file or a built-in scenario")
	case k.repository && !builtin && !filepath.IsLocal(o.Source):
		return fmt.Errorf("%s is not in the repository: give its path from the top of the repository", o.Source)
	case k.name == "k8s" && o.Image == "":
		return fmt.Errorf("k8s needs --image, a container image with retrystorm in its PATH")
	case o.Image != "" && !k.image:
		return fmt.Errorf("--image %s: %s has none, it is for k8s and gitlab", o.Image, k.name)
	case k.name == "k8s":
		return o.checkFiles()
	}
	return nil
}

// checkFiles finds files that a ConfigMap cannot hold.
func (o *EmitOptions) checkFiles() error {
	size := 0
	for i, f := range o.files() {
		top, _, _ := strings.Cut(f.Path, "/")
		switch {
		case strings.HasPrefix(top, ".."):
			return fmt.Errorf("%s does not fit into a ConfigMap: its name cannot begin with two dots", f.Path)
		case i > 0 && top == o.Scenario+".yaml":
			return fmt.Errorf("%s does not fit into a ConfigMap: %s is the scenario itself", f.Path, top)
		case !utf8.Valid(f.Text):
			return fmt.Errorf("%s does not fit into a ConfigMap: it must be UTF-8", f.Path)
		}
		size += len(f.Key) + len(f.Path) + len(f.Text)
	}
	if size > mostFiles {
		return fmt.Errorf("%s and the files that it reads are %d bytes, and a ConfigMap takes %d: put them into an image, "+
			"and run the shards from there in a Job of your own", o.Source, size, mostFiles)
	}
	return nil
}

// checkGates finds paths that the merge will not find, or that the engine will
// not collect.
func (k *kind) checkGates(o *EmitOptions) error {
	switch {
	case k.name == "k8s" && strings.Contains(o.JUnit, "/"):
		return fmt.Errorf("--junit %s: give a name without a folder; k8s writes it to its volume, beside the result", o.JUnit)
	case k.name == "k8s" && o.Baseline != "":
		return fmt.Errorf("--baseline %s: a pod has no such folder; copy the shards from the volume and merge them where the baseline is", o.Baseline)
	case !k.repository:
		return nil
	case !filepath.IsLocal(o.JUnit) || o.JUnit == ".":
		return fmt.Errorf("--junit %s: %s collects files from the repository only: give a path from its top", o.JUnit, k.name)
	case !collected.MatchString(o.JUnit):
		return fmt.Errorf("--junit %s: only letters, digits and _ . / - (not at the beginning) make a path that %s collects", o.JUnit, k.name)
	case o.Baseline != "" && !filepath.IsLocal(o.Baseline):
		return fmt.Errorf("--baseline %s is not in the repository: give its path from the top of the repository", o.Baseline)
	}
	return nil
}

// collected are paths of artifacts, which are patterns, with no sign that means
// something.
var collected = regexp.MustCompile(`^[\pL\pN_.][\pL\pN_./-]*$`)

func (k *kind) checkWords(o *EmitOptions) error {
	words := slices.Concat([]string{o.Source, o.Image, o.JUnit, o.Baseline}, o.Run, o.Merge)
	if k.name == "k8s" {
		words = slices.AppendSeq(words, maps.Keys(o.Data))
	}
	for _, word := range words {
		if !utf8.ValidString(word) || strings.ContainsFunc(word, unprintable) {
			return fmt.Errorf("%q: a line break, or another character that cannot be seen, cannot be written into the file", word)
		}
	}
	return nil
}

// configFile is a file in a ConfigMap: a key has no slash, so the volume says
// which path it becomes.
type configFile struct {
	Key, Path string
	Text      []byte
}

// files are the scenario and what it reads; none: it is built in.
func (o *EmitOptions) files() []configFile {
	if o.File == nil {
		return nil
	}
	out := []configFile{{o.Scenario + ".yaml", o.Scenario + ".yaml", o.File}}
	for i, name := range slices.Sorted(maps.Keys(o.Data)) {
		out = append(out, configFile{fmt.Sprintf("data-%d", i+1), name, o.Data[name]})
	}
	return out
}

// job is what the templates see.
type job struct {
	EmitOptions
	Files   []configFile
	Name    string // that every engine takes
	Minutes int    // that a shard may take
	Seconds int    // the same
	MiB     int64
	// Parallel is how many shards may wait for a place at a time, and Tolerated
	// how many may fail before the others are given up.
	Parallel, Tolerated int
}

func (o EmitOptions) job(k *kind) job {
	o.Source = filepath.ToSlash(o.Source)
	if strings.HasPrefix(o.Source, "-") {
		o.Source = "./" + o.Source // no flag
	}
	if k.name == "k8s" && o.File != nil {
		o.Source = "/scenario/" + o.Scenario + ".yaml"
	}
	var gates []string
	if o.JUnit != "" {
		gates = append(gates, "--junit", o.JUnit)
	}
	if o.Baseline != "" {
		gates = append(gates, "--baseline", o.Baseline)
	}
	o.Merge = append(gates, o.Merge...)
	minutes := k.limit(o.Estimate, o.Shards)
	return job{
		EmitOptions: o,
		Files:       o.files(),
		Name:        label(o.Scenario),
		Minutes:     minutes,
		Seconds:     60 * minutes,
		MiB:         (o.Memory + 1<<20 - 1) >> 20,
		Parallel:    min(o.Shards, 64),
		Tolerated:   (o.Shards + 9) / 10,
	}
}

// limit is how many minutes a shard may take: an hour where nothing is known, or
// three times what is expected, since machines differ and shards are not equal.
func (k *kind) limit(estimate time.Duration, shards int) int {
	if estimate <= 0 {
		return 60
	}
	each := int64(estimate/time.Duration(shards)/time.Minute) + 1
	return int(max(10, min(3*each, int64(k.minutes))))
}

// label makes a name that still fits when the engine adds to it: a label of
// DNS has 63 characters.
func label(name string) string {
	const most = 40
	if len(name) > most {
		sum := fnv.New32a() // two long names may begin alike
		sum.Write([]byte(name))
		name = fmt.Sprintf("%s-%08x", strings.TrimRight(name[:most-9], "-"), sum.Sum32())
	}
	return strings.TrimRight(name, "-")
}

// words writes words one after the other, each with a space before it.
func (k *kind) words(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(" " + k.word(w))
	}
	return b.String()
}
