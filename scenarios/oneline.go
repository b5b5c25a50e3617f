package scenarios

import (
	"reflect"
	"strings"
)

// maxLine is the length of the longest one-line form.
const maxLine = 1000

// oneLine turns "kind main field value ..." into the map it stands for.
func (s shaper) oneLine(t reflect.Type, n *node, path string) *node {
	sp := s.specs.of(t)
	bad := func(at place, path, value, message, allowed string) *node {
		s.at(at, path, value, message, allowed)
		return &node{kind: badNode, at: n.at}
	}
	if len(n.text) > maxLine {
		return bad(n.at, path, n.text, "too long for one line", "")
	}
	words := split(n)
	if len(words) == 0 {
		return bad(n.at, path, `""`, "nothing is written here", "")
	}
	m := mapOf(n)
	m.brief, m.whole = briefly(t), sp.field("kind") != nil
	put := func(name string, at place, val *node) {
		m.fields = append(m.fields, entry{name, at, val, m})
	}

	r := sp.rowOf(words[0].text)
	if kinds := sp.kinds(); len(kinds) > 0 {
		switch first := words[0]; {
		case r != nil:
			words = words[1:]
			put("kind", first.at, first)
		case sp.field("kind").hasDef && s.mayBeMain(sp, &sp.rows[0], first.text):
			r = &sp.rows[0]
			put("kind", first.at, &node{kind: scalarNode, at: first.at, text: r.kind})
		default:
			return bad(first.at, path, first.text, s.noKind(sp, n, first.text), strings.Join(kinds, ", "))
		}
	}
	for i := 0; i < r.positional && len(words) > 0; i++ {
		name := r.fields[i]
		if r.uses(words[0].text) { // a field name: everything from here on is named
			break
		}
		put(name, words[0].at, s.field(sp.field(name), words[0], join(path, name)))
		words = words[1:]
	}
	for ; len(words) > 0; words = words[1:] {
		key := words[0]
		switch {
		case isUnit(key.text) && len(m.fields) > 0 && decimalForm.MatchString(m.fields[len(m.fields)-1].val.text):
			num := m.fields[len(m.fields)-1].val
			return bad(num.at, path, num.text+" "+key.text, "no blank between number and unit: write "+num.text+key.text, "")
		case !r.uses(key.text) && sp.field(key.text) != nil && key.text != "kind":
			return bad(key.at, join(path, key.text), "", r.unused(sp), strings.Join(r.fields, ", "))
		case !r.uses(key.text):
			message := "no such field" + didYouMean(key.text, r.fields)
			if len(m.fields) > 0 && message == "no such field" {
				message = "a field name is expected here; a value of several words needs the map form"
			}
			if len(r.fields) == 0 {
				message = "nothing more is expected here"
			}
			return bad(key.at, path, key.text, message, strings.Join(r.fields, ", "))
		case m.get(key.text) != nil:
			return bad(key.at, join(path, key.text), "", "written twice", "")
		case len(words) == 1:
			return bad(key.at, join(path, key.text), "", "its value is missing", "")
		}
		f := sp.field(key.text)
		if shape, _ := s.specs.shapeOf(f.typ); shape == asList {
			return bad(key.at, join(path, key.text), "", "a list needs the map form: {"+kindPrefix(m)+key.text+": [...]}", "")
		}
		words = words[1:]
		put(key.text, key.at, s.field(f, words[0], join(path, key.text)))
	}
	return m
}

// noKind says what is wrong with a first word that is no kind: when a main
// value stands there, what it probably is the value of.
func (s shaper) noKind(sp *spec, n *node, word string) string {
	if !startsLikeValue(word) {
		return "no such kind" + didYouMean(word, sp.kinds())
	}
	d := decoder{report: &report{}, specs: s.specs}
	for _, r := range sp.rows {
		if r.positional == 0 {
			continue
		}
		f := sp.field(r.fields[0])
		if shape, _ := s.specs.shapeOf(f.typ); shape != asScalar {
			continue
		}
		if d.scalar(reflect.New(f.typ).Elem(), f, &node{kind: scalarNode, text: word}) == nil {
			return "the kind is missing; write it first, as in " + r.kind + " " + strings.Join(strings.Fields(n.text), " ")
		}
	}
	return "the kind is missing"
}

// startsLikeValue says whether a word cannot be a kind or the name of a field.
func startsLikeValue(word string) bool {
	return word != "" && !(word[0] >= 'a' && word[0] <= 'z' || word[0] >= 'A' && word[0] <= 'Z')
}

func isUnit(s string) bool {
	_, is := unitNamed(s)
	return is
}

// mayBeMain says whether a first word that is no kind can belong to the row
// whose word is left out: as its main value or as the name of a field.
func (s shaper) mayBeMain(sp *spec, r *row, word string) bool {
	if r.uses(word) {
		return true
	}
	return r.positional > 0 && startsLikeValue(word)
}

func kindPrefix(m *node) string {
	if kind := m.scalar("kind"); kind != "" {
		return "kind: " + kind + ", "
	}
	return ""
}

// unused says that a field belongs to other kinds.
func (r *row) unused(sp *spec) string {
	return "not used by kind " + r.kind
}

// split cuts a scalar at blanks into scalars that know their column.
func split(n *node) []*node {
	var out []*node
	shift := 0
	if n.quoted {
		shift = 1
	}
	for at := 0; at < len(n.text); {
		if strings.IndexByte(" \t\n", n.text[at]) >= 0 {
			at++
			continue
		}
		end := at
		for end < len(n.text) && strings.IndexByte(" \t\n", n.text[end]) < 0 {
			end++
		}
		word := &node{kind: scalarNode, at: n.at, text: n.text[at:end]}
		if !n.block {
			word.at = n.at.right(shift + len([]rune(n.text[:at])))
		}
		out = append(out, word)
		at = end
	}
	return out
}
