package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"retrystorm/experiment"
)

// manifest is manifest.json: what the result is, and what the tables cannot
// say about themselves.
type manifest struct {
	FormatVersion  int                 `json:"format_version"`
	ResultsVersion int                 `json:"results_version"`
	Tool           string              `json:"tool"`
	Scenario       string              `json:"scenario"`
	Title          string              `json:"title"`
	Hash           string              `json:"scenario_hash"`
	Seed           int64               `json:"seed"`
	Replications   int64               `json:"replications"`
	Target         string              `json:"target"`
	Command        string              `json:"command"`
	Axes           []string            `json:"axes"`
	ExactQuantiles bool                `json:"exact_quantiles"`
	Expectations   []manifestJudgement `json:"expectations"`
	Notes          []string            `json:"notes"`
	Points         []manifestPoint     `json:"points"`
	Metrics        []manifestMetric    `json:"metrics"`
	GroupMetrics   []manifestMetric    `json:"group_metrics,omitempty"`
	Columns        []manifestTable     `json:"columns"`
	Files          []string            `json:"files"`
}

type manifestJudgement struct {
	Text   string            `json:"text"`
	Line   int               `json:"line"`
	Col    int               `json:"column"`
	Ruling experiment.Ruling `json:"ruling"`
	Detail string            `json:"detail,omitempty"`
	Need   int               `json:"more_replications,omitempty"`
	Cases  []experiment.Case `json:"cases,omitempty"`
}

type manifestPoint struct {
	Variant        string             `json:"variant"`
	Sweep          []string           `json:"sweep,omitempty"`
	ExactQuantiles bool               `json:"exact_quantiles"`
	Runs           int                `json:"runs"`
	Outcomes       int                `json:"outcomes,omitempty"`
	Quantiles      int                `json:"quantiles"`
	Hops           int                `json:"hops"`
	Attribution    int                `json:"attribution"`
	Groups         int                `json:"groups,omitempty"`
	Timelines      []manifestTimeline `json:"timelines,omitempty"`
	Shading        []manifestSpan     `json:"shading,omitempty"`
}

type manifestTimeline struct {
	Service      string   `json:"service"`
	Row          duration `json:"row"`
	Rows         int      `json:"rows"`
	Replications int64    `json:"replications"`
	Limited      bool     `json:"limited"`
}

type manifestSpan struct {
	Name string   `json:"name"`
	From duration `json:"from"`
	To   duration `json:"to"`
}

type manifestMetric struct {
	Name     string   `json:"name"`
	Column   string   `json:"column"`
	Unit     string   `json:"unit"`
	Infinite bool     `json:"infinite"`
	Share    bool     `json:"share"`
	Help     string   `json:"help"`
	Summary  []string `json:"summary_columns"`
}

type manifestTable struct {
	File    string           `json:"file"`
	Columns []manifestColumn `json:"columns"`
}

type manifestColumn struct {
	Name string `json:"name"`
	Help string `json:"help"`
}

// duration is written as text, which is exact: 1m40s.
type duration time.Duration

func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = duration(v)
	return err
}

// writeManifest writes manifest.json of a folder that holds files.
func writeManifest(w io.Writer, r *experiment.Result, files []string) error {
	m := manifest{
		FormatVersion: FormatVersion, ResultsVersion: ResultsVersion, Tool: tool,
		Scenario: r.Scenario, Title: r.Title, Hash: r.Hash, Seed: r.Seed, Replications: r.Replications,
		Target: r.Target, Command: r.Command, Axes: nonNil(r.Axes), ExactQuantiles: true,
		Expectations: []manifestJudgement{}, Notes: nonNil(r.Notes), Points: []manifestPoint{},
		Metrics: manifestMetrics(r.Metrics), Columns: describeColumns(r), Files: files,
	}
	for _, j := range r.Expectations {
		m.Expectations = append(m.Expectations, manifestJudgement(j))
	}
	for i := range r.Points {
		p := newManifestPoint(&r.Points[i])
		m.ExactQuantiles = m.ExactQuantiles && p.ExactQuantiles
		m.Points = append(m.Points, p)
	}
	if grouped(r) {
		m.GroupMetrics = manifestMetrics(r.GroupMetrics)
	}
	return writeJSON(w, m)
}

func manifestMetrics(metrics []experiment.Metric) []manifestMetric {
	out := []manifestMetric{}
	for _, x := range metrics {
		out = append(out, manifestMetric{x.Name, x.Column, x.Unit, x.Infinite, x.Share, x.Help, summaryColumns(x)})
	}
	return out
}

func (x *manifestMetric) metric() experiment.Metric {
	return experiment.Metric{Name: x.Name, Column: x.Column, Unit: x.Unit, Infinite: x.Infinite, Share: x.Share, Help: x.Help}
}

func newManifestPoint(p *experiment.Point) manifestPoint {
	m := manifestPoint{
		Variant: p.Variant, Sweep: p.Sweep, ExactQuantiles: p.ExactCompletion,
		Runs: len(p.Runs), Outcomes: len(p.Outcomes), Quantiles: len(p.Completion), Hops: len(p.Hops),
		Attribution: len(p.Attribution), Groups: len(p.Groups),
	}
	for _, t := range p.Timelines {
		m.Timelines = append(m.Timelines, manifestTimeline{t.Service, duration(t.Row), len(t.Rows), t.Replications, t.Limited})
	}
	for _, s := range p.Shading {
		m.Shading = append(m.Shading, manifestSpan{s.Name, duration(s.From), duration(s.To)})
	}
	return m
}

// result is the Result as far as the manifest knows it.
func (m *manifest) result() *experiment.Result {
	r := &experiment.Result{
		Scenario: m.Scenario, Title: m.Title, Hash: m.Hash, Seed: m.Seed, Replications: m.Replications,
		Target: m.Target, Command: m.Command, Axes: m.Axes, Notes: m.Notes,
	}
	for _, j := range m.Expectations {
		r.Expectations = append(r.Expectations, experiment.Judgement(j))
	}
	for _, x := range m.Metrics {
		r.Metrics = append(r.Metrics, x.metric())
	}
	for _, x := range m.GroupMetrics {
		r.GroupMetrics = append(r.GroupMetrics, x.metric())
	}
	for _, x := range m.Points {
		p := experiment.Point{Variant: x.Variant, Sweep: x.Sweep, ExactCompletion: x.ExactQuantiles}
		for _, t := range x.Timelines {
			p.Timelines = append(p.Timelines, experiment.Timeline{
				Service: t.Service, Row: time.Duration(t.Row), Replications: t.Replications, Limited: t.Limited,
			})
		}
		for _, s := range x.Shading {
			p.Shading = append(p.Shading, experiment.Span{Name: s.Name, From: time.Duration(s.From), To: time.Duration(s.To)})
		}
		r.Points = append(r.Points, p)
	}
	return r
}

// readManifest reads and checks manifest.json.
func readManifest(dir fs.FS) (*manifest, error) {
	b, err := fs.ReadFile(dir, manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("there is no " + manifestFile + ": this folder holds no finished result")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifestFile, err)
	}
	// The versions first: another version may look different everywhere else.
	var v struct {
		Format  int `json:"format_version"`
		Results int `json:"results_version"`
	}
	if err := decode(b, &v); err != nil {
		return nil, err
	}
	if v.Format != FormatVersion {
		return nil, fmt.Errorf("%s: the files have format version %d, this program reads version %d: "+
			"run the scenario again or use the version that wrote them", manifestFile, v.Format, FormatVersion)
	}
	if v.Results != ResultsVersion {
		return nil, fmt.Errorf("%s: the numbers have results version %d, this program makes version %d, which differ: "+
			"run the scenario again or use the version that made them", manifestFile, v.Results, ResultsVersion)
	}
	m := new(manifest)
	if err := decode(b, m); err != nil {
		return nil, err
	}
	for _, p := range m.Points {
		if len(p.Sweep) != len(m.Axes) {
			return nil, fmt.Errorf("%s: point %s has %d sweep values for %d axes", manifestFile, p.Variant, len(p.Sweep), len(m.Axes))
		}
	}
	return m, nil
}

// decode is json.Unmarshal with the line in its errors.
func decode(b []byte, v any) error {
	err := json.Unmarshal(b, v)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d: %w", manifestFile, lineAt(b, syntax.Offset), err)
	case errors.As(err, &wrong):
		return fmt.Errorf("%s:%d: %s must not be a %s", manifestFile, lineAt(b, wrong.Offset), wrong.Field, wrong.Value)
	}
	return fmt.Errorf("%s: %w", manifestFile, err)
}

func lineAt(b []byte, offset int64) int {
	line := 1
	for _, c := range b[:min(int(offset), len(b))] {
		if c == '\n' {
			line++
		}
	}
	return line
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // < and > are common in expectations
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// nonNil makes an empty list [] instead of null.
func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
