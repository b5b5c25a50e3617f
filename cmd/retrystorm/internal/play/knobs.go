package play

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"retrystorm/scenarios"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// mostKnobs is how many settings a form has. More are no form but the text again.
const mostKnobs = 15

// knobs are the settings of a scenario that matter, the most important first: of how
// callers retry, of what goes wrong, of what the services can do, and of how much
// there is to do.
func knobs(f *scenarios.File) []Knob {
	m := knobMaker{file: f, scenario: f.Scenario, until: f.Scenario.Until}
	policies := m.policies()
	for _, p := range policies[:min(1, len(policies))] {
		m.policy(p, true)
	}
	m.layers()
	m.faults()
	m.target()
	m.clients()
	m.replications()
	m.minor = true
	for _, p := range policies {
		m.policy(p, false)
	}
	m.services()
	return grouped(m.fewer())
}

// fewer leaves out what matters least, until few enough are left.
func (m *knobMaker) fewer() []Knob {
	drop := func(from int, may func(k *candidate) bool) {
		for i := len(m.all) - 1; i >= from && len(m.all) > mostKnobs; i-- {
			if may(&m.all[i]) {
				m.all = slices.Delete(m.all, i, i+1)
			}
		}
	}
	drop(0, func(k *candidate) bool { return k.minor })
	drop(0, func(k *candidate) bool { return len(k.Steps) < 2 })
	drop(0, func(k *candidate) bool { return k.Group != "run" })
	out := make([]Knob, len(m.all))
	for i := range m.all {
		out[i] = m.all[i].Knob
	}
	return out
}

// grouped puts the knobs of a group together, groups and knobs in the order in
// which they came, and how a run goes last.
func grouped(knobs []Knob) []Knob {
	var groups []string
	for _, k := range knobs {
		if !slices.Contains(groups, k.Group) && k.Group != "run" {
			groups = append(groups, k.Group)
		}
	}
	out := []Knob{}
	for _, g := range append(groups, "run") {
		for _, k := range knobs {
			if k.Group == g {
				out = append(out, k)
			}
		}
	}
	return out
}

// candidate is a knob that there could be.
type candidate struct {
	Knob
	minor bool
}

type knobMaker struct {
	file     *scenarios.File
	scenario *scenarios.Scenario
	until    time.Duration
	all      []candidate
	minor    bool // what comes now
}

// add adds a knob. What variants or the sweep set cannot be set for all: such a knob
// only says so.
func (m *knobMaker) add(k Knob) {
	if slices.ContainsFunc(m.all, func(o candidate) bool { return o.Path == k.Path }) {
		return
	}
	if by := m.file.SetBy(k.Path); len(by) > 0 {
		k.Steps, k.Note = []string{k.Value}, setBy(by)
	}
	if !slices.Contains(k.Steps, k.Value) {
		k.Steps = append([]string{k.Value}, k.Steps...)
	}
	m.all = append(m.all, candidate{k, m.minor})
}

// setBy says who sets what cannot be moved.
func setBy(layers []string) string {
	var variants []string
	for _, l := range layers {
		name, is := strings.CutPrefix(l, "variant ")
		if !is {
			return "set by the sweep"
		}
		variants = append(variants, name)
	}
	if len(variants) == 1 {
		return "set by the variant " + variants[0]
	}
	return "set by the variants " + some(variants)
}

// some names the first few of a list.
func some(list []string) string {
	const few = 3
	if len(list) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:few], ", "), len(list)-few)
	}
	return strings.Join(list, ", ")
}

// used is a policy that somebody has, and where it is written.
type used struct {
	path, group string
	*strategies.Policy
}

// policies are those that callers have, in the order of the callers, with or without
// variants: those of the first place of the sweep.
func (m *knobMaker) policies() []used {
	var out []used
	take := func(s *scenarios.Scenario) {
		for _, u := range usedBy(s) {
			written := s == m.scenario || strings.HasPrefix(u.path, "policies.") // else it is in a variant
			if written && !slices.ContainsFunc(out, func(o used) bool { return o.path == u.path }) {
				out = append(out, m.asWritten(u))
			}
		}
	}
	take(m.scenario)
	variants := len(m.file.Variants())
	for i := range min(variants, 20) {
		if s, err := m.file.Resolve(i * (m.file.Points() / variants)); err == nil {
			take(s)
		}
	}
	return out
}

// asWritten is a policy before variants and sweep.
func (m *knobMaker) asWritten(u used) used {
	for i := range m.scenario.Policies {
		if p := &m.scenario.Policies[i]; u.path == "policies."+p.Name {
			u.Policy = &p.Policy
		}
	}
	return u
}

// usedBy lists the policies that the callers of a scenario have.
func usedBy(s *scenarios.Scenario) []used {
	var out []used
	ref := func(r *scenarios.PolicyRef, path, who string) {
		switch {
		case r == nil:
			return
		case r.Inline != nil:
			out = append(out, used{path, "policy of " + who, &r.Inline.Policy})
			return
		}
		names := r.Layers
		if names == nil {
			names = []string{r.Name}
		}
		for _, name := range names {
			for i := range s.Policies {
				if s.Policies[i].Name == name {
					out = append(out, used{"policies." + name, "policy " + name, &s.Policies[i].Policy})
				}
			}
		}
	}
	for _, c := range callersOf(s) {
		ref(c.policy, c.path+".policy", c.name)
		for step := range c.calls.Calls() {
			if step.Policy != nil {
				name := step.Name
				if name == "" {
					name = step.To
				}
				ref(step.Policy, c.path+".calls."+name+".policy", c.name+" for "+name)
			}
		}
	}
	return out
}

// caller is a group of clients, or a service.
type caller struct {
	name, path string
	calls      scenarios.Steps
	policy     *scenarios.PolicyRef
	network    *random.Dist
}

func callersOf(s *scenarios.Scenario) []caller {
	var out []caller
	for _, g := range s.AllGroups() {
		out = append(out, caller{g.Name, groupPath(g.Name), g.Calls, g.Policy, &g.Network})
	}
	for i := range s.Services {
		v := &s.Services[i]
		out = append(out, caller{v.Name, "services." + v.Name, v.Calls, v.Policy, &v.Network})
	}
	for i := range s.Queues {
		q := &s.Queues[i]
		out = append(out, caller{q.Name, "queues." + q.Name, nil, q.Policy, &q.Network})
	}
	return out
}

func groupPath(name string) string {
	if name == "clients" {
		return name
	}
	return "groups." + name
}

// policy adds the settings of a policy; of all but the first only what matters most.
func (m *knobMaker) policy(p used, all bool) {
	at := func(field string) string { return p.path + "." + field }
	m.add(Knob{
		Path: at("max_attempts"), Label: "Attempts", Group: p.group, Kind: "number",
		Value: countText(p.MaxAttempts), Steps: attempts(p.Policy),
	})
	// Without it there is one attempt, and no wait.
	if m.file.Text(at("max_attempts")) != "" && (all || p.MaxAttempts != 1) {
		m.backoff(p)
	}
	m.add(Knob{
		Path: at("timeout"), Label: "Timeout of an attempt", Group: p.group, Kind: "duration",
		Value: optional(p.Timeout), Steps: append(longer(p.Timeout, time.Second), "none"),
	})
	if all || p.Budget != nil {
		m.add(m.budget(at("budget"), p))
	}
}

// backoff adds the waits of a policy.
func (m *knobMaker) backoff(p used) {
	at := func(field string) string { return p.path + ".backoff." + field }
	b := &p.Backoff
	m.add(Knob{Path: at("kind"), Label: "How the waits go", Group: p.group, Kind: "choice", Value: b.Kind, Steps: m.kinds(p.Policy)})
	if b.Kind == "none" || b.Kind == "schedule" {
		return
	}
	// The first wait is not above the longest, wherever they come from.
	base, longest := times(b.Base, 100*time.Millisecond, time.Hour), longer(b.Cap, 10*time.Second)
	if b.Cap > 0 {
		base = times(b.Base, 100*time.Millisecond, b.Cap)
	}
	least := b.Base
	if m.file.SetBy(at("base")) != nil {
		least = max(b.Base, b.Cap, time.Minute)
	}
	longest = slices.DeleteFunc(longest, func(s string) bool {
		d, err := time.ParseDuration(s) // a step below a day is written as in Go
		return err == nil && d < least && s != optional(b.Cap)
	})
	m.add(Knob{
		Path: at("base"), Label: "First wait", Group: p.group, Kind: "duration",
		Value: scenarios.FormatDuration(b.Base), Steps: base,
	})
	m.add(Knob{
		Path: at("cap"), Label: "Longest wait", Group: p.group, Kind: "duration",
		Value: optional(b.Cap), Steps: append(longest, "none"),
	})
}

func countText(n int64) string {
	if n == strategies.Unlimited {
		return "unlimited"
	}
	return strconv.FormatInt(n, 10)
}

func optional(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return scenarios.FormatDuration(d)
}

// attempts are how often somebody may try. Without an end, without a wait, it could
// be for ever at one instant.
func attempts(p *strategies.Policy) []string {
	steps := []int64{1, 2, 3, 4, 5, 6, 8, 10, 20, 50}
	if p.MaxAttempts > 0 {
		steps = append(steps, p.MaxAttempts)
	}
	var out []string
	for _, n := range tidy(steps) {
		out = append(out, countText(n))
	}
	if p.Backoff.Kind != "none" || p.MaxAttempts == strategies.Unlimited {
		out = append(out, "unlimited")
	}
	return out
}

// longer are steps of a duration that may be none.
func longer(now, usual time.Duration) []string {
	if now == 0 {
		return slices.DeleteFunc(times(0, usual, time.Hour), func(s string) bool { return s == "0s" })
	}
	return times(now, usual, math.MaxInt64)
}

// kinds are those that need nothing but what is there.
func (m *knobMaker) kinds(p *strategies.Policy) []string {
	kinds := []string{"none", "fixed", "linear", "exponential", "equal-jitter", "full-jitter", "decorrelated-jitter"}
	if p.MaxAttempts == strategies.Unlimited && m.instant() {
		kinds = kinds[1:]
	}
	if !slices.Contains(kinds, p.Backoff.Kind) {
		kinds = append(kinds, p.Backoff.Kind)
	}
	return kinds
}

// instant says whether there are calls that may take no time.
func (m *knobMaker) instant() bool {
	return slices.ContainsFunc(callersOf(m.scenario), func(c caller) bool { return c.policy != nil && c.network.MeanSeconds() == 0 })
}

// budget offers none, and shares of the requests.
func (m *knobMaker) budget(path string, p used) Knob {
	k := Knob{
		Path: path, Label: "Budget for retries", Group: p.group, Kind: "choice", Value: "none",
		Steps: []string{"none", "ratio 1%", "ratio 5%", "ratio 10%", "ratio 20%", "ratio 50%", "ratio 100%"},
	}
	if p.Budget != nil {
		if k.Value = m.file.Text(path); k.Value == "" {
			k.Value = p.Budget.Kind // of a variant only
		}
	}
	return k
}

// noRetries is a policy that makes one attempt.
const noRetries = "{max_attempts: 1}"

// layers lets each of several callers retry or not.
func (m *knobMaker) layers() {
	var retrying []caller
	for _, c := range callersOf(m.scenario) {
		if c.policy != nil && c.policy.Name != "" {
			retrying = append(retrying, c)
		}
	}
	if len(retrying) < 2 {
		return
	}
	var names []string
	for i := range m.scenario.Policies {
		names = append(names, m.scenario.Policies[i].Name)
	}
	for _, c := range retrying {
		m.add(Knob{
			Path: c.path + ".policy", Label: c.name, Group: "layers", Kind: "choice",
			Value: c.policy.Name, Steps: append(slices.Clone(names[:min(len(names), 20)]), noRetries),
			Note: "with " + noRetries + " it does not retry",
		})
	}
}

// faults lets faults last longer or less long, and hit more or fewer calls.
func (m *knobMaker) faults() {
	words := map[string]string{"down": "Down for", "errors": "Errors for", "slow": "Slow for", "pause": "Paused for", "capacity": "Less capacity for"}
	for i := range m.scenario.Services {
		v := &m.scenario.Services[i]
		for k := range v.Faults {
			f := &v.Faults[k]
			path, group := "services."+v.Name+".faults."+f.Name, "fault "+f.Name+" of "+v.Name
			if f.For > 0 {
				most := m.until
				if f.Every > 0 {
					most = f.Every / 2
				}
				m.add(Knob{
					Path: path + ".for", Label: words[f.Kind], Group: group, Kind: "duration",
					Value: scenarios.FormatDuration(f.For), Steps: times(f.For, f.For, most),
				})
			}
			if label, ok := map[string]string{"errors": "Calls that fail", "capacity": "Capacity that is left"}[f.Kind]; ok {
				m.add(Knob{
					Path: path + ".share", Label: label, Group: group, Kind: "share",
					Value: shareText(f.Share), Steps: shares(f.Share),
				})
			}
		}
	}
}

// target is the service whose load is meant.
func (m *knobMaker) target() {
	name := m.scenario.TargetName()
	for i := range m.scenario.Services {
		if v := &m.scenario.Services[i]; v.Name == name {
			m.service(v)
		}
	}
}

func (m *knobMaker) services() {
	for i := range m.scenario.Services {
		m.service(&m.scenario.Services[i])
	}
}

// service adds what a service can do.
func (m *knobMaker) service(v *scenarios.Service) {
	path, group := "services."+v.Name, "service "+v.Name
	if v.Workers > 0 {
		m.add(Knob{
			Path: path + ".workers", Label: "Workers", Group: group, Kind: "number",
			Value: countText(v.Workers), Steps: counts(v.Workers, 1),
		})
	}
	if v.Queue.Limit >= 0 && v.Workers > 0 {
		m.add(Knob{
			Path: path + ".queue.limit", Label: "Calls that may wait", Group: group, Kind: "number",
			Value: countText(v.Queue.Limit), Steps: append(counts(v.Queue.Limit, 0), "unlimited"),
		})
	}
	if l := v.RateLimit; l != nil && l.Kind == "token-bucket" {
		m.add(Knob{
			Path: path + ".rate_limit.rate", Label: "Calls admitted", Group: group, Kind: "rate",
			Value: rateText(l.Rate), Steps: rates(l.Rate),
		})
	}
}

// clients is how much there is to do.
func (m *knobMaker) clients() {
	for _, g := range m.scenario.AllGroups() {
		path, group := groupPath(g.Name), "clients"
		if g.Name != group {
			group = "clients " + g.Name
		}
		a := &g.Arrival
		if a.Kind == "poisson" || a.Kind == "constant" {
			m.add(Knob{
				Path: path + ".arrival.rate", Label: "Requests", Group: group, Kind: "rate",
				Value: rateText(a.Rate), Steps: rates(a.Rate),
			})
		}
		if g.Count > 1 || a.Kind == "burst" || a.Kind == "closed" {
			m.add(Knob{
				Path: path + ".count", Label: "Clients", Group: group, Kind: "number",
				Value: countText(g.Count), Steps: m.clientCounts(&g),
			})
		}
	}
}

// clientCounts leaves room for the processes that they live in.
func (m *knobMaker) clientCounts(g *scenarios.NamedGroup) []string {
	least := int64(1)
	if g.Processes != nil {
		least = *g.Processes
	}
	return counts(g.Count, least)
}

// replications is how well things are known.
func (m *knobMaker) replications() {
	r := &m.scenario.Replications
	if r.Until != nil {
		return
	}
	steps := []int64{1, 5, 10, 20, 50, 100, 200, r.Count}
	var out []string
	for _, n := range tidy(steps) {
		out = append(out, countText(n))
	}
	m.add(Knob{Path: "replications", Label: "Replications", Group: "run", Kind: "number", Value: countText(r.Count), Steps: out})
}
