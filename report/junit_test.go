package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"retrystorm/experiment"
)

// element is any element of a parsed report.
type element struct {
	name     string
	attrs    map[string]string
	children []*element
	text     string
}

func parseXML(t *testing.T, b []byte) *element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	root := &element{}
	stack := []*element{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return root.children[0]
		}
		if err != nil {
			t.Fatal(err)
		}
		top := stack[len(stack)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			top.children = append(top.children, e)
			stack = append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.text += string(token)
		}
	}
}

// junitRules are what the common schemas ask of an element: the attributes that
// it must have, and its children in order.
var junitRules = map[string]struct {
	attrs    string
	children []string
}{
	"testsuites": {"name tests failures errors skipped time", []string{"testsuite"}},
	"testsuite":  {"name tests failures errors skipped time", []string{"properties", "testcase", "system-out", "system-err"}},
	"properties": {"", []string{"property"}},
	"property":   {"name value", nil},
	"testcase":   {"name classname time", []string{"skipped", "error", "failure", "system-out", "system-err"}},
	"failure":    {"message type", nil},
	"skipped":    {"message", nil},
	"system-out": {"", nil},
}

// broken says which rules an element and those in it break.
func (e *element) broken() (list []string) {
	rule, ok := junitRules[e.name]
	if !ok {
		list = append(list, "element "+e.name+" is unknown")
	}
	for name := range strings.FieldsSeq(rule.attrs) {
		if _, ok := e.attrs[name]; !ok {
			list = append(list, e.name+" has no "+name)
		}
	}
	if len(e.attrs) > len(strings.Fields(rule.attrs)) {
		list = append(list, fmt.Sprint(e.name, " has attributes ", e.attrs))
	}
	last := 0
	for _, c := range e.children {
		k := slices.Index(rule.children, c.name)
		if k < last {
			list = append(list, c.name+" must not be there in "+e.name)
		}
		last = k
		list = append(list, c.broken()...)
	}
	return list
}

func (e *element) count(name string) int {
	n := 0
	if e.name == name {
		n++
	}
	for _, c := range e.children {
		n += c.count(name)
	}
	return n
}

func TestJUnit(t *testing.T) {
	odd := gatesSample()
	odd.Scenario = "odd"
	odd.Points[2].Imprecise = true
	odd.Expectations = []experiment.Judgement{{Text: "a < \"b\" & <c>\x00\x1b]]>", Ruling: experiment.Fail, Detail: "x\x01\ny"}}
	none := gatesSample()
	none.Expectations = nil
	results := []*experiment.Result{gatesSample(), odd, none}
	for _, strict := range []bool{false, true} {
		var b, again bytes.Buffer
		if err := JUnit(&b, results, strict); err != nil {
			t.Fatal(err)
		}
		if err := JUnit(&again, results, strict); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Errorf("not the same again, %v", err)
		}
		root := parseXML(t, b.Bytes())
		for _, s := range root.broken() {
			t.Error(s)
		}
		for _, e := range append(root.children, root) {
			for attr, name := range map[string]string{"tests": "testcase", "failures": "failure", "skipped": "skipped", "errors": "error"} {
				if got, want := e.attrs[attr], Number(float64(e.count(name))); got != want {
					t.Errorf("%s %s: %s=%s, but there are %s", e.name, e.attrs["name"], attr, got, want)
				}
			}
		}
		// Of gates: 7 cases, one fails, two are undecided, one is skipped.
		want := map[bool][2]string{false: {"1", "3"}, true: {"3", "1"}}[strict]
		if got := [2]string{root.children[0].attrs["failures"], root.children[0].attrs["skipped"]}; got != want {
			t.Errorf("strict %v: %v, want %v", strict, got, want)
		}
		if c := root.children[1].children[1]; c.attrs["name"] != `a < "b" & <c>]]>` || c.children[0].attrs["message"] != "x y" {
			t.Errorf("got %v, %v", c.attrs, c.children[0].attrs)
		}
		if !strings.Contains(b.String(), "not as precise as asked for") {
			t.Error("the imprecise point is not named")
		}
		if !strict {
			golden(t, "junit.xml", b.Bytes())
		}
	}
}

func TestJUnitRulesAreChecked(t *testing.T) {
	for _, s := range []string{ // each is wrong in one way
		`<testsuites name="a" tests="1" failures="0" errors="0" time="0"/>`,
		`<testsuite name="a" tests="0" failures="0" errors="0" skipped="0" time="0"><system-out/><properties/></testsuite>`,
		`<testcase name="a" classname="b" time="0"><system-out/><failure message="" type=""/></testcase>`,
	} {
		if got := parseXML(t, []byte(s)).broken(); len(got) != 1 {
			t.Errorf("%s: got %q", s, got)
		}
	}
}
