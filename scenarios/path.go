package scenarios

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const star = "*"

// pathNames takes a path apart. What an action sets is named by a path.
func pathNames(path string) []string {
	names := strings.Split(path, ".")
	if len(names) > 4 && names[0] == "actions" && names[2] == "set" {
		names = append(names[:3], strings.Join(names[3:], "."))
	}
	return names
}

// resolve finds the field a path names, by types alone: what it names need not
// be written in the file.
func (ss specs) resolve(path []string) (*field, *wrong) { return ss.resolveIn(typeDocument, path) }

// resolveIn does the same for a path that begins in another type.
func (ss specs) resolveIn(t reflect.Type, path []string) (*field, *wrong) {
	at := &field{typ: t}
	for i, name := range path {
		here := strings.Join(path[:i], ".")
		if name == "" {
			return nil, &wrong{"a path is names joined by dots", ""}
		}
		shape, t := ss.shapeOf(at.typ)
		switch shape {
		case asPolicy:
			t = typePolicy
			fallthrough
		case asMap:
			sp := ss.of(t)
			next := sp.field(name)
			switch {
			case name == star:
				return nil, &wrong{"* stands for every name of services, policies, faults or steps, not for fields", strings.Join(sp.names(), ", ")}
			case next == nil && here == "":
				return nil, &wrong{"no such field " + name + didYouMean(name, sp.names()), strings.Join(sp.names(), ", ")}
			case next == nil:
				return nil, &wrong{"no such field " + name + " in " + here + didYouMean(name, sp.names()), strings.Join(sp.names(), ", ")}
			}
			at = next
		case asNamed, asSteps:
			elem := t.Elem()
			if shape == asSteps && path[i-1] == parallelName {
				return nil, &wrong{"steps are found by their own name: write " + strings.Join(slices.Concat(path[:i-2], path[i:]), "."), ""}
			}
			if name != star {
				if w := checkKey(at.format, name); w != nil {
					return nil, &wrong{name + ": " + w.message, w.allowed}
				}
			}
			at = &field{typ: elem}
		case asList:
			return nil, &wrong{here + " is a list: a path replaces all of it", ""}
		case asVariants, asAxes:
			return nil, &wrong{"no path leads into " + here, ""}
		case asScalar:
			return nil, &wrong{here + " is a single value: nothing lies below it", ""}
		}
	}
	return at, nil
}

// overlap says whether two paths name the same place, or one inside the other.
func overlap(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && a[i] != star && b[i] != star {
			return false
		}
	}
	return true
}

// locate finds where the value at a path was written: the deepest part of the
// path there is.
func locate(n *node, path string) place {
	at := n.at
	for rest := path; rest != "" && n != nil; {
		name, more, _ := strings.Cut(rest, ".")
		name, index, _ := strings.Cut(name, "[")
		var next *node
		switch n.kind {
		case mapNode:
			next = n.value(name)
			if next == nil { // a key of sweep, or of a variant, is a path itself
				name, index, _ = strings.Cut(rest, "[")
				next, more = n.value(name), ""
			}
		case listNode:
			next = n.step(name)
		}
		if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil && next != nil && i >= 1 && i <= len(next.items) {
			next = next.items[i-1]
		}
		if n, rest = next, more; n != nil {
			at = n.at
		}
	}
	return at
}

// find is the node at a path, or nil.
func find(n *node, path string) *node {
	for _, name := range pathNames(path) {
		if n == nil {
			return nil
		}
		if n.kind == listNode {
			n = n.step(name)
		} else {
			n = n.value(name)
		}
	}
	return n
}

// written is the text of the value at a path, or "".
func written(n *node, path string) string {
	if n = find(n, path); n == nil || n.kind == badNode {
		return ""
	}
	return n.String()
}
