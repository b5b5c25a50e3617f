package sim_test
import ("testing";"retrystorm/sim")
func TestZZ(t *testing.T) {
	for _, m := range []*sim.Model{defences(), hints()} {
		rec := run(t, m, 1, 1)
		t.Logf("%d req %d ok %d failed", rec.Requests, rec.Succeeded, rec.Failed)
		for _, h := range rec.Hops { t.Logf("%+v", h) }
		s := rec.Services[0]
		s.Timeline = nil
		t.Logf("%+v", s)
	}
}
