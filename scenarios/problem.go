package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxProblems is how many problems are listed; beyond it a count is enough.
const maxProblems = 50

// maxNotes is how many notes are kept: some name a value that is different at
// each of many points.
const maxNotes = 500

// Problem is one thing wrong, or worth knowing, in a scenario.
type Problem struct {
	File      string // as given to Load, or "--set N"
	Line, Col int    // from 1; 0 when there is no such place
	Path      string // dotted path of the field
	Value     string // what was written there
	Message   string // what is wrong with it
	Allowed   string // what would be right, if that is a short list
	Warning   bool   // a note: the scenario can be run
}

func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Col)
	}
	for _, part := range []string{brief(p.Path), brief(p.Value), p.Message} {
		if part != "" {
			b.WriteString(": " + part)
		}
	}
	if p.Allowed != "" {
		b.WriteString("; allowed: " + p.Allowed)
	}
	return b.String()
}

// Problems is a list of problems, and an error.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, 0, len(ps))
	for i, p := range ps {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("and %d more problems", len(ps)-i))
			break
		}
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

const longestValue = 90

// brief keeps a value on one line of reasonable length.
func brief(s string) string {
	if len(s) > 1000 {
		s = s[:1000]
	}
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > longestValue {
		return string(r[:longestValue-3]) + "..."
	}
	return s
}

// report collects problems: each once, errors apart from notes.
type report struct {
	errors, notes Problems
	seen          map[Problem]sighting
	where         string   // the point being looked at, if there are several
	found         int      // errors, repeated ones too
	clashed       bool     // two layers set the same place
	paths         []string // of errors, repeated ones too; check forgets those of its point
}

// sighting is at how many points a problem was seen, and the first of them.
type sighting struct {
	times int
	where string
}

// add keeps a problem unless it is known from another point.
func (r *report) add(p Problem) {
	if !p.Warning {
		r.found++
		r.paths = append(r.paths, p.Path)
	}
	if r.seen == nil {
		r.seen = map[Problem]sighting{}
	}
	s, known := r.seen[p]
	if !known && p.Warning && len(r.notes) == maxNotes {
		return
	}
	if !known {
		s.where = r.where
	}
	s.times++
	r.seen[p] = s
	if known {
		return
	}
	if p.Warning {
		r.notes = append(r.notes, p)
	} else {
		r.errors = append(r.errors, p)
	}
}

// namePoints adds to each problem the first point that has it, unless all of
// them do: then it is none of that point's doing.
func (r *report) namePoints(all int) {
	for _, list := range []Problems{r.errors, r.notes} {
		for i, p := range list {
			if s := r.seen[p]; s.where != "" && s.times < all {
				list[i].Message += " (" + s.where + ")"
			}
		}
	}
}

// at reports what is wrong with the node at a path.
func (r *report) at(pl place, path, value, message, allowed string) {
	r.add(Problem{File: pl.file, Line: pl.line, Col: pl.col, Path: path, Value: value, Message: message, Allowed: allowed})
}

func sorted(ps Problems) Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Path, b.Path))
	})
	return ps
}

// didYouMean suggests the closest candidate, or nothing if none is close.
func didYouMean(word string, candidates []string) string {
	return askFor(word, closest(word, candidates))
}

// askFor asks whether another word was meant.
func askFor(word, other string) string {
	if other == "" || other == word {
		return ""
	}
	return "; did you mean " + other + "?"
}

// closest is the closest candidate, or "" if none is close.
func closest(word string, candidates []string) string {
	best, distance := "", len(word)/3+1
	if len(word) > 64 {
		return ""
	}
	for _, c := range candidates {
		if d := editDistance(word, c); d <= distance && (best == "" || d < distance) {
			best, distance = c, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours between two words.
func editDistance(a, b string) int {
	if len(a)-len(b) > 8 || len(b)-len(a) > 8 {
		return 99
	}
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			next[j] = min(change, last[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
