package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"retrystorm/experiment"
)

const (
	// commentRoom is how long a Markdown report may be: GitHub takes comments
	// of 65,536 characters.
	commentRoom = 60_000
	// summaryRoom is the same of a job summary, of which GitHub takes 1 MiB.
	summaryRoom = 1_000_000
	// mostListed is how many expectations are listed.
	mostListed = 40
	// mostText is how long a name or a detail may be in Markdown.
	mostText = 300
)

// Markdown writes a report fit for a pull request: the verdict first, then the
// numbers, and the scenario folded away.
func Markdown(w io.Writer, r *experiment.Result) error {
	_, err := io.WriteString(w, markdown(r, Compare(r), commentRoom, true))
	return err
}

// JobSummary writes what the summary page of a CI job shows: the same without
// the scenarios, which the job has checked out.
func JobSummary(w io.Writer, results []*experiment.Result) error {
	var b strings.Builder
	for i, r := range results {
		s := markdown(r, Compare(r), commentRoom, false)
		if b.Len()+len(s) > summaryRoom {
			fmt.Fprintf(&b, "\n%s left out for the size.\n", capital(counted(int64(len(results)-i), "more scenario")))
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownPart is a piece of a report, and what it is called when it is left
// out.
type markdownPart struct{ name, text string }

// markdown leaves out from the end what does not fit the room, and says so.
func markdown(r *experiment.Result, c Comparisons, room int, scenario bool) string {
	parts := []markdownPart{{"the verdict", markdownVerdict(r)}, {"the table", markdownTable(r)}}
	for _, s := range sections(r, c) {
		parts = append(parts, markdownPart{"“" + escapeMarkdown(s.title) + "”", markdownSection(s)})
	}
	if len(r.Notes) > 0 {
		parts = append(parts, markdownPart{"the notes", markdownNotes(r)})
	}
	command := "<details>\n<summary>Run it again</summary>\n\n" + codeBlock("sh", r.Command) + "\n</details>\n"
	parts = append(parts, markdownPart{"the command", command})
	if scenario {
		parts = append(parts, markdownPart{
			"the scenario",
			"<details>\n<summary>Scenario</summary>\n\n" + codeBlock("yaml", string(r.ScenarioYAML)) + "\n</details>\n",
		})
	}
	const remark = 1000 // room to say what is left out
	var b strings.Builder
	for i, p := range parts {
		if b.Len()+len(p.text) <= room-remark {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(p.text)
			continue
		}
		var gone []string
		for _, p := range parts[i:] {
			gone = append(gone, p.name)
		}
		if n := len(gone); n > 5 {
			gone = append(gone[:4], fmt.Sprintf("%d more parts", n-4))
		}
		fmt.Fprintf(&b, "\nLeft out, because comments may not be longer: %s.\n", listed(gone))
		break
	}
	return b.String()
}

// markdownVerdict is what a reviewer reads first, and perhaps last.
func markdownVerdict(r *experiment.Result) string {
	var b strings.Builder
	heading := r.Scenario
	if n := len(r.Expectations); n > 0 {
		t := tally(r.Expectations)
		heading = sign(worst(t)) + " " + heading + ": " + t.summary(n)
	}
	fmt.Fprintf(&b, "## %s\n\n", escapeMarkdown(shortText(heading, mostText)))
	if r.Title != "" {
		b.WriteString(escapeMarkdown(shortText(r.Title, mostText)) + "\n\n")
	}
	b.WriteString("**" + escapeMarkdown(shortText(advise(r).headline(), mostText)) + "**\n")
	list := slices.Clone(r.Expectations)
	slices.SortStableFunc(list, func(x, y experiment.Judgement) int { return severity(y.Ruling) - severity(x.Ruling) })
	if len(list) > 0 {
		b.WriteByte('\n')
	}
	for i, j := range list {
		if i == mostListed || b.Len() > commentRoom/2 {
			fmt.Fprintf(&b, "- and %s\n", counted(int64(len(list)-i), "more expectation"))
			break
		}
		fmt.Fprintf(&b, "- %s **%s** %s", sign(j.Ruling), j.Ruling, codeSpan(shortText(j.Text, mostText)))
		for k, s := range reasons(&j) {
			b.WriteString([]string{"<br>", "; "}[min(k, 1)] + escapeMarkdown(shortText(s, mostText)))
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// severity orders rulings.
func severity(r experiment.Ruling) int {
	return slices.Index([]experiment.Ruling{experiment.Pass, experiment.Skipped, experiment.Unclear, experiment.Fail}, r)
}

// worst is the severest ruling there is.
func worst(t tallied) experiment.Ruling {
	for _, r := range []experiment.Ruling{experiment.Fail, experiment.Unclear, experiment.Skipped} {
		if t[r] > 0 {
			return r
		}
	}
	return experiment.Pass
}

// sign is a ruling for the eye, beside the word.
func sign(r experiment.Ruling) string {
	switch r {
	case experiment.Pass:
		return "✅"
	case experiment.Fail:
		return "❌"
	case experiment.Skipped:
		return "⏩"
	}
	return "❔"
}

// markdownTable is the first table, with the seed and what else one must know
// to read it.
func markdownTable(r *experiment.Result) string {
	columns, remarks, hidden := tableColumns(r)
	if hidden != "" {
		remarks = append(remarks, hidden+"; summary.csv has all")
	}
	remarks = append(remarks, imprecise(r)...)
	remarks = append(remarks, warmedUp(r)...)
	var b strings.Builder
	b.WriteString("### Results\n\n")
	b.WriteString(markdownRows(columns))
	fmt.Fprintf(&b, "\nSeed %d, %s%s.", r.Seed, replicated(pointers(r)), intervalNote(r, columns))
	for _, s := range remarks {
		b.WriteString(" " + escapeMarkdown(shortText(capital(s), mostText)) + ".")
	}
	b.WriteByte('\n')
	return b.String()
}

func markdownSection(s *section) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", escapeMarkdown(capital(shortText(s.title, mostText))))
	if len(s.columns) > 0 {
		b.WriteString(markdownRows(s.columns))
		if len(s.lines) > 0 {
			b.WriteByte('\n')
		}
	}
	bullet := ""
	if len(s.columns) == 0 && len(s.lines) > 1 {
		bullet = "- "
	}
	for i, l := range s.lines {
		if i > 0 && bullet == "" {
			b.WriteByte('\n')
		}
		b.WriteString(bullet + escapeMarkdown(shortText(l, mostText)) + "\n")
	}
	return b.String()
}

func markdownNotes(r *experiment.Result) string {
	var b strings.Builder
	b.WriteString("### Notes\n\n")
	for _, s := range r.Notes[:min(len(r.Notes), mostListed)] {
		b.WriteString("- " + escapeMarkdown(shortText(s, mostText)) + "\n")
	}
	if n := len(r.Notes) - mostListed; n > 0 {
		fmt.Fprintf(&b, "- and %s\n", counted(int64(n), "more note"))
	}
	return b.String()
}

// markdownRows is a table: names at the left, numbers at the right.
func markdownRows(columns []column) string {
	var b strings.Builder
	row := func(cell func(c *column) string) {
		b.WriteByte('|')
		for i := range columns {
			b.WriteString(" " + cell(&columns[i]) + " |")
		}
		b.WriteByte('\n')
	}
	row(func(c *column) string { return escapeMarkdown(shortText(c.title, mostText)) })
	row(func(c *column) string {
		if c.left {
			return "---"
		}
		return "---:"
	})
	for k := range columns[0].values {
		row(func(c *column) string {
			s := strings.TrimSpace(c.values[k] + " " + c.interval[k])
			return escapeMarkdown(shortText(s, mostText))
		})
	}
	return b.String()
}
