package scenarios

import "time"

// slowRecovery is how long a system that does recover may take to do so after
// the longest of its pauses, as [sim.Model.SlowRecovery] knows it: on average,
// and at most.
func (v *validator) slowRecovery() (mean, most time.Duration, ok bool) {
	m, err := v.scenario.Model()
	if err != nil {
		return 0, 0, false
	}
	for i := range m.Services {
		for _, f := range m.Services[i].Spec.Faults {
			if f.Kind != "pause" || f.For <= 0 {
				continue
			}
			if a, b, known := m.SlowRecovery(f.At, after(f.At, f.For)); known && b > most {
				mean, most, ok = a, b, true
			}
		}
	}
	return mean, most, ok
}
