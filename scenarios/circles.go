package scenarios

import "retrystorm/server"

// circles finds circles in the call path. A call that waits for itself never
// ends. A circle through a queue waits for nobody, and may be meant: it ends if
// some of its messages make no further one.
func (v *validator) circles() {
	v.findCircles(func(to int, _ float64) bool { return v.graph.queue(to) == nil }, func(c caller, step *Step, way string, _ bool) {
		v.bad(c.step(step), "the call path runs in a circle: "+way, "")
	})
	v.findCircles(func(_ int, share float64) bool { return share == 1 }, func(c caller, step *Step, way string, queued bool) {
		if queued {
			v.bad(c.step(step), "every message makes another one, for ever: "+way+"; give a step of the circle a share below 100%", "")
		}
	})
}

// deadCircles finds queues whose dead letters come back to them.
func (v *validator) deadCircles() {
	next := func(q *Queue) *Queue { // where its messages go that die
		to, known := v.graph.places[q.DeadLetter]
		if !known || q.To == "" || q.MaxReceives == server.Unlimited {
			return nil
		}
		return v.graph.queue(to)
	}
	seen := map[*Queue]bool{}
	for i := range v.scenario.Queues {
		first := &v.scenario.Queues[i]
		way, here := first.Name, map[*Queue]bool{}
		for q := next(first); q != nil && !seen[q] && !here[q]; q = next(q) {
			here[q] = true
			way += " -> " + q.Name
			if q == first && len(here) > 1 {
				v.bad(join("queues."+first.Name, "dead_letter"), "a message that keeps failing goes round for ever: "+way, "a queue outside of the circle, or none")
			}
		}
		seen[first] = true
	}
}

// findCircles follows the calls that are asked for and tells of each that closes
// a circle, with the way around it, and whether that leads through a queue.
// States are 1 while a place is being followed, 2 when all below it has been.
func (v *validator) findCircles(asked func(to int, share float64) bool, found func(c caller, step *Step, way string, queued bool)) {
	state := make([]uint8, v.graph.count())
	var trail []int
	var follow func(i int)
	follow = func(i int) {
		state[i] = 1
		trail = append(trail, i)
		c := v.graph.caller(i)
		c.calls.withShares(1, func(step *Step, share float64) {
			to, known := v.graph.places[step.To]
			switch {
			case !known || !asked(to, share):
			case to == i:
				v.bad(c.step(step), "the service calls itself", "")
			case state[to] == 1:
				way, queued := step.To, false
				for k := len(trail) - 1; ; k-- {
					way = v.graph.name(trail[k]) + " -> " + way
					queued = queued || v.graph.queue(trail[k]) != nil
					if trail[k] == to {
						break
					}
				}
				found(c, step, way, queued)
			case state[to] == 0:
				follow(to)
			}
		})
		trail = trail[:len(trail)-1]
		state[i] = 2
	}
	for i := range state {
		if state[i] == 0 {
			follow(i)
		}
	}
}
