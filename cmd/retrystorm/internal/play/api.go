// Package play is what a page can ask for: the built-in scenarios, what is wrong
// with a text, what could stand at the cursor, the settings that matter, and a run
// with its progress. The local page reaches it by HTTP, the static one in the
// browser by messages to a worker; both get the same JSON.
package play

import "retrystorm/report"

// Builtin is a scenario to start from.
type Builtin struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Source string `json:"source"`
}

// Edit is a scenario in the editor: its text, and the changes of the form, each
// as --set PATH=VALUE would make it.
type Edit struct {
	Text string   `json:"text"`
	Sets []string `json:"sets"`
}

// Checked is what is known of an Edit without a run.
type Checked struct {
	// Problems are all that is wrong; with one of severity error nothing runs.
	Problems []Problem `json:"problems"`
	Name     string    `json:"name"`
	Title    string    `json:"title"`
	Variants []string  `json:"variants"`
	Axes     []string  `json:"axes"`
	Knobs    []Knob    `json:"knobs"`
	Estimate *Estimate `json:"estimate"` // nil with errors
	Command  string    `json:"command"`  // the canonical one
}

// Problem is at a place of the text, or of the change with that index.
type Problem struct {
	Severity string `json:"severity"` // error or note
	Line     int    `json:"line"`     // from 1; 0: nowhere in the text
	Col      int    `json:"col"`      // from 1, in characters
	EndCol   int    `json:"end_col"`  // after its last character; at least Col
	Set      int    `json:"set"`      // index of Edit.Sets, or -1
	Path     string `json:"path"`
	Message  string `json:"message"`
}

// Knob is a setting of the form.
type Knob struct {
	Path  string `json:"path"`  // what it sets
	Label string `json:"label"` // for people
	Group string `json:"group"` // policy app, service db, clients, fault outage, layers
	// Kind is number, duration, rate, share (sliders) or choice.
	Kind  string `json:"kind"`
	Value string `json:"value"` // as it is now, changes applied
	// Steps are the values of the slider or of the choice, in order; Value is
	// among them. Where it is the only one, variants or the sweep set the path, and
	// so nobody can set it for all: Note says so.
	Steps []string `json:"steps"`
	// Note says what else one must know.
	Note string `json:"note"`
}

// Estimate is what a run would take here.
type Estimate struct {
	Points       int     `json:"points"`
	Replications int     `json:"replications"`
	Calls        float64 `json:"calls"`
	Seconds      float64 `json:"seconds"`
	Text         string  `json:"text"` // for people
	// Ask: it is long, and people should be asked first. Refused says why it is
	// not run at all; empty when it is.
	Ask bool `json:"ask"`
	// Unknown: so many clients begin that a trial has seen little else, and it may
	// take any time.
	Unknown bool   `json:"unknown"`
	Refused string `json:"refused"`
}

// Cursor is a place in a text.
type Cursor struct {
	Text string `json:"text"`
	Line int    `json:"line"` // from 1
	Col  int    `json:"col"`  // from 1, in characters: before the Col-th
}

// Completions are what could stand at a cursor.
type Completions struct {
	From  int          `json:"from"` // the column at which what is there already begins
	Items []Completion `json:"items"`
}

// Completion is one of them.
type Completion struct {
	Label  string `json:"label"`
	Kind   string `json:"kind"`   // field, value, name
	Detail string `json:"detail"` // short: type, default
	Help   string `json:"help"`
	Insert string `json:"insert"`
}

// Event is what a run tells while it is under way.
type Event struct {
	// Kind is progress, view (so far), done (the whole, with View), cancelled or
	// failed (with Message).
	Kind    string       `json:"kind"`
	Done    int          `json:"done"` // replications
	Total   int          `json:"total"`
	Message string       `json:"message,omitempty"`
	View    *report.View `json:"view,omitempty"`
	// Files are what can be downloaded when it is done: summary.csv, calls.png,
	// report.html, ...
	Files []string `json:"files,omitempty"`
}

// HTTP of the local page. All bodies are JSON; errors are {"error": "..."}: 422 for a
// scenario that is wrong or too large, 503 when too much is going on.
//
//	GET    /api/builtins               []Builtin
//	POST   /api/check     Edit         Checked
//	POST   /api/complete  Cursor       Completions
//	POST   /api/runs      RunRequest   Started, 409 with Checked when it must be asked first
//	GET    /api/runs/ID/events         server-sent events, each data an Event
//	DELETE /api/runs/ID                cancels
//	GET    /api/runs/ID/files/NAME     a file of the result
//
// The worker of the static page takes {id, op, args} with op builtins, check,
// complete, run, file and answers {id, result} or {id, error}; events of a run are
// {id, event}. It is cancelled by ending the worker.

// RunRequest starts a run.
type RunRequest struct {
	Edit
	Confirmed bool `json:"confirmed"` // somebody was asked
}

// Started is a run that has begun.
type Started struct {
	ID string `json:"id"`
}
