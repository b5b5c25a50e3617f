package play

import (
	"errors"
	"strconv"
	"strings"

	"retrystorm/scenarios"
)

// problemsOf turns what is wrong, or worth knowing, into what an editor shows.
func problemsOf(e Edit, ps scenarios.Problems) []Problem {
	out := make([]Problem, 0, len(ps))
	lines := strings.Split(strings.ReplaceAll(e.Text, "\r\n", "\n"), "\n")
	for _, p := range ps {
		q := Problem{Severity: "error", Set: -1, Path: p.Path, Message: message(p)}
		if p.Warning {
			q.Severity = "note"
		}
		n, set := strings.CutPrefix(p.File, "--set ")
		switch i, err := strconv.Atoi(n); {
		case set && err == nil:
			q.Set = i - 1
		case p.Line > 0 && p.Line <= len(lines):
			q.Line, q.Col, q.EndCol = span(lines[p.Line-1], p.Line, p.Col, p.Value)
		case p.Line > 0: // after the last line
			q.Line, q.Col, q.EndCol = len(lines), 1, 1
		}
		out = append(out, q)
	}
	return out
}

// asProblems are the problems that an error consists of; any other error is one
// that has no place.
func asProblems(e Edit, err error) []Problem {
	var ps scenarios.Problems
	if errors.As(err, &ps) {
		return problemsOf(e, ps)
	}
	return []Problem{{Severity: "error", Set: -1, Message: err.Error()}}
}

// message is a problem without its place.
func message(p scenarios.Problem) string {
	p.File, p.Line, p.Path = "", 0, ""
	return strings.TrimPrefix(p.String(), ": ")
}

// span is what to underline in a line from a column on: the value if that is what
// stands there, else up to the end of the word, or of the quotes.
func span(text string, line, col int, value string) (int, int, int) {
	runes := []rune(text)
	col = min(max(col, 1), len(runes)+1)
	rest := runes[col-1:]
	return line, col, col + max(length(rest, []rune(value)), min(1, len(rest)))
}

func length(rest, value []rune) int {
	if n := len(value); n > 0 && n <= len(rest) && string(rest[:n]) == string(value) {
		return n
	}
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
		for i := 1; i < len(rest); i++ {
			if rest[i] == rest[0] {
				return i + 1
			}
		}
		return len(rest)
	}
	n := 0
	for n < len(rest) && !strings.ContainsRune(" ,:[]{}", rest[n]) {
		n++
	}
	return n
}
