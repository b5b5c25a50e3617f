package report

import (
	"io"

	"retrystorm/experiment"
)

// JSON writes the summary of a result for programs.
func JSON(w io.Writer, r *experiment.Result) error {
	out := jsonResult{
		FormatVersion: FormatVersion, ResultsVersion: ResultsVersion,
		Scenario: r.Scenario, Title: r.Title, Hash: r.Hash, Seed: r.Seed, Replications: r.Replications,
		Command: r.Command, Notes: nonNil(r.Notes), Points: []jsonPoint{}, Expectations: []manifestJudgement{},
	}
	for i := range r.Points {
		out.Points = append(out.Points, newJSONPoint(r, &r.Points[i]))
	}
	for _, j := range r.Expectations {
		out.Expectations = append(out.Expectations, manifestJudgement(j))
	}
	return writeJSON(w, out)
}

type jsonResult struct {
	FormatVersion  int                 `json:"format_version"`
	ResultsVersion int                 `json:"results_version"`
	Scenario       string              `json:"scenario"`
	Title          string              `json:"title"`
	Hash           string              `json:"scenario_hash"`
	Seed           int64               `json:"seed"`
	Replications   int64               `json:"replications"`
	Command        string              `json:"command"`
	Notes          []string            `json:"notes"`
	Points         []jsonPoint         `json:"points"`
	Expectations   []manifestJudgement `json:"expectations"`
}

// jsonPoint has maps, whose keys encoding/json sorts.
type jsonPoint struct {
	Variant      string                `json:"variant"`
	Sweep        map[string]string     `json:"sweep"`
	Replications int                   `json:"replications"`
	Metrics      map[string]jsonMetric `json:"metrics"`
}

// jsonMetric has a mean, or a median and a share of infinite values.
type jsonMetric struct {
	Mean     *jsonNumber `json:"mean,omitempty"`
	Median   *jsonNumber `json:"median,omitempty"`
	Lo       jsonNumber  `json:"lo"`
	Hi       jsonNumber  `json:"hi"`
	InfShare *jsonNumber `json:"inf_share,omitempty"`
}

func newJSONPoint(r *experiment.Result, p *experiment.Point) jsonPoint {
	out := jsonPoint{
		Variant: p.Variant, Sweep: map[string]string{}, Replications: len(p.Runs),
		Metrics: map[string]jsonMetric{},
	}
	for i, v := range p.Sweep {
		out.Sweep[r.Axes[i]] = v
	}
	for i, m := range r.Metrics {
		e := p.Estimates[i]
		centre, share := jsonNumber(e.Centre), jsonNumber(e.InfShare)
		j := jsonMetric{Lo: jsonNumber(e.Lo), Hi: jsonNumber(e.Hi)}
		if m.Infinite {
			j.Median, j.InfShare = &centre, &share
		} else {
			j.Mean = &centre
		}
		out.Metrics[m.Column] = j
	}
	return out
}
