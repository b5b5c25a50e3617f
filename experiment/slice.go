package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"retrystorm/sim"
)

// parseSlice reads an interval of virtual time: 60s..120s.
func parseSlice(text string) (sim.Slice, error) {
	from, to, ok := strings.Cut(text, "..")
	if !ok {
		return sim.Slice{}, fmt.Errorf("an interval of time is written like t=60s..120s, not t=%s", text)
	}
	var s sim.Slice
	var err error
	if s.From, err = instant(from); err == nil {
		s.To, err = instant(to)
	}
	switch {
	case err != nil:
		return sim.Slice{}, fmt.Errorf("t=%s: %w", text, err)
	case s.From >= s.To:
		return sim.Slice{}, fmt.Errorf("t=%s is empty: it ends at %s and starts at %s", text, inWords(s.To), inWords(s.From))
	}
	return s, nil
}

// instant reads a time since the start of the run.
func instant(text string) (time.Duration, error) {
	q, rest, problem := scanQuantity(strings.TrimSpace(text))
	switch {
	case problem != "":
		return 0, errors.New(problem)
	case rest != "" || q.kind != duration && (q.kind != number || q.value != 0):
		return 0, fmt.Errorf("%q is no time, written like 60s", strings.TrimSpace(text))
	default:
		return time.Duration(math.Round(q.value * 1e9)), nil
	}
}

func inWords(d time.Duration) string {
	return strconv.FormatFloat(inSeconds(d), 'f', -1, 64) + "s"
}

// sliceName is how an interval is written, always in the same way.
func sliceName(s sim.Slice) string { return inWords(s.From) + ".." + inWords(s.To) }

// chooseSlice sets the interval of a metric.
func (e *Experiment) chooseSlice(own *parts, d *definition, text string) error {
	if d.per[byTime] == undivided {
		return fmt.Errorf("%s is about the whole run; these can be about an interval of it: %s", d.Name,
			strings.Join(e.names(func(o *definition) bool { return o.per[byTime] != undivided && o.parts == parts{} }), ", "))
	}
	if text != anyPart {
		s, err := parseSlice(text)
		if err != nil {
			return err
		}
		text = sliceName(s)
	}
	if own[byTime] != "" {
		return fmt.Errorf("selects two values of %s: %s and %s", byTime, own[byTime], text)
	}
	own[byTime] = text
	return nil
}

// checkSlice refuses an interval in which nothing is counted at some point that
// is selected.
func (e *Experiment) checkSlice(d *definition, where *selection, text string) error {
	if text == "" || text == anyPart {
		return nil
	}
	s, err := parseSlice(text)
	if err != nil {
		return err
	}
	for i := range e.points {
		p := &e.points[i]
		if !where.matches(p) {
			continue
		}
		switch m := &p.times; {
		case s.To > m.until:
			return fmt.Errorf("t=%s ends after the run, which takes %s%s", text, inWords(m.until), e.atPlace(p))
		case s.To <= m.warmup:
			return fmt.Errorf("t=%s is in the warm-up of %s, in which nothing counts%s", text, inWords(m.warmup), e.atPlace(p))
		case d.windowed && !holdsWindow(s, m):
			return fmt.Errorf("%s is the largest number in a window, and in t=%s lies none: they are %s wide and start at 0%s", d.Name, text, inWords(m.window), e.atPlace(p))
		}
	}
	return nil
}

// holdsWindow reports whether a window lies in the slice. The end of the run may
// cut the last one.
func holdsWindow(s sim.Slice, m *times) bool {
	first := time.Duration(ceilDiv(int64(s.From), int64(m.window))) * m.window
	return first < s.To && min(first+m.window, m.until) <= s.To
}

// atPlace names a point, where there are several.
func (e *Experiment) atPlace(p *place) string {
	if len(e.points) == 1 {
		return ""
	}
	return ", at " + name(p.variant, e.axes, p.sweep)
}

// equip adds to a model what the expectations need to be counted; it must be
// done before the model is run.
func (e *Experiment) equip(m *sim.Model) {
	m.Slices = nil
	for i := range e.metrics {
		if s := e.metrics[i].slice; s != (sim.Slice{}) && !slices.Contains(m.Slices, s) {
			m.Slices = append(m.Slices, s)
		}
	}
}
