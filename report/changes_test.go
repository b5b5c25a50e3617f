package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrystorm/scenarios"
)

func TestScenarioChanges(t *testing.T) {
	const before = "name: x\nservices:\n  db:\n    workers: 100\n    queue: 400 full 503\nvariants:\n  none: {}\nsweep:\n  clients.count: 1..10 step 1\nexpect:\n  - a < b\n  - \"total_calls[x: y] < 3\"\n"
	for _, c := range []struct{ after, want string }{
		{before, "a file that the scenario reads has changed since"},
		{
			"name: x\nservices:\n  db:\n    workers: 200\n    queue: 400 full 503\nvariants:\n  none: {}\nsweep:\n  clients.count: 1..10 step 1\nexpect:\n  - a < b\n  - \"total_calls[x: y] < 3\"\n",
			"the scenario has changed since: services.db.workers was 100, is 200",
		},
		{
			"name: x\nservices:\n  db:\n    workers: 100\n    service_time: 1s\nvariants:\n  none: {}\nsweep:\n  clients.count: 1..10 step 1\nexpect:\n  - a < b\n  - \"total_calls[x: y] < 4\"\n",
			`the scenario has changed since: services.db.service_time is new: 1s; services.db.queue is gone, was 400 full 503; the expectation "total_calls[x: y] < 4" is new; the expectation "total_calls[x: y] < 3" is gone`,
		},
		{
			"name: y\nexpect: []\n",
			"the scenario has changed since: name was x, is y; services.db.workers is gone, was 100; services.db.queue is gone, was 400 full 503; " +
				"variants.none is gone, was {}; sweep.clients.count is gone, was 1..10 step 1; the expectation a < b is gone; the expectation \"total_calls[x: y] < 3\" is gone",
		},
		{
			strings.Replace(before, "none: {}", "none: {calls: x}", 1),
			"the scenario has changed since: variants.none was {}, is {calls: x}",
		},
		{
			strings.Replace(before, "none: {}", "none:\n    calls: x", 1),
			"the scenario has changed since: variants.none.calls is new: x",
		},
		{
			strings.Replace(before, "- a < b\n", "- a < b\n  - a < b\n", 1),
			"the scenario has changed since: the expectations are others in order or number",
		},
		{
			before + "a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\nj: 1\nk: 1\n",
			"the scenario has changed since: a is new: 1; b is new: 1; c is new: 1; d is new: 1; e is new: 1; f is new: 1; g is new: 1; h is new: 1; i is new: 1; j is new: 1; and 1 more",
		},
	} {
		if got := scenarioChanges([]byte(before), []byte(c.after)); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
	if got := scenarioChanges(nil, []byte(before)); got != "the scenario has changed since" {
		t.Error(got)
	}
}

func TestLeaves(t *testing.T) {
	got := leaves("a: 1\nb:\n  - to: x\n    n: 2\n  - to: y\nc:\n- one\n- - two\n  - k: v\nd:\n  e:\n    f: {}\n  \"g.h\": 3\ni: 4\n")
	want := []leaf{
		{"a", "1"},
		{"b[1].to", "x"},
		{"b[1].n", "2"},
		{"b[2].to", "y"},
		{"c[1]", "one"},
		{"c[2][1]", "two"},
		{"c[2][2].k", "v"},
		{"d.e.f", "{}"},
		{`d."g.h"`, "3"},
		{"i", "4"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(leaf{})); diff != "" {
		t.Error(diff)
	}
}

// In the long form of every built-in scenario each value has a place of its own.
func TestLeavesOfScenarios(t *testing.T) {
	for _, b := range scenarios.Builtins() {
		name := b.Name
		file, err := scenarios.Load(name+".yaml", b.Source, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, x := range leaves(string(file.Long())) {
			if seen[x.path] {
				t.Errorf("%s: %s is there twice", name, x.path)
			}
			seen[x.path] = true
		}
		if !seen["name"] || !seen["seed"] {
			t.Errorf("%s: %v", name, seen)
		}
	}
}

// A seed that has changed does not hide what else has.
func TestAllChangesAreNamed(t *testing.T) {
	was := identity(1)
	was.YAML = []byte("seed: 1\nuntil: 1m\n")
	is := was
	is.Seed, is.Hash, is.YAML = 2, "4e5d", []byte("seed: 2\nuntil: 2m\n")
	if got, want := is.differs(was), "it has seed 1, not 2; the scenario has changed since: until was 1m, is 2m"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	is.YAML = []byte("seed: 2\nuntil: 1m\n")
	if got, want := is.differs(was), "it has seed 1, not 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
