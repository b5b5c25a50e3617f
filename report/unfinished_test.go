package report

import (
	"bufio"
	"strings"
	"testing"

	"retrystorm/experiment"
)

func TestUnfinished(t *testing.T) {
	r := &experiment.Result{
		Axes:    []string{"clients.count"},
		Metrics: []experiment.Metric{{Name: "requests"}, {Name: "unfinished"}},
	}
	row := func(variant string, requests, unfinished float64) outcome {
		return outcome{
			point:     &experiment.Point{Variant: variant, Sweep: []string{"10"}},
			estimates: []experiment.Estimate{{Centre: requests}, {Centre: unfinished}},
		}
	}
	for _, c := range []struct {
		want string
		rows []outcome
	}{
		{"", []outcome{row("a", 10, 0), row("b", 10, 0)}},
		{"", []outcome{row("a", 10, 0), row("b", 0, 0)}},
		{"unfinished when the run ended: 5 of 10 requests per run", []outcome{row("a", 10, 5)}},
		{"unfinished when the run ended: up to 8 of 1,000 requests per run (b, clients.count 10)", []outcome{row("a", 10_000, 9), row("b", 1000, 8), row("c", 0, 0)}},
		{"no request was started before the run ended", []outcome{row("a", 0, 0), row("b", 0, 0)}},
	} {
		if got := unfinished(r, c.rows); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestWrapped(t *testing.T) {
	var b strings.Builder
	out := bufio.NewWriter(&b)
	printer{out, TableOptions{Width: 9}}.wrapped("half done: never everywhere, now")
	out.Flush()
	if want := "half\n  done:\n  never\n  everywhere,\n  now\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
