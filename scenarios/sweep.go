package scenarios

import (
	"math"
	"slices"
	"strings"
)

// axis is one axis of a sweep: a path with its values, or a label whose values
// are sets of overrides that move together.
type axis struct {
	name   string
	at     place
	values []axisValue
	span   *span       // of an axis that has all values of a range
	paths  []*override // one for each path it sets, to find clashes
}

func (a *axis) empty() bool { return len(a.values) == 0 && a.span == nil }

type axisValue struct {
	text   string
	number float64 // in the base unit, for plots; NaN if it is none
	set    []*override
}

// sweep reads the section.
func (s shaper) sweep(root *node) []axis {
	n := root.value("sweep")
	if n == nil || n.kind == badNode {
		return nil
	}
	if n.kind != mapNode || len(n.fields) == 0 {
		s.at(n.at, "sweep", n.String(), "a map from paths to values is expected, as in {clients.count: [100, 200]}", "")
		return nil
	}
	var out []axis
	for _, e := range n.fields {
		if a := s.axis(e, root.value("design")); !a.empty() {
			out = append(out, a)
		}
	}
	return out
}

func (s shaper) axis(e entry, design *node) axis {
	a := axis{name: e.name, at: e.at}
	path, layer := "sweep."+e.name, "sweep axis "+e.name
	switch n := e.val; n.kind {
	case mapNode:
		if w := checkName(e.name); w != nil {
			s.at(e.at, path, "", "the label of an axis is a name; a path has a list of values", w.allowed)
			return a
		}
		for _, v := range n.fields {
			if w := checkName(v.name); w != nil {
				s.at(v.at, path, v.name, w.message, w.allowed)
				continue
			}
			a.add(axisValue{v.name, math.NaN(), s.overrides(v.val, join(path, v.name), layer)})
		}
	case listNode:
		for _, v := range n.items {
			text := v.text
			if v.kind != scalarNode {
				text = v.String()
			}
			s.addValue(&a, layer, text, v)
		}
	case scalarNode:
		s.readRange(&a, layer, n, design)
		if len(a.values) == 0 {
			return a
		}
	default:
		if n.kind == nullNode {
			s.at(n.at, path, "", "the values are missing", sweepAllowed)
		}
		return a
	}
	if len(e.val.items)+len(e.val.fields) == 0 && e.val.kind != scalarNode {
		s.at(e.val.at, path, "", "an axis needs at least one value", sweepAllowed)
	}
	if v := a.twice(); v != "" {
		s.at(e.val.at, path, v, "the same value twice", "")
	}
	return a
}

// readRange gives an axis the values of a range, or all of them.
func (s shaper) readRange(a *axis, layer string, n, design *node) {
	path := "sweep." + a.name
	f, unknown := s.specs.resolve(pathNames(a.name))
	r, w := parseSpan(n.text, unknown == nil && f.unit == "count")
	var texts []string
	switch {
	case w == nil && !r.open():
		texts, w = r.values()
	case w != nil || isUnreadDesign(design):
	case fills(design.scalar("kind")):
		texts = []string{r.write(r.from), r.write(r.to)}
	default:
		end := " linear 9 or " + n.text + " log 9"
		if r.log {
			end = " 9"
		}
		w = &wrong{"how many values? Write " + n.text + end + ", or one of the designs that take values from all of a range", strings.Join(filling, ", ")}
	}
	if w != nil {
		s.at(n.at, path, n.text, w.message, w.allowed)
		return
	}
	for _, text := range texts {
		s.addValue(a, layer, text, &node{kind: scalarNode, at: n.at, text: text})
	}
	if r.open() && len(a.values) > 0 {
		a.span, a.values = r, nil
	}
}

func isUnreadDesign(n *node) bool { return n != nil && n.kind == badNode }

// filling are the designs that take values from all of a range.
var filling = []string{"latin", "sobol", "morris"}

func fills(design string) bool { return slices.Contains(filling, design) }

// value is one more value of an axis that has a path.
func (s shaper) value(a *axis, text string) axisValue {
	one := axis{name: a.name, at: a.at}
	s.addValue(&one, a.paths[0].layer, text, &node{kind: scalarNode, at: a.paths[0].val.at, text: text})
	return one.values[0]
}

func (s shaper) addValue(a *axis, layer, text string, val *node) {
	from := &node{kind: mapNode, at: a.at}
	if o := s.override(a.name, a.at, val, layer, false, from); o != nil {
		a.add(axisValue{text, number(text), []*override{o}})
	}
}

// twice is a value that stands there twice, perhaps in other words: 1s and
// 1000ms; empty if none does.
func (a *axis) twice() string {
	texts, numbers := map[string]bool{}, map[float64]bool{}
	for _, v := range a.values {
		if texts[v.text] || numbers[v.number] { // NaN is never there
			return v.text
		}
		texts[v.text] = true
		numbers[v.number] = true
	}
	return ""
}

func (a *axis) add(v axisValue) {
	a.values = append(a.values, v)
	for _, o := range v.set {
		known := false
		for _, p := range a.paths {
			known = known || p.name() == o.name()
		}
		if !known {
			a.paths = append(a.paths, o)
		}
	}
}

// number is a value in its base unit: seconds, per second, share or plain.
// Every number carries its unit, so the text alone tells.
func number(text string) float64 {
	if d, w := parseDuration(text); w == nil {
		return d.Seconds()
	}
	for _, parse := range []func(string) (float64, *wrong){parseRate, parseShare, parseFactor} {
		if x, w := parse(text); w == nil {
			return x
		}
	}
	return math.NaN()
}
