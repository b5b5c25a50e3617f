package scenarios

import "strings"

// A text in an editor is seldom YAML: somebody is typing. A sketch is what can be
// told of it all the same, by indentation and brackets. What is still open ends
// where the text goes on further to the left.

// cursor is put into a text where its cursor is, and found again in the sketch.
const cursor = "\ue000"

// sketch is a value: nothing yet, a word or more, a map or a list.
type sketch struct {
	kind  nodeKind // nullNode, scalarNode, mapNode or listNode
	text  string   // of a scalar, without its quotes
	keys  []sketchKey
	items []*sketch
}

// sketchKey is a line of a map. A bare one has no colon: the beginning of a key,
// or, alone, a value in a line of its own.
type sketchKey struct {
	name string
	bare bool
	val  *sketch
}

// has says whether the cursor is inside.
func (s *sketch) has() bool {
	if s.kind == scalarNode {
		return strings.Contains(s.text, cursor)
	}
	for _, k := range s.keys {
		if strings.Contains(k.name, cursor) || k.val.has() {
			return true
		}
	}
	for _, item := range s.items {
		if item.has() {
			return true
		}
	}
	return false
}

// word is the text of a value that is no map and no list.
func (s *sketch) word() (string, bool) {
	switch {
	case s.kind == scalarNode:
		return s.text, true
	case s.kind == mapNode && len(s.keys) == 1 && s.keys[0].bare:
		return s.keys[0].name, true
	}
	return "", false
}

// get is the value of a key, or one that is nothing.
func (s *sketch) get(name string) *sketch {
	for _, k := range s.keys {
		if k.name == name && !k.bare {
			return k.val
		}
	}
	return &sketch{kind: nullNode}
}

// names lists the keys that are complete.
func (s *sketch) names() []string {
	var out []string
	for _, k := range s.keys {
		if !k.bare && !strings.Contains(k.name, cursor) {
			out = append(out, k.name)
		}
	}
	return out
}

// sketchOf draws a text.
func sketchOf(text string) *sketch {
	root := &sketch{kind: nullNode}
	d := drawing{open: []container{{-1, root}}}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		indent, line := trimmed(lines[i])
		if line == "" {
			continue
		}
		more := 0
		switch value := valueOf(line); {
		case strings.HasPrefix(value, "{") || strings.HasPrefix(value, "["):
			more = unclosed(value, indent, lines[i+1:])
		case isBlock(value):
			more = deeper(indent, lines[i+1:])
		}
		parts := []string{line}
		for _, next := range lines[i+1 : i+1+more] {
			_, next = trimmed(next)
			parts = append(parts, next)
		}
		d.line(indent, strings.Join(parts, " "))
		i += more
	}
	return root
}

// trimmed is a line without its indentation and its comment.
func trimmed(line string) (indent int, rest string) {
	rest = strings.TrimLeft(line, " ")
	indent = len(line) - len(rest)
	quote := byte(0)
	for i := range len(rest) {
		switch c := rest[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" {[,", rest[i-1]) >= 0):
			quote = c
		case c == '#' && (i == 0 || rest[i-1] == ' '):
			return indent, strings.TrimSpace(rest[:i])
		}
	}
	return indent, strings.TrimSpace(rest)
}

// valueOf is what a line ends with: after its dashes and its key.
func valueOf(line string) string {
	for strings.HasPrefix(line, "- ") {
		line = strings.TrimLeft(line[2:], " ")
	}
	if _, value, ok := cutKey(line); ok {
		return value
	}
	return line
}

// isBlock says whether a text of several lines begins.
func isBlock(value string) bool {
	return value != "" && strings.ContainsAny(value[:1], "|>") && strings.Trim(value, "|>+-0123456789") == ""
}

// deeper is how many of the lines that follow are further to the right.
func deeper(indent int, lines []string) int {
	for i, line := range lines {
		if in, text := trimmed(line); text != "" && in <= indent {
			return i
		}
	}
	return len(lines)
}

// unclosed is how many of the lines that follow belong to a value in brackets.
func unclosed(value string, indent int, lines []string) int {
	b := brackets{}
	b.read(value)
	for i, line := range lines {
		in, text := trimmed(line)
		if b.depth <= 0 || text != "" && in <= indent && strings.IndexByte("]}", text[0]) < 0 {
			return i
		}
		b.read(text)
	}
	return len(lines)
}

// brackets counts those that are open.
type brackets struct {
	depth int
	quote rune
}

func (b *brackets) read(text string) {
	for _, c := range text {
		switch {
		case b.quote != 0:
			if c == b.quote {
				b.quote = 0
			}
		case c == '"' || c == '\'':
			b.quote = c
		case c == '{' || c == '[':
			b.depth++
		case c == '}' || c == ']':
			b.depth--
		}
	}
}

// cutKey takes a key off the beginning of a line, or of a part of one in braces.
func cutKey(line string) (key, value string, ok bool) {
	start := 0
	if line != "" && (line[0] == '"' || line[0] == '\'') {
		end := strings.IndexByte(line[1:], line[0])
		if end < 0 {
			return "", "", false
		}
		start = end + 2
	} else if line != "" && strings.ContainsAny(line[:1], "{[") {
		return "", "", false
	}
	for i := start; i < len(line); i++ {
		if line[i] != ':' {
			continue
		}
		if rest := line[i+1:]; endsKey(rest) {
			return unquoted(strings.TrimSpace(line[:i])), strings.TrimSpace(rest), true
		}
	}
	return "", "", false
}

// endsKey says whether a colon before the rest of a line ends a key.
func endsKey(rest string) bool {
	return rest == "" || strings.IndexByte(" ,]}", rest[0]) >= 0 || strings.HasPrefix(rest, cursor)
}

func unquoted(s string) string {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return s
	}
	return strings.TrimSuffix(s[1:], s[:1])
}

// container is a map or a list that lines go into.
type container struct {
	indent int
	*sketch
}

// drawing has the containers that are open, the innermost last.
type drawing struct{ open []container }

func (d *drawing) top() container { return d.open[len(d.open)-1] }

// line puts a line where its indentation says.
func (d *drawing) line(indent int, text string) {
	item := text == "-" || strings.HasPrefix(text, "- ")
	for len(d.open) > 1 {
		top := d.top()
		if top.indent < indent || top.indent == indent && (top.kind != listNode || item) {
			break
		}
		d.open = d.open[:len(d.open)-1]
	}
	if top := d.top(); top.indent < indent || item && top.kind == mapNode {
		last := top.last()
		if last == nil {
			return
		}
		d.open = append(d.open, container{indent, last})
	}
	top := d.top()
	switch {
	case top.kind == scalarNode:
		if !strings.Contains(top.text, cursor) { // a text of several lines; only that of the cursor matters
			top.text = text
		}
	case item:
		d.item(indent, text)
	default:
		if top.kind == listNode {
			return
		}
		top.kind = mapNode
		key, value, ok := cutKey(text)
		if !ok {
			if in := inline(text); in.kind != scalarNode && len(top.keys) == 0 {
				*top.sketch = *in
				return
			}
			key = unquoted(text)
		}
		top.keys = append(top.keys, sketchKey{key, !ok, inline(value)})
	}
}

// item begins an item of a list; the rest of its line is a line within.
func (d *drawing) item(indent int, text string) {
	top := d.top()
	if top.kind == mapNode {
		return
	}
	top.kind = listNode
	top.items = append(top.items, &sketch{kind: nullNode})
	rest := strings.TrimLeft(text[1:], " ")
	if rest != "" && len(d.open) <= maxDepth {
		d.line(indent+len(text)-len(rest), rest)
	}
}

// last is what deeper lines belong to, or nil.
func (c container) last() *sketch {
	switch {
	case c.indent < 0 && c.kind == nullNode:
		return c.sketch
	case c.kind == mapNode && len(c.keys) > 0:
		return c.keys[len(c.keys)-1].val
	case c.kind == listNode && len(c.items) > 0:
		return c.items[len(c.items)-1]
	}
	return nil
}

// inline draws a value within a line.
func inline(text string) *sketch {
	switch {
	case text == "":
		return &sketch{kind: nullNode}
	case text[0] == '{' || text[0] == '[':
		f := flow{text: text}
		return f.value(0)
	}
	return &sketch{kind: scalarNode, text: unquoted(text)}
}

// flow reads maps and lists in brackets.
type flow struct {
	text string
	at   int
}

func (f *flow) blanks() {
	for f.at < len(f.text) && strings.IndexByte(" ,", f.text[f.at]) >= 0 {
		f.at++
	}
}

func (f *flow) value(depth int) *sketch {
	for f.at < len(f.text) && f.text[f.at] == ' ' {
		f.at++
	}
	switch {
	case f.at == len(f.text):
		return &sketch{kind: nullNode}
	case depth <= maxDepth && f.text[f.at] == '{':
		return f.object(depth)
	case depth <= maxDepth && f.text[f.at] == '[':
		return f.list(depth)
	}
	return inline(strings.TrimSpace(f.plain(false)))
}

// plain reads up to the end of a value, or of a key.
func (f *flow) plain(key bool) string {
	start := f.at
	quote := byte(0)
	for ; f.at < len(f.text); f.at++ {
		switch c := f.text[f.at]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && strings.TrimSpace(f.text[start:f.at]) == "":
			quote = c
		case strings.IndexByte(",{}[]", c) >= 0:
			return f.text[start:f.at]
		case key && c == ':':
			if endsKey(f.text[f.at+1:]) {
				return f.text[start:f.at]
			}
		}
	}
	return f.text[start:]
}

func (f *flow) object(depth int) *sketch {
	s := &sketch{kind: mapNode}
	f.at++
	for f.blanks(); f.at < len(f.text); f.blanks() {
		if strings.IndexByte("}]", f.text[f.at]) >= 0 {
			f.at++
			break
		}
		start := f.at
		key := sketchKey{name: unquoted(strings.TrimSpace(f.plain(true))), bare: true, val: &sketch{kind: nullNode}}
		if f.at < len(f.text) && f.text[f.at] == ':' {
			f.at++
			key.bare, key.val = false, f.value(depth+1)
		}
		s.keys = append(s.keys, key)
		if f.at == start { // a bracket that nobody expects
			f.at++
		}
	}
	return s
}

func (f *flow) list(depth int) *sketch {
	s := &sketch{kind: listNode}
	f.at++
	for f.blanks(); f.at < len(f.text); f.blanks() {
		if strings.IndexByte("}]", f.text[f.at]) >= 0 {
			f.at++
			break
		}
		start := f.at
		s.items = append(s.items, f.value(depth+1))
		if f.at == start {
			f.at++
		}
	}
	return s
}
