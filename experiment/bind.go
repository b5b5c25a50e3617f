package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"retrystorm/sim"
)

// expectation is a sentence whose names have been found.
type expectation struct {
	text        string
	line, col   int
	left, right term
	op          string
	tolerance   *quantity
}

// term is one side: factor * metric at some points, or a quantity.
type term struct {
	text   string
	metric int // index of the column; none for a quantity
	kind   kind
	factor float64
	value  float64 // of a quantity
	where  selection
	// inherited: it is about a part that only the left side names.
	inherited bool
	// baseline: it is the metric at the same point of the baseline.
	baseline bool
}

// none is the metric of a term that is a quantity.
const none = -1

// selection narrows the points; what is empty may be anything.
type selection struct {
	variant string
	sweep   []string // per axis
}

// expect parses an expectation and finds what it names.
func (e *Experiment) expect(text string, line, col int) error {
	x, err := e.bind(text, line, col)
	if err == nil {
		e.expectations = append(e.expectations, x)
	}
	return err
}

func (e *Experiment) bind(text string, line, col int) (expectation, error) {
	s, err := parse(text)
	if err != nil {
		return expectation{}, err
	}
	x := expectation{text: text, line: line, col: col, op: s.op, tolerance: s.tolerance}
	var left parts
	if x.left, err = e.term(s.left, &left); err != nil {
		return x, err
	}
	if x.right, err = e.term(s.right, &left); err != nil {
		return x, err
	}
	if err := x.left.likeOther(&x.right); err != nil {
		return x, err
	}
	if err := x.right.likeOther(&x.left); err != nil {
		return x, err
	}
	return x, e.check(&x)
}

// check refuses what cannot be compared.
func (e *Experiment) check(x *expectation) error {
	l, r := &x.left, &x.right
	e.bare(l, r)
	e.bare(r, l)
	switch {
	case l.metric == none && r.metric == none:
		return errors.New("compares two numbers; one side must be a metric")
	case x.tolerance != nil && (x.op == "<" || x.op == ">"):
		return fmt.Errorf("a tolerance goes with ==, !=, <= or >=, not with %s", x.op)
	case l.kind == forever:
		return e.checkNever(r)
	case r.kind == forever:
		return e.checkNever(l)
	case l.metric == none && l.kind != r.kind:
		return mismatch(r, l)
	case l.kind != r.kind:
		return mismatch(l, r)
	}
	if t := x.tolerance; t != nil && t.kind != fraction && t.kind != l.kind {
		return fmt.Errorf("the tolerance %s should be a share of the right side, like 1%%, or %s", t.text, l.kind.what())
	}
	if r.inherited && r.metric == l.metric && r.where.empty() {
		return fmt.Errorf("compares %s with itself: what the left side selects holds on the right too%s", l.text, e.unlessAny(l.metric))
	}
	if len(e.pairs(x, e.points)) == 0 {
		return errors.New("compares a point with itself")
	}
	return nil
}

// bare takes 0 for 0%, and 1 for 100% of what is 0 or 1 in each replication:
// other shares need their %.
func (e *Experiment) bare(metric, other *term) {
	if metric.metric == none || metric.kind != fraction || other.metric != none || other.kind != number {
		return
	}
	if other.value == 0 || other.value == 1 && e.metrics[metric.metric].Share {
		other.kind = fraction
	}
}

func (e *Experiment) checkNever(t *term) error {
	if d := &e.metrics[t.metric]; !d.Infinite {
		return fmt.Errorf("%s is always finite; only these can be never: %s", d.Name, strings.Join(e.names(func(d *definition) bool { return d.Infinite }), ", "))
	}
	return nil
}

// mismatch explains why a metric cannot be compared with another term.
func mismatch(metric, other *term) error {
	if other.metric != none {
		return fmt.Errorf("%s is %s, and %s is %s", metric.text, metric.kind.what(), other.text, other.kind.what())
	}
	if metric.kind == fraction && other.kind == number {
		return fmt.Errorf("%s is a share: write %s%% for %s, or %s%% for %s of a percent", metric.text,
			digits6(100*other.value), other.text, other.text, other.text)
	}
	return fmt.Errorf("%s is %s, not %s", metric.text, metric.kind.what(), other.text)
}

// unlessAny says how to write on the right that all parts are meant.
func (e *Experiment) unlessAny(metric int) string {
	d := &e.metrics[metric]
	for k, v := range d.parts {
		if v != "" && d.per[k].together() {
			return fmt.Sprintf("; write [%s=%s] there for all", dimension(k), anyPart)
		}
	}
	return ""
}

// term finds what a phrase names. left is which part the left side selected;
// the right side has the same unless it says otherwise.
func (e *Experiment) term(ph phrase, left *parts) (term, error) {
	t := term{text: ph.text, metric: none, factor: 1, where: selection{sweep: make([]string, len(e.axes))}}
	if q := ph.quantity; q != nil {
		t.kind, t.value, t.factor = q.kind, q.value, q.value
	}
	if ph.metric == "" {
		return t, nil
	}
	if ph.quantity == nil {
		t.factor = 1
	} else if t.kind != number && t.kind != fraction {
		return t, fmt.Errorf("a metric is multiplied by a plain number or a share, not by %s", ph.quantity.text)
	}
	if ph.metric == baselineName {
		t.baseline = true
		if len(ph.selectors) > 0 {
			return t, fmt.Errorf("at column %d: %s takes no selectors: it is the metric of the other side, at the same point", ph.selectors[0].column, baselineName)
		}
		return t, nil
	}
	d, err := e.metric(ph.metric)
	if err != nil {
		return t, err
	}
	var own parts
	for _, s := range ph.selectors {
		if err := e.selector(&t.where, &own, &d, s); err != nil {
			return t, fmt.Errorf("at column %d: %w", s.column, err)
		}
	}
	if err := e.classed(&own); err != nil {
		return t, err
	}
	if err := e.checkSlice(&d, &t.where, own[byTime]); err != nil {
		return t, err
	}
	for k := range own {
		switch {
		case own[k] == "" && left[k] != "" && d.per[k] != undivided:
			own[k], t.inherited = left[k], true
		case own[k] == anyPart && d.per[k].together():
			own[k] = ""
		}
		left[k] = own[k]
	}
	if err := e.called(&d, own); err != nil {
		return t, err
	}
	t.metric, t.kind = e.column(d, own), d.kind
	return t, nil
}

// likeOther makes a baseline the same metric as the other side.
func (t *term) likeOther(other *term) error {
	switch {
	case !t.baseline:
		return nil
	case other.metric == none:
		return fmt.Errorf("%s is the metric of the other side in the baseline, and the other side has none", baselineName)
	}
	t.metric, t.kind = other.metric, other.kind
	return nil
}

// called checks that calls to a service are counted where there are any: those
// of a group are the calls that it makes itself, not what they lead to.
func (e *Experiment) called(d *definition, p parts) error {
	if d.per[byGroup] != onRequest || p[byGroup] == "" && p[byPolicy] == "" {
		return nil
	}
	var others []string
	for i := range e.shapes {
		to := e.shapes[i].target
		if p[byService] != "" {
			to = p[byService]
		}
		for _, h := range e.shapes[i].callers {
			if !p.madeBy(h.from) || p[byPolicy] != "" && !slices.Contains(h.policies, p[byPolicy]) {
				continue
			}
			if h.to == to {
				return nil
			}
			if s := "service=" + h.to; !slices.Contains(others, s) {
				others = append(others, s)
			}
		}
	}
	if len(others) == 0 {
		return fmt.Errorf("%s%s: there are no such calls", d.Name, p.label(", "))
	}
	return fmt.Errorf("%s%s: there are no such calls to that service, only to others: add %s", d.Name, p.label(", "), strings.Join(others, " or "))
}

// caller is a step of a model: who calls whom under which policies.
type caller struct {
	from, to string
	policies []string
}

func callers(m *sim.Model) []caller {
	var out []caller
	add := func(from string, steps []sim.Step) {
		for step := range sim.Calls(steps) {
			c := caller{from: from, to: m.Services[step.To].Name}
			for _, p := range step.Policies {
				c.policies = append(c.policies, p.Name)
			}
			out = append(out, c)
		}
	}
	for i := range m.Groups {
		add(m.Groups[i].Name, m.Groups[i].Steps)
	}
	for i := range m.Services {
		add(m.Services[i].Name, m.Services[i].Steps)
	}
	for i := range m.Groups {
		for _, c := range m.Groups[i].Classes {
			add(m.Groups[i].Name+"/"+c.Name, c.Steps)
		}
	}
	return out
}

// metric finds a metric by its name, any quantile included.
func (e *Experiment) metric(name string) (definition, error) {
	i := slices.IndexFunc(e.metrics, func(d definition) bool { return d.Name == name })
	if i >= 0 {
		return e.metrics[i], nil
	}
	if d, ok, err := e.special(name); ok {
		return d, err
	}
	d, ok, err := quantileMetric(name)
	if !ok {
		return d, e.unknownMetric(name)
	}
	return d, err
}

// column is where a metric is, of a part if one is named; it is added when it
// is new.
func (e *Experiment) column(d definition, p parts) int {
	if d.per[byService] == ofTarget && !slices.ContainsFunc(e.shapes, func(s shape) bool { return s.target != p[byService] }) {
		p[byService] = ""
	}
	if p != (parts{}) {
		d = d.only(p)
	}
	if i := slices.IndexFunc(e.metrics, func(o definition) bool { return o.Name == d.Name }); i >= 0 {
		return i
	}
	e.metrics = append(e.metrics, d)
	return len(e.metrics) - 1
}

// selector applies one selector of a metric.
func (e *Experiment) selector(where *selection, own *parts, d *definition, s selector) error {
	axis := slices.Index(e.axes, s.key)
	part := slices.Index(dimensionNames(), s.key)
	if s.key == "queue" && d.queued { // a queue is a place like any other
		part = int(byService)
	}
	switch {
	case s.key == "":
		return choose(&where.variant, "variant", s.value, e.variants)
	case axis >= 0:
		values := e.axisValues(axis)
		if i := slices.IndexFunc(values, func(v string) bool { return sameValue(v, s.value) }); i >= 0 {
			s.value = values[i]
		}
		return choose(&where.sweep[axis], s.key, s.value, values)
	case part == int(byTime):
		return e.chooseSlice(own, d, s.value)
	case part < 0:
		allowed := append(slices.Clone(e.axes), dimensionNames()...)
		return fmt.Errorf("nothing is swept by %q%s; what can be selected: a variant, %s", s.key, suggest(s.key, allowed), strings.Join(allowed, ", "))
	case d.per[part] == undivided:
		return fmt.Errorf("%s is not measured per %s; these are: %s", d.Name, s.key,
			strings.Join(e.names(func(o *definition) bool { return o.per[part] != undivided && o.parts == parts{} }), ", "))
	case part == int(byReason) && d.lettered:
		if err := checkReason(s.value); err != nil {
			return err
		}
		return choose(&own[part], s.key, s.value, []string{s.value})
	default:
		allowed := e.partNames(dimension(part))
		if d.queued && part == int(byService) {
			allowed = e.queues()
		}
		if d.per[part].together() {
			allowed = append(allowed, anyPart)
		}
		return choose(&own[part], s.key, s.value, allowed)
	}
}

// partNames are the parts in a dimension.
func (e *Experiment) partNames(d dimension) []string {
	switch d {
	case byService:
		return e.services()
	case byGroup:
		return e.groups()
	case byClass:
		return e.classes("")
	case byCause:
		return causes()
	case byPolicy:
		return e.policies()
	default:
		return reasons()
	}
}

// choose sets a selector that was empty to one of the allowed values.
func choose(slot *string, what, value string, allowed []string) error {
	if *slot != "" {
		return fmt.Errorf("selects two values of %s: %s and %s", what, *slot, value)
	}
	if len(allowed) == 0 || what == "policy" && len(allowed) == 1 && allowed[0] == anyPart {
		return fmt.Errorf("%s %q matches nothing; no %s has a name", what, value, what)
	}
	if !slices.Contains(allowed, value) {
		return fmt.Errorf("%s %q matches nothing%s; there are: %s", what, value, suggest(value, allowed), strings.Join(allowed, ", "))
	}
	*slot = value
	return nil
}

// sameValue compares the texts of two values, and if they are quantities, the
// quantities: 1m is 60s.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, restX, badX := scanQuantity(a)
	y, restY, badY := scanQuantity(b)
	return badX+badY+restX+restY == "" && x.kind == y.kind && x.value == y.value
}

const anyQuantile = "; and any quantile, like completion_p95 or success_p9999"

func (e *Experiment) unknownMetric(name string) error {
	for i := range e.metrics {
		if d := &e.metrics[i]; d.Column == name {
			example := map[kind]string{duration: "60s", frequency: "1000/s"}[d.kind]
			return fmt.Errorf("%s is a column; here the unit stands on the number: %s < %s", name, d.Name, example)
		}
	}
	names := e.names(func(d *definition) bool { return d.parts == parts{} })
	candidates := append(slices.Clone(names), baselineName)
	for _, s := range specials() {
		candidates = append(candidates, s.Name)
	}
	if hint := suggest(name, candidates); hint != "" {
		if strings.HasPrefix(name, "completion") || strings.HasPrefix(name, "success_p") {
			hint += anyQuantile
		}
		return fmt.Errorf("unknown metric %q%s", name, hint)
	}
	return fmt.Errorf("unknown metric %q; there are: %s%s", name, strings.Join(names, ", "), anyQuantile)
}

// names lists the metrics that are wanted.
func (e *Experiment) names(wanted func(*definition) bool) []string {
	var out []string
	for i := range e.metrics {
		if d := &e.metrics[i]; wanted(d) {
			out = append(out, d.Name)
		}
	}
	return out
}

// axisValues are the values of an axis, in order.
func (e *Experiment) axisValues(axis int) []string {
	return different(len(e.points), func(i int) []string { return e.points[i].sweep[axis : axis+1] })
}

// services are the services of all points, in order.
func (e *Experiment) services() []string {
	return different(len(e.shapes), func(i int) []string { return e.shapes[i].services })
}

// groups are the groups of clients of all points, in order.
func (e *Experiment) groups() []string {
	return different(len(e.shapes), func(i int) []string { return e.shapes[i].groups })
}

// queues are the queues of all points, in order.
func (e *Experiment) queues() []string {
	return different(len(e.shapes), func(i int) []string { return e.shapes[i].queues })
}

// classes are the classes of a group's requests, or of all groups', in order.
func (e *Experiment) classes(group string) []string {
	return different(len(e.shapes), func(i int) []string {
		var names []string
		for _, c := range e.shapes[i].classes {
			if g, name, _ := strings.Cut(c, "/"); group == "" || g == group {
				names = append(names, name)
			}
		}
		return names
	})
}

// classed names the group of a class, if only one has it.
func (e *Experiment) classed(p *parts) error {
	class := p[byClass]
	if class == "" || class == anyPart {
		return nil
	}
	var in []string
	for _, g := range e.groups() {
		if slices.Contains(e.classes(g), class) {
			in = append(in, g)
		}
	}
	switch {
	case p[byGroup] == "" && len(in) == 1:
		p[byGroup] = in[0]
	case !slices.Contains(in, p[byGroup]):
		return fmt.Errorf("class %s is one of %s: write group= with it", class, listOf(in))
	}
	return nil
}

// listOf writes a, b or c.
func listOf(words []string) string {
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " or " + words[n]
	}
	return strings.Join(words, "")
}

// policies are the policies with a name of all points, in order.
func (e *Experiment) policies() []string {
	return different(len(e.shapes), func(i int) []string {
		var names []string
		for _, c := range e.shapes[i].callers {
			for _, name := range c.policies {
				if name != "" {
					names = append(names, name)
				}
			}
		}
		return names
	})
}

// different are the different names in n lists, in order.
func different(n int, list func(i int) []string) []string {
	var out []string
	seen := map[string]bool{}
	for i := range n {
		for _, name := range list(i) {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// suggest names the candidate that was probably meant, if one is close.
func suggest(word string, candidates []string) string {
	best, least := "", len(word)/3+1
	for _, c := range candidates {
		if d := distance(word, c); d <= least && (best == "" || d < least) {
			best, least = c, d
		}
	}
	if best == "" || len(word) > 64 {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance counts the insertions, deletions and replacements between words.
func distance(a, b string) int {
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		diagonal := last[0]
		last[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = last[j+1]
			last[j+1] = min(cost, last[j]+1, last[j+1]+1)
		}
	}
	return last[len(b)]
}
