package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostChanges is how many changes of a scenario are named.
const mostChanges = 10

// scenarioChanges says what has changed between two scenarios in long form, but
// for the values at paths of which it has been said.
func scenarioChanges(before, after []byte, said ...string) string {
	was, wasExpected := expected(leaves(string(before)))
	is, isExpected := expected(leaves(string(after)))
	var changes []string
	old, now := valuesAt(was), valuesAt(is)
	for _, x := range is {
		value, ok := old[x.path]
		switch {
		case slices.Contains(said, x.path):
		case !ok && !filledIn(x, was):
			changes = append(changes, fmt.Sprintf("%s is new: %s", x.path, x.value))
		case ok && value != x.value:
			changes = append(changes, fmt.Sprintf("%s was %s, is %s", x.path, value, x.value))
		}
	}
	for _, x := range was {
		if _, ok := now[x.path]; !ok && !filledIn(x, is) && !slices.Contains(said, x.path) {
			changes = append(changes, fmt.Sprintf("%s is gone, was %s", x.path, x.value))
		}
	}
	changes = append(changes, expectationChanges(wasExpected, isExpected)...)
	switch more := len(changes) - mostChanges; {
	case len(before) == 0:
		return "the scenario has changed since"
	case len(changes) == 0 && len(said) > 0:
		return ""
	case len(changes) == 0:
		return "a file that the scenario reads has changed since"
	case more > 0:
		return fmt.Sprintf("the scenario has changed since: %s; and %d more", strings.Join(changes[:mostChanges], "; "), more)
	}
	return "the scenario has changed since: " + strings.Join(changes, "; ")
}

func valuesAt(list []leaf) map[string]string {
	at := make(map[string]string, len(list))
	for _, x := range list {
		at[x.path] = x.value
	}
	return at
}

// filledIn reports whether a leaf is an empty list or map that has something in it
// in another scenario, which says more.
func filledIn(x leaf, other []leaf) bool {
	return (x.value == "[]" || x.value == "{}") && slices.ContainsFunc(other, func(o leaf) bool {
		rest, below := strings.CutPrefix(o.path, x.path)
		return below && rest != "" && (rest[0] == '[' || rest[0] == '.')
	})
}

// expected takes the expectations out of a scenario. Their numbers say nothing
// to a reader.
func expected(list []leaf) (others []leaf, expectations []string) {
	for _, x := range list {
		switch {
		case strings.HasPrefix(x.path, "expect["):
			expectations = append(expectations, x.value)
		case x.path != "expect": // it is empty
			others = append(others, x)
		}
	}
	return others, expectations
}

func expectationChanges(was, is []string) []string {
	var changes []string
	for _, x := range is {
		if !slices.Contains(was, x) {
			changes = append(changes, "the expectation "+x+" is new")
		}
	}
	for _, x := range was {
		if !slices.Contains(is, x) {
			changes = append(changes, "the expectation "+x+" is gone")
		}
	}
	if changes == nil && !slices.Equal(was, is) {
		changes = append(changes, "the expectations are others in order or number")
	}
	return changes
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
