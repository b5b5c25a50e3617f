package report

import (
	"io"

	"retrystorm/experiment"
)

// JSON writes the summary of a result for programs.
func JSON(w io.Writer, r *experiment.Result) error {
	p := &pass{r, ofPoints}
	return p.file("", func(w io.Writer) (maker, error) {
		out, err := newJSONStream(w, jsonHead{
			FormatVersion: FormatVersion, ResultsVersion: ResultsVersion,
			Scenario: r.Scenario, Title: r.Title, Hash: r.Hash, Seed: r.Seed, Replications: r.Replications,
			Command: r.Command, Notes: nonNil(r.Notes),
		}, "points", "  ")
		return &jsonMaker{out, r}, err
	}).Write(w)
}

// jsonMaker writes the points.
type jsonMaker struct {
	out    *jsonStream
	result *experiment.Result
}

func (m *jsonMaker) make(s *step) (any, error) { return newJSONPoint(m.result, s.points[0]), nil }

func (m *jsonMaker) take(v any) error { return m.out.add(v) }

func (m *jsonMaker) end() error {
	head := newManifestHead(m.result)
	return m.out.end(jsonTail{head.Expectations, head.Sensitivity, head.Crossings, jsonComparisons(m.result)})
}

type jsonHead struct {
	FormatVersion  int      `json:"format_version"`
	ResultsVersion int      `json:"results_version"`
	Scenario       string   `json:"scenario"`
	Title          string   `json:"title"`
	Hash           string   `json:"scenario_hash"`
	Seed           int64    `json:"seed"`
	Replications   int64    `json:"replications"`
	Command        string   `json:"command"`
	Notes          []string `json:"notes"`
}

type jsonTail struct {
	Expectations []manifestJudgement `json:"expectations"`
	Sensitivity  []manifestEffect    `json:"sensitivity,omitempty"`
	Crossings    []manifestCrossing  `json:"crossings,omitempty"`
	Comparisons  []jsonComparison    `json:"comparisons,omitempty"`
}

// jsonComparison is a row of comparisons.csv, of the last place of the sweep.
type jsonComparison struct {
	Variant    string     `json:"variant"`
	Reference  string     `json:"reference"`
	Metric     string     `json:"metric"`
	Difference jsonNumber `json:"difference"`
	Lo         jsonNumber `json:"lo"`
	Hi         jsonNumber `json:"hi"`
	Ratio      jsonNumber `json:"ratio"`
	RatioLo    jsonNumber `json:"ratio_lo"`
	RatioHi    jsonNumber `json:"ratio_hi"`
	Adjusted   jsonNumber `json:"p_adjusted"`
	Direction  int        `json:"direction"`
}

func jsonComparisons(r *experiment.Result) []jsonComparison {
	var out []jsonComparison
	c := Compare(r)
	for i, list := range c.Contrasts {
		for k := range list {
			x := &list[k]
			out = append(out, jsonComparison{
				c.Points[i].Variant, c.Reference, r.Metrics[k].Column,
				jsonNumber(x.Difference.Centre), jsonNumber(x.Difference.Lo), jsonNumber(x.Difference.Hi),
				jsonNumber(x.Ratio), jsonNumber(x.RatioLo), jsonNumber(x.RatioHi), jsonNumber(x.Adjusted), x.Direction,
			})
		}
	}
	return out
}

// jsonPoint has maps, whose keys encoding/json sorts.
type jsonPoint struct {
	Variant      string                `json:"variant"`
	Sweep        map[string]string     `json:"sweep"`
	Replications int                   `json:"replications"`
	Metrics      map[string]jsonMetric `json:"metrics"`
	Groups       []jsonGroup           `json:"groups,omitempty"`
	Queues       []jsonQueue           `json:"queues,omitempty"`
	DeadLetters  []jsonTally           `json:"dead_letters,omitempty"`
	Duplicates   []jsonTally           `json:"duplicates,omitempty"`
	Attribution  []jsonAttribution     `json:"attribution"`
}

// jsonGroup is a group of clients.
type jsonGroup struct {
	Group   string                `json:"group"`
	Outcome string                `json:"outcome,omitempty"`
	Metrics map[string]jsonMetric `json:"metrics"`
}

// jsonQueue is a queue.
type jsonQueue struct {
	Queue   string                `json:"queue"`
	Outcome string                `json:"outcome,omitempty"`
	Metrics map[string]jsonMetric `json:"metrics"`
}

// jsonTally is a row of dead_letters.csv or duplicates.csv.
type jsonTally struct {
	Outcome string     `json:"outcome,omitempty"`
	Queue   string     `json:"queue,omitempty"`
	Service string     `json:"service,omitempty"`
	Reason  string     `json:"reason,omitempty"`
	GaveUp  string     `json:"gave_up,omitempty"`
	Cause   string     `json:"cause,omitempty"`
	Mean    jsonNumber `json:"mean"`
	Lo      jsonNumber `json:"lo"`
	Hi      jsonNumber `json:"hi"`
}

// jsonAttribution is a row of attribution.csv.
type jsonAttribution struct {
	Outcome string     `json:"outcome,omitempty"`
	From    string     `json:"from"`
	To      string     `json:"to"`
	Policy  string     `json:"policy"`
	Layer   int        `json:"layer"`
	Inner   bool       `json:"inner"`
	Kind    string     `json:"kind"`
	What    string     `json:"what"`
	Mean    jsonNumber `json:"mean"`
	Lo      jsonNumber `json:"lo"`
	Hi      jsonNumber `json:"hi"`
}

// jsonMetric has a mean, a quantile of all replications pooled, or a median and
// a share of infinite values.
type jsonMetric struct {
	Mean     *jsonNumber `json:"mean,omitempty"`
	Pooled   *jsonNumber `json:"pooled,omitempty"`
	Median   *jsonNumber `json:"median,omitempty"`
	Lo       jsonNumber  `json:"lo"`
	Hi       jsonNumber  `json:"hi"`
	InfShare *jsonNumber `json:"inf_share,omitempty"`
}

func newJSONPoint(r *experiment.Result, p *experiment.Point) jsonPoint {
	out := jsonPoint{
		Variant: p.Variant, Sweep: map[string]string{}, Replications: p.Replications,
		Metrics: jsonMetrics(r.Metrics, p.Estimates), Attribution: []jsonAttribution{},
	}
	for i, v := range p.Sweep {
		out.Sweep[r.Axes[i]] = v
	}
	for _, g := range p.Groups {
		out.Groups = append(out.Groups, jsonGroup{g.Name, g.Outcome, jsonMetrics(r.GroupMetrics, g.Estimates)})
	}
	for _, q := range p.Queues {
		out.Queues = append(out.Queues, jsonQueue{q.Name, q.Outcome, jsonMetrics(r.QueueMetrics, q.Estimates)})
	}
	for _, t := range p.DeadReasons {
		e := t.Estimate
		out.DeadLetters = append(out.DeadLetters, jsonTally{
			Outcome: t.Outcome, Queue: t.Place, Reason: t.What, GaveUp: t.Why,
			Mean: jsonNumber(e.Centre), Lo: jsonNumber(e.Lo), Hi: jsonNumber(e.Hi),
		})
	}
	for _, t := range p.Duplicates {
		e := t.Estimate
		out.Duplicates = append(out.Duplicates, jsonTally{
			Outcome: t.Outcome, Service: t.Place, Cause: t.What,
			Mean: jsonNumber(e.Centre), Lo: jsonNumber(e.Lo), Hi: jsonNumber(e.Hi),
		})
	}
	for i := range p.Attribution {
		a := &p.Attribution[i]
		e := a.Estimate
		out.Attribution = append(out.Attribution, jsonAttribution{
			a.Outcome, a.From, a.To, a.Policy, a.Layer, a.Inner, kindOf(a), a.What,
			jsonNumber(e.Centre), jsonNumber(e.Lo), jsonNumber(e.Hi),
		})
	}
	return out
}

func jsonMetrics(metrics []experiment.Metric, estimates []experiment.Estimate) map[string]jsonMetric {
	out := map[string]jsonMetric{}
	for i, m := range metrics {
		e := estimates[i]
		centre, share := jsonNumber(e.Centre), jsonNumber(e.InfShare)
		j := jsonMetric{Lo: jsonNumber(e.Lo), Hi: jsonNumber(e.Hi)}
		switch {
		case m.Infinite:
			j.Median, j.InfShare = &centre, &share
		case m.Quantile > 0:
			j.Pooled = &centre
		default:
			j.Mean = &centre
		}
		out[m.Column] = j
	}
	return out
}
