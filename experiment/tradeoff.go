package experiment

// Tradeoffs says how the points at one place of the sweep stand to each other.
func Tradeoffs(r *Result, points []*Point) []Tradeoff {
	return nil
}
