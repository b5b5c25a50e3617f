package sim

import (
	"time"

	"retrystorm/server"
)

// replica is one of the stations of a service, in the state of the run.
type replica struct {
	*server.Station
	scheduled time.Duration // when its pending change event pops; -1: there is none
	starting  bool          // waiting calls are being started
	counted   int64         // its part of the place's usable
}

// newReplicas makes the stations of a service.
func newReplicas(spec server.Spec, until time.Duration) []replica {
	all := make([]replica, spec.Count())
	for k := range all {
		all[k].Station = server.NewReplica(spec, int64(k), until)
	}
	return all
}

// balance chooses the replica for a call that arrives.
func (r *Runner) balance(i uint32, c *call, p *place) *server.Station {
	x := &r.extras.at(i).call
	x.replica = uint32(p.balancer.Pick(p.stations, c.key, int(x.avoid)-1)) + 1
	return p.stations[x.replica-1]
}

// stationOf is where a call is that has arrived.
func (r *Runner) stationOf(i uint32, p *place) *server.Station {
	if p.stations == nil {
		return p.station
	}
	return p.stations[r.extras.at(i).call.replica-1]
}

// replicaOf is the number of that station among the replicas, from 0.
func (r *Runner) replicaOf(i uint32, p *place) int {
	if p.stations == nil {
		return 0
	}
	return int(r.extras.at(i).call.replica) - 1
}

// count brings what the place knows of the usable workers of a replica to now.
func (p *place) count(replica int) {
	s := &p.replicas[replica]
	n := max(s.Usable(), 0) // nothing when there is no limit
	p.usable += n - s.counted
	s.counted = n
}

// reset makes the replicas as new.
func (p *place) reset() {
	for k := range p.replicas {
		s := &p.replicas[k]
		s.Reset()
		s.scheduled, s.starting = -1, false
		p.count(k)
	}
	p.balancer.Reset()
}

// inside is how many calls are inside all replicas, and how many of them are
// parked.
func (p *place) inside() (all, parked int64) {
	for k := range p.replicas {
		all += p.replicas[k].Inside()
		parked += p.replicas[k].Parked()
	}
	return all, parked
}

// avoids notes for a new copy of a task's attempt which replica it must not go
// to: where the attempt before failed, if the policy says so, or else what the
// layer around it avoids.
func (r *Runner) avoids(x *callExtra, t *task, tx *taskExtra, h *hop) {
	x.avoid = tx.avoid
	if h.avoids && t.attempt > 1 {
		x.avoid = tx.failedAt
	}
}

// inheritAvoid tells a step that begins what the layer around it avoids.
func (r *Runner) inheritAvoid(slot uint32, t *task) {
	x := &r.extras.at(slot).task
	x.avoid, x.failedAt = 0, 0
	if p := t.parent; p != none && r.call(p).state == layered {
		x.avoid = r.extras.at(p).call.avoid
	}
}

// triedAt is the replica that a call is at or was at, or the one that an attempt of an
// outer layer has got to so far; 0: none.
func (r *Runner) triedAt(i uint32) uint32 {
	x := &r.extras.at(i).call
	if r.call(i).state != layered {
		return x.replica
	}
	if t := r.task(x.child); t.call != none {
		return r.triedAt(t.call)
	}
	return r.extras.at(x.child).task.failedAt
}
