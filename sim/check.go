package sim

import (
	"errors"
	"fmt"
)

// check asserts what must hold at the end of every run, exactly. A failure is
// a bug in the simulator, never in the scenario.
func (r *Runner) check() error {
	b := &r.rec
	if b.area != b.residence {
		return fmt.Errorf("sim: Little's law does not hold: area under requests alive %v, sum of their times %v", b.area, b.residence)
	}
	if b.Requests != b.Succeeded+b.Failed+b.Unfinished {
		return fmt.Errorf("sim: %d requests, but %d succeeded, %d failed and %d are unfinished", b.Requests, b.Succeeded, b.Failed, b.Unfinished)
	}
	if n := b.Completion.Len(); n != b.Succeeded {
		return fmt.Errorf("sim: %d completion times of %d successes", n, b.Succeeded)
	}
	if r.alive+r.flying == 0 {
		for _, p := range r.pools {
			if !p.idle() {
				return errors.New("sim: nothing is in flight, but what callers share has not all come back")
			}
		}
	}
	for i := range r.places {
		if err := r.checkService(i); err != nil {
			return fmt.Errorf("sim: service %s: %w", r.model.Services[i].Name, err)
		}
	}
	return nil
}

func (r *Runner) checkService(i int) error {
	p, s, m := &r.places[i], &r.rec.Services[i], &r.rec.meters[i]
	if p.queue != nil {
		return p.queue.check(s, m)
	}
	if all, parked := p.inside(); p.in-p.out != all || all != m.inService+m.waiting+parked || parked != m.parked {
		return fmt.Errorf("%d calls in, %d out, but %d in service, %d waiting and %d parked (stations: %d, %d)", p.in, p.out, m.inService, m.waiting, m.parked, all, parked)
	}
	var arrivals, over int64
	for j := range s.Timeline {
		row := &s.Timeline[j]
		arrivals += row.Arrivals
		if r.neverShrinks(i) && row.InService.Hi == 0 && row.Capacity != (Sum{}) && row.InService.Float() > row.Capacity.Float()*(1+1e-9) {
			over++
		}
	}
	if arrivals != p.in {
		return fmt.Errorf("%d calls arrived, but %d in the timeline", p.in, arrivals)
	}
	if over > 0 {
		return fmt.Errorf("in %d rows more workers were busy than there are", over)
	}
	if e := &s.Effects; e.Done != e.Requests+total(&e.Duplicates) {
		return fmt.Errorf("%d effects of %d requests, but %d duplicates", e.Done, e.Requests, total(&e.Duplicates))
	}
	answered := s.Succeeded + s.Refused + s.Reset + s.Silent + s.Status
	if answered > s.Calls || s.Calls > p.in {
		return fmt.Errorf("%d answers to %d counted calls of %d", answered, s.Calls, p.in)
	}
	return nil
}

// total is the number of calls, whatever their cause.
func total(causes *[Causes]int64) (sum int64) {
	for _, n := range causes {
		sum += n
	}
	return sum
}

// neverShrinks reports whether workers are never taken away while busy.
func (r *Runner) neverShrinks(i int) bool {
	spec := &r.model.Services[i].Spec
	if len(spec.Faults) > 0 || spec.Crash != nil {
		return false
	}
	for j := range r.model.Actions {
		if a := &r.model.Actions[j]; a.Kind == Set && a.Set == SetWorkers && a.Place == i {
			return false
		}
	}
	return true
}
