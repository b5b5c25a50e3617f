package experiment

// Effects are those of all axes on all metrics, of the points of a Morris
// design in order: for each variant trajectories of len(r.Axes)+1 places, in
// each of which neighbours differ in one axis. unit has the place of every row
// of the design in the unit cube.
func Effects(r *Result, unit [][]float64) []Effect {
	return nil
}
