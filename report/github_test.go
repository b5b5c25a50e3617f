package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"retrystorm/experiment"
)

func annotationsOf(t *testing.T, r *experiment.Result, strict bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := Annotations(&b, "scenarios/a, b: 100%.yaml", r, strict); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAnnotations(t *testing.T) {
	r := gatesSample()
	want := "::error file=scenarios/a%2C b%3A 100%25.yaml,line=31,col=5,title=recovering-server%3A expectation did not hold::" +
		"completion_p99 < 2s%0Anone[clients.count=100]: 12.6 s [12, 13] against 2 s%0Ait fails at 1 of 3 points and is undecided at 1\n" +
		"::warning file=scenarios/a%2C b%3A 100%25.yaml,line=32,col=5,title=recovering-server%3A expectation is undecided::" +
		"recovery[none] < 1.05 * recovery[full-jitter]%0Anone[clients.count=10]: 12.6 s [11, 13] against 12.2 s%0A" +
		"about 80 more replications would decide, if the numbers are what they seem\n" +
		"::notice title=recovering-server%3A expectation was skipped::total_calls < 1.1 * baseline%0Ano baseline was given\n"
	if got := annotationsOf(t, r, false); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got, want := annotationsOf(t, r, true), strings.Replace(want, "::warning", "::error", 1); got != want {
		t.Errorf("strict: got:\n%s\nwant:\n%s", got, want)
	}
	r.Expectations = []experiment.Judgement{{Text: "10% *\r\n::error::x", Ruling: experiment.Fail, Line: 3}}
	if got := annotationsOf(t, r, false); strings.Count(got, "\n") != 1 || !strings.Contains(got, "line=3,title=") || !strings.HasSuffix(got, "::10%25 *%0D%0A::error::x\n") {
		t.Errorf("got %q", got)
	}
}

// GitHub shows ten of a kind; the last says that there are more.
func TestAnnotationsAreFew(t *testing.T) {
	r := gatesSample()
	r.Expectations = nil
	for i := range 25 {
		ruling := experiment.Fail
		if i%5 == 0 {
			ruling = experiment.Unclear
		}
		r.Expectations = append(r.Expectations, experiment.Judgement{Text: fmt.Sprint("x", i), Ruling: ruling, Line: i + 1})
	}
	got := annotationsOf(t, r, false)
	if e, w := strings.Count(got, "::error "), strings.Count(got, "::warning "); e != 10 || w != 5 {
		t.Errorf("%d errors, %d warnings", e, w)
	}
	lines := strings.Split(got, "\n")
	if !strings.HasSuffix(lines[9], "%0Aand 10 more expectations of this kind") || strings.Contains(lines[8], "more expectations of") {
		t.Errorf("got %s", got)
	}
}
