package report

import (
	"slices"
	"strconv"
	"strings"

	"retrystorm/experiment"
)

// viewMetrics are those shown.
func (m *viewMaker) viewMetrics() []ViewMetric {
	out := []ViewMetric{}
	for _, i := range m.metrics {
		x := m.r.Metrics[i]
		out = append(out, ViewMetric{
			Name: x.Name, Column: x.Column, Title: metricTitle(m.r, x.Name), Unit: HumanUnit(x), Help: x.Help,
			Infinite: x.Infinite, Share: x.Share, Key: m.key(i), Better: better(x.Name),
		})
	}
	return out
}

// key reports whether a metric is shown before anybody asks for all: one that
// the table in the terminal has, or that an expectation is about, and that says
// something.
func (m *viewMaker) key(i int) bool {
	return asked(m.r, m.r.Metrics[i].Name) && m.tells(i)
}

// asked reports whether people ask for a metric first.
func asked(r *experiment.Result, name string) bool {
	headed := slices.ContainsFunc(heads(), func(h head) bool { return h.metric == name })
	return headed || slices.Contains(aftermath(), name) || inExpectations(r, name)
}

// aftermath are the metrics that people ask for first when something is done
// twice, or not at all.
func aftermath() []string { return []string{"duplicates", "dead_letters", "lost", "cost"} }

// inExpectations reports whether one names a metric.
func inExpectations(r *experiment.Result, name string) bool {
	return slices.ContainsFunc(r.Expectations, func(j experiment.Judgement) bool {
		for rest := j.Text; ; {
			i := strings.Index(rest, name)
			if i < 0 {
				return false
			}
			before, after := rest[:i], rest[i+len(name):]
			if !endsInWord(before) && !startsWord(after) {
				return true
			}
			rest = after
		}
	})
}

func startsWord(s string) bool { return s != "" && wordByte(s[0]) }

func endsInWord(s string) bool { return s != "" && wordByte(s[len(s)-1]) }

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// tells reports whether a metric says more than the same everywhere.
func (m *viewMaker) tells(i int) bool {
	unit := HumanUnit(m.r.Metrics[i])
	first := ""
	for k := range m.r.Points {
		e := m.r.Points[k].Estimates[i]
		s := Human(e.Centre, unit)
		switch {
		case e.Lo < e.Hi:
			return true
		case k == 0:
			first = s
		case s != first:
			return true
		}
	}
	return first != "-" && len(m.r.Points) == 1
}

// metricTitle is a metric for people.
func metricTitle(r *experiment.Result, name string) string {
	base, part := name, ""
	if i := strings.IndexByte(name, '['); i >= 0 {
		base, part = name[:i], " "+name[i:]
	}
	title := strings.ReplaceAll(base, "_", " ")
	if base == "peak_retry" {
		title = peakTitle(r)
	} else if i := slices.IndexFunc(heads(), func(h head) bool { return h.metric == base }); i >= 0 {
		title = heads()[i].title
	} else if base == "peak_after" {
		title = "peak after the trigger"
	} else if digits, ok := strings.CutPrefix(base, "completion_p"); ok {
		title = percentile(digits) + " done"
	} else if digits, ok := strings.CutPrefix(base, "success_p"); ok {
		title = percentile(digits) + " of successes done"
	}
	return title + part
}

// percentile writes the digits of a quantile: two are percent.
func percentile(digits string) string {
	if digits == "50" {
		return "half"
	}
	if len(digits) > 2 {
		digits = digits[:2] + "." + digits[2:]
	}
	if x, err := strconv.ParseFloat(digits, 64); err == nil {
		digits = strconv.FormatFloat(x, 'f', -1, 64)
	}
	return digits + " %"
}

// better is -1 for metrics of which less is better, 1 for those of which more is,
// and 0 where that depends.
func better(name string) int {
	base, _, _ := strings.Cut(name, "[")
	switch base {
	case "succeeded", "goodput", "done":
		return 1
	case "withheld", "requests", "offered_load", "throughput", "utilisation", "effects", "replayed", "conflicts",
		"messages", "deliveries", "taken", "redriven", "resent", "rerun", "expired":
		return 0
	}
	return -1
}
