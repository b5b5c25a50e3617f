package experiment

// Contrasts compares points with the reference at the same place of the sweep:
// for each point, every metric of the result.
func Contrasts(r *Result, reference *Point, others []*Point) [][]Contrast {
	return nil
}
