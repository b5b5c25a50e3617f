package findings

import (
	"testing"

	"retrystorm/experiment"
)

func TestFlips(t *testing.T) {
	const pass, fail, unclear = experiment.Pass, experiment.Fail, experiment.Unclear
	at := func(low, high experiment.Ruling, from, to, lo, hi string) experiment.Crossing {
		return experiment.Crossing{
			Variant: "a", Sweep: []string{"10/s"}, Axis: "x", Where: "recovery == never",
			Low: low, High: high, From: from, To: to, Lo: lo, Hi: hi,
		}
	}
	for _, c := range []struct {
		crossing         experiment.Crossing
		want             string
		flips, prevented string
	}{
		{at(fail, pass, "140/s", "144/s", "136/s", "148/s"), "142/s", "confirmed", "only when x up to about 140/s"},
		{at(fail, pass, "140/s", "144/s", "100/s", "148/s"), "142/s", "undecided", "only when x up to about 140/s"},
		{at(fail, pass, "140/s", "144/s", "136/s", "148/s"), "200/s", "refuted", "only when x up to about 140/s"},
		{at(pass, fail, "7%", "7.25%", "6.5%", "7.5%"), "7.14%", "confirmed", "only when x from about 7.25%"},
		{at(pass, fail, "1s170ms", "1s175ms", "1s160ms", "1s190ms"), "1170.2ms", "confirmed", "only when x from about 1s175ms"},
		{at(fail, fail, "", "", "", ""), "1s", "refuted", "confirmed"},
		{at(pass, pass, "", "", "", ""), "1s", "refuted", "refuted"},
		{at(unclear, pass, "1s", "2s", "1s", "2s"), "9s", "refuted", "undecided"},
	} {
		in := &inquiry{result: &experiment.Result{Crossings: []experiment.Crossing{{Variant: "b"}, c.crossing}}}
		v, err := flips{variant: "a", sweep: []string{"10/s"}, want: c.want, within: 0.1}.judge(in)
		if err != nil || v.Word != c.flips {
			t.Errorf("%v: %s, %v, want %s (%s)", c.crossing, v.Word, err, c.flips, v.Measured)
		}
		v, err = prevents{variant: "a", sweep: []string{"10/s"}}.judge(in)
		if err != nil || v.Word != c.prevented {
			t.Errorf("%v: %s, %v, want %s (%s)", c.crossing, v.Word, err, c.prevented, v.Measured)
		}
		if _, err := (flips{variant: "c", want: c.want}).judge(in); err == nil {
			t.Error("no error where there is no crossing")
		}
	}
}
