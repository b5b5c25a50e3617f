package report

import (
	"fmt"
	"io"
	"strings"

	"retrystorm/experiment"
)

// mostAnnotations is how many annotations of a kind GitHub shows for a step.
const mostAnnotations = 10

// Annotations writes the commands that make GitHub Actions mark the lines of
// the expectations in file that do not hold, or, as warnings, that are
// undecided; under strict the latter are errors too. Expectations without a
// line, from the command line or a built-in scenario, are marked at no file.
func Annotations(w io.Writer, file string, r *experiment.Result, strict bool) error {
	var out strings.Builder
	for _, level := range []string{"error", "warning", "notice"} {
		var list []*experiment.Judgement
		for i := range r.Expectations {
			if levelOf(r.Expectations[i].Ruling, strict) == level {
				list = append(list, &r.Expectations[i])
			}
		}
		for i, j := range list[:min(len(list), mostAnnotations)] {
			message := strings.Join(append([]string{j.Text}, reasons(j)...), "\n")
			if n := len(list) - mostAnnotations; n > 0 && i == mostAnnotations-1 {
				message += fmt.Sprintf("\nand %s of this kind", counted(int64(n), "more expectation"))
			}
			out.WriteString(annotation(level, file, r, j, message))
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// levelOf is how GitHub is to show a ruling; empty: not at all.
func levelOf(r experiment.Ruling, strict bool) string {
	switch {
	case r == experiment.Fail, r == experiment.Unclear && strict:
		return "error"
	case r == experiment.Unclear:
		return "warning"
	case r == experiment.Skipped:
		return "notice"
	}
	return ""
}

func annotation(level, file string, r *experiment.Result, j *experiment.Judgement, message string) string {
	var properties []string
	if file != "" && j.Line > 0 {
		properties = append(properties, "file="+escapeProperty(file), fmt.Sprintf("line=%d", j.Line))
		if j.Col > 0 {
			properties = append(properties, fmt.Sprintf("col=%d", j.Col))
		}
	}
	what := map[experiment.Ruling]string{
		experiment.Fail: "expectation did not hold", experiment.Unclear: "expectation is undecided", experiment.Skipped: "expectation was skipped",
	}[j.Ruling]
	properties = append(properties, "title="+escapeProperty(r.Scenario+": "+what))
	return "::" + level + " " + strings.Join(properties, ",") + "::" + escapeCommand(message) + "\n"
}

// Annotate marks a line of a file for GitHub Actions; without a line, none.
func Annotate(w io.Writer, file string, line, col int, title, message string) {
	properties := []string{"title=" + escapeProperty(title)}
	if line > 0 {
		properties = append([]string{"file=" + escapeProperty(file), fmt.Sprintf("line=%d,col=%d", line, max(col, 1))}, properties...)
	}
	fmt.Fprintf(w, "::error %s::%s\n", strings.Join(properties, ","), escapeCommand(message))
}

// escapeCommand makes a text one line of a workflow command.
func escapeCommand(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty is that of a property, where colons and commas have a meaning.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
