package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"time"

	"retrystorm/experiment"
)

const lettersFile = "dead_letters.jsonl"

// instant is virtual time as a date, with all of its digits.
func instant(epoch time.Time, d time.Duration) string {
	return epoch.Add(d).Format("2006-01-02T15:04:05.000000000Z")
}

// letter is a line of dead_letters.jsonl.
type letter struct {
	Scenario     string            `json:"scenario"`
	Variant      string            `json:"variant"`
	Sweep        map[string]string `json:"sweep"`
	Queue        string            `json:"queue"`
	ID           string            `json:"id"`
	From         string            `json:"from"`
	To           string            `json:"to"`
	Group        string            `json:"group"`
	Client       int64             `json:"client"` // from 1, as in traces
	Request      int64             `json:"request"`
	Reason       string            `json:"reason"`
	GaveUp       string            `json:"gave_up"`
	Attempts     int64             `json:"attempts"`
	Started      string            `json:"started"`
	FirstFailure string            `json:"first_failure"`
	LastFailure  string            `json:"last_failure"`
	Trace        string            `json:"trace_id"`
	Payload      string            `json:"payload"`
}

func newLetter(r *experiment.Result, p *experiment.Point, d *experiment.DeadLetter) letter {
	l := letter{
		Scenario: r.Scenario, Variant: p.Variant, Sweep: map[string]string{},
		Queue: d.Queue, From: d.From, To: d.To, Group: d.Group, Client: d.Client + 1, Request: d.Request + 1,
		Reason: d.Reason, GaveUp: d.GaveUp, Attempts: d.Attempts,
		Started: instant(r.Epoch, d.Started), FirstFailure: instant(r.Epoch, d.First), LastFailure: instant(r.Epoch, d.Last),
		Trace: fmt.Sprintf("%016x", d.Trace), Payload: fmt.Sprintf("payload-%016x", d.Payload),
	}
	l.ID = fmt.Sprintf("%s/%d/%d", l.Group, l.Client, l.Request)
	for i, axis := range r.Axes {
		l.Sweep[axis] = p.Sweep[i]
	}
	return l
}

// deadLetter is the inverse of newLetter.
func (l *letter) deadLetter(epoch time.Time) (experiment.DeadLetter, error) {
	d := experiment.DeadLetter{
		Queue: l.Queue, From: l.From, To: l.To, Group: l.Group, Client: l.Client - 1, Request: l.Request - 1,
		Reason: l.Reason, GaveUp: l.GaveUp, Attempts: l.Attempts,
	}
	for _, t := range []struct {
		name, text string
		to         *time.Duration
	}{{"started", l.Started, &d.Started}, {"first_failure", l.FirstFailure, &d.First}, {"last_failure", l.LastFailure, &d.Last}} {
		at, err := time.Parse(time.RFC3339Nano, t.text)
		if err != nil {
			return d, fmt.Errorf("%s: %q is no time", t.name, t.text)
		}
		*t.to = at.Sub(epoch)
	}
	var err error
	if d.Trace, err = strconv.ParseUint(l.Trace, 16, 64); err != nil {
		return d, fmt.Errorf("trace_id: %q is no number", l.Trace)
	}
	if _, err = fmt.Sscanf(l.Payload, "payload-%016x", &d.Payload); err != nil {
		return d, fmt.Errorf("payload: %q is no payload", l.Payload)
	}
	return d, nil
}

// letterWriter writes the dead letters of a result, one a line.
type letterWriter struct {
	out    io.Writer
	result *experiment.Result
}

func (w *letterWriter) make(s *step) (any, error) {
	var text []byte
	for _, p := range s.points {
		for i := range p.Dead {
			b, err := json.Marshal(newLetter(w.result, p, &p.Dead[i]))
			if err != nil {
				return nil, err
			}
			text = append(append(text, b...), '\n')
		}
	}
	return text, nil
}

func (w *letterWriter) take(v any) error {
	_, err := w.out.Write(v.([]byte))
	return err
}

func (w *letterWriter) end() error { return nil }

// readLetters reads them back; errors name the line.
func readLetters(dir fs.FS, r *experiment.Result, points index) error {
	f, err := dir.Open(lettersFile)
	if err != nil {
		return missing(lettersFile, err)
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s:%d: the file ends in the middle of this line", lettersFile, n)
		case err != nil:
			return fmt.Errorf("%s: %w", lettersFile, err)
		}
		if err := readLetter(line, r, points); err != nil {
			return fmt.Errorf("%s:%d: %w", lettersFile, n, err)
		}
	}
}

func readLetter(line []byte, r *experiment.Result, points index) error {
	var l letter
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	names := []string{l.Scenario, l.Variant}
	for _, axis := range r.Axes {
		names = append(names, l.Sweep[axis])
	}
	p := points[joined(names)]
	if p == nil {
		return fmt.Errorf("the manifest has no point %s", pointName(r, &experiment.Point{Variant: l.Variant, Sweep: names[2:]}))
	}
	d, err := l.deadLetter(r.Epoch)
	p.Dead = append(p.Dead, d)
	return err
}
