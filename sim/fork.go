package sim

import (
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// A fork is a step of several steps that begin at once, its branches. It is
// held together by a call that is none: it takes no time, reaches nobody, and
// its slot knows the tasks at work on the branches and how they stand.

// fork begins all branches of a step.
func (r *Runner) fork(slot uint32, t *task, h *hop) {
	i, c := r.newCall(slot, t, h, 0, r.now, First)
	c.state, t.call = forking, i
	gen := c.gen
	r.extras.at(i).call.missing, r.extras.at(i).call.running = h.need, int32(len(h.branches))
	last := none
	for _, first := range h.branches {
		b := r.take()
		r.branch(b, i, t, slot, first)
		if last == none {
			r.extras.at(i).call.child = b
		} else {
			r.extras.at(last).task.sibling = b
		}
		last = b
	}
	for b := r.extras.at(i).call.child; b != none; {
		next := r.extras.at(b).task.sibling
		r.beginStep(b, r.task(b))
		if r.call(i).gen != gen {
			return // that was enough, or too bad
		}
		b = next
	}
}

// branch makes the task of a branch.
func (r *Runner) branch(b, fork uint32, t *task, slot uint32, first int32) {
	v := r.task(b)
	v.client, v.request, v.parent, v.key = t.client, t.request, fork, t.key
	v.hop, v.origin, v.started, v.state, v.call = uint16(first), t.origin, t.started, alive, none
	x, of := &r.extras.at(b).task, &r.extras.at(slot).task
	*x = taskExtra{planned: x.planned, lineage: of.lineage, member: of.member, process: of.process, sibling: none}
}

// joined runs when a branch of a fork has ended.
func (r *Runner) joined(i uint32, c *call, out strategies.Outcome) {
	x := &r.extras.at(i).call
	x.running--
	if out == strategies.OK {
		x.missing--
	}
	if x.missing > 0 && x.missing <= x.running {
		return
	}
	slot := c.task
	t := r.task(slot)
	r.leaveGated(t)
	if x.missing <= 0 {
		r.goOn(slot, t)
		return
	}
	r.stepFailed(slot, t, out)
}

// leaveBranches stops the branches of a fork that are still at work.
func (r *Runner) leaveBranches(i uint32) {
	for b := r.extras.at(i).call.child; b != none; {
		next := r.extras.at(b).task.sibling
		r.release(b, r.task(b))
		b = next
	}
}

// unlinkBranch takes a branch that has ended out of those of its fork.
func (r *Runner) unlinkBranch(fork, b uint32) {
	next := &r.extras.at(fork).call.child
	for *next != b {
		next = &r.extras.at(*next).task.sibling
	}
	*next = r.extras.at(b).task.sibling
}

// skips reports whether a request does without a step.
func (r *Runner) skips(t *task, h *hop) bool {
	root := r.groups[t.origin.group()].rootKey(t.client, t.request)
	return random.Unit(root.Child(uint64(h.name), 0, 0).Draw(random.Share, 0)) < h.skip
}

// starter is why the first attempt of a task's step is made: that of an inner
// layer for the reason of the outer one's, that of a request that is made again
// for that.
func (r *Runner) starter(slot uint32, t *task) Cause {
	p := t.parent
	for p != none && r.call(p).state == forking {
		slot = r.call(p).task
		p = r.task(slot).parent
	}
	switch {
	case p == none && r.rich:
		return r.extras.at(slot).task.opens
	case p != none && r.call(p).state == layered:
		return r.call(p).cause
	}
	return First
}
