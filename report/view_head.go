package report

import (
	"slices"

	"retrystorm/experiment"
)

// viewVersion changes when a page that knows the old View cannot draw the new one.
const viewVersion = 1

// NewView is what a page draws of a finished result.
func NewView(r *experiment.Result) (*View, error) {
	return newView(r, Compare(r), false)
}

// PartialView is the same of the points that a run has so far, of which nothing
// is judged.
func PartialView(r *experiment.Result) *View {
	few := *r
	few.Whole = nil // the rest is not needed, and would have to be waited for
	few.Expectations = nil
	v, err := newView(&few, Comparisons{}, true)
	if err != nil {
		panic("report: " + err.Error()) // only Whole has errors
	}
	return v
}

func newView(r *experiment.Result, c Comparisons, partial bool) (*View, error) {
	v := &View{
		FormatVersion: viewVersion, Name: r.Scenario, Title: r.Title, Command: r.Command, Scenario: string(r.ScenarioYAML),
		Seed: r.Seed, Replications: r.Replications, Partial: partial, Target: r.Target,
		Expectations: viewExpectations(r), Axes: viewAxes(r),
	}
	m := &viewMaker{r: r, c: c, View: v}
	m.choose()
	v.Variants = m.viewVariants()
	v.Metrics = m.viewMetrics()
	if err := m.fill(); err != nil {
		return nil, err
	}
	v.Notes = viewNotes(r)
	v.Verdict = m.verdict()
	v.Sections = []ViewSection{}
	if !partial {
		v.Sections = viewSections(append(sections(r, c), moreSections(r)...))
	}
	m.shorten()
	v.Dropped = nonNil(v.Dropped)
	return v, nil
}

// viewMaker makes a View, place by place.
type viewMaker struct {
	*View
	r *experiment.Result
	c Comparisons

	variants []string       // those shown, in order
	index    map[string]int // of each
	charted  map[string]bool
	metrics  []int   // those shown, as indices of Result.Metrics
	places   [][]int // the points of those shown, by place
	best     []experiment.Recommendation
	severe   []*experiment.Point // those of the severest place
}

// drop says that something is left out.
func (m *viewMaker) drop(what string) { m.Dropped = append(m.Dropped, what) }

func viewExpectations(r *experiment.Result) []ViewExpectation {
	out := []ViewExpectation{}
	for i := range r.Expectations {
		j := &r.Expectations[i]
		x := ViewExpectation{Text: j.Text, Ruling: string(j.Ruling), Detail: j.Detail, Need: j.Need, Cases: []ViewCase{}}
		for _, c := range j.Cases {
			x.Cases = append(x.Cases, ViewCase{c.Point, string(c.Ruling), c.Detail})
		}
		out = append(out, x)
	}
	return out
}

// viewNotes are what the reader must be told, remarks about the table among it.
func viewNotes(r *experiment.Result) []string {
	out := []string{}
	if len(r.Points) > 0 {
		_, remarks, _ := tableColumns(r)
		for _, list := range [][]string{remarks, imprecise(r), warmedUp(r)} {
			for _, s := range list {
				out = append(out, capital(s)+".")
			}
		}
	}
	return append(out, r.Notes...)
}

func viewAxes(r *experiment.Result) []ViewAxis {
	out := []ViewAxis{}
	for i, path := range r.Axes {
		x := ViewAxis{Path: path}
		if a := newSweepAxis(r, i); a != nil {
			x.Unit = a.unit
			var values []float64
			for _, v := range a.values {
				values = append(values, v)
			}
			x.Log = spread(values) && !slices.Contains(values, 0)
		}
		out = append(out, x)
	}
	return out
}

// viewVariants are the variants and how they look.
func (m *viewMaker) viewVariants() []ViewVariant {
	out := []ViewVariant{}
	styles := Styles(variants(m.r))
	for _, name := range m.variants {
		s := styles[name]
		x := ViewVariant{
			Name: name, Color: s.Color.hex(), Dark: s.Color.onBlack().hex(), Dashes: []float64{}, Marker: s.Marker.String(),
			Reference: len(m.variants) > 1 && name == reference(m.r),
		}
		for _, d := range s.Dashes {
			x.Dashes = append(x.Dashes, float64(d))
		}
		out = append(out, x)
	}
	return out
}
