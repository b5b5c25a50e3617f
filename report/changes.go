package report

import (
	"fmt"
	"strconv"
	"strings"
)

// mostChanges is how many changes of a scenario are named.
const mostChanges = 3

// scenarioChanges says what has changed between two scenarios in long form.
func scenarioChanges(before, after []byte) string {
	was, is := leaves(string(before)), leaves(string(after))
	var changes []string
	old := map[string]string{}
	for _, x := range was {
		old[x.path] = x.value
	}
	now := map[string]string{}
	for _, x := range is {
		now[x.path] = x.value
		switch value, ok := old[x.path]; {
		case !ok:
			changes = append(changes, fmt.Sprintf("%s is new: %s", x.path, x.value))
		case value != x.value:
			changes = append(changes, fmt.Sprintf("%s was %s, is %s", x.path, value, x.value))
		}
	}
	for _, x := range was {
		if _, ok := now[x.path]; !ok {
			changes = append(changes, fmt.Sprintf("%s is gone, was %s", x.path, x.value))
		}
	}
	switch more := len(changes) - mostChanges; {
	case len(before) == 0:
		return "the scenario has changed since"
	case len(changes) == 0:
		return "a file that the scenario reads has changed since"
	case more > 0:
		return fmt.Sprintf("the scenario has changed since: %s; and %d more", strings.Join(changes[:mostChanges], "; "), more)
	}
	return "the scenario has changed since: " + strings.Join(changes, "; ")
}

// leaf is a value of a scenario and where it stands.
type leaf struct{ path, value string }

// leaves lists the values of a scenario in long form, whose lines are all of
// the kinds "key: value", "key:", "- value" and "- key: value", indented by
// what they belong to. A line of another kind belongs to the value before it.
func leaves(text string) []leaf {
	var list []leaf
	var open []nest // from the outermost
	for line := range strings.Lines(text) {
		content := strings.TrimSpace(line)
		if content == "" {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		for {
			rest, isItem := strings.CutPrefix(content, "- ")
			if !isItem {
				break
			}
			open = within(open, indent, true)
			last := &open[len(open)-1]
			last.items++
			last.name = "[" + strconv.Itoa(last.items) + "]"
			indent, content = indent+2, rest
			open = within(open, indent, false)
		}
		open = within(open, indent, false)
		key, value, ok := cutKey(content)
		switch {
		case ok && value == "":
			open = append(open, nest{indent: indent, name: key})
		case ok:
			list = append(list, leaf{pathOf(open, key), value})
		default:
			list = append(list, leaf{pathOf(open, ""), content})
		}
	}
	return list
}

// nest is a key or a list that encloses what follows.
type nest struct {
	indent int
	name   string
	list   bool
	items  int
}

// within leaves the levels that enclose a line of an indent; a list may stand at
// the indent of its key.
func within(open []nest, indent int, item bool) []nest {
	for len(open) > 0 {
		last := open[len(open)-1]
		if last.indent < indent || item && last.indent == indent {
			break
		}
		open = open[:len(open)-1]
	}
	if item && (len(open) == 0 || !open[len(open)-1].list || open[len(open)-1].indent != indent) {
		open = append(open, nest{indent: indent, list: true})
	}
	return open
}

// cutKey takes a line apart; ok is false when it is a value only.
func cutKey(content string) (key, value string, ok bool) {
	end := 0
	switch content[0] {
	case '[', '{':
		return "", "", false
	case '"', '\'': // the key ends with its quote
		if end = 2 + strings.IndexByte(content[1:], content[0]); end == 1 {
			return "", "", false
		}
	}
	key, value, ok = strings.Cut(content[end:]+" ", ": ")
	return content[:end] + key, strings.TrimSpace(value), ok && (end == 0 || key == "")
}

func pathOf(open []nest, key string) string {
	var b strings.Builder
	for _, l := range open {
		if !l.list && b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(l.name)
	}
	if key != "" && b.Len() > 0 {
		b.WriteByte('.')
	}
	return b.String() + key
}
