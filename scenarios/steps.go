package scenarios

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"retrystorm/sim/random"
)

// Steps is a service or queue, a step, or a list of them; in a service the word
// work, once, is its own work in its place among them (without it, first).
type Steps []Step

// Step is one hop: a call, with retries, to a service or queue; or several
// steps at once.
type Step struct {
	// To is the service or queue that is called.
	To string `yaml:"to" format:"name" optional:"true"`
	// Name is the step's address in paths; by default that of what it calls, and
	// parallel. A path names a step within parallel ones as any other:
	// services.web.calls.db.share.
	Name string `yaml:"name" format:"name" optional:"true"`
	// Policy is the caller's policy on this hop: a name, a policy written in
	// place, or a list of up to 32 names, the outermost first.
	Policy *PolicyRef `yaml:"policy" optional:"true"`
	// Network is the delay of one message on this hop, one way.
	Network *random.Dist `yaml:"network" optional:"true"`
	// Share is how many of the requests take this step; the others go on without.
	Share float64 `yaml:"share" unit:"share" default:"100%"`
	// Optional: its failure is ignored.
	Optional bool `yaml:"optional" default:"false"`
	// Parallel are steps that begin at once, instead of a call.
	Parallel Steps `yaml:"parallel"`
	// Need is how many of them must succeed: all, first (one), or a number. Then
	// the others are not waited for.
	Need Need `yaml:"need" default:"all"`
	// Work is the word work.
	Work bool `yaml:"-"`
}

// theWork is the word for a service's own work among its steps.
const theWork = "work"

// Need is how many of several steps must succeed; 0: all.
type Need int64

const needAllowed = "all, first, or a number of 1 or more"

// UnmarshalText reads all, first, or a number.
func (n *Need) UnmarshalText(text []byte) error {
	switch s := string(text); s {
	case "all":
		*n = 0
	case "first":
		*n = 1
	default:
		k, w := parseCount(s)
		if w == nil && k < 1 {
			w = &wrong{"too small", ""}
		}
		if w != nil {
			return fmt.Errorf("%s; allowed: %s", w.message, needAllowed)
		}
		*n = Need(k)
	}
	return nil
}

func (n Need) String() string {
	if n == 0 {
		return "all"
	}
	return strconv.FormatInt(int64(n), 10)
}

// of is how many of so many steps must succeed.
func (n Need) of(steps int) int {
	if n == 0 || int64(n) > int64(steps) {
		return steps
	}
	return int(n)
}

// Calls are the steps that call somebody, those within parallel ones included,
// in the order of [sim.Calls].
func (s Steps) Calls() iter.Seq[*Step] {
	return func(yield func(*Step) bool) {
		s.each(func(step *Step) bool { return step.Work || len(step.Parallel) > 0 || yield(step) })
	}
}

// each visits every step, those within parallel ones after the one they are in,
// until it is told to stop.
func (s Steps) each(visit func(*Step) bool) bool {
	for i := range s {
		if !visit(&s[i]) || !s[i].Parallel.each(visit) {
			return false
		}
	}
	return true
}

// hasCalls says whether there is a call among the steps.
func (s Steps) hasCalls() bool {
	for range s.Calls() {
		return true
	}
	return false
}

// address is the step's name in paths.
func (s *Step) address() string {
	switch {
	case s.Work:
		return theWork
	case s.Name != "":
		return s.Name
	case s.To == "" && len(s.Parallel) > 0:
		return parallelName
	}
	return s.To
}

// parallelName is what parallel steps without a name are called.
const parallelName = "parallel"

// stepName is the address of a step as it is written.
func stepName(n *node) string {
	name, to := n.scalar("name"), n.scalar("to")
	switch {
	case name != "":
		return name
	case to == "" && n.value("parallel") != nil:
		return parallelName
	}
	return to
}

// step is the last step of a list that has a name, within parallel ones too, or
// nil.
func (n *node) step(name string) *node {
	for _, item := range slices.Backward(n.items) {
		if item.kind != mapNode {
			continue
		}
		if stepName(item) == name {
			return item
		}
		if inner := item.value("parallel"); inner != nil && inner.kind == listNode {
			if found := inner.step(name); found != nil {
				return found
			}
		}
	}
	return nil
}

// stepNames lists the names of all steps of a list.
func (n *node) stepNames() []string {
	var out []string
	for _, item := range n.items {
		if item.kind != mapNode {
			continue
		}
		out = append(out, stepName(item))
		if inner := item.value("parallel"); inner != nil && inner.kind == listNode {
			out = append(out, inner.stepNames()...)
		}
	}
	return out
}

// setSteps goes on below the steps of one name, or of every name: those are the
// calls, unless what is set is of parallel steps.
func (ss specs) setSteps(o *override, n *node, depth int) (out *node, matched bool, problem string) {
	name, last := o.path[depth], depth == len(o.path)-1
	c := *n
	c.items = append([]*node(nil), n.items...)
	for i, item := range c.items {
		inner := item.value("parallel")
		hit := name == stepName(item)
		if name == star {
			hit = last || (inner != nil) == (o.path[depth+1] == "need")
		}
		if hit && item.kind != scalarNode {
			matched = true
			if c.items[i], problem = ss.set(o, typeStep, item, depth+1); problem != "" {
				return nil, false, problem
			}
		}
		if inner == nil || inner.kind != listNode || last && hit {
			continue
		}
		below, found, problem := ss.setSteps(o, inner, depth)
		if problem != "" {
			return nil, false, problem
		}
		if found {
			matched = true
			e := *c.items[i].get("parallel")
			e.val = below
			c.items[i] = c.items[i].with(e)
		}
	}
	return &c, matched, ""
}

// besides is the path that the names of steps are joined to: those within
// parallel ones stand beside them.
func besides(path string) string {
	if outer, ok := strings.CutSuffix(path, "."+parallelName); ok {
		return outer[:max(strings.LastIndexByte(outer, '.'), 0)]
	}
	return path
}

// withShares visits the calls with the share of requests that make them, if
// nothing before fails.
func (s Steps) withShares(of float64, visit func(step *Step, share float64)) {
	for i := range s {
		switch step := &s[i]; {
		case step.Work:
		case len(step.Parallel) > 0:
			step.Parallel.withShares(of*step.Share, visit)
		default:
			visit(step, of*step.Share)
		}
	}
}

// steps decodes the steps of a list, each a call, several at once, or the word
// work.
func (d decoder) steps(v reflect.Value, n *node, path string) {
	beside, worked := besides(path), false
	for i, item := range n.items {
		at := join(beside, stepName(item))
		wrong := func(e *entry, field, message string) {
			if e != nil {
				d.at(e.val.at, join(at, field), e.val.String(), message, "")
			}
		}
		switch {
		case item.kind == badNode:
			continue
		case item.kind == scalarNode:
			at := fmt.Sprintf("%s[%d]", path, i+1)
			switch {
			case beside != path:
				d.at(item.at, at, theWork, "a service's own work stands among its steps, not within parallel ones", "")
			case !strings.HasPrefix(path, "services."):
				d.at(item.at, at, theWork, "only a service has work of its own", "")
			case worked:
				d.at(item.at, at, theWork, "the second time: the work is done once", "")
			}
			worked = true
			v.Index(i).Set(reflect.ValueOf(Step{Work: true, Share: 1}))
			continue
		}
		d.object(v.Index(i), item, at)
		several := item.get("parallel")
		switch to := item.get("to"); {
		case several == nil && to == nil:
			d.at(item.at, join(at, "to"), "", "missing", nameAllowed)
		case several == nil:
			wrong(item.get("need"), "need", "only parallel steps have it: a call needs its own success")
			continue
		case to != nil:
			wrong(to, "to", "a call, and parallel steps: write one of them, as in [db, {parallel: [a, b]}]")
		case several.val.kind == listNode && len(several.val.items) == 0:
			wrong(several, "parallel", "there is nothing to do")
		}
		for _, field := range []string{"policy", "network"} {
			wrong(item.get(field), field, "parallel steps are no call: each of them has its own")
		}
	}
}

// stepNames checks the names of the steps of a caller, and what they call.
func (v *validator) stepNames(c caller, policies []string) {
	services, queues := names(v.root.value("services")), names(v.root.value("queues"))
	seen := map[string]bool{}
	c.calls.each(func(step *Step) bool {
		path, name := c.step(step), step.address()
		if step.Work || name == "" {
			return true
		}
		_, known := v.graph.places[step.To]
		switch unread := isBad(v.root, "services") || isBad(v.root, "queues"); {
		case len(step.Parallel) > 0:
			v.need(step, path)
		case step.To == "":
			return true // reported as missing
		case !known && unread:
			return true // nobody knows which there are
		case !known && (queues == nil || c.queue):
			v.bad(join(path, "to"), "no such service"+didYouMean(step.To, services), list(services))
		case !known:
			both := append(services, queues...)
			v.bad(join(path, "to"), "no such service or queue"+didYouMean(step.To, both), list(both))
		}
		if seen[name] {
			v.bad(path, "two steps with this name; give one of them a name", "")
		}
		seen[name] = true
		v.idleIf(step.Share == 0, path, "no request takes this step: its share is 0%")
		if !c.queue {
			v.policyName(join(path, "policy"), step.Policy, policies)
		}
		return true
	})
}

// need checks how many of parallel steps must succeed.
func (v *validator) need(step *Step, path string) {
	n, steps := int64(step.Need), int64(len(step.Parallel))
	switch {
	case n > steps:
		v.bad(join(path, "need"), fmt.Sprintf("more than there are steps (%d)", steps), fmt.Sprintf("all, first, 1 to %d", steps))
	case steps == 1:
		v.idleIf(true, join(path, "parallel"), "one step has nothing beside it")
		v.idleIf(true, join(path, "need"), "has no effect: there is one step")
	}
}
