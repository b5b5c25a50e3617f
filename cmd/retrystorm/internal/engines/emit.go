package engines

import (
	"bytes"
	"embed"
	"fmt"
	"hash/fnv"
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
	// File is what the file holds; nil: the scenario is built in.
	File []byte
	// Shards is how many there are; 0: DefaultShards.
	Shards int
	// Run are more words for the run of each shard (--set, --seed, ...), and
	// Merge for the merge (--strict, --baseline, ...), as the program gets them:
	// quoting is done here.
	Run, Merge []string
	// Estimate is how long everything takes on one core; 0: not known.
	Estimate time.Duration
	Memory   int64  // in bytes, that one shard may need; 0: DefaultMemory
	Image    string // k8s: with retrystorm in its PATH; gitlab: may be empty
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
	// repository: the engine works in a checkout, which the file must be in.
	repository bool
	// word writes a word of the command line in the file's language.
	word func(string) string
}

const week = 7 * 24 * 60

var kinds = []kind{
	{name: "slurm", most: MostShards, minutes: week, word: shell},
	{name: "k8s", most: MostShards, minutes: week, word: func(s string) string { return quoted(strings.ReplaceAll(s, "$", "$$")) }},
	// What looks like an expression is one, wherever it stands in a workflow.
	{name: "github", most: 256, minutes: 6 * 60, repository: true, word: func(s string) string {
		return strings.ReplaceAll(shell(s), "${{", "${{ '${{' }}")
	}},
	{name: "gitlab", most: 200, minutes: week, repository: true, word: shell},
}

// Kinds are the engines that Emit knows.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
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
	if o.Shards == 0 {
		o.Shards = DefaultShards
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if err := k.check(&o); err != nil {
		return nil, err
	}
	t, err := template.New(k.name).Funcs(template.FuncMap{
		"word": k.word, "words": k.words, "yaml": quoted, "literal": literal, "inc": func(n int) int { return n + 1 },
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

// mostFile is what fits into a ConfigMap, which may have 1 MiB with all of its
// names.
const mostFile = 1_000_000

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
	case k.name == "k8s" && (len(o.File) > mostFile || !utf8.Valid(o.File)):
		return fmt.Errorf("%s does not fit into a ConfigMap: it must be UTF-8 of at most %d bytes", o.Source, mostFile)
	}
	for _, word := range slices.Concat([]string{o.Source, o.Image}, o.Run, o.Merge) {
		if !utf8.ValidString(word) || strings.ContainsFunc(word, unprintable) {
			return fmt.Errorf("%q: a line break, or another character that cannot be seen, cannot be written into the file", word)
		}
	}
	return nil
}

// job is what the templates see.
type job struct {
	EmitOptions
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
	minutes := k.limit(o.Estimate, o.Shards)
	return job{
		EmitOptions: o,
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
