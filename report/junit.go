package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"retrystorm/experiment"
)

// The elements of a JUnit report, in the order that its schemas ask for. Times
// are 0: outputs hold no clocks.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		SystemOut  string          `xml:"system-out,omitempty"`
	}
	junitCounts struct {
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Time     string `xml:"time,attr"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Skipped *junitMessage `xml:"skipped"`
		Failure *junitMessage `xml:"failure"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the expectations of scenarios as test results: a suite for each
// scenario, a case for each expectation at each point. What is undecided counts
// as skipped, or under strict as failed.
func JUnit(w io.Writer, results []*experiment.Result, strict bool) error {
	all := junitSuites{Name: "retrystorm", junitCounts: junitCounts{Time: "0"}}
	for _, r := range results {
		s := suiteOf(r, strict)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Skipped += s.Skipped
		all.Suites = append(all.Suites, s)
	}
	b, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(b)+"\n")
	return err
}

func suiteOf(r *experiment.Result, strict bool) junitSuite {
	least, most := replicationRange(pointers(r))
	replications := strconv.FormatInt(most, 10)
	if least < most {
		replications = strconv.FormatInt(least, 10) + " to " + replications
	}
	s := junitSuite{Name: plain(r.Scenario), junitCounts: junitCounts{Time: "0"}, Properties: []junitProperty{
		{"seed", strconv.FormatInt(r.Seed, 10)},
		{"replications", replications},
		{"scenario_hash", r.Hash},
	}}
	for i := range r.Expectations {
		j := &r.Expectations[i]
		cases := j.Cases
		if len(cases) == 0 {
			cases = []experiment.Case{{Ruling: j.Ruling, Detail: j.Detail, Need: j.Need}}
		}
		for _, c := range cases {
			s.add(caseOf(r, j, &c, strict))
		}
	}
	s.SystemOut = plainLines(append(imprecise(r), r.Notes...))
	return s
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func caseOf(r *experiment.Result, j *experiment.Judgement, c *experiment.Case, strict bool) junitCase {
	t := junitCase{Name: plain(j.Text), Class: plain(r.Scenario), Time: "0"}
	if c.Point != "" {
		t.Name += " at " + plain(c.Point)
	}
	m := &junitMessage{Message: plain(c.Detail), Text: plain(observed(j, c))}
	switch {
	case c.Ruling == experiment.Skipped:
		t.Skipped = &junitMessage{Message: m.Message}
	case c.Ruling == experiment.Unclear && !strict:
		t.Skipped = &junitMessage{Message: plain("undecided: " + c.Detail + "; " + needed(c.Need))}
	case c.Ruling == experiment.Unclear:
		m.Message, m.Type = plain("undecided: "+c.Detail+"; "+needed(c.Need)), string(c.Ruling)
		t.Failure = m
	case c.Ruling == experiment.Fail:
		m.Type = "expectation"
		t.Failure = m
	}
	return t
}

// observed is the text of a failure: what was expected where, and what was seen.
func observed(j *experiment.Judgement, c *experiment.Case) string {
	s := "expected " + j.Text
	if c.Point != "" {
		s += " at " + c.Point
	}
	if j.Line > 0 {
		s += fmt.Sprintf(" (line %d of the scenario)", j.Line)
	}
	return s + ", observed " + c.Detail
}

// plainLines are texts without control characters, a line each.
func plainLines(lines []string) string {
	var out []string
	for _, l := range lines {
		out = append(out, plain(l))
	}
	return strings.Join(out, "\n")
}
