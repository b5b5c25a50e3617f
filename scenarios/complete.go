package scenarios

// Completion is what could stand at a place of a text.
type Completion struct {
	Label  string
	Kind   string // field, value or name
	Detail string // short: type, default
	Help   string
	Insert string // what to write
}

// Complete says what could stand in a text before the col-th character of a line,
// both from 1, and from which column on it would replace what is there.
func Complete(text string, line, col int) (from int, items []Completion) {
	return col, nil
}
