package scenarios

import (
	"reflect"
	"slices"
	"strings"
)

var (
	outcomeWords = []string{"timeout", "refused", "reset", "rejected", "transient", "any", "5xx", "4xx", "429", "500", "502", "503", "504"}
	answerWords  = []string{"refused", "reset", "silent", "429", "500", "502", "503", "504"}
)

// detail says briefly how a field is written, and what it is when it is left out.
func (c *completer) detail(sp *spec, f *field) string {
	s := c.typeWords(sp, f)
	switch {
	case f.required:
		s += ", required"
	case f.hasDef && f.def != "":
		s += ", default " + f.def
	case f.none:
		s += ", or none"
	}
	return s
}

// typeWords says how a field is written.
func (c *completer) typeWords(sp *spec, f *field) string {
	shape, t := c.specs.shapeOf(f.typ)
	switch {
	case f.enum != nil && shape == asScalar:
		return "one of " + strings.Join(f.enum, ", ")
	case f.name == "kind" && len(sp.kinds()) > 0:
		return "one of " + strings.Join(sp.kinds(), ", ")
	}
	switch shape {
	case asNamed:
		return "map by name"
	case asSteps:
		return "calls"
	case asPolicy:
		return "policy"
	case asList:
		return "list"
	case asVariants, asAxes:
		return "map"
	case asMap:
		if len(c.specs.of(t).rows) > 0 {
			return "one line or map"
		}
		return "map"
	}
	switch f.unit {
	case "count":
		return "number"
	case "rate":
		return "rate such as 5/s"
	case "share":
		return "share such as 20%"
	case "factor":
		return "factor"
	}
	switch {
	case t == typeDuration:
		return "time such as 100ms"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case f.format == "name":
		return "name"
	}
	return "text"
}

// scalar offers the values of a field.
func (c *completer) scalar(s seat, n *sketch) {
	if text, ok := n.word(); ok {
		c.scalarWord(s, text)
	}
}

func (c *completer) scalarWord(s seat, text string) {
	head, here := before(text)
	if !here {
		return
	}
	c.prefix = head
	f := s.field
	switch {
	case c.isMetric(s):
		c.metric(head)
		return
	case s.owner == typeDocument && f.name == "assumed":
		c.paths(head, false, true)
		return
	case s.owner == typeBisection && f.name == "axis":
		c.paths(head, false, false)
		return
	}
	c.plainValues(s)
}

// plainValues offers what a field can be, whatever is there.
func (c *completer) plainValues(s seat) {
	f := s.field
	if s.owner != nil && f.name == "kind" {
		if sp := c.specs.of(s.owner); len(sp.kinds()) > 0 {
			c.kinds(sp)
			return
		}
	}
	if names, detail, ok := c.namesFor(s); ok {
		c.names(detail, names)
	}
	if f.hasDef && f.def != "" && !strings.HasPrefix(f.def, "[") {
		c.values("default", f.def)
	}
	c.values("", f.enum...)
	_, t := c.specs.shapeOf(f.typ)
	switch {
	case t == typeDuration && !f.hasDef:
		c.values("", "100ms", "1s", "10s", "1m")
	case t.Kind() == reflect.Bool:
		c.values("", "true", "false")
	case t == typeAfter:
		c.values("quantile of the times seen", "p50", "p95", "p99")
	case t == typeAsked:
		c.values("", "1s", "next-token", "recovery", "queue", "never")
	case t == typeWarmup:
		c.values("found from what the run does", "auto")
	case t == typeNeed:
		c.values("", "all", "first")
	case t == typeAnswer:
		c.values("", answerWords...)
	case f.format == "outcome":
		c.values("", outcomeWords...)
	case f.unit == "rate" && !f.hasDef:
		c.values("", "1/s", "10/s", "100/s")
	}
	if f.none {
		c.values("switched off", "none")
	}
	if f.unlimited {
		c.values("no limit", "unlimited")
	}
}

func (c *completer) kinds(sp *spec) {
	for _, r := range sp.rows {
		if r.kind != "" {
			c.add("value", r.kind, strings.Join(r.fields, ", "), "", r.kind)
		}
	}
}

// namesFor are the names that a field refers to.
func (c *completer) namesFor(s seat) (names []string, detail string, ok bool) {
	section := func(name, detail string) ([]string, string, bool) { return c.root.get(name).names(), detail, true }
	switch name := s.field.name; {
	case s.owner == typeStep && name == "to":
		services, _, _ := section("services", "")
		return append(services, c.root.get("queues").names()...), "service or queue", true
	case s.owner == typeQueue && name == "to", s.owner == typeDocument && name == "target":
		return section("services", "service")
	case s.owner == typeDocument && name == "compare_to":
		return section("variants", "variant")
	case s.owner == typePolicy && name == "extends":
		others := slices.DeleteFunc(c.root.get("policies").names(), func(p string) bool { return p == s.under })
		return others, "policy", true
	case s.owner == typePolicy && name == "library":
		return PresetNames(), "library", true
	case s.owner == typePolicy && name == "version":
		library := ""
		if s.map_ != nil {
			library, _ = s.map_.get("library").word()
		}
		p, _ := FindPreset(library)
		return p.Versions, "version that changed something", true
	case name == "dead_letter", s.owner == typeAction && name == "queue":
		return section("queues", "queue")
	case s.owner == typeAction && name == "group":
		groups := c.root.get("groups").names()
		if c.root.get("clients").kind != nullNode {
			groups = append([]string{"clients"}, groups...)
		}
		return groups, "group", true
	}
	return nil, "", false
}

// oneLine offers the next word of a form such as "exponential 100ms cap 20s".
func (c *completer) oneLine(s seat, t reflect.Type, text string) {
	sp := c.specs.of(t)
	head, here := before(text)
	if !here {
		return
	}
	words := strings.Fields(head)
	c.prefix = ""
	if head != "" && !strings.HasSuffix(head, " ") {
		c.prefix, words = words[len(words)-1], words[:len(words)-1]
	}
	kinds := sp.kinds()
	if len(words) == 0 {
		c.kindsAtOnce(s, t)
		return
	}
	r := sp.rowOf(words[0])
	switch {
	case r != nil && len(kinds) > 0:
		words = words[1:]
	case r == nil: // the word of the first kind is left out
		r = &sp.rows[0]
	}
	var used []string
	for i := 0; i < r.positional; i++ {
		name := r.fields[i]
		if len(words) == 0 {
			c.plainValues(seat{field: sp.field(name), owner: t})
			break
		}
		if r.uses(words[0]) {
			break
		}
		used, words = append(used, name), words[1:]
	}
	for len(words) > 1 {
		used, words = append(used, words[0]), words[2:]
	}
	if len(words) == 1 {
		if f := sp.field(words[0]); f != nil && r.uses(f.name) {
			c.items = nil
			c.plainValues(seat{field: f, owner: t})
		}
		return
	}
	for _, name := range r.fields {
		f := sp.field(name)
		if shape, _ := c.specs.shapeOf(f.typ); slices.Contains(used, name) || shape == asList || shape == asNamed || shape == asSteps {
			continue
		}
		c.add("field", name, c.detail(sp, f), "", name+" ")
	}
}

// kindsAtOnce offers the first word of a one-line form.
func (c *completer) kindsAtOnce(s seat, t reflect.Type) {
	sp := c.specs.of(t)
	if s.field.hasDef && s.field.def != "" {
		c.values("default", s.field.def)
	}
	c.kinds(sp)
	if r := &sp.rows[0]; r.positional > 0 && (r.kind == "" || sp.field("kind").hasDef) {
		c.plainValues(seat{field: sp.field(r.fields[0]), owner: t})
	}
	if s.field.none {
		c.values("switched off", "none")
	}
}

// isMetric says whether expectations or a metric stand at a seat.
func (c *completer) isMetric(s seat) bool {
	switch s.owner {
	case typeDocument:
		return s.field.name == "expect"
	case typeBisection:
		return s.field.name == "where"
	case typePrecision:
		return s.field.name == "metric"
	}
	return false
}

// metric offers the names of metrics and, in brackets, what narrows them.
func (c *completer) metric(head string) {
	c.prefix = head[strings.LastIndexAny(head, " [,*=<>")+1:]
	if open := strings.LastIndexByte(head, '['); open > strings.LastIndexByte(head, ']') {
		inner := head[open+1:]
		inner = inner[strings.LastIndexByte(inner, ',')+1:]
		switch key, _, ok := strings.Cut(inner, "="); {
		case ok && strings.TrimSpace(key) == "service":
			c.names("service", append(c.root.get("services").names(), c.root.get("queues").names()...))
		case ok && strings.TrimSpace(key) == "group":
			c.names("group", c.root.get("groups").names())
		case ok && strings.TrimSpace(key) == "policy":
			c.names("policy", c.root.get("policies").names())
		case !ok:
			c.names("variant", c.root.get("variants").names())
			for _, key := range c.root.get("sweep").names() {
				c.add("name", key, "sweep axis", "", key+"=")
			}
			for _, key := range []string{"service", "group", "policy", "cause", "reason", "t"} {
				c.add("name", key, "part", "", key+"=")
			}
		}
		return
	}
	for _, m := range c.metrics {
		c.add("name", m.Name, "metric", m.Help, m.Name)
	}
	c.add("name", "baseline", "of a result that was kept", "", "baseline")
}
