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
	c.Problems = problemsOf(e, notes(r.file))
	c.Name, c.Title, c.Command = s.Name, s.Title, r.command
	c.Variants, c.Axes = r.file.Variants(), append(c.Axes, r.file.Axes()...)
	c.Knobs = knobs(r.file)
	estimate := p.estimate(e, r)
	c.Estimate = &estimate
	return c
}

// notes are those of a file; nobody has to be told of what we wrote ourselves.
func notes(f *scenarios.File) scenarios.Problems { return f.Notes }
