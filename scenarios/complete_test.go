package scenarios

import (
	"slices"
	"strings"
	"testing"
)

var someMetrics = []Word{{"total_calls", "calls that reached the target"}, {"completion_p99", ""}}

// completed is what is offered at the | of a text.
func completed(t *testing.T, text string) (prefix string, items []Completion) {
	t.Helper()
	head, tail, ok := strings.Cut(text, "|")
	if !ok {
		t.Fatalf("no | in %q", text)
	}
	line := 1 + strings.Count(head, "\n")
	last := []rune(head[strings.LastIndexByte(head, '\n')+1:])
	from, items := Complete(head+tail, line, len(last)+1, someMetrics)
	return string(last[from-1:]), items
}

func labels(items []Completion) []string {
	var out []string
	for _, i := range items {
		out = append(out, i.Label)
	}
	return out
}

// A scenario to complete in; what is typed is put before or after it.
const around = `name: x
clients: {calls: web, policy: app}
services:
  web: {calls: [db, {to: cache, name: again}], policy: app}
  db: {workers: 10, faults: {outage: down at 0s for 30s}}
  cache: {}
queues:
  mail: {to: db}
groups:
  jobs: {calls: db}
policies:
  app: {timeout: 1s, backoff: full-jitter 100ms}
  other: {}
`

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		text   string
		prefix string
		want   string // some of what is offered, in order
		not    string // what is not
	}{
		{"|", "", "name services seed until", ""},
		{"na|", "na", "name", ""},
		{"na|\nservices: {}", "na", "name clients", "services"},
		{around + "|", "", "variants sweep expect", "name clients services"},
		{around + "des|", "des", "design", ""},
		{around + "# des|", "", "", "design"},
		{around + "title: some|", "some", "", "name"},

		// Fields by indentation, in texts that do not parse.
		{"services:\n  db:\n    |", "", "workers service_time queue faults", "name"},
		{"services:\n  db:\n    workers: 5\n    |\n    queue: 5\n", "", "service_time faults calls", "workers queue"},
		{"services:\n  db:\n    wor|\n    queue: 5\n", "wor", "workers", "queue"},
		{"services:\n  db:\n    |\nclients:\n  calls: db", "", "workers", "arrival"},
		{"services:\n  db:\n    workers: 5\n  |\nclients:\n  calls: db", "", "", "workers arrival"},
		{"clients:\n  |\n  calls: db", "", "count arrival policy", "calls"},
		{"policies:\n  app:\n    backoff:\n      |", "", "none fixed exponential kind base cap", ""},
		{"policies:\n  app:\n    backoff:\n      kind: fixed\n      |", "", "base cap", "factor kind"},
		{"queues:\n  q:\n    vis|", "vis", "to visibility max_receives", "workers"},
		{"services:\n  db:\n    faults:\n      outage:\n        |", "", "kind at for", ""},
		{"trigger:\n  |", "", "at for", "name"},

		// Fields in braces, closed or not.
		{"services:\n  db: {|", "", "workers queue", ""},
		{"services:\n  db: {workers: 5, |}", "", "queue", "workers"},
		{"services:\n  db: {workers: 5, qu|\nclients: {calls: db}", "qu", "queue", "workers"},
		{"services: {db: {queue: {limit: 5, |", "", "order full max_wait", "limit workers"},
		{"services: {db: {queue: 5}, web: {ca|}}", "ca", "calls", ""},
		{"services:\n  db: {\n    workers: 5,\n    |\n  }\n", "", "queue", "workers"},

		// Values.
		{"policies: {app: {backoff: {kind: |", "", "none fixed linear exponential full-jitter", "base"},
		{"policies: {app: {cancel: |", "", "never queued running", ""},
		{"policies: {app: {cancel: q|}}", "q", "never queued running", ""},
		{"policies: {app: {propagate: |", "", "false true", ""},
		{"policies: {app: {max_attempts: |", "", "1 unlimited", ""},
		{"policies: {app: {timeout: |", "", "100ms none", "unlimited"},
		{"policies: {app: {retry_on: [timeout, |]}}", "", "refused reset 5xx 429", "100ms"},
		{"policies:\n  app:\n    retry_on:\n      - |", "", "timeout refused", ""},
		{"policies: {app: {backoff_on: {|}}}", "", "timeout 429", ""},
		{"services: {db: {balance: |", "", "random round-robin least two-choices", ""},
		{"services:\n  db:\n    queue:\n      order: |", "", "fifo lifo codel", ""},
		{"warmup: |", "", "0s auto", ""},
		{"design: |", "", "grid zip latin sobol morris", ""},

		// One-line forms.
		{"policies: {app: {backoff: |", "", "none fixed exponential", "base"},
		{"policies: {app: {backoff: ex|", "ex", "exponential", ""},
		{"policies: {app: {backoff: exponential |", "", "100ms base cap factor", "exponential spread"},
		{"policies:\n  app:\n    backoff: exponential 100ms |", "", "cap factor", "base 100ms"},
		{"policies:\n  app:\n    backoff: exponential 100ms c|", "c", "cap", "base"},
		{"policies:\n  app:\n    backoff: exponential 100ms cap |", "", "none", "factor"},
		{"policies:\n  app:\n    budget: |", "", "ratio tokens none", ""},
		{"clients: {arrival: |", "", "burst poisson", ""},
		{"services: {db: {service_time: lognormal 20ms |", "", "cv", "lognormal"},
		{"services: {db: {faults: {f: |", "", "down errors slow", ""},
		{"services: {db: {faults: {f: down at 0s |", "", "answer for ramp", "at kind"},

		// Names.
		{around + "target: |", "", "web db cache", "app mail"},
		{around + "compare_to: |\nvariants: {a: {}, b: {}}", "", "a b", "web"},
		{strings.Replace(around, "calls: web", "calls: |", 1), "", "web db cache mail", "app"},
		{strings.Replace(around, "calls: [db, ", "calls: [|, db, ", 1), "", "web db cache mail work", "app"},
		{strings.Replace(around, "to: cache", "to: c|", 1), "c", "web db cache mail", "app"},
		{strings.Replace(around, "mail: {to: db}", "mail: {to: |}", 1), "", "web db cache", "mail"},
		{strings.Replace(around, "policy: app", "policy: |", 1), "", "app other", "web"},
		{strings.Replace(around, "policy: app", "policy: [app, o|]", 1), "o", "app other", "web"},
		{"services: {db: {calls: {to: x, policy: fast}}}\npolicies:\n  |", "", "fast", "timeout"},
		{strings.Replace(around, "other: {}", "other: {extends: |}", 1), "", "app", "other web"},
		{"policies: {app: {library: |", "", "aws-sdk-go-v2 tenacity", "app"},
		{"policies: {app: {library: ten|", "ten", "tenacity", ""},
		{"policies:\n  app:\n    library: tenacity\n    version: |", "", "8.0", "app"},
		{around + "actions:\n  a: redrive |", "", "mail", "app"},
		{around + "actions:\n  a: {kind: resend, group: |}", "", "clients jobs", "app"},
		{around + "actions:\n  a: {at: 5s, set: {|}}", "", "services.web.admit services.db.workers", "app"},

		// Paths.
		{around + "variants:\n  a: {|", "", "until clients services policies", "seed name variants"},
		{around + "variants:\n  a: {policies.|", "", "app other *", "web"},
		{around + "variants:\n  a: {policies.app.ba|", "ba", "backoff backoff_on", ""},
		{around + "variants:\n  a:\n    policies.app.backoff.|", "", "kind base cap", "timeout"},
		{around + "variants:\n  a: {policies.app.backoff.kind: |", "", "none full-jitter", "base"},
		{around + "variants:\n  a: {policies.app.backoff: fixed |", "", "base cap", "none"},
		{around + "variants:\n  a: {services.web.calls.|", "", "db again", "cache"},
		{around + "variants:\n  a: {services.db.faults.outage.|", "", "kind at for", ""},
		{around + "variants:\n  a: {services.web.policy.|", "", "", "timeout"},
		{around + "variants:\n  a: {services.web.policy: |", "", "app other", ""},
		{around + "sweep:\n  |", "", "clients services policies", "seed"},
		{around + "sweep:\n  services.db.|", "", "workers queue", ""},
		{around + "sweep:\n  services.db.queue.order: [fifo, |]", "", "lifo codel", ""},
		{around + "sweep: {jitter: {none: {policies.app.backoff.kind: |}}}", "", "none full-jitter", ""},
		{around + "bisect:\n  axis: services.db.|", "", "workers", "app"},
		{around + "assumed: [services.|]", "", "web db cache", "app"},

		// Expectations.
		{around + "expect:\n  - |", "", "total_calls completion_p99", "app"},
		{around + "expect:\n  - total_calls < 2 * comp|", "comp", "completion_p99", ""},
		{around + "variants: {a: {}, b: {}}\nexpect:\n  - total_calls[|", "", "a b service t", "total_calls"},
		{around + "expect:\n  - total_calls[service=|", "", "web db cache mail", "a"},
		{around + "bisect: {where: \"total|\"}", "total", "total_calls", ""},
		{around + "replications: {until: {metric: |}}", "", "total_calls", ""},
	} {
		prefix, items := completed(t, c.text)
		got := labels(items)
		if prefix != c.prefix {
			t.Errorf("%s\nis at %q, not %q", c.text, prefix, c.prefix)
		}
		at := 0
		for want := range strings.FieldsSeq(c.want) {
			i := slices.Index(got[at:], want)
			if i < 0 {
				t.Errorf("%s\nwants %s, has %q", c.text, want, got)
				break
			}
			at += i
		}
		for not := range strings.FieldsSeq(c.not) {
			if slices.Contains(got, not) {
				t.Errorf("%s\noffers %s: %q", c.text, not, got)
			}
		}
	}
}

func TestCompletionSaysWhatAFieldIs(t *testing.T) {
	_, items := completed(t, "policies:\n  app:\n    max_at|")
	i := slices.IndexFunc(items, func(c Completion) bool { return c.Label == "max_attempts" })
	want := Completion{
		Label: "max_attempts", Kind: "field", Detail: "number, default 1",
		Help: "max_attempts counts the first try: 4 means 1 try + 3 retries.", Insert: "max_attempts: ",
	}
	if i < 0 || items[i] != want {
		t.Errorf("got %+v", items)
	}
	// A key that has its colon gets no second one.
	_, items = completed(t, "policies:\n  app:\n    max_at|: 5")
	if i := slices.IndexFunc(items, func(c Completion) bool { return c.Label == "max_attempts" }); i < 0 || items[i].Insert != "max_attempts" {
		t.Errorf("got %+v", items)
	}
}

// TestEveryFieldHasHelp: nobody has to guess what a field is.
func TestEveryFieldHasHelp(t *testing.T) {
	together := []string{"first_hi", "max", "spread", "form", "skew", "behind"} // described with the field before them
	for typ, sp := range language() {
		for i := range sp.fields {
			if f := &sp.fields[i]; help(typ, f) == "" && !slices.Contains(together, f.name) {
				t.Errorf("%v.%s has no help", typ, f.name)
			}
		}
	}
}

// TestCompleteIsTolerant: whatever is cut off, wherever the cursor is.
func TestCompleteIsTolerant(t *testing.T) {
	for _, b := range Builtins() {
		text := string(b.Source)
		for at := 0; at < len(text); at += 41 {
			head := text[:at]
			line := 1 + strings.Count(head, "\n")
			col := 1 + len([]rune(head[strings.LastIndexByte(head, '\n')+1:]))
			Complete(head, line, col, someMetrics)
			if at%3 == 0 {
				Complete(text, line, col, someMetrics)
				Complete(text[at:], 1, 1, someMetrics)
			}
		}
	}
}

// TestCompleteIsQuick: the time it takes grows as the text does, not as its square,
// which would end here after minutes.
func TestCompleteIsQuick(t *testing.T) {
	for _, text := range []string{"a: {\n", "a: [\n", " b:\n", "a: |\n", "a: b\n", "- a\n", "{", "[", "{a: ", "- ", "a: \"\n", "x: [{\n"} {
		Complete("a: "+strings.Repeat(text+" ", maxBytes/4/(len(text)+1)), 1, 1, nil)
		Complete(strings.Repeat(text, maxBytes/4/len(text)), 1, 1, nil)
	}
}

func FuzzComplete(f *testing.F) {
	for _, b := range Builtins()[:5] {
		f.Add(string(b.Source), 5, 3)
	}
	for _, text := range []string{"{", "[[[[", "- - - -", "a: |\n  b", "\"", "'a: b", "a: {b: [", "}]", "\t:", ":", "- : -", cursor, "\xff"} {
		f.Add(text, 1, 1)
		f.Add(text, 1, len(text)+1)
	}
	f.Fuzz(func(t *testing.T, text string, line, col int) {
		from, items := Complete(text, line, col, someMetrics)
		if from > col || from < 1 && col >= 1 {
			t.Errorf("%q at %d:%d: from %d", text, line, col, from)
		}
		for _, i := range items {
			if i.Label == "" || i.Insert == "" {
				t.Errorf("%q at %d:%d: %+v", text, line, col, i)
			}
		}
	})
}
