package scenarios

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"
)

// axis is one axis of a sweep: a path with its values, or a label whose values
// are sets of overrides that move together.
type axis struct {
	name   string
	at     place
	values []axisValue
	paths  []*override // one for each path it sets, to find clashes
}

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
		if a := s.axis(e); len(a.values) > 0 {
			out = append(out, a)
		}
	}
	return out
}

func (s shaper) axis(e entry) axis {
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
		texts, w := spread(n.text)
		if w != nil {
			s.at(n.at, path, n.text, w.message, w.allowed)
			return a
		}
		for _, text := range texts {
			s.addValue(&a, layer, text, &node{kind: scalarNode, at: n.at, text: text})
		}
	default:
		if n.kind == nullNode {
			s.at(n.at, path, "", "the values are missing", sweepAllowed)
		}
		return a
	}
	if len(a.values) == 0 {
		s.at(e.val.at, path, "", "an axis needs at least one value", sweepAllowed)
	}
	seen := map[string]bool{}
	for _, v := range a.values {
		if seen[v.text] {
			s.at(e.val.at, path, v.text, "the same value twice", "")
			break
		}
		seen[v.text] = true
	}
	return a
}

func (s shaper) addValue(a *axis, layer, text string, val *node) {
	from := &node{kind: mapNode, at: a.at}
	if o := s.override(a.name, a.at, val, layer, false, from); o != nil {
		a.add(axisValue{text, number(text), []*override{o}})
	}
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

const (
	sweepAllowed = "a list, or a range such as 10..200 step 10"
	maxValues    = 10_000
)

var rangeForm = func() *regexp.Regexp {
	const number, unit = `([0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][0-9]+)?)`, `([^0-9. ][^. ]*)?`
	return regexp.MustCompile(`^` + number + unit + `\.\.` + number + unit + ` +step +` + number + unit + `$`)
}()

// spread lists the values of a range: 10..200 step 10, or 1s..5m step 1s.
func spread(text string) ([]string, *wrong) {
	m := rangeForm.FindStringSubmatch(text)
	if m == nil {
		return nil, &wrong{"not a range", sweepAllowed}
	}
	unit, write := m[2], func(r *big.Rat) string { return decimal(r) }
	var ends [3]*big.Rat
	for i := range ends {
		num, u := m[1+2*i], m[2+2*i]
		if w := checkNumber(num, sweepAllowed); w != nil {
			return nil, w
		}
		if u != unit {
			return spreadDurations(m)
		}
		r, ok := new(big.Rat).SetString(plain(num))
		if !ok || r.Num().BitLen()+r.Denom().BitLen() > 200 {
			return nil, &wrong{"not a range", sweepAllowed}
		}
		ends[i] = r
	}
	return steps(ends, func(r *big.Rat) string { return write(r) + unit })
}

// spreadDurations is for ends in different units: 500ms..5s step 500ms.
func spreadDurations(m []string) ([]string, *wrong) {
	var ends [3]*big.Rat
	for i := range ends {
		d, w := parseDuration(m[1+2*i] + m[2+2*i])
		if w != nil {
			return nil, &wrong{"a range has the same unit three times", "as in 1/s..10/s step 1/s"}
		}
		ends[i] = new(big.Rat).SetInt64(int64(d))
	}
	return steps(ends, func(r *big.Rat) string { return formatDuration(time.Duration(r.Num().Int64())) })
}

func steps(ends [3]*big.Rat, write func(*big.Rat) string) ([]string, *wrong) {
	from, to, step := ends[0], ends[1], ends[2]
	switch {
	case step.Sign() == 0:
		return nil, &wrong{"a step of 0 leads nowhere", sweepAllowed}
	case from.Cmp(to) > 0:
		return nil, &wrong{"a range goes upwards", sweepAllowed}
	}
	count := new(big.Rat).Sub(to, from)
	count.Quo(count, step)
	n := new(big.Int).Quo(count.Num(), count.Denom())
	if !n.IsInt64() || n.Int64() >= maxValues {
		return nil, &wrong{fmt.Sprintf("more than %d values", maxValues), ""}
	}
	var out []string
	for x := new(big.Rat).Set(from); x.Cmp(to) <= 0; x.Add(x, step) {
		out = append(out, strings.TrimSpace(write(x)))
	}
	return out, nil
}
