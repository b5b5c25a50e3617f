package lint

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"retrystorm/report/text"
)

// mostRows is how many rows of a table are worth reading.
const mostRows = 40

// Text writes a result for people: the table of the worst case, and the
// findings. Each begins a line as editors and CI systems understand it; where
// there is a width its further lines are indented.
func (r *Result) Text(w io.Writer, width int) error {
	points := ""
	if r.Points > 1 {
		points = fmt.Sprintf(" at %d points", r.Points)
	}
	problems := r.Problems()
	_, err := fmt.Fprintf(w, "%s: %s, %s%s\n\n", r.File, counted(float64(problems), "problem"), counted(float64(len(r.Findings)-problems), "note"), points)
	if err == nil {
		err = r.table(w, width)
	}
	for i := range r.Findings {
		if err != nil {
			break
		}
		if i == 0 {
			fmt.Fprintln(w)
		}
		_, err = fmt.Fprintln(w, text.Wrap(r.Findings[i].String(), width, "    "))
	}
	return err
}

// String is the finding in one line.
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.Place.File)
	if f.Place.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Place.Line, f.Place.Col)
	}
	fmt.Fprintf(&b, ": %s: ", f.Severity)
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Message)
	if f.Because != "" {
		b.WriteString(" (" + f.Because + ")")
	}
	if f.Fix != "" {
		b.WriteString("; better: " + f.Fix)
	}
	if f.Where != "" {
		b.WriteString(" (" + f.Where + ")")
	}
	b.WriteString(" [" + f.Check + "]")
	return b.String()
}

// table writes the calls of the worst case.
func (r *Result) table(w io.Writer, width int) error {
	several := false
	var safe []string // what does not fail
	for i := range r.Calls {
		c := &r.Calls[i]
		several = several || c.Group != r.Calls[0].Group
		if c.Assumed && !slices.Contains(safe, c.To) {
			safe = append(safe, c.To)
		}
	}
	safe = slices.DeleteFunc(safe, func(name string) bool { // fails at other points
		return slices.ContainsFunc(r.Calls, func(c Row) bool { return c.To == name && !c.Assumed })
	})
	fmt.Fprintln(w, "worst case calls per request, when everything fails:")
	head := []string{"from", "to", "policy", "attempts", "calls", "how"}
	if several {
		head = append([]string{"request of"}, head...)
	}
	rows := [][]string{head}
	for i := range r.Calls[:min(len(r.Calls), mostRows)] {
		c := &r.Calls[i]
		how := c.How
		if c.Where != "" {
			how = strings.TrimSpace(how + " (" + c.Where + ")")
		}
		to := c.To
		if c.Step != "" {
			to += " (" + c.Step + ")"
		}
		cells := []string{c.From, to, c.Policy, c.Attempts.String(), c.Calls.String(), how}
		if several {
			cells = append([]string{c.Group}, cells...)
		}
		rows = append(rows, cells)
	}
	if err := text.Table(w, width, "  ", rows); err != nil {
		return err
	}
	if n := len(r.Calls) - mostRows; n > 0 {
		fmt.Fprintf(w, "  and %d more; --format json lists them\n", n)
	}
	if len(safe) > 0 {
		fmt.Fprintln(w, text.Wrap("nothing makes "+strings.Join(safe, ", ")+
			" fail here: these are the calls if something did, in the way that is retried most", width, "  "))
	}
	return nil
}

// JSON is a result as it is written in JSON; a count without a limit is null.
type JSON struct {
	File     string        `json:"file"`
	Scenario string        `json:"scenario"`
	Points   int           `json:"points"`
	Problems int           `json:"problems"`
	Calls    []RowJSON     `json:"worst_case_calls"`
	Findings []FindingJSON `json:"findings"`
}

// RowJSON is a Row.
type RowJSON struct {
	Group    string `json:"group"`
	From     string `json:"from"`
	To       string `json:"to"`
	Step     string `json:"step,omitempty"`
	Policy   string `json:"policy"`
	Attempts Count  `json:"attempts"`
	Calls    Count  `json:"calls"`
	Average  Count  `json:"average"`
	Estimate bool   `json:"estimate"`
	How      string `json:"how,omitempty"`
	Where    string `json:"where,omitempty"`
	// Assumed: nothing in the scenario makes To fail; as if something did.
	Assumed bool `json:"assumed,omitempty"`
}

// FindingJSON is a Finding.
type FindingJSON struct {
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line,omitempty"`
	Col      int      `json:"col,omitempty"`
	Path     string   `json:"path,omitempty"`
	Message  string   `json:"message"`
	Because  string   `json:"because,omitempty"`
	Fix      string   `json:"fix,omitempty"`
	Where    string   `json:"where,omitempty"`
}

// JSON is the result for programs.
func (r *Result) JSON() JSON {
	out := JSON{r.File, r.Scenario, r.Points, r.Problems(), []RowJSON{}, []FindingJSON{}}
	for _, c := range r.Calls {
		out.Calls = append(out.Calls, RowJSON{c.Group, c.From, c.To, c.Step, c.Policy, c.Attempts, c.Calls, c.Average, c.Calls.About, c.How, c.Where, c.Assumed})
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, FindingJSON{f.Check, f.Severity, f.Place.File, f.Place.Line, f.Place.Col, f.Path, f.Message, f.Because, f.Fix, f.Where})
	}
	return out
}
