package findings

import (
	"fmt"
	"math"
	"slices"

	"retrystorm/experiment"
	"retrystorm/report"
)

// inquiry is a finished experiment, ready to be asked.
type inquiry struct {
	result *experiment.Result
	// rerun runs variants at another value of the only axis.
	rerun func(value string, variants ...string) (*experiment.Result, error)
}

func (in *inquiry) metric(name string) (int, error) {
	i := slices.IndexFunc(in.result.Metrics, func(m experiment.Metric) bool { return m.Name == name })
	if i < 0 {
		return 0, fmt.Errorf("findings: no metric %s in %s", name, in.result.Scenario)
	}
	return i, nil
}

// points are the points of a variant, in sweep order.
func points(r *experiment.Result, variant string) []*experiment.Point {
	var list []*experiment.Point
	for i := range r.Points {
		if r.Points[i].Variant == variant {
			list = append(list, &r.Points[i])
		}
	}
	return list
}

// quoted is the point of a variant whose numbers are printed: at the value, or
// the only one.
func quoted(r *experiment.Result, variant, at string) (*experiment.Point, error) {
	for _, p := range points(r, variant) {
		if at == "" && len(p.Sweep) == 0 || len(p.Sweep) == 1 && p.Sweep[0] == at {
			return p, nil
		}
	}
	return nil, fmt.Errorf("findings: no point %s %s in %s", variant, at, r.Scenario)
}

// quotedPair is the quoted point of two variants.
func quotedPair(r *experiment.Result, a, b, at string) (pa, pb *experiment.Point, err error) {
	if pa, err = quoted(r, a, at); err != nil {
		return nil, nil, err
	}
	pb, err = quoted(r, b, at)
	return pa, pb, err
}

// values are a metric's values over the replications of a point.
func values(p *experiment.Point, metric int) []float64 {
	v := make([]float64, len(p.Runs))
	for i, r := range p.Runs {
		v[i] = r.Values[metric]
	}
	return v
}

// show prints an estimate with its interval.
func show(e experiment.Estimate, m experiment.Metric) string {
	return report.HumanInterval(e.Centre, e.Lo, e.Hi, m.Unit)
}

func place(in *inquiry, at string) string {
	if at == "" {
		return ""
	}
	return fmt.Sprintf(" at %s = %s", in.result.Axes[0], at)
}

// same claims that a metric of two variants differs by no more than a share of
// it, at every point.
type same struct {
	text, metric, a, b string
	within             float64
	quote              string
}

func (c same) sentence() string { return c.text }

func (c same) judge(in *inquiry) (verdict, error) {
	k, err := in.metric(c.metric)
	if err != nil {
		return verdict{}, err
	}
	m := in.result.Metrics[k]
	as, bs := points(in.result, c.a), points(in.result, c.b)
	signs := make([]int, len(as))
	equal, different := 0, 0
	for i := range as {
		d := experiment.Compare(m, values(as[i], k), values(bs[i], k)).Difference
		slack := c.within * math.Abs(bs[i].Estimates[k].Centre)
		switch {
		case -slack <= d.Lo && d.Hi <= slack:
			signs[i], equal = 1, equal+1
		case d.Lo > slack || d.Hi < -slack:
			signs[i], different = -1, different+1
		}
	}
	v := verdict{Word: string(experiment.Undecided)}
	switch {
	case equal == len(as):
		v.Word = string(experiment.Confirmed)
	case different == len(as):
		v.Word = string(experiment.Refuted)
	case equal > 0 && different > 0:
		v.Word = fmt.Sprintf("%s %s is %s", experiment.OnlyWhen, in.result.Axes[0], where(as, signs, 1))
	}
	pa, pb, err := quotedPair(in.result, c.a, c.b, c.quote)
	if err != nil {
		return v, err
	}
	v.Measured = fmt.Sprintf("%s %s against %s%s; equal within %g %% at %d of %d points", c.metric,
		show(pa.Estimates[k], m), show(pb.Estimates[k], m), place(in, c.quote), 100*c.within, equal, len(as))
	return v, nil
}

// value claims a number.
type value struct {
	text, metric, variant, at string
	want                      float64
	// within is the share of the number that the measurement may miss it by:
	// its whole interval must lie inside, so that noise confirms nothing. 0 is
	// for what is not random.
	within float64
	// published is over how many runs a published share was found. Then its
	// own interval and the one that was measured must have a part in common.
	published int
}

func (c value) sentence() string { return c.text }

func (c value) judge(in *inquiry) (verdict, error) {
	k, err := in.metric(c.metric)
	if err != nil {
		return verdict{}, err
	}
	p, err := quoted(in.result, c.variant, c.at)
	if err != nil {
		return verdict{}, err
	}
	m, e := in.result.Metrics[k], p.Estimates[k]
	if c.published > 0 {
		return c.share(m, e), nil
	}
	v := verdict{Word: string(wordFor([]int{fits(e, c.want, c.within)}))}
	v.Measured = fmt.Sprintf("%s %s, claimed %s", c.metric, show(e, m), report.Human(c.want, m.Unit))
	if c.within > 0 {
		v.Measured += fmt.Sprintf(", within %g %%", 100*c.within)
	}
	return v, nil
}

// fits is +1 when all of an estimate's interval lies within a share of a number,
// -1 when none of it does.
func fits(e experiment.Estimate, want, within float64) int {
	lo, hi := e.Lo, e.Hi
	if math.IsNaN(lo) || math.IsNaN(hi) { // too few runs for an interval
		lo, hi = e.Centre, e.Centre
	}
	const digits = 1e-9 // of the number, lost in its own arithmetic
	slack := float64(max(within, digits) * math.Abs(want))
	switch {
	case lo >= want-slack && hi <= want+slack:
		return 1
	case lo > want+slack || hi < want-slack:
		return -1
	default:
		return 0
	}
}

// share compares with a published share.
func (c value) share(m experiment.Metric, measured experiment.Estimate) verdict {
	runs := make([]float64, c.published)
	for i := range int(math.Round(c.want * float64(c.published))) {
		runs[i] = 1
	}
	claimed := experiment.Share(runs)
	v := verdict{
		Word:     string(experiment.Refuted),
		Measured: fmt.Sprintf("%s %s, claimed %s of %d runs", c.metric, show(measured, m), show(claimed, m), c.published),
	}
	if measured.Lo <= claimed.Hi && claimed.Lo <= measured.Hi {
		v.Word = string(experiment.Confirmed)
	}
	return v
}
