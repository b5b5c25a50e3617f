package play

import (
	"retrystorm/cmd/retrystorm/internal/command"
	"retrystorm/experiment"
	"retrystorm/scenarios"
)

// Player answers what a page asks. It is for several goroutines at once, but
// wherever one waits for a simulation another one shares its cores.
type Player struct {
	limits Limits
	recent recent
}

// Limits are what a run may take. A page is open to whoever finds it, so each has
// one.
type Limits struct {
	Jobs   int     // replications at a time
	Memory uint64  // bytes; 0: nobody knows
	Points int     // of a result
	Calls  float64 // all that services get
	Kept   int64   // bytes that the points of a result take
	Ask    float64 // seconds after which somebody is asked first
}

// New makes a player.
func New(l Limits) *Player { return &Player{limits: l} }

// Builtins are the scenarios that ship with the tool.
func (p *Player) Builtins() []Builtin {
	out := []Builtin{}
	for _, b := range scenarios.Builtins() {
		out = append(out, Builtin{Name: b.Name, Title: b.Title, Source: string(b.Source)})
	}
	return out
}

// Complete says what could stand at a cursor.
func (p *Player) Complete(c Cursor) Completions {
	var metrics []scenarios.Word
	for _, m := range experiment.Metrics() {
		metrics = append(metrics, scenarios.Word{Name: m.Name, Help: m.Help})
	}
	from, items := scenarios.Complete(c.Text, c.Line, c.Col, metrics)
	out := Completions{From: from, Items: []Completion{}}
	for _, i := range items {
		out.Items = append(out.Items, Completion(i))
	}
	return out
}

// ready is a scenario that can be run.
type ready struct {
	file       *scenarios.File
	experiment *experiment.Experiment
	command    string
}

// sourceName is what problems call the text.
const sourceName = "scenario"

// prepare loads an edit as the command line loads a file with its --set. Data
// files are nowhere: a page reads none.
func prepare(e Edit) (*ready, error) {
	file, err := scenarios.Load(sourceName, []byte(e.Text), nil, e.Sets)
	if err != nil {
		return nil, err
	}
	x, err := experiment.New(file)
	if err != nil {
		return nil, err
	}
	return &ready{file, x, command.Of(file.Scenario, []byte(e.Text), command.Changes{Set: e.Sets})}, nil
}
