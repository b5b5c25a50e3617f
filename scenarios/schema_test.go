package scenarios

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/invopop/jsonschema"
	validator6 "github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "rewrite scenario.schema.json and the expected messages")

// TestSchema makes the schema again and compares, so that it cannot fall
// behind the types.
func TestSchema(t *testing.T) {
	want, err := makeSchema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("scenario.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(Schema(), want) {
		t.Error("scenario.schema.json is not what the types say; run go generate ./scenarios")
	}
}

func TestSchemaAcceptsBuiltins(t *testing.T) {
	s := compileSchema(t)
	for _, b := range Builtins() {
		for form, src := range map[string][]byte{"as written": b.Source, "long": mustLoad(t, string(b.Source)).Long()} {
			if err := s.Validate(asAny(t, src)); err != nil {
				t.Errorf("%s, %s: %v", b.Name, form, err)
			}
		}
	}
	for name, src := range languageExamples(t) {
		if err := s.Validate(asAny(t, src)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaRejects(t *testing.T) {
	s := compileSchema(t)
	const rest = "name: x\nservices: {db: {}}\n"
	for _, src := range []string{
		"clients: {calls: db}\nservices: {db: {}}",          // no name
		"name: X\nclients: {calls: db}\nservices: {db: {}}", // not a slug
		rest,                                     // no clients
		rest + "clients: {calls: db}\nutnil: 5m", // unknown field
		rest + "clients: {calls: db}\nuntil: 5",  // no unit
		rest + "clients: {calls: db, arrival: poisson 5}",                          // no unit
		rest + "clients: {calls: db, arrival: poison 5/s}",                         // no such kind
		rest + "clients: {calls: db, arrival: burst rate 5/s}",                     // field of another kind
		rest + "clients: {calls: db, count: 0}",                                    // below the minimum
		rest + "clients: {calls: db, count: 1.5}",                                  // not whole
		rest + "clients: {calls: db, network: {mean: 5ms, sd: 1ms}}",               // constant has no sd
		rest + "clients: {calls: db, policy: {backoff: {kind: fixed, factor: 2}}}", // fixed has no factor
		rest + "clients: {calls: db, policy: {timeout: null}}",                     // null
		rest + "clients: {calls: db}\nvariants: {a: 5}",                            // not overrides
		rest + "clients: {calls: db}\nsweep: {clients.count: []}",                  // no values
		"name: x\nclients: {calls: db}\nservices: {db: {faults: {f: errors share 0.1}}}",
		"name: x\nclients: {calls: db}\nservices: {db: {queue: 400 full 200}}",
		"name: x\nclients: {calls: db}\nservices: {db: {rate_limit: {kind: fixed-window}}}", // limit missing
	} {
		if s.Validate(asAny(t, []byte(src))) == nil {
			t.Errorf("accepted:\n%s", src)
		}
		if _, err := Load("x.yaml", []byte(src), nil, nil); err == nil {
			t.Errorf("loaded:\n%s", src)
		}
	}
}

// TestSchemaAgrees gives the schema and Load the same values.
func TestSchemaAgrees(t *testing.T) {
	s := compileSchema(t)
	const (
		policy  = "name: x\nclients: {calls: db, policy: {max_attempts: 2, VALUE}, network: 1ms}\nservices: {db: {}}\n"
		service = "name: x\nclients: {calls: db}\nservices: {db: {VALUE}}\n"
		top     = "name: x\nservices: {db: {}}\nVALUE\n"
	)
	for _, c := range []struct {
		in, fields string
		good, bad  []string
	}{
		{
			policy, "library: VALUE",
			[]string{"tenacity", "botocore", "aws-sdk-go-v2"},
			[]string{"acme", "Tenacity", "tenacity 8.2.1", "tenacity, extends: q"},
		},
		{policy, "VALUE", []string{"library: tenacity, version: 8.2.1"}, []string{"version: 8.2.1"}},
		{
			policy, "backoff: VALUE",
			[]string{"fixed 1s", "fixed", "fixed base 0s", "none", "exponential 1s factor 1", "exponential 1s factor 1.5", "{kind: exponential, factor: 1}", "{kind: schedule, waits: [1s]}", "custom 1s values 2", "custom 1s steps 3 unit 1us"},
			[]string{
				"100ms", "fixd 1s", "fixed 010ms", "fixed -1s", "exponential 1s factor 0", "exponential 1s factor 0.5", "{kind: exponential, factor: 0.5}", "{kind: exponential, factor: 0}",
				"schedule", "{kind: schedule}", "{kind: schedule, waits: []}", "{kind: schedule, waits: [5]}", "{kind: schedule, waits: 1s}",
				"custom 1s values 0", "custom 1s steps 0", "{kind: custom, values: 1}", "{kind: custom, steps: 0}", "custom 1s round down unit 0s", "{kind: custom, round: up, unit: 0ms}",
			},
		},
		{
			policy, "breaker: VALUE",
			[]string{"count 5", "count size 5 min_calls 2", "time 30s", "consecutive 5", "{kind: count, size: 5}", "count 5 failures 0.5%", "count 5 failures 100%", "none"},
			[]string{
				"count", "time", "consecutive", "{kind: count}", "{kind: time}", "count 0", "time 0s", "{kind: time, window: 0s}", "count 5 failures 101%", "count 5 failures 0%",
				"{kind: count, size: 5, failures: 0%}", "{kind: count, size: 5, failure_on: []}", "{kind: count, size: 5, failure_on: [slow]}", "count 5 half_open 0", "count 5 slow_call 0s",
			},
		},
		{
			policy, "budget: VALUE",
			[]string{"ratio 20%", "ratio 0% floor 3/s", "concurrent 0% floor 3", "tokens 0.5 retry 0", "tokens", "throttle 10 per_success 0.5"},
			[]string{"20%", "ratio 0.2", "ratio 200%", "ratio 20", "tokens 0", "{kind: tokens, tokens: 0}", "ratio 20% window 0s", "ratio 20% per_request 0%"},
		},
		{policy, "limiter: VALUE", []string{"rate 10/s", "concurrency", "aimd max 50"}, []string{"rate", "{kind: rate}", "rate 10", "concurrency 0", "rate 10/s burst 0"}},
		{
			policy, "hedge: VALUE",
			[]string{"50ms", "p50", "p95", "p99.9", "p99.99", "p0.5", "p95 max 2 budget 5%", "{after: p95}", "none"},
			[]string{"p0", "p100", "p101", "p9x", "95", "50ms max 0", "50ms budget 0%", "{after: p100}"},
		},
		{policy, "retry_on: VALUE", []string{"[any]", "[timeout, 503, 4xx]", "[rejected]"}, []string{"[]", "none", "[slow]", "[600]", "[200]", "[none]", "5xx"}},
		{
			policy, "retry_after: VALUE",
			[]string{"floor", "{kind: floor, answers: [429], forms: [ms]}", "add jitter 100%", "floor cap 1m"},
			[]string{"{kind: floor, answers: []}", "{kind: floor, answers: [soon]}", "{kind: floor, forms: []}", "{kind: floor, forms: [iso]}", "floor cap 0s"},
		},
		{policy, "backoff_on: VALUE", []string{"{429: fixed 1s}", "{}", "none"}, []string{"{slow: fixed 1s}", "{429: 1s}", "[]"}},
		{policy, "VALUE", []string{"timeout: 1s", "timeout: none", "timeout: 0.5s", "timeout: 1h30m"}, []string{"timeout: 0s", "timeout: 0ms", "timeout: 0.0s", "timeout: 5", "deadline: 0s", "slower_than: 0s"}},
		{
			service, "VALUE",
			[]string{"workers: 1", "workers: unlimited", "rate_limit: token-bucket 5/s", "rate_limit: token-bucket 0.5/s", "faults: {f: slow factor 0.5}", "queue: 0", "faults: {f: {kind: errors, answer: {answer: 503, retry_after: 0s}}}", "faults: {f: {kind: errors, mix: {503: 99.5%, 429: 0.5% retry_after 0s}}}"},
			[]string{"workers: 0", "rate_limit: token-bucket", "rate_limit: token-bucket 0/s", "rate_limit: {kind: token-bucket}", "rate_limit: token-bucket 5/s burst 0", "rate_limit: fixed-window 5 window 0s", "contention: lock rows 0", "crash: 0", "faults: {f: slow}", "faults: {f: slow factor 0}", "faults: {f: {kind: slow, factor: 0}}", "faults: {f: errors share 101%}", "faults: {f: down for 0s}"},
		},
		{
			"name: x\nclients: {calls: db}\nservices: {db: {}, web: {calls: VALUE, service_time: 1ms}}\nqueues: {q: {to: db}}\ntarget: db\n", "VALUE",
			[]string{
				"work", "[work, db]", "{to: db, share: 50%, optional: true}", "{parallel: [db, {to: db, name: again}], need: first}", "q",
				"[{parallel: [{parallel: [db, q], need: 1}, {to: db, name: more, network: 1ms}], need: all, name: both, share: 10%, optional: true}]",
			},
			[]string{
				"{parallel: db, to: db}", "{parallel: [db, q], network: 1ms}", "{parallel: [db, q], policy: {timeout: 1s}}", "{to: db, need: all}", "{name: db}",
				"{to: db, share: 0.5}", "{to: db, share: 101%}", "{to: db, optional: maybe}", "{parallel: [db, q], need: 0}", "{parallel: [db, q], need: most}", "{to: work}",
			},
		},
		{
			"name: x\nclients: {calls: [db, q]}\nservices: {db: {}}\nqueues: {q: {VALUE}}\n", "VALUE",
			[]string{"", "to: db", "to: db, poison: 1%", "to: db, poison: 1% answer 500", "to: db, dead_letter: none", "to: db, max_receives: unlimited, batch: 5, consumers: 1000, ordered: true, delay: 0s, visibility: 1m, retention: 14d, policy: {timeout: 5s}, network: 1ms"},
			[]string{"to: [db]", "visibility: 0s", "consumers: 0", "max_receives: 0", "max_receives: none", "poison: 1", "retention: none", "until: 5s", "dead_letter: Q"},
		},
		{
			"name: x\nclients: {calls: q}\ngroups: {jobs: {calls: db}}\nservices: {db: {workers: 5}}\nqueues: {q: {to: db}}\nactions: {a: VALUE}\n", "VALUE",
			[]string{
				"redrive q at 5m", "redrive q at 5m rate 5/s", "redrive q rate none first 10 grow 3 failures 1% pause 1m at 5m", "{kind: redrive, queue: q, at: 5m, only: [5xx, timeout]}",
				"resend failed at 5m", "resend at 5m", "resend failed at 5m group jobs", "rerun jobs at 5m", "rerun jobs at 5m every 100", "rerun group jobs at 5m every none",
				"{at: 5m, set: {services.db.admit: 0%}}", "{kind: set, at: 5m, over: 5m, set: {services.db.admit: 40%, services.db.workers: 10}}",
			},
			[]string{
				"{kind: redrive, at: 5m}", "redrive q at 5", "redrive q at 5m rate 5", "redrive q at 5m first 0", "redrive q at 5m every 5", "resend all at 5m", "purge db at 5m",
				"{at: 5m}", "{at: 5m, set: {services.db.queue: 5}}", "{at: 5m, set: services.db.admit}", "{set: {services.db.admit: 0%}}", "set at 5m", "{kind: redrive, queue: q, at: 5m, only: [slow]}", "{kind: redrive, queue: q, at: 5m, only: []}",
			},
		},
		{
			"name: x\nclients: {VALUE}\nservices: {db: {}}\n", "VALUE",
			[]string{"calls: db, cost: 0.5", "calls: db, classes: {a: 100%}", "classes: {a: {share: 100%, calls: db}}", "calls: db, classes: {a: 50% cost 3, b: {share: 50%, policy: {timeout: 1s}}}"},
			[]string{"cost: 5", "calls: db, cost: 0", "calls: db, classes: {a: 1}", "calls: db, classes: {a: {cost: 5}}", "calls: db, classes: [a]", "calls: db, classes: {a: 100% weight 5}"},
		},
		{
			service, "VALUE",
			[]string{
				"replicas: 3, balance: least", "admit: 5%", "inbox: none", "inbox: unique", "inbox: unique keep 24h replay false same_key 1% key_cycle 1d", "inbox: check-then-insert keep_newest 1000",
				"expired: refuse", "expired: refuse time 1ms", "expired: {kind: drop}", "blocking: false, in_flight: 10", "replicas: 2, faults: {f: errors replicas 1 for 1m every 5m}",
			},
			[]string{
				"replicas: 0", "balance: fair", "admit: 5", "inbox: some", "inbox: keep 5s", "inbox: none keep 5s", "inbox: unique keep 0s", "inbox: unique keep_newest 0", "expired: drop time 1ms", "expired: maybe", "in_flight: 0",
				"faults: {f: errors replicas 0}", "faults: {f: errors for 1m every 0s}",
			},
		},
		{
			top, "VALUE",
			[]string{"clients: {calls: db}", "groups: {some: {calls: db}}", "clients: {calls: db}\nuntil: 1s"},
			[]string{"groups: {}", "groups: {clients: {calls: db}}", "groups: {work: {calls: db}}", "clients: {calls: db}\nuntil: 0s", "clients: {calls: db}\nwindow: 0s", "clients: {calls: db, count: 0}"},
		},
		{
			top, "clients: {calls: db}\nVALUE",
			[]string{
				"replications: 5", "replications: 1_000", "replications: {count: 5}", "replications: {until: {metric: total_calls, within: 1%}}", "replications: {until: {metric: total_calls, within: 2s}, max: 80}",
				"warmup: 0s", "warmup: 5s", "warmup: auto", "exchange: 500/s", "exchange: none", "compare_to: base", "design: grid", "bisect: none",
				"bisect: {axis: clients.count, in: 1..9, where: total_calls < 5}",
				"sweep: {clients.count: 1..9 linear 3}", "sweep: {clients.count: 1..9 log 3}", "design: zip\nsweep: {clients.count: [1, 2]}",
				"design: latin 5\nsweep: {clients.count: 1..9}", "design: {kind: sobol, rows: 4}\nsweep: {clients.count: 1..9 log}", "design: morris 2\nsweep: {clients.count: 1..9}",
			},
			[]string{
				"replications: 0", "replications: [5]", "replications: {max: 5}", "replications: {until: total_calls}", "replications: {until: {metric: total_calls}}", "replications: {until: {metric: total_calls, within: 1%}, max: 9}", "replications: none",
				"warmup: automatic", "warmup: 5", "warmup: none", "exchange: 500", "exchange: 0/s", "compare_to: Base",
				"bisect: {}", "bisect: {axis: clients.count, in: 1..9}", "bisect: clients.count",
				"sweep: {clients.count: 1..9 cubic 3}", "sweep: {clients.count: 1..9 log 0}",
				"design: latin\nsweep: {clients.count: 1..9}", "design: {kind: latin}\nsweep: {clients.count: 1..9}", "design: morris 0\nsweep: {clients.count: 1..9}", "design: cube\nsweep: {clients.count: 1..9}", "design: zip 5\nsweep: {clients.count: [1]}",
			},
		},
	} {
		check := func(value string, want bool) {
			t.Helper()
			src := []byte(strings.Replace(c.in, "VALUE", strings.Replace(c.fields, "VALUE", value, 1), 1))
			if err := s.Validate(asAny(t, src)); (err == nil) != want {
				t.Errorf("the schema takes %s: %t\n%v", value, err == nil, err)
			}
			if _, err := Load("x.yaml", src, nil, nil); (err == nil) != want {
				t.Errorf("%s is loaded: %t\n%v", value, err == nil, err)
			}
		}
		for _, value := range c.good {
			check(value, true)
		}
		for _, value := range c.bad {
			check(value, false)
		}
	}
}

func compileSchema(t *testing.T) *validator6.Schema {
	t.Helper()
	doc, err := validator6.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := validator6.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asAny is YAML as a JSON value.
func asAny(t *testing.T, src []byte) any {
	t.Helper()
	data, err := yaml.YAMLToJSON(src)
	if err != nil {
		t.Fatal(err)
	}
	v, err := validator6.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// schemaMaker walks the same types as the decoder.
type schemaMaker struct {
	specs    specs
	comments map[string]string
	defs     jsonschema.Definitions
}

func makeSchema() ([]byte, error) {
	var r jsonschema.Reflector
	for _, dir := range []string{".", "../server", "../sim", "../strategies"} {
		if err := r.AddGoComments("retrystorm/scenarios", dir, jsonschema.WithFullComment()); err != nil {
			return nil, err
		}
	}
	m := schemaMaker{language(), r.CommentMap, jsonschema.Definitions{}}
	root := m.object(typeDocument)
	root.Version = "https://json-schema.org/draft/2020-12/schema"
	root.Title = "retrystorm scenario"
	root.Definitions = m.defs
	root.AnyOf = []*jsonschema.Schema{{Required: []string{"clients"}}, {Required: []string{"groups"}}} // somebody makes the requests
	groups, _ := root.Properties.Get("groups")
	groups.MinProperties = one()
	groups.PropertyNames.Not.Enum = append(groups.PropertyNames.Not.Enum, "clients")
	group := m.defs["Group"]
	group.Required, group.AnyOf = nil, []*jsonschema.Schema{{Required: []string{"calls"}}, {Required: []string{"classes"}}}
	*m.defs["NamedGroup"] = *group
	step := m.defs["Step"]
	step.OneOf = []*jsonschema.Schema{{Required: []string{"to"}}, {Required: []string{"parallel"}}}
	step.DependentSchemas = map[string]*jsonschema.Schema{
		"to":       {Not: &jsonschema.Schema{Required: []string{"need"}}},
		"parallel": {Not: anyOf(&jsonschema.Schema{Required: []string{"policy"}}, &jsonschema.Schema{Required: []string{"network"}})},
	}
	policy := m.defs["Policy"]
	policy.DependentRequired = map[string][]string{"version": {"library"}}
	policy.Not = &jsonschema.Schema{Required: []string{"library", "extends"}}
	library, _ := policy.Properties.Get("library")
	*library = jsonschema.Schema{Description: library.Description, Enum: anys(PresetNames())}
	out, err := json.MarshalIndent(root, "", "  ")
	return append(out, '\n'), err
}

func (m *schemaMaker) comment(t reflect.Type, index []int) string {
	key := t.PkgPath() + "." + t.Name()
	if len(index) > 0 {
		owner := t
		if n := len(index) - 1; n > 0 {
			owner = t.FieldByIndex(index[:n]).Type
		}
		key = owner.PkgPath() + "." + owner.Name() + "." + t.FieldByIndex(index).Name
	}
	return strings.Join(strings.Fields(m.comments[key]), " ")
}

// ref defines a struct once and refers to it.
func (m *schemaMaker) ref(t reflect.Type) *jsonschema.Schema {
	name := schemaName(t)
	if m.defs[name] == nil {
		m.defs[name] = &jsonschema.Schema{} // a struct may contain itself
		*m.defs[name] = *m.union(t)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// union adds the one-line form to the map form.
func (m *schemaMaker) union(t reflect.Type) *jsonschema.Schema {
	s, rows := m.object(t), m.specs.of(t).rows
	if rows == nil {
		return s
	}
	out := &jsonschema.Schema{Description: s.Description, AnyOf: []*jsonschema.Schema{{Type: "string", Pattern: m.oneLine(t)}, s}}
	s.Description = ""
	if r := rows[0]; r.kind == "" {
		switch main := m.specs.of(t).field(r.fields[0]); { // 400 alone is a number
		case main.unit == "count":
			out.AnyOf = append(out.AnyOf, &jsonschema.Schema{Type: "integer", Minimum: leastOf(main)})
		case t == typeSetting:
			out.AnyOf = append(out.AnyOf, &jsonschema.Schema{Type: "integer", Minimum: "1"})
		case main.typ == typeAnswer:
			out.AnyOf = append(out.AnyOf, statusSchema())
		}
	}
	return out
}

// object is the map form of a struct.
func (m *schemaMaker) object(t reflect.Type) *jsonschema.Schema {
	sp := m.specs.of(t)
	s := &jsonschema.Schema{
		Type: "object", Description: m.comment(t, nil),
		Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema,
	}
	for i := range sp.fields {
		f := &sp.fields[i]
		p := m.field(f)
		p.Description = m.comment(t, f.index)
		if f.name == "kind" {
			p = &jsonschema.Schema{Description: p.Description, Enum: anys(sp.kinds())}
		}
		if f.hasDef {
			p.Default = jsonDefault(f)
		}
		s.Properties.Set(f.name, p)
		if f.required && !inherits(t) && (sp.rows == nil || f.name == "kind" || sp.rows[0].kind == "") {
			s.Required = append(s.Required, f.name)
		}
	}
	if sp.field("kind") != nil && sp.rows != nil {
		for i, r := range sp.rows {
			s.AllOf = append(s.AllOf, m.kind(sp, r, i == 0 && sp.field("kind").hasDef && !inherits(t)))
		}
	}
	return s
}

// inherits says whether a part of a policy may leave its kind, and all else with
// it, to the policy or library that the policy starts from.
func inherits(t reflect.Type) bool { return strings.HasSuffix(t.PkgPath(), "/strategies") }

// kind says which fields a kind uses; the assumed one also holds without the word.
func (m *schemaMaker) kind(sp *spec, r row, assumed bool) *jsonschema.Schema {
	match := &jsonschema.Schema{Properties: jsonschema.NewProperties()}
	match.Properties.Set("kind", &jsonschema.Schema{Const: r.kind})
	if !assumed {
		match.Required = []string{"kind"}
	}
	then := &jsonschema.Schema{PropertyNames: &jsonschema.Schema{Enum: anys(append([]string{"kind"}, r.fields...))}}
	for _, name := range r.fields {
		if f := sp.field(name); f.required || f.least != "" && f.typ.Kind() == reflect.Slice && !f.hasDef && !f.optional {
			then.Required = append(then.Required, name)
		}
	}
	return &jsonschema.Schema{If: match, Then: then}
}

func (m *schemaMaker) field(f *field) *jsonschema.Schema {
	s := m.value(f)
	if f.none {
		s = anyOf(s, &jsonschema.Schema{Const: "none"})
	}
	return s
}

func (m *schemaMaker) value(f *field) *jsonschema.Schema {
	shape, t := m.specs.shapeOf(f.typ)
	switch shape {
	case asMap:
		return m.ref(t)
	case asNamed:
		return &jsonschema.Schema{Type: "object", PropertyNames: keySchema(f.format), AdditionalProperties: m.ref(t.Elem())}
	case asSteps:
		one := anyOf(nameSchema(), &jsonschema.Schema{Const: theWork}, m.ref(typeStep))
		return anyOf(append(one.AnyOf[:3:3], &jsonschema.Schema{Type: "array", Items: one})...)
	case asPolicy:
		return anyOf(nameSchema(), m.ref(typePolicy), &jsonschema.Schema{Type: "array", MinItems: one(), MaxItems: new(uint64(maxLayers)), Items: nameSchema()})
	case asList:
		s := &jsonschema.Schema{Type: "array", Items: m.value(&field{typ: t.Elem(), enum: f.enum})}
		if f.format == "outcome" {
			s.Items = anyOf(keySchema(f.format), statusSchema())
		}
		if f.least != "" {
			s.MinItems = one()
		}
		return s
	case asVariants:
		return &jsonschema.Schema{Type: "object", PropertyNames: nameSchema(), AdditionalProperties: overridesSchema(), MinProperties: one()}
	case asAxes:
		return &jsonschema.Schema{Type: "object", MinProperties: one(), AdditionalProperties: anyOf(
			&jsonschema.Schema{Type: "array", MinItems: one()},
			&jsonschema.Schema{Type: "string", Pattern: `^\S+\.\.\S+( +step +\S+| +(linear|log)( +[1-9]\S*)?)?$`},
			&jsonschema.Schema{Type: "object", PropertyNames: nameSchema(), AdditionalProperties: overridesSchema(), MinProperties: one()},
		)}
	}
	switch {
	case f.unit == "count":
		s := anyOf(&jsonschema.Schema{Type: "integer", Minimum: leastOf(f)}, &jsonschema.Schema{Type: "string", Pattern: `^[0-9]+(_[0-9]+)+$`})
		if f.unlimited {
			s = anyOf(append(s.AnyOf, &jsonschema.Schema{Const: "unlimited"})...)
		}
		return s
	case f.unit == "factor" && f.above != "":
		return &jsonschema.Schema{Type: "number", ExclusiveMinimum: json.Number(f.above)}
	case f.unit == "factor":
		return &jsonschema.Schema{Type: "number", Minimum: leastOf(f)}
	case t.Kind() == reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case f.enum != nil:
		return &jsonschema.Schema{Enum: anys(f.enum)}
	case f.format == "name":
		return nameSchema()
	case t == typeAnswer:
		return anyOf(&jsonschema.Schema{Enum: anys([]string{"refused", "reset", "silent"})}, statusSchema())
	case t == typeNeed:
		return anyOf(&jsonschema.Schema{Enum: anys([]string{"all", "first"})}, &jsonschema.Schema{Type: "integer", Minimum: "1"})
	case t == typeFloor:
		return anyOf(&jsonschema.Schema{Type: "string", Pattern: "^(" + m.word(f) + ")$"}, &jsonschema.Schema{Type: "integer", Minimum: "0"})
	case t == typeDuration || f.unit != "" || isWord(t):
		return &jsonschema.Schema{Type: "string", Pattern: "^(" + m.word(f) + ")$"}
	}
	return &jsonschema.Schema{Not: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "array"}, {Type: "object"}, {Type: "null"}}}} // a text may look like a number
}

// leastOf is the smallest number that a field takes.
func leastOf(f *field) json.Number {
	if f.min+f.least == "" {
		return "0"
	}
	return json.Number(f.min + f.least)
}

// missing says whether a kind must have a field that a line does not give by
// itself: one that is written as a list, or any.
func (m *schemaMaker) missing(sp *spec, r row) (list, any bool) {
	for _, name := range r.fields {
		f := sp.field(name)
		shape, _ := m.specs.shapeOf(f.typ)
		list = list || shape == asList && f.least != "" && !f.hasDef && !f.optional || f.format == "live"
		any = any || f.required
	}
	return list, any
}

// oneLine is the pattern of the one-line form: the words of a row are its
// kind, its positional values and its named ones, the first of which has no
// blank in front of it.
func (m *schemaMaker) oneLine(t reflect.Type) string {
	sp := m.specs.of(t)
	var rows []string
	for i, r := range sp.rows {
		var main, named []string
		for _, name := range r.fields[:r.positional] {
			main = append(main, "("+m.word(sp.field(name))+")")
		}
		for _, name := range r.fields {
			if shape, t := m.specs.shapeOf(sp.field(name).typ); shape == asMap && m.specs.of(t).rows == nil {
				continue // it needs the map form
			}
			named = append(named, name+" +("+m.word(sp.field(name))+")")
		}
		pair := "(" + strings.Join(named, "|") + ")"
		further := "( +" + pair + ")*"
		if len(named) == 0 {
			further = ""
		}
		list, some := m.missing(sp, r)
		if list {
			continue
		}
		if r.kind != "" {
			row := r.kind
			switch {
			case len(main) > 0 && some:
				row += "( +" + strings.Join(main, " +") + "| +" + pair + ")"
			case some:
				row += " +" + pair
			case len(main) > 0:
				row += "( +" + strings.Join(main, " +") + ")?"
			}
			rows = append(rows, row+further)
		}
		if r.kind == "" || i == 0 && sp.field("kind").hasDef {
			if len(main) > 0 {
				rows = append(rows, strings.Join(main, " +")+further)
			}
			if len(named) > 0 {
				rows = append(rows, pair+further)
			}
		}
	}
	return "^(" + strings.Join(rows, "|") + ")$"
}

// word is the pattern of a value that is one word.
func (m *schemaMaker) word(f *field) string {
	const (
		whole    = `(0|[1-9][0-9]*(_[0-9]+)*)`
		exponent = `([eE][+-]?[0-9]{1,3})?`
		fromOne  = `[1-9][0-9]*(_[0-9]+)*(\.[0-9]+)?([eE]\+?[0-9]{1,3})?`
		positive = `([1-9][0-9]*(_[0-9]+)*(\.[0-9]+)?|0\.0*[1-9][0-9]*)`
		units    = `(d|h|ms|us|ns|m|s)`
		part     = `(0|[1-9][0-9]*)(\.[0-9]+)?` + units
		percent  = `(100(\.0+)?|[1-9]?[0-9](\.[0-9]+)?)%`
	)
	number, duration, share := whole+`(\.[0-9]+)?`+exponent, "("+part+")+", percent+"|"+whole+`(\.[0-9]+)?[eE][+-]?[0-9]{1,3}%`
	shape, t := m.specs.shapeOf(f.typ)
	switch {
	case t == typeAsked || t == typeWarmup: // 0s is one too
	case f.min+f.least != "":
		number = fromOne
	case f.above != "" || f.none:
		number, duration = positive+exponent, "("+part+")*"+positive+units+"("+part+")*"
		share = `(100(\.0+)?|[1-9][0-9]?(\.[0-9]+)?|0\.0*[1-9][0-9]*)%|` + positive + `[eE][+-]?[0-9]{1,3}%`
	}
	rate := number + `/(s|min|h)`
	var out string
	switch {
	case t == typeReply:
		out = answerPattern
	case shape == asMap:
		out = duration + "|" + rate
	case shape != asScalar:
		return `\S+`
	case t == typeDuration && f.name == "mean":
		out = duration + "|" + rate
	case t == typeDuration:
		out = duration
	case f.unit == "rate":
		out = rate
	case f.unit == "share":
		out = share
	case f.unit != "":
		out = number
	case f.enum != nil:
		out = strings.Join(f.enum, "|")
	case t.Kind() == reflect.Bool:
		out = "true|false"
	case t == typeAnswer:
		out = answerPattern
	case t == typeFloor:
		out = rate + "|" + number
	case t == typeAfter:
		out = duration + `|p([1-9][0-9]?(\.[0-9]+)?|0\.0*[1-9][0-9]*)`
	case t == typeWarmup:
		out = duration + "|auto"
	case t == typeAsked:
		out = duration + "|next-token|recovery|queue|never"
	default:
		out = `\S+`
	}
	if f.none {
		out += "|none"
	}
	if f.unlimited {
		out += "|unlimited"
	}
	return out
}

const answerPattern = "refused|reset|silent|[45][0-9][0-9]"

func statusSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: "400", Maximum: "599"}
}

// keySchema is for the keys of a map: names, or words of a format.
func keySchema(format string) *jsonschema.Schema {
	switch format {
	case "outcome":
		return &jsonschema.Schema{Type: "string", Pattern: "^(timeout|refused|reset|rejected|transient|any|[45]xx|[45][0-9][0-9])$"}
	case "answer":
		return &jsonschema.Schema{Type: "string", Pattern: "^(" + answerPattern + ")$"}
	case "live":
		return &jsonschema.Schema{Type: "string", Pattern: `^services\.[a-z][a-z0-9-]*\.(admit|workers)$`}
	}
	return nameSchema()
}

func nameSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: nameForm.String(), Not: &jsonschema.Schema{Enum: anys(reservedNames)}}
}

func overridesSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

func anyOf(of ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: of} }

func one() *uint64 { return new(uint64(1)) }

func anys(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}

func jsonDefault(f *field) any {
	var v any
	if f.unit == "count" || f.unit == "factor" || strings.HasPrefix(f.def, "[") || f.def == "true" || f.def == "false" {
		if yaml.Unmarshal([]byte(f.def), &v) == nil {
			return v
		}
	}
	return fmt.Sprint(f.def)
}
