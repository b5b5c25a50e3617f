package play

import "retrystorm/scenarios"

// Check says what is known of an edit without a run.
func (p *Player) Check(e Edit) Checked {
	c := Checked{Problems: []Problem{}, Variants: []string{}, Axes: []string{}, Knobs: []Knob{}}
	r, err := prepare(e)
	if err != nil {
		c.Problems = asProblems(e, err)
		return c
	}
	s := r.file.Scenario
	c.Problems = problemsOf(e, notes(e, r.file))
	c.Name, c.Title, c.Command = s.Name, s.Title, r.command
	c.Variants, c.Axes = r.file.Variants(), append(c.Axes, r.file.Axes()...)
	c.Knobs = knobs(r.file)
	estimate := p.estimate(e, r)
	c.Estimate = &estimate
	return c
}

// notes are those of a file; of what ships with the tool we know what we wrote.
func notes(e Edit, f *scenarios.File) scenarios.Problems {
	for _, b := range scenarios.Builtins() {
		if string(b.Source) == e.Text {
			return nil
		}
	}
	return f.Notes
}
