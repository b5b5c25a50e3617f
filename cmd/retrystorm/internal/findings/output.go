package findings

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"retrystorm/experiment"
)

const (
	verdictsFile = "verdicts.csv"
	tableFile    = "FINDINGS.md"
	manifestFile = "MANIFEST"
)

// output gathers files in memory, so that nothing is written until everything
// has run.
type output struct {
	dir   string
	files map[string][]byte // slash-separated path below dir
}

func newOutput(dir string) *output { return &output{dir: dir, files: map[string][]byte{}} }

func (o *output) add(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	o.files[name] = b.Bytes()
	return nil
}

// commit writes the files, removes those that the chosen findings no longer
// make, and renews FINDINGS.md and MANIFEST.
func (o *output) commit(chosen []Finding) error {
	old, err := o.owned()
	if err != nil {
		return err
	}
	var rows []row
	manifest := []string{tableFile, manifestFile}
	for _, f := range Catalogue() {
		name := path.Join(f.Name, verdictsFile)
		text, made := o.files[name]
		if !made {
			if text, err = os.ReadFile(o.path(name)); errors.Is(err, fs.ErrNotExist) {
				continue // not reproduced yet
			} else if err != nil {
				return err
			}
			manifest = append(manifest, slices.DeleteFunc(slices.Clone(old), func(n string) bool {
				return !strings.HasPrefix(n, f.Name+"/")
			})...)
		}
		list, err := readVerdicts(text)
		if err != nil {
			return fmt.Errorf("%s: %w", o.path(name), err)
		}
		rows = append(rows, list...)
	}
	for name := range o.files {
		manifest = append(manifest, name)
	}
	slices.Sort(manifest)
	manifest = slices.Compact(manifest)
	if err := o.add(tableFile, writeTable(rows)); err != nil {
		return err
	}
	o.files[manifestFile] = []byte(strings.Join(manifest, "\n") + "\n")
	for _, name := range sortedNames(o.files) {
		if err := o.write(name); err != nil {
			return err
		}
	}
	for _, name := range old {
		if _, found := slices.BinarySearch(manifest, name); !found {
			if err := os.Remove(o.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func (o *output) path(name string) string { return filepath.Join(o.dir, filepath.FromSlash(name)) }

// owned are the files that MANIFEST lists. Names that lead out of the folder
// are none of ours.
func (o *output) owned() ([]string, error) {
	text, err := os.ReadFile(o.path(manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if name := strings.TrimSpace(line); name != "" && filepath.IsLocal(filepath.FromSlash(name)) {
			names = append(names, name)
		}
	}
	return names, nil
}

// write puts a file in its place all at once.
func (o *output) write(name string) error {
	target := o.path(name)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(target), ".part-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	w := bufio.NewWriter(part)
	_, err = w.Write(o.files[name])
	err = errors.Join(err, w.Flush(), part.Chmod(0o644), part.Close())
	if err != nil {
		return err
	}
	return os.Rename(part.Name(), target)
}

func sortedNames(files map[string][]byte) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func writeVerdicts(rows []row) func(io.Writer) error {
	return func(w io.Writer) error {
		c := csv.NewWriter(w)
		records := [][]string{{"finding", "claim", "source", "measured", "verdict"}}
		for _, r := range rows {
			records = append(records, []string{r.Finding, r.Claim, r.Source, r.Measured, r.Verdict})
		}
		return c.WriteAll(records)
	}
}

func readVerdicts(text []byte) ([]row, error) {
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, r := range records {
		if len(r) != 5 {
			return nil, fmt.Errorf("line %d: %d columns, want 5", i+1, len(r))
		}
		if i > 0 {
			rows = append(rows, row{r[0], r[1], r[2], r[3], r[4]})
		}
	}
	return rows, nil
}

// writeTable writes FINDINGS.md: how the claims of each finding came out, then a
// section for each.
func writeTable(rows []row) func(io.Writer) error {
	return func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprint(b, `# Findings

What is often said about retries, held against the simulation. Every number
below was computed by `+"`retrystorm reproduce`"+`; intervals are 95 %, differences are
paired under common random numbers, and a claim is judged at all points of its
sweep together (Holm). Where a claim holds at some points and the opposite at
others, "about" names the crossing as well as noise allows. A claim that names
a number, or that two are equal, is confirmed when the whole interval is as close
to it as the line says. Each folder holds the scenario as run, the tables and the
pictures.

| finding | confirmed | only when | refuted | undecided |
| --- | ---: | ---: | ---: | ---: |
`)
		for _, f := range Catalogue() {
			if of := rowsOf(rows, f.Name); len(of) > 0 {
				fmt.Fprintf(b, "| [%s](#%s) |", cell(f.Title), f.Name)
				for _, v := range []experiment.Verdict{experiment.Confirmed, experiment.OnlyWhen, experiment.Refuted, experiment.Undecided} {
					fmt.Fprintf(b, " %s |", tallied(of, v))
				}
				fmt.Fprintln(b)
			}
		}
		for _, f := range Catalogue() {
			of := rowsOf(rows, f.Name)
			if len(of) == 0 {
				continue
			}
			fmt.Fprintf(b, "\n## %s\n\n%s: [%s](%s/). Source: %s.\n\n| claim | measured | verdict |\n| --- | --- | --- |\n",
				f.Name, cell(f.Title), f.Name, f.Name, cell(of[0].Source))
			for _, r := range of {
				fmt.Fprintf(b, "| %s | %s | **%s** |\n", cell(r.Claim), cell(r.Measured), cell(r.Verdict))
			}
		}
		return b.Flush()
	}
}

// cell is a text that breaks no table.
func cell(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }

// rowsOf are the rows of a finding.
func rowsOf(rows []row, finding string) []row {
	var of []row
	for _, r := range rows {
		if r.Finding == finding {
			of = append(of, r)
		}
	}
	return of
}

// tallied is how many claims have a verdict; nothing for none.
func tallied(rows []row, v experiment.Verdict) string {
	n := 0
	for _, r := range rows {
		if strings.HasPrefix(r.Verdict, string(v)) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
