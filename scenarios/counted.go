package scenarios

import (
	"slices"
	"strings"
	"time"
)

// Where it is counted how often the work of each request is done. It takes
// memory for every request, so it is not done everywhere; but it is the same at
// all points, so that they can be compared: at a service
//
//   - whose inbox the file names anywhere, be it as none;
//   - that a queue delivers to, or that gets what operators send again, directly
//     or through others, at any point;
//   - at all services, if an expectation is about duplicates.

// counts notes which services a point counts at.
func (f *File) counts(s *Scenario) {
	g := newGraph(s)
	counted := make([]bool, g.count())
	v := &validator{scenario: s, graph: g}
	for i := range s.Queues {
		g.reach(s.Queues[i].caller().calls, counted)
	}
	for i := range s.Actions {
		v.sentAgain(&s.Actions[i], func(place int, _ time.Duration) {
			counted[place] = true
			g.reach(g.caller(place).calls, counted)
		})
	}
	for i := range s.Services {
		if name := s.Services[i].Name; counted[i] || f.duplicates || f.inboxes[name] || f.inboxes[star] {
			f.counted[name] = true
		}
	}
}

// countedOf lists the services of a point at which any point counts.
func (f *File) countedOf(s *Scenario) []string {
	var out []string
	for i := range s.Services {
		if name := s.Services[i].Name; f.counted[name] {
			out = append(out, name)
		}
	}
	return out
}

// findInboxes notes the services whose inbox the file names, and whether an
// expectation is about duplicates.
func (f *File) findInboxes() {
	f.inboxes, f.counted = map[string]bool{}, map[string]bool{}
	named := func(services *node) {
		if services == nil {
			return
		}
		for _, e := range services.fields {
			if e.val.value("inbox") != nil {
				f.inboxes[e.name] = true
			}
		}
	}
	named(f.root.value("services"))
	for _, o := range f.overrides() {
		switch {
		case o.path[0] != "services":
		case len(o.path) == 1:
			named(o.val)
		case len(o.path) == 2 && o.val.value("inbox") != nil, len(o.path) > 2 && o.path[2] == "inbox":
			f.inboxes[o.path[1]] = true
		}
	}
	said := []string{f.root.value("replications").value("until").scalar("metric"), f.root.value("bisect").scalar("where")}
	for _, e := range f.Expect {
		said = append(said, e.Text)
	}
	f.duplicates = slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, "duplicate") })
}

// overrides are those of all variants and axes.
func (f *File) overrides() []*override {
	var out []*override
	for _, v := range f.variants {
		out = append(out, v.set...)
	}
	for _, a := range f.allAxes() {
		out = append(out, a.paths...)
		for _, x := range a.values {
			out = append(out, x.set...)
		}
	}
	return out
}
