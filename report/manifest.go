package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"retrystorm/experiment"
)

// manifest is manifest.json: what the result is, and what the tables cannot
// say about themselves.
type manifest struct {
	manifestHead
	Points []manifestPoint `json:"points"`
	manifestTail
}

// manifestHead is what stands before the points.
type manifestHead struct {
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
	Reference      string              `json:"reference,omitempty"`
	Design         string              `json:"design,omitempty"`
	Exchange       float64             `json:"exchange,omitempty"`
	AutoWarmup     bool                `json:"auto_warmup,omitempty"`
	Expectations   []manifestJudgement `json:"expectations"`
	Sensitivity    []manifestEffect    `json:"sensitivity,omitempty"`
	Crossings      []manifestCrossing  `json:"crossings,omitempty"`
	Notes          []string            `json:"notes"`
}

// manifestTail is what is known, or of interest, only after the points.
type manifestTail struct {
	ExactQuantiles bool             `json:"exact_quantiles"`
	Metrics        []manifestMetric `json:"metrics"`
	GroupMetrics   []manifestMetric `json:"group_metrics,omitempty"`
	QueueMetrics   []manifestMetric `json:"queue_metrics,omitempty"`
	Epoch          time.Time        `json:"epoch,omitzero"` // when virtual time begins, in files with dates
	Tables         []manifestTable  `json:"tables"`
	Files          []string         `json:"files"`
}

type manifestJudgement struct {
	Text   string            `json:"text"`
	Line   int               `json:"line"`
	Col    int               `json:"column"`
	Ruling experiment.Ruling `json:"ruling"`
	Detail string            `json:"detail,omitempty"`
	Need   int               `json:"more_replications,omitempty"`
	Cases  []manifestCase    `json:"cases,omitempty"`
}

type manifestCase struct {
	Point  string            `json:"point"`
	Ruling experiment.Ruling `json:"ruling"`
	Detail string            `json:"detail,omitempty"`
	Need   int               `json:"more_replications,omitempty"`
}

type manifestEffect struct {
	Variant      string     `json:"variant"`
	Metric       string     `json:"metric"`
	Axis         string     `json:"axis"`
	MuStar       jsonNumber `json:"mu_star"`
	Lo           jsonNumber `json:"lo"`
	Hi           jsonNumber `json:"hi"`
	Mu           jsonNumber `json:"mu"`
	Sigma        jsonNumber `json:"sigma"`
	Trajectories int        `json:"trajectories"`
}

type manifestCrossing struct {
	Variant   string            `json:"variant"`
	Sweep     []string          `json:"sweep,omitempty"`
	Axis      string            `json:"axis"`
	Where     string            `json:"where"`
	Low       experiment.Ruling `json:"low"`
	High      experiment.Ruling `json:"high"`
	From      string            `json:"from,omitempty"`
	To        string            `json:"to,omitempty"`
	Lo        string            `json:"lo,omitempty"`
	Hi        string            `json:"hi,omitempty"`
	Evaluated int               `json:"evaluated"`
}

// manifestPoint is one line: there may be very many.
type manifestPoint struct {
	Variant        string             `json:"variant"`
	Sweep          []string           `json:"sweep,omitempty"`
	Numbers        []jsonNumber       `json:"numbers,omitempty"`
	Warmup         duration           `json:"warmup,omitempty"`
	ExactQuantiles bool               `json:"exact_quantiles"`
	Runs           int                `json:"runs"`
	Outcomes       int                `json:"outcomes,omitempty"`
	Quantiles      int                `json:"quantiles"`
	Hops           int                `json:"hops"`
	Attribution    int                `json:"attribution"`
	Groups         int                `json:"groups,omitempty"`
	Queues         int                `json:"queues,omitempty"`
	DeadReasons    int                `json:"dead_reasons,omitempty"`
	Dead           int                `json:"dead_letters,omitempty"` // of replication 1
	DeadMore       int64              `json:"dead_letters_left_out,omitempty"`
	Duplicates     int                `json:"duplicates,omitempty"`
	Attempts       int                `json:"attempts,omitempty"` // of replication 1
	Timelines      []manifestTimeline `json:"timelines,omitempty"`
	Shading        []manifestSpan     `json:"shading,omitempty"`
	Actions        []manifestSpan     `json:"actions,omitempty"`
}

type manifestTimeline struct {
	Service      string   `json:"service"`
	Row          duration `json:"row"`
	Rows         int      `json:"rows"`
	Replications int64    `json:"replications"`
	Limited      bool     `json:"limited"`
	Workers      int64    `json:"workers,omitempty"`
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
	Quantile int64    `json:"quantile_millionths,omitempty"`
	Help     string   `json:"help"`
	Summary  []string `json:"summary_columns"`
}

type manifestTable struct {
	CSV     string           `json:"csv"`
	Parquet string           `json:"parquet,omitempty"`
	Columns []manifestColumn `json:"columns"`
}

type manifestColumn struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Parquet bool   `json:"only_parquet,omitempty"`
	Help    string `json:"help"`
}

// duration is written as text, which is exact: 1m40s.
type duration time.Duration

func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = duration(v)
	return err
}

func newManifestHead(r *experiment.Result) manifestHead {
	h := manifestHead{
		FormatVersion: FormatVersion, ResultsVersion: ResultsVersion, Tool: tool,
		Scenario: r.Scenario, Title: r.Title, Hash: r.Hash, Seed: r.Seed, Replications: r.Replications,
		Target: r.Target, Command: r.Command, Axes: nonNil(r.Axes), Reference: r.Reference, Design: r.Design,
		Exchange: r.Exchange, AutoWarmup: r.AutoWarmup, Expectations: manifestJudgements(r), Notes: nonNil(r.Notes),
	}
	for _, e := range r.Sensitivity {
		h.Sensitivity = append(h.Sensitivity, manifestEffect{
			e.Variant, e.Metric, e.Axis, jsonNumber(e.MuStar), jsonNumber(e.Lo), jsonNumber(e.Hi),
			jsonNumber(e.Mu), jsonNumber(e.Sigma), e.Trajectories,
		})
	}
	for _, c := range r.Crossings {
		h.Crossings = append(h.Crossings, manifestCrossing(c))
	}
	return h
}

func manifestJudgements(r *experiment.Result) []manifestJudgement {
	list := []manifestJudgement{}
	for _, j := range r.Expectations {
		m := manifestJudgement{Text: j.Text, Line: j.Line, Col: j.Col, Ruling: j.Ruling, Detail: j.Detail, Need: j.Need}
		for _, c := range j.Cases {
			m.Cases = append(m.Cases, manifestCase(c))
		}
		list = append(list, m)
	}
	return list
}

func (m *manifestJudgement) judgement() experiment.Judgement {
	j := experiment.Judgement{Text: m.Text, Line: m.Line, Col: m.Col, Ruling: m.Ruling, Detail: m.Detail, Need: m.Need}
	for _, c := range m.Cases {
		j.Cases = append(j.Cases, experiment.Case(c))
	}
	return j
}

// manifestMaker writes manifest.json of a folder that holds files.
type manifestMaker struct {
	out  *jsonStream
	tail manifestTail
}

func newManifestMaker(w io.Writer, r *experiment.Result, list []*table, files []string) (*manifestMaker, error) {
	m := &manifestMaker{tail: manifestTail{ExactQuantiles: true, Metrics: manifestMetrics(r.Metrics), Files: files}}
	if grouped(r) {
		m.tail.GroupMetrics = manifestMetrics(r.GroupMetrics)
	}
	if len(r.QueueMetrics) > 0 {
		m.tail.QueueMetrics = manifestMetrics(r.QueueMetrics)
	}
	if knows(r, "dead_letters") {
		m.tail.Epoch = r.Epoch
	}
	for _, t := range list {
		x := manifestTable{CSV: t.csvFile(), Parquet: t.parquetFile()}
		for _, c := range t.columns {
			x.Columns = append(x.Columns, manifestColumn{c.name, c.kind.String(), c.typed, c.help})
		}
		m.tail.Tables = append(m.tail.Tables, x)
	}
	var err error
	m.out, err = newJSONStream(w, newManifestHead(r), "points", "")
	return m, err
}

func (*manifestMaker) make(s *step) (any, error) { return newManifestPoint(s.points[0]), nil }

func (m *manifestMaker) take(v any) error {
	p := v.(manifestPoint)
	m.tail.ExactQuantiles = m.tail.ExactQuantiles && p.ExactQuantiles
	return m.out.add(p)
}

func (m *manifestMaker) end() error { return m.out.end(m.tail) }

func manifestMetrics(metrics []experiment.Metric) []manifestMetric {
	out := []manifestMetric{}
	for _, x := range metrics {
		out = append(out, manifestMetric{x.Name, x.Column, x.Unit, x.Infinite, x.Share, x.Quantile, x.Help, summaryColumns(x)})
	}
	return out
}

func (x *manifestMetric) metric() experiment.Metric {
	return experiment.Metric{Name: x.Name, Column: x.Column, Unit: x.Unit, Infinite: x.Infinite, Share: x.Share, Quantile: x.Quantile, Help: x.Help}
}

func newManifestPoint(p *experiment.Point) manifestPoint {
	m := manifestPoint{
		Variant: p.Variant, Sweep: p.Sweep, Warmup: duration(p.Warmup), ExactQuantiles: p.ExactCompletion,
		Runs: len(p.Runs), Outcomes: len(p.Outcomes), Quantiles: len(p.Completion), Hops: len(p.Hops),
		Attribution: len(p.Attribution), Groups: len(p.Groups), Queues: len(p.Queues),
		DeadReasons: len(p.DeadReasons), Dead: len(p.Dead), DeadMore: p.DeadMore, Duplicates: len(p.Duplicates), Attempts: len(p.Attempts),
	}
	for _, x := range p.Numbers {
		m.Numbers = append(m.Numbers, jsonNumber(x))
	}
	for _, t := range p.Timelines {
		m.Timelines = append(m.Timelines, manifestTimeline{t.Service, duration(t.Row), len(t.Rows), t.Replications, t.Limited, t.Workers})
	}
	for _, s := range p.Shading {
		m.Shading = append(m.Shading, manifestSpan{s.Name, duration(s.From), duration(s.To)})
	}
	for _, s := range p.Actions {
		m.Actions = append(m.Actions, manifestSpan{s.Name, duration(s.From), duration(s.To)})
	}
	return m
}

// result is the Result as far as the manifest knows it.
func (m *manifest) result() *experiment.Result {
	r := &experiment.Result{
		Scenario: m.Scenario, Title: m.Title, Hash: m.Hash, Seed: m.Seed, Replications: m.Replications,
		Target: m.Target, Command: m.Command, Axes: m.Axes, Notes: m.Notes,
		Reference: m.Reference, Design: m.Design, Exchange: m.Exchange, AutoWarmup: m.AutoWarmup, Epoch: m.Epoch,
	}
	for i := range m.Expectations {
		r.Expectations = append(r.Expectations, m.Expectations[i].judgement())
	}
	for _, e := range m.Sensitivity {
		r.Sensitivity = append(r.Sensitivity, experiment.Effect{
			Variant: e.Variant, Metric: e.Metric, Axis: e.Axis, MuStar: float64(e.MuStar), Lo: float64(e.Lo),
			Hi: float64(e.Hi), Mu: float64(e.Mu), Sigma: float64(e.Sigma), Trajectories: e.Trajectories,
		})
	}
	for _, c := range m.Crossings {
		r.Crossings = append(r.Crossings, experiment.Crossing(c))
	}
	for _, x := range m.Metrics {
		r.Metrics = append(r.Metrics, x.metric())
	}
	for _, x := range m.GroupMetrics {
		r.GroupMetrics = append(r.GroupMetrics, x.metric())
	}
	for _, x := range m.QueueMetrics {
		r.QueueMetrics = append(r.QueueMetrics, x.metric())
	}
	for _, x := range m.Points {
		p := experiment.Point{Variant: x.Variant, Sweep: x.Sweep, Warmup: time.Duration(x.Warmup), ExactCompletion: x.ExactQuantiles, DeadMore: x.DeadMore}
		for _, n := range x.Numbers {
			p.Numbers = append(p.Numbers, float64(n))
		}
		for _, t := range x.Timelines {
			p.Timelines = append(p.Timelines, experiment.Timeline{
				Service: t.Service, Row: time.Duration(t.Row), Replications: t.Replications, Limited: t.Limited, Workers: t.Workers,
			})
		}
		for _, s := range x.Shading {
			p.Shading = append(p.Shading, experiment.Span{Name: s.Name, From: time.Duration(s.From), To: time.Duration(s.To)})
		}
		for _, s := range x.Actions {
			p.Actions = append(p.Actions, experiment.Span{Name: s.Name, From: time.Duration(s.From), To: time.Duration(s.To)})
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
	if v.Format == 0 {
		return nil, fmt.Errorf("%s: this is no result of retrystorm: there is no format_version", manifestFile)
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
	if m.Tool != tool {
		return nil, fmt.Errorf("%s: its tool is %q, not %s: this folder holds no result of ours", manifestFile, m.Tool, tool)
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
		return fmt.Errorf("%s:%d: %s must not be a %s", manifestFile, lineAt(b, wrong.Offset), strings.TrimPrefix(strings.TrimPrefix(wrong.Field, "manifestHead."), "manifestTail."), wrong.Value)
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

// nonNil makes an empty list [] instead of null.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
