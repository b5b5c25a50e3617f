package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Action is what an operator does at a time.
type Action struct {
	Name string `yaml:",name"`
	// Kind is what is done: settings change (set); the messages of a queue are sent
	// again to where they came from (redrive); the requests that have failed so far
	// are made again (resend); the clients of a group begin again (rerun).
	Kind string `yaml:"kind" default:"set"`
	// Set are the settings and what they become: services.NAME.admit and
	// services.NAME.workers can be set during a run.
	Set []Setting `yaml:"set" format:"live" required:"true"`
	// Over is how long it takes to get there, linearly from the present value.
	Over time.Duration `yaml:"over" default:"0s"`
	// Queue is the one whose messages are sent again.
	Queue string `yaml:"queue" format:"name"`
	// Requests are those that are made again.
	Requests string `yaml:"requests" enum:"failed" default:"failed"`
	// Group is whose requests they are; for resend, left out: everybody's.
	Group    string `yaml:"group" format:"name" optional:"true"`
	sim.Pace `yaml:",inline"`
	// Only are the outcomes of the messages that are sent again, as in retry_on;
	// left out: all.
	Only []string `yaml:"only" format:"outcome" least:"1" optional:"true"`
	// Every is how many requests of a client make a restart point, to which it goes
	// back; none: to the first.
	Every int64 `yaml:"every" unit:"count" none:"true" min:"1"`
	// At is when.
	At time.Duration `yaml:"at"`
}

// Kinds lists the kinds of Action with their fields.
func (Action) Kinds() [][]string {
	pace := []string{"rate", "first", "grow", "failures", "pause"}
	row := func(words ...string) []string { return append(words, "at") }
	return [][]string{
		row("set", "", "set", "over"),
		row(slices.Concat([]string{"redrive", "queue", "only"}, pace)...),
		row(slices.Concat([]string{"resend", "requests", "group"}, pace)...),
		row("rerun", "group", "every"),
	}
}

// Setting is a setting that changes during a run.
type Setting struct {
	Path string `yaml:",name"`
	// Value is what it becomes.
	Value string `yaml:"value"`
}

// Kinds gives Setting its one-line form: "40%".
func (Setting) Kinds() [][]string { return [][]string{{"", "value"}} }

// live are the settings that can change during a run.
var live = map[string]sim.Setting{"admit": sim.SetAdmit, "workers": sim.SetWorkers}

const liveAllowed = "services.NAME.admit, services.NAME.workers"

// parts takes the path of a setting apart.
func (s *Setting) parts() (service, field string) { return livePath(s.Path) }

func livePath(path string) (service, field string) {
	parts := strings.Split(path, ".")
	if len(parts) != 3 || parts[0] != "services" || checkName(parts[1]) != nil {
		return "", ""
	}
	if _, ok := live[parts[2]]; !ok {
		return "", ""
	}
	return parts[1], parts[2]
}

// checkLive finds what is wrong with the path of a setting.
func checkLive(path string) *wrong {
	if service, _ := livePath(path); service == "" {
		return &wrong{"cannot be set during a run", liveAllowed}
	}
	return nil
}

// number is the value, in the unit of the field.
func (s *Setting) number() (float64, *wrong) {
	if _, field := s.parts(); field == "admit" {
		return parseShare(s.Value)
	}
	n, w := parseCount(s.Value)
	if w == nil && n < 1 {
		w = &wrong{"too small", "1 or more"}
	}
	return float64(n), w
}

// actions are what is done, in file order; one that changes several settings is
// one for each.
func (r *resolver) actions() ([]sim.Action, error) {
	var out []sim.Action
	for i := range r.scenario.Actions {
		a := &r.scenario.Actions[i]
		one := sim.Action{Name: a.Name, At: a.At, Group: -1, Place: -1, Pace: a.Pace, Only: a.Only, Every: a.Every}
		switch a.Kind {
		case "redrive":
			one.Kind = sim.Redrive
			place, ok := r.places[a.Queue]
			if !ok {
				return nil, errors.New("actions." + a.Name + ": there is no queue " + a.Queue)
			}
			one.Place = place
		case "resend", "rerun":
			one.Kind = sim.Resend
			if a.Kind == "rerun" {
				one.Kind = sim.Rerun
			}
			if a.Group == "" {
				break
			}
			one.Group = slices.IndexFunc(r.scenario.AllGroups(), func(g NamedGroup) bool { return g.Name == a.Group })
			if one.Group < 0 {
				return nil, errors.New("actions." + a.Name + ": there is no group " + a.Group)
			}
		default:
			for k := range a.Set {
				service, field := a.Set[k].parts()
				place, ok := r.places[service]
				value, w := a.Set[k].number()
				if !ok || w != nil {
					return nil, errors.New("actions." + a.Name + ": " + a.Set[k].Path + " cannot be set to " + a.Set[k].Value)
				}
				one.Kind, one.Place, one.Set, one.Value, one.Over = sim.Set, place, live[field], value, a.Over
				out = append(out, one)
			}
			continue
		}
		out = append(out, one)
	}
	return out, nil
}

// actions checks what is done during the run.
func (v *validator) actions() {
	queues := names(v.root.value("queues"))
	for i := range v.scenario.Actions {
		a := &v.scenario.Actions[i]
		path := "actions." + a.Name
		if a.At >= v.scenario.Until {
			v.bad(join(path, "at"), "the run is over by then", "before until ("+FormatDuration(v.scenario.Until)+")")
		}
		switch a.Kind {
		case "redrive":
			v.queueName(join(path, "queue"), a.Queue, queues)
			v.pace(a, path)
		case "resend":
			v.groupName(join(path, "group"), a.Group)
			v.pace(a, path)
		case "rerun":
			v.rerun(a, path)
		case "set":
			v.settings(a, path)
		}
	}
}

// groupOf is a group, or nil.
func (s *Scenario) groupOf(name string) *NamedGroup {
	groups := s.AllGroups()
	if i := slices.IndexFunc(groups, func(g NamedGroup) bool { return g.Name == name }); i >= 0 {
		return &groups[i]
	}
	return nil
}

func (v *validator) groupName(path, name string) {
	if name == "" || v.scenario.groupOf(name) != nil || isBad(v.root, "groups") || isBad(v.root, "clients") {
		return
	}
	var known []string
	for _, g := range v.scenario.AllGroups() {
		known = append(known, g.Name)
	}
	v.bad(path, "no such group"+didYouMean(name, known), list(known))
}

func (v *validator) rerun(a *Action, path string) {
	if a.Group == "" {
		v.at(locate(v.root, path), join(path, "group"), "", "missing", "the group whose clients begin again")
		return
	}
	v.groupName(join(path, "group"), a.Group)
	g := v.scenario.groupOf(a.Group)
	if g == nil {
		return
	}
	switch g.Arrival.Kind {
	case "poisson", "constant", "profile", "trace":
		v.bad(join(path, "group"), "its clients have nothing to begin again: requests of "+g.Arrival.Kind+" arrive by themselves", "a group whose arrival is burst, closed or every")
	}
}

// pace checks how fast things are sent again.
func (v *validator) pace(a *Action, path string) {
	if n := find(v.root, join(path, "rate")); n != nil && !n.isWord("none") && a.Rate == 0 {
		v.bad(join(path, "rate"), "nothing is ever sent again", "above 0/s, or none: all at once")
	}
	if n := find(v.root, join(path, "first")); n != nil && !n.isWord("none") && a.First == 0 {
		v.bad(join(path, "first"), "a batch of nothing", "1 or more, or none: all are one batch")
	}
	if a.Grow < 1 {
		v.bad(join(path, "grow"), "batches would get smaller", "1 or more")
	}
	if _, err := strategies.ParseOutcomes(a.Only); err != nil {
		message, allowed, _ := strings.Cut(err.Error(), "; allowed: ")
		v.bad(join(path, "only"), message, allowed)
	}
	if a.Only != nil && len(a.Only) == 0 {
		v.bad(join(path, "only"), "nothing would be sent again", "at least one outcome; without the field all are")
	}
}

// settings checks what is set.
func (v *validator) settings(a *Action, path string) {
	services := names(v.root.value("services"))
	if len(a.Set) == 0 {
		v.bad(join(path, "set"), "nothing is set", liveAllowed)
	}
	for i := range a.Set {
		s := &a.Set[i]
		at := join(path, "set."+s.Path)
		bad := func(message, allowed string) { v.at(locate(v.root, at), at, s.Value, message, allowed) }
		name, field := s.parts()
		place, known := v.graph.places[name]
		switch {
		case name == "" || isBad(v.root, "services"):
			continue // reported, or nobody knows which there are
		case !known:
			bad("no such service"+didYouMean(name, services), list(services))
			continue
		case v.graph.queue(place) != nil:
			bad("a queue is no service", list(services))
			continue
		}
		if _, w := s.number(); w != nil && find(v.root, at).kind != badNode {
			bad(w.message, w.allowed)
		}
		if field == "workers" && v.graph.service(place).Workers == server.Unlimited {
			bad("cannot be set: they are unlimited; give services."+name+".workers a number", "")
		}
	}
}

// actionAdvice notes what does nothing.
func (v *validator) actionAdvice(a *Action, dead map[string]bool) {
	path := "actions." + a.Name
	v.idleIf(a.Kind == "redrive" && !dead[a.Queue], join(path, "queue"), "nothing is sent again: no dead letter ever comes to "+a.Queue)
	for _, name := range []string{"grow", "failures", "pause"} {
		v.idleIf(a.First == 0, join(path, name), "has no effect: without first all are one batch")
	}
	if g := v.scenario.groupOf(a.Group); a.Kind == "rerun" && g != nil {
		n := g.requests()
		v.idleIf(n != random.Unlimited && a.Every >= n, join(path, "every"), fmt.Sprintf("has no effect: a client makes no more requests (%d), so it begins again with the first", n))
	}
}
