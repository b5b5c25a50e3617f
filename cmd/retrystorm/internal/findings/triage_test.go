package findings

import (
	"slices"
	"testing"

	"retrystorm/experiment"
)

func TestGuesses(t *testing.T) {
	for _, c := range []struct {
		kinds string
		is    []bool
		want  []float64
	}{
		{"aaab", []bool{true, true, true, false}, []float64{1, 1, 1, 0}}, // b is alone, and most others are
		{"aaabb", []bool{true, true, true, false, false}, []float64{1, 1, 1, 1, 1}},
		{"aaaa", []bool{true, true, true, false}, []float64{1, 1, 1, 0}},
		{"ab", []bool{true, false}, []float64{0, 0}},
		{"", nil, []float64{}},
	} {
		if got := guesses(split(c.kinds), c.is); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.kinds, got, c.want)
		}
	}
}

func split(s string) (out []string) {
	for _, r := range s {
		out = append(out, string(r))
	}
	return out
}

func TestTriage(t *testing.T) {
	// 60 die in an outage, 40 are bad: these die again.
	in := inquire(experiment.Metric{Name: "x"}, nil, table{"a": {{1}}})
	p := &in.result.Points[0]
	for i := range 140 {
		d := experiment.DeadLetter{Group: "g", Client: int64(i % 100), Reason: "503", Attempts: 3}
		if d.Client < 40 {
			d.Reason = "400"
		}
		p.Dead = append(p.Dead, d)
	}
	for _, c := range []struct {
		by   []string
		want string
	}{{nil, "refuted"}, {[]string{"attempts"}, "refuted"}, {[]string{"reason"}, "confirmed"}, {[]string{"attempts", "reason"}, "confirmed"}} {
		v, err := triage{variant: "a", by: c.by, least: 0.95}.judge(in)
		if err != nil || v.Word != c.want {
			t.Errorf("%v: %+v, %v, want %s", c.by, v, err, c.want)
		}
	}
	p.DeadMore = 1
	if _, err := (triage{variant: "a"}).judge(in); err == nil {
		t.Error("no error where letters are left out")
	}
}
