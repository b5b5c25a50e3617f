package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Limits on what a run may be; each keeps memory or time in bounds.
const (
	maxClients      = 100_000_000
	maxReplications = 1_000_000
	maxUntil        = 366 * 24 * time.Hour
	maxWindows      = 1_000_000
)

// validator finds what no single value can tell.
type validator struct {
	*report
	specs    specs
	root     *node
	scenario *Scenario
	graph    *graph
	presets  *catalogue
	notes    *counter
	unread   []string // paths of values that could not be read
}

func (f *File) validator(r *report, root *node, s *Scenario, notes *counter) *validator {
	return &validator{r, f.specs, root, s, newGraph(s), f.presets, notes, r.paths}
}

// bad reports what is wrong with the value at a path. Of a value that could
// not be read, that has been said.
func (v *validator) bad(path, message, allowed string) {
	if v.isUnread(path) {
		return
	}
	v.at(v.blame(path), path, written(v.root, path), message, allowed)
}

// blame is where to look for what is wrong with a value: where it stands, or
// where a part of it was set from the command line.
func (v *validator) blame(path string) place {
	at := locate(v.root, path)
	if n := find(v.root, path); n != nil && !isSet(at) {
		if part := n.firstSet(); part != nil {
			return part.at
		}
	}
	return at
}

func isSet(at place) bool { return strings.HasPrefix(at.file, "--set ") }

// firstSet is the first value in a tree that came from the command line, or nil.
func (n *node) firstSet() *node {
	if isSet(n.at) {
		return n
	}
	for _, e := range n.fields {
		if part := e.val.firstSet(); part != nil {
			return part
		}
	}
	for _, item := range n.items {
		if part := item.firstSet(); part != nil {
			return part
		}
	}
	return nil
}

// isUnread says whether what is at a path, in it or around it could not be read.
func (v *validator) isUnread(path string) bool {
	if slices.ContainsFunc(v.unread, func(p string) bool { return within(p, path) || within(path, p) }) {
		return true
	}
	n := v.root // a policy inherits values that are unread under another path
	for _, name := range pathNames(path) {
		if n = find(n, name); n == nil || n.kind == badNode {
			return n != nil
		}
	}
	return false
}

// within says whether a path is another one or leads into it.
func within(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// check passes on what the Validate method of a part of the scenario says. What
// is wrong with a default beside a value that is wrong itself goes without
// saying.
func (v *validator) check(path string, validate func(bad func(field, problem string))) {
	type found struct{ field, problem string }
	var all []found
	said := map[string]bool{} // sections in which a value that somebody wrote is wrong
	section := func(field string) string { return field[:max(strings.LastIndexByte(field, '.'), 0)] }
	written := func(field string) bool { return find(v.root, join(path, field)) != nil }
	validate(func(field, problem string) {
		all = append(all, found{field, problem})
		if written(field) {
			said[section(field)] = true
		}
	})
	for _, f := range all {
		if said[section(f.field)] && !written(f.field) {
			continue
		}
		if answer, is := strings.CutSuffix(f.field, ".retry_after"); is && v.isUnread(join(path, answer+".answer")) {
			continue // nobody knows what it goes with
		}
		message, allowed, _ := strings.Cut(f.problem, "; allowed: ")
		v.bad(join(path, f.field), message, allowed)
	}
}

// maxYear leaves room for the longest run before the year 10000.
const maxYear = 9800

// whole checks the fields of the whole experiment.
func (v *validator) whole() {
	s := v.scenario
	v.replications()
	v.reference()
	if s.Exchange == 0 && !slices.Contains([]string{"", "none"}, written(v.root, "exchange")) {
		v.bad("exchange", "a second that is worth nothing; write none to say nothing", "above 0/s")
	}
	switch at, err := parseDate(s.Epoch); {
	case err != nil:
		v.bad("epoch", "not a date and time", "as in 2026-01-01T00:00:00Z")
	case at.Year() < 1 || at.Year() > maxYear:
		v.bad("epoch", "too early or too late: the dates of the run have four digits for the year", fmt.Sprintf("years 1 to %d", maxYear))
	}
	for i, path := range s.Assumed {
		at := fmt.Sprintf("assumed[%d]", i+1)
		if !v.exists(path) {
			v.at(locate(v.root, at), at, path, "nothing has this path", "")
		}
	}
}

// replications checks how they end.
func (v *validator) replications() {
	r := &v.scenario.Replications
	has := func(field string) bool { return find(v.root, "replications."+field) != nil }
	const least = 10 // fewer say little about how precise they are
	if r.Count > maxReplications {
		v.bad("replications", "too many", fmt.Sprintf("1 to %d", maxReplications))
	}
	switch {
	case has("until") && has("count"):
		v.bad("replications.count", "given beside until, which says when they end; write one of them", "")
	case has("max") && !has("until"):
		v.bad("replications.max", "without until there is nothing that it limits: write the number alone, as in replications: 20", "")
	case r.Max < least || r.Max > maxReplications:
		v.bad("replications.max", "too few or too many", fmt.Sprintf("%d to %d", least, maxReplications))
	}
	if r.Until != nil && number(r.Until.Within) == 0 {
		v.bad("replications.until.within", "no mean is ever that precise", "a share such as 1%, or a quantity in the metric's unit")
	}
}

// reference checks that there is the variant to compare with.
func (v *validator) reference() {
	variants := names(v.root.value("variants"))
	if variants == nil {
		variants = []string{"base"}
	}
	name := v.root.scalar("compare_to")
	if name == "" || slices.Contains(variants, name) || isBad(v.root, "variants") {
		return
	}
	v.bad("compare_to", "no such variant"+didYouMean(name, variants), list(variants))
}

// exists says whether a path names a field of the language below names that
// are in the file.
func (v *validator) exists(path string) bool {
	probe := &override{path: pathNames(path), val: &node{}}
	if _, w := v.specs.resolve(probe.path); w != nil {
		return false
	}
	_, problem := v.specs.apply(probe, v.root)
	return problem == ""
}

// names checks that everything that is referred to exists.
func (v *validator) names() {
	services, policies := names(v.root.value("services")), names(v.root.value("policies"))
	if n := v.root.value("services"); n != nil && n.kind == mapNode && len(services) == 0 {
		v.bad("services", "a call path needs at least one service", "")
	}
	groups := v.scenario.AllGroups()
	for i := range groups {
		v.groupCalls(&groups[i], services)
	}
	for _, c := range v.scenario.callers() {
		v.policyName(c.policyField(), c.policy, policies)
		v.stepNames(c, policies)
	}
	if target := v.scenario.Target; target != "" && !isBad(v.root, "services") {
		place, known := v.graph.places[target]
		switch {
		case !known:
			v.bad("target", "no such service"+didYouMean(target, services), list(services))
		case v.graph.queue(place) != nil:
			v.bad("target", "a queue is no service", list(services))
		}
	}
}

// groupCalls checks that all requests of a group call somebody.
func (v *validator) groupCalls(g *NamedGroup, services []string) {
	check := func(path string, calls Steps) {
		if n := find(v.root, path); n != nil && n.kind == listNode && !calls.hasCalls() {
			v.bad(path, "clients call at least one service", strings.Join(services, ", "))
		}
	}
	path := join(g.path(), "calls")
	check(path, g.Calls)
	for i := range g.Classes {
		check(join(g.path(), "classes."+g.Classes[i].Name+".calls"), g.Classes[i].Calls)
	}
	v.idleIf(classesCall(find(v.root, g.path())), path, "has no effect: every class has calls of its own")
}

// isBad says whether a section could not be read at all.
func isBad(root *node, name string) bool {
	n := root.value(name)
	return n != nil && n.kind == badNode
}

func (v *validator) policyName(path string, ref *PolicyRef, policies []string) {
	if ref == nil || isBad(v.root, "policies") {
		return
	}
	for i, name := range ref.names() {
		if _, known := v.graph.policies[name]; known {
			continue
		}
		message := "no such policy" + didYouMean(name, policies)
		if name == "none" {
			message = "no such policy; without the field there is one attempt and no retry"
		}
		if ref.Layers == nil {
			v.bad(path, message, list(policies))
			continue
		}
		item := fmt.Sprintf("%s[%d]", path, i+1)
		v.at(locate(v.root, item), item, name, message, list(policies))
	}
}

// list joins names, not too many.
func list(names []string) string {
	const enough = 12
	if len(names) > enough {
		return strings.Join(names[:enough], ", ") + fmt.Sprintf(" and %d more", len(names)-enough)
	}
	return strings.Join(names, ", ")
}

// point checks everything about one point.
func (v *validator) point() {
	sound, before := len(v.unread) == 0, v.found
	v.names()
	v.times()
	v.circles()
	v.deadCircles()
	v.target()
	v.policies()
	v.groups()
	v.queues()
	v.actions()
	for _, c := range v.scenario.callers() {
		v.check(c.networkField(), c.network.Validate)
		for step := range c.calls.Calls() {
			if net := step.Network; net != nil {
				v.check(join(c.step(step), "network"), net.Validate)
			}
		}
	}
	for i := range v.scenario.Services {
		s := &v.scenario.Services[i]
		v.check("services."+s.Name, s.Spec.Validate)
		v.check("services."+s.Name+".inbox", s.Inbox.Validate)
		if limit := s.Expired.Time; limit > longTime {
			v.bad("services."+s.Name+".expired.time", "too long", "")
		}
		v.answers(s)
	}
	if sound && v.found == before { // what follows the call path needs all of it
		v.zeroTime()
		v.advise()
	}
}

// times checks the horizon, the windows and the warm-up.
func (v *validator) times() {
	s := v.scenario
	switch {
	case s.Until == 0:
		v.bad("until", "a run takes some time", "above 0s")
		return
	case s.Until > maxUntil:
		v.bad("until", "too long", "up to "+FormatDuration(maxUntil))
		return
	}
	smallest := smallestWindow(s.Until)
	switch {
	case s.Window == 0:
		v.bad("window", "a window has a width", "above 0s")
	case s.Window < smallest:
		v.bad("window", fmt.Sprintf("more than 10^6 windows in %s; the smallest window allowed is %s", FormatDuration(s.Until), FormatDuration(smallest)), "")
	}
	if s.Warmup.Until >= s.Until {
		v.bad("warmup", "nothing is left of the run after it", "below until ("+FormatDuration(s.Until)+")")
	}
}

func smallestWindow(until time.Duration) time.Duration { return (until + maxWindows - 1) / maxWindows }

// target asks for a target when it cannot be told.
func (v *validator) target() {
	if v.scenario.Target != "" || v.graph.target() >= 0 {
		return
	}
	var names []string
	for _, i := range v.graph.leaves() {
		name := v.scenario.Services[i].Name
		if v.isUnread("services." + name + ".calls") {
			return // nobody knows whether it calls others
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return // all of them call in circles
	}
	v.bad("target", "missing: several services call nobody, so say whose load is reported first", list(names))
}

// policies checks every policy, wherever it is written.
func (v *validator) policies() {
	v.eachPolicy(v.policy)
}

// eachPolicy visits every policy: those with names, then those in place.
func (v *validator) eachPolicy(visit func(path string, p *Policy)) {
	for i := range v.scenario.Policies {
		p := &v.scenario.Policies[i]
		visit("policies."+p.Name, p)
	}
	seen := map[*Policy]bool{} // classes may have what their group has
	inline := func(ref *PolicyRef, path string) {
		if ref != nil && ref.Inline != nil && !seen[ref.Inline] {
			seen[ref.Inline] = true
			visit(path, ref.Inline)
		}
	}
	for _, c := range v.scenario.callers() {
		inline(c.policy, c.policyField())
		for step := range c.calls.Calls() {
			inline(step.Policy, join(c.step(step), "policy"))
		}
	}
}

func (v *validator) policy(path string, p *Policy) {
	v.queueName(join(path, "dead_letter"), p.DeadLetter, names(v.root.value("queues")))
	v.check(path, func(bad func(field, problem string)) {
		p.Policy.Validate(func(field, problem string) {
			if field == "max_attempts" && p.MaxAttempts == 0 && p.Library != "" {
				problem = "not even a first try; a library that takes 0 for no limit has max_attempts: unlimited here, and one that then does not retry has 1"
			}
			bad(field, problem)
		})
	})
	n := find(v.root, path)
	if n != nil && n.value("backoff") != nil && n.value("max_attempts") == nil && !v.isUnread(join(path, "extends")) {
		at := n.value("backoff").at
		v.at(at, join(path, "max_attempts"), "", "missing beside backoff, so that no number is assumed", "a count with the first try included, or unlimited")
	}
}

// counter counts notes over points. One that the first point does not have is
// not kept: it cannot hold at all of them.
type counter struct {
	seen   map[Problem]int
	order  []Problem
	closed bool // the first point is over
}

func (c *counter) add(p Problem) {
	if c == nil {
		return
	}
	if c.seen == nil {
		c.seen = map[Problem]int{}
	}
	switch times := c.seen[p]; {
	case times > 0:
		c.seen[p]++
	case !c.closed:
		c.seen[p] = 1
		c.order = append(c.order, p)
	}
}

// everywhere lists the notes that hold at every point: a setting that has an
// effect at one of them is there for a reason.
func (c *counter) everywhere(points int) Problems {
	var out Problems
	for _, p := range c.order {
		if c.seen[p] == points {
			out = append(out, p)
		}
	}
	return out
}

const ever = time.Duration(math.MaxInt64)

// after adds durations without wrapping around.
func after(a, b time.Duration) time.Duration {
	if a > ever-b {
		return ever
	}
	return a + b
}
