package experiment

import "fmt"

// condition is an expectation about one point, wherever that is.
type condition struct {
	e *Experiment
	x expectation
}

// condition parses an expectation that every point can be judged by alone. The
// metrics that it names become columns, so it must be parsed before points are
// run.
func (e *Experiment) condition(text string, line, col int) (*condition, error) {
	x, err := e.bind(text, line, col)
	switch {
	case err != nil:
		return nil, err
	case x.onBaseline():
		return nil, fmt.Errorf("this is about one point alone, and cannot be compared with a %s", baselineName)
	case !x.left.where.empty() || !x.right.where.empty():
		return nil, fmt.Errorf("this is about one point at a time, wherever it is: select no variant and no value of an axis")
	}
	return &condition{e, x}, nil
}

// judge says whether it holds at a point.
func (c *condition) judge(p *Point) Case { return c.e.judge(&c.x, p, p) }
