package scenarios

import (
	"errors"
	"slices"
	"strings"
	"time"

	"retrystorm/sim"
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
