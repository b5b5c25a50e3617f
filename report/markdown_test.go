package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"retrystorm/experiment"
)

func TestGoldenMarkdown(t *testing.T) {
	for name, r := range map[string]*experiment.Result{
		"trades.md": tradesSample(), "gates.md": gatesSample(), "screening.md": screeningSample(), "bisection.md": bisectionSample(),
	} {
		golden(t, name, []byte(markdown(r, comparisonsOf(r), commentRoom, true)))
	}
}

func TestEscapeMarkdown(t *testing.T) {
	for _, c := range [][2]string{
		{"total_calls", "total_calls"},
		{"_all_ of *it*", `\_all\_ of \*it\*`},
		{"a|b `c` [d](e)", "a\\|b \\`c\\` [d\\](e)"},
		{"[x] none[a=1]: 2 [1, 3]", `\[x] none[a=1]: 2 [1, 3]`},
		{"<b>&amp;", "&lt;b&gt;&amp;amp;"},
		{"@team #12", "@\u200bteam #\u200b12"},
		{"~ and ~~struck~~", `~ and \~\~struck\~\~`},
		{"$x$", "<span>$</span>x<span>$</span>"},
		{"two\nlines\x1b[31m\u202e", "two lines[31m"},
		{"\xff", "?"},
		{"- a - b", `\- a - b`},
		{"---", `\---`},
		{"-3.2 s", "-3.2 s"},
		{"-", "-"},
		{"12. x", `12\. x`},
		{"  1.5 x. y", "1.5 x. y"},
		{`\n`, `\\n`},
	} {
		if got := escapeMarkdown(c[0]); got != c[1] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
	for _, c := range [][2]string{{"a", "`a`"}, {"a`b", "``a`b``"}, {"`a``", "``` `a`` ```"}, {"", ""}} {
		if got := codeSpan(c[0]); got != c[1] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
	if got, want := codeBlock("yaml", "a: |\n  ```\n"), "````yaml\na: |\n  ```\n````\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMarkdownFitsAComment makes reports too long in every part.
func TestMarkdownFitsAComment(t *testing.T) {
	long := strings.Repeat("é|", 20_000)
	yaml, names, notes, gates := gatesSample(), gatesSample(), longSample(4000), gatesSample()
	yaml.ScenarioYAML = []byte(long)
	for i := range names.Points {
		names.Points[i].Variant = long + names.Points[i].Variant
	}
	for range 5000 {
		notes.Notes = append(notes.Notes, long)
		gates.Expectations = append(gates.Expectations, experiment.Judgement{Text: long, Ruling: experiment.Fail, Detail: long})
	}
	for name, c := range map[string]struct {
		r          *experiment.Result
		want, gone string
	}{
		"scenario":     {yaml, "Run it again", "Left out, because comments may not be longer: the scenario."},
		"variants":     {names, "✅ **pass** `total_calls > 0`", ""},
		"notes":        {notes, "60 of 8,000 rows are shown, evenly spread; summary.csv has all.", ""},
		"expectations": {gates, " more expectations\n", ""},
	} {
		got := markdown(c.r, comparisonsOf(c.r), commentRoom, true)
		if n := len(got); n > commentRoom || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes", name, n)
		}
		if !strings.Contains(got, c.want) || !strings.Contains(got, c.gone) {
			t.Errorf("%s: %q or %q is not in %.3000s", name, c.want, c.gone, got)
		}
	}
}

func TestJobSummary(t *testing.T) {
	var b bytes.Buffer
	if err := JobSummary(&b, []*experiment.Result{gatesSample(), bisectionSample()}); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Count(s, "\n## ") != 1 || !strings.HasPrefix(s, "## ") || strings.Contains(s, "<summary>Scenario") {
		t.Errorf("got %s", s)
	}
	b.Reset()
	many := make([]*experiment.Result, 600)
	for i := range many {
		many[i] = gatesSample()
	}
	if err := JobSummary(&b, many); err != nil || b.Len() > 1<<20 || !strings.Contains(b.String(), " more scenarios left out for the size.") {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
}
