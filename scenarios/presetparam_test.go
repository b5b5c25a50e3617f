package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"retrystorm/strategies"
)

func TestPresetArithmetic(t *testing.T) {
	for text, want := range map[string]string{
		"x + 1": "4", "x - 1 - 1": "1", "2 - x * 2 + 6 / x": "-2", "(2 - x) * 2": "-2", "x * 10ms": "30ms", "1s / 3": "333333333ns",
		"1s / x": "333333333ns", "2s / 3": "666666667ns", "1s / 500ms": "2", "20% * x": "0.6", "1 - 0.3": "0.7", "max(x, 5)": "5", "min(x, 5 - 3)": "2",
		"max(1s, 200ms) + 1h": "1h1s", "1 / x": "0.3333333333333333", "2 ^ x ^ 0": "2", "2 ^ (1 / x)": "1.2599210498948732", "max-rate * x": "1.5", "1s - 2s": "-1s",
		"x / (x - 3)": "none", "0 ^ x": "none", "unknown": "none", "1e30 * 1s": "106751d23h47m16s854ms775us807ns",
	} {
		e, w := readExpr(text)
		if w != nil {
			t.Errorf("%s: %v", text, w)
			continue
		}
		q, ok := e.eval(func(name string) (quantity, bool) {
			known := map[string]string{"x": "3", "max-rate": "0.5"}
			q, w := readQuantity(known[name], false)
			return q, w == nil
		})
		got := "none"
		if ok {
			got = q.text()
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "x +", "+ x", "x + + 1", "(x", "x)", "x x", "max(x)", "max(x, 1", "x+1", "3q", "-1", "1,5", "0x10"} {
		if e, w := readExpr(text); w == nil {
			t.Errorf("%q: no error, %+v", text, e)
		}
	}
}

// paramFakes are presets with all that a parameter can do.
const paramFakes = `
library: acme
source: a.go
evidence: run
modules: [github.com/acme/retry/v2, github.com/acme/retry]
presets:
  acme:
    title: A
    formula: x
    params:
      base: [backoff.base, backoff.cap = x * 10, retry_after.cap = x * 10]
      max: [backoff.cap, retry_after.cap]
      retries: {sets: [max_attempts = x + 1, "backoff.steps = max(x, 1)"], means: {0: 3, forever: unlimited}}
      jitter: {sets: [backoff.lo = 1 - x, backoff.hi = scale * (1 + x), retry_after.jitter = x], standard: 0.5}
      scale: {sets: backoff.hi = x * (1 + jitter), standard: 1}
      elapsed: [max_elapsed, elapsed_check = before-wait, backoff_on.429.base = x / 2]
    versions:
      1.0: &
`

func paramCatalogue(t *testing.T) *catalogue {
	t.Helper()
	body := "{max_attempts: 3, backoff: {kind: custom, growth: power, base: 10ms, factor: 2, cap: 100ms, jitter: factor, lo: 0.5, hi: 1.5}, retry_after: {kind: replace, cap: 100ms}}"
	all, problems := readPresets(fstest.MapFS{"presets/acme.yaml": {Data: []byte(strings.Replace(paramFakes, "&", body, 1))}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return all
}

func TestParams(t *testing.T) {
	all := paramCatalogue(t)
	for _, c := range []struct{ params, paths string }{
		{"base=20ms", "backoff.base=20ms; backoff.cap=200ms; retry_after.cap=200ms"},
		{"base=20ms; max=3s", "backoff.base=20ms; backoff.cap=3s; retry_after.cap=3s"},
		{"max=3s; base=20ms", "backoff.base=20ms; backoff.cap=3s; retry_after.cap=3s"},
		{"backoff.cap=7s; base=20ms", "backoff.base=20ms; backoff.cap=7s; retry_after.cap=200ms"},
		{"max=3s; retry_after.cap=9s", "backoff.cap=3s; retry_after.cap=9s"},
		{"max=none", "backoff.cap=none; retry_after.cap=none"},
		{"retries=2", "max_attempts=3; backoff.steps=2"},
		{"retries=0", "max_attempts=4; backoff.steps=3"},
		{"retries=Forever", "max_attempts=unlimited; backoff.steps=unlimited"},
		{"retries=unlimited; backoff.steps=5", "max_attempts=unlimited; backoff.steps=5"},
		{"jitter=0.3", "backoff.lo=0.7; backoff.hi=1.3; retry_after.jitter=30%"},
		{"jitter=30%", "backoff.lo=0.7; backoff.hi=1.3; retry_after.jitter=30%"},
		{"scale=2", "backoff.hi=3"},
		{"scale=2; jitter=0.1", "backoff.lo=0.9; backoff.hi=2.2; retry_after.jitter=10%"},
		{"jitter=0.1; scale=2", "backoff.lo=0.9; backoff.hi=2.2; retry_after.jitter=10%"},
		{"elapsed=9s", "max_elapsed=9s; elapsed_check=before-wait"}, // it has no backoff_on
	} {
		got, err := all.policy("acme", "", strings.Split(c.params, "; "))
		if err != nil {
			t.Errorf("%s: %v", c.params, err)
		}
		want, err := all.policy("acme", "", strings.Split(c.paths, "; "))
		if err != nil {
			t.Errorf("%s: %v", c.paths, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is not %s (-want +got):\n%s", c.params, c.paths, diff)
		}
	}
	for sets, want := range map[string]string{
		"base=20":                   "--set 1: base: 20: a duration needs a unit: write 20ms or 20s",
		"base=[1s]":                 "--set 1: base: [1s]: one value is expected, not a list",
		"retries=1s":                "--set 1: retries: 1s: not a number",
		"retries=-1":                "--set 1: retries: \"-1\": must not be negative",
		"retries=1.5":               "--set 1: max_attempts: 2.5: must be a whole number",
		"retries=2; retries=3":      "--set 2: max_attempts: set by --set 2 and by --set 1 (value 3)",
		"retries=2; max_attempts=3": "--set 2: max_attempts: set by --set 2 and by --set 1 (value 3)",
		"jitter=1.5":                "--set 1: jitter: 1.5: makes backoff.lo -0.5, and it must not be negative",
		"max=1ms":                   "--set 1: backoff.base: 10ms: must not be above cap (1ms)",
	} {
		if _, err := all.policy("acme", "", strings.Split(sets, "; ")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", sets, err, want)
		}
	}
	if got, want := all.byName["acme"].Params[3].Path, "backoff.lo = 1 - x, backoff.hi = scale * (1 + x), retry_after.jitter = x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := all.byName["acme"].Params[2].Path, "max_attempts = x + 1, backoff.steps = max(x, 1) (0 means 3) (forever means unlimited)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParamSince(t *testing.T) {
	const name = "tenacity-wait-random-exponential"
	if p, err := PresetPolicy(name, "9.1", []string{"min=1s"}); err != nil || p.Backoff.From != time.Second {
		t.Errorf("%v %v", p.Backoff.From, err)
	}
	if _, err := PresetPolicy(name, "8.2.1", []string{"min=1s"}); err == nil || !strings.Contains(err.Error(), "--set 1: min: it is something else in version 8.0, which is not modelled; allowed: from 9.0 on") {
		t.Error(err)
	}
}

func TestParamErrors(t *testing.T) {
	for param, want := range map[string]string{
		"backoff.capp = x":                      "no such field capp in backoff",
		"backoff.cap = x +":                     `"" is not expected there`,
		"backoff.cap = x + 1":                   "mixes times and numbers",
		"[backoff.base, backoff.factor = x]":    "mixes times and numbers",
		"[backoff.base, max_attempts = x / 1s]": "",
		"backoff.base = x * other":              "other: no parameter whose value can be told",
		"backoff.base = x * counted":            "counted: no parameter whose value can be told",
		"{sets: max_attempts, since: 2.0}":      "params.p.since: 2.0: no such version; allowed: 1.0",
		"{standard: 3}":                         "params.p.sets: missing",
		"{sets: max_attempts, meens: {0: 1}}":   "params.p.meens: no such field",
		"{sets: max_attempts, means: 0}":        "params.p.means: 0: a map is expected",
	} {
		src := "library: acme\nsource: a.go\nevidence: run\npresets:\n  acme: {title: A, formula: x, params: {p: " + param + ", counted: max_attempts = x + 1}, versions: {1.0: {max_attempts: 2}}}\n"
		_, problems := readPresets(fstest.MapFS{"presets/a.yaml": {Data: []byte(src)}})
		if want == "" && len(problems) == 0 {
			continue
		}
		if want == "" || !strings.Contains(problems.Error(), want) {
			t.Errorf("%s: got %v, want %s", param, problems, want)
		}
	}
}

// candidates are values of parameters.
var candidates = strings.Fields(`none unlimited true false 0 0.1 0.2 0.25 0.5 1 1.3 1.5 1.6 2 3 4 5 6 9 10 20 25 100 1000
	0s 5ms 10ms 25ms 50ms 100ms 128ms 200ms 250ms 300ms 400ms 500ms 800ms 1s 2s 3s 5s 6s 10s 20s 30s 60s 64s 100s 120s 180s 250s 300s 600s 1000s 2m 15m 21600s
	0% 10% 20% 50% 100% 3/s 10/s [1s,2s,5s] [1s]`)

// TestParamsHoldTheDefaults: each parameter has a value with which the preset
// is as it is by itself, and one with which it is not.
func TestParamsHoldTheDefaults(t *testing.T) {
	all := shipped()
	for _, p := range all.presets {
		for _, version := range p.Versions {
			before, err := PresetPolicy(p.Name, version, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, param := range p.Params {
				if !param.knownIn(version, p.Versions) {
					continue
				}
				values := candidates
				if now := written(p.bodies[0], param.direct()); now != "" {
					values = append([]string{now}, values...)
				}
				same, other := false, false
				for _, value := range values {
					after, err := PresetPolicy(p.Name, version, []string{param.Name + "=" + value})
					if err != nil {
						continue
					}
					alike := sameButForm(before, after)
					same, other = same || alike, other || !alike
					if same && other {
						break
					}
				}
				if !same || !other {
					t.Errorf("%s %s: %s: default found: %v, anything else: %v", p.Name, version, param.Name, same, other)
				}
			}
		}
	}
}

// sameButForm compares policies except for what says the same twice: where
// waits end when attempts do too, and a check of no limit.
func sameButForm(a, b strategies.Policy) bool {
	if a.MaxElapsed == 0 && b.MaxElapsed == 0 {
		a.ElapsedCheck = b.ElapsedCheck
	}
	if s := b.Backoff.Steps; s == strategies.Unlimited || s == max(b.MaxAttempts-1, 1) {
		a.Backoff.Steps = s
	}
	return cmp.Equal(a, b, cmpopts.EquateApprox(1e-12, 0))
}

// TestRetriesEndTheWaits: where the library makes a list of waits, it has as
// many as there are retries.
func TestRetriesEndTheWaits(t *testing.T) {
	for name, set := range map[string]string{
		"kafkajs": "retries=2", "node-retry": "retries=2", "node-retry-randomize": "retries=2", "async-retry": "retries=2", "traefik": "attempts=3",
		"k8s-client-go": "steps=3", "k8s-client-go-default-backoff": "steps=3", "polly-contrib-waitandretry-linear": "retry-count=2",
		"polly-contrib-waitandretry": "retry-count=2", "cenkalti-backoff-v4": "max-retries=2", "cenkalti-backoff-v5": "max-tries=3", "sethvargo-go-retry": "max-retries=2",
	} {
		p, err := PresetPolicy(name, "", []string{set})
		if err != nil {
			t.Error(err)
			continue
		}
		rules := p.Compile()
		if steps := rules.Waits().Steps(); steps != 2 || p.MaxAttempts != 3 {
			t.Errorf("%s with %s: %d waits, %d attempts", name, set, steps, p.MaxAttempts)
		}
	}
}

// TestRetriesAndAttempts counts as the libraries do.
func TestRetriesAndAttempts(t *testing.T) {
	for preset, words := range map[string]string{
		"botocore": "retries-max-attempts=4 total-max-attempts=5", "aws-sdk-go-v1": "num-max-retries=4", "polly": "max-retry-attempts=4",
		"polly-contrib": "retry-count=4", "stripe-node": "max-network-retries=4", "stripe-python": "max-network-retries=4", "stripe-go": "max-network-retries=4",
		"urllib3": "total=4", "celery": "max-retries=4", "azcore": "max-retries=4", "azure-js": "max-retries=4", "axios-retry": "retries=4", "got": "limit=4", "ky": "limit=4",
		"cockatiel": "max-attempts=4", "undici": "max-retries=4", "envoy": "num-retries=4", "istio": "attempts=4", "haproxy": "retries=4", "linkerd": "limit=4",
		"resty": "retry-count=4", "go-retryablehttp": "retry-max=4", "failsafe-go": "max-retries=4 max-attempts=5", "sidekiq": "retry=4", "octokit": "retries=4", "p-retry": "retries=4",
		"kafkajs": "retries=4", "sethvargo": "max-retries=4", "cenkalti-v4": "max-retries=4", "cenkalti-v5": "max-tries=5", "gateway-api": "attempts=4", "fetch-retry": "retries=4",
		"retry-axios": "retry=4", "httpclient5": "max-retries=4", "k8s-rest": "max-retries=4", "node-retry": "retries=4", "async-retry": "retries=4", "sarama": "retry-max=4",
		"traefik": "attempts=5", "spring": "max-attempts=5", "resilience4j": "max-attempts=5", "tenacity": "stop-after-attempt=5", "grpc": "max-attempts=5", "temporal": "maximum-attempts=5",
		"backoff": "max-tries=5", "avast": "attempts=5", "client-go": "steps=5", "aws-sdk-go-v2": "max-attempts=5", "exponential-backoff": "num-of-attempts=5", "node-fetch-retry": "retry=5",
		"finagle": "num-tries=5", "sqs": "max-receive-count=5", "smithy-js": "max-attempts=5", "nginx": "proxy-next-upstream-tries=5", "azure-core-python": "retry-status=4",
	} {
		for set := range strings.FieldsSeq(words) {
			if p, err := PresetPolicy(preset, "", []string{set}); err != nil || p.MaxAttempts != 5 {
				t.Errorf("%s with %s: %d attempts, want 5; %v", preset, set, p.MaxAttempts, err)
			}
		}
	}
	for _, c := range []struct {
		preset, set string
		want        int64
	}{
		{"aws-sdk-go-v2", "max-attempts=0", strategies.Unlimited},
		{"temporal", "maximum-attempts=0", strategies.Unlimited},
		{"polly", "max-retry-attempts=2147483647", strategies.Unlimited},
		{"node-fetch-retry", "retry=0", 3},
		{"azcore", "max-retries=-1", 1},
		{"azcore", "max-retries=0", 4},
		{"grpc", "max-attempts=9", 5},
		{"cenkalti-v4", "max-retries=0", 1},
		{"celery", "max-retries=none", strategies.Unlimited},
		{"sidekiq", "retry=false", 1},
	} {
		if p, err := PresetPolicy(c.preset, "", []string{c.set}); err != nil || p.MaxAttempts != c.want {
			t.Errorf("%s with %s: %d attempts, want %d; %v", c.preset, c.set, p.MaxAttempts, c.want, err)
		}
	}
}

func TestNamesPeopleType(t *testing.T) {
	for word, want := range map[string]string{
		"aws_sdk_go_v2": "aws-sdk-go-v2", "Polly": "polly-v8", "axios": "axios-retry", "okhttp3": "okhttp", "okhttp4": "okhttp", "go-retry": "sethvargo-go-retry",
		"envoy-proxy": "envoy", "tenacity-random": "tenacity-wait-random", "tenacity-jitter": "tenacity-wait-exponential-jitter", "resilience4j_random": "resilience4j-exponential-random",
		"github.com/cenkalti/backoff/v4": "cenkalti-backoff-v4", "github.com/cenkalti/backoff/v5": "cenkalti-backoff-v5", "github.com/Azure/azure-sdk-for-go/sdk/azcore": "azcore-go",
		"github.com/aws/aws-sdk-go-v2/aws/retry": "aws-sdk-go-v2", "github.com/aws/aws-sdk-go": "aws-sdk-go-v1", "k8s.io/client-go/util/retry": "k8s-client-go",
		"google.golang.org/grpc": "grpc-retry-policy", "github.com/ibm/sarama": "sarama", "aws": "", "failsafe": "", "github.com/acme": "", "/": "", "": "",
	} {
		p, ok := FindPreset(word)
		if p.Name != want || ok != (want != "") {
			t.Errorf("%s: got %s, want %s", word, p.Name, want)
		}
		if _, err := PresetPolicy(word, "", nil); (err == nil) != ok {
			t.Errorf("%s: %v", word, err)
		}
	}
	for word, want := range map[string]string{
		"aws":      "aws: no such library; aws could be aws-sdk-go-v2, aws-sdk-go-v1, botocore or smithy-js; allowed: the names that ",
		"Stripe":   "Stripe: no such library; stripe could be stripe-go, stripe-node or stripe-python",
		"azure":    "azure could be azcore-go, ",
		"failsafe": "failsafe: no such library; Failsafe is a Java library, and what it does is not known; there is failsafe-go",
		"feign":    "feign: no such library; allowed: ",
		"bot_ocor": "bot_ocor: no such library; did you mean botocore",
	} {
		if _, err := PresetPolicy(word, "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", word, err, want)
		}
	}
	for _, s := range severals {
		for _, name := range s.names {
			if _, ok := FindPreset(name); !ok {
				t.Errorf("%v: there is no %s", s.words, name)
			}
		}
		for _, word := range s.words {
			if _, ok := FindPreset(word); ok || PresetHint(word) == "" {
				t.Errorf("%s has two meanings", word)
			}
		}
	}
	all := paramCatalogue(t)
	if all.lookup("github.com/acme/retry/v2/x") == nil || all.lookup("github.com/acme/retryx") != nil {
		t.Error("a package is not found by its module")
	}
}

// TestSpringMultiplierOne: jitter is as wide as the multiplier, so with 1 there
// is none (spring-retry#391).
func TestSpringMultiplierOne(t *testing.T) {
	p, err := PresetPolicy("spring-retry-exponential-random", "", []string{"multiplier=1", "initial-interval=2s"})
	if err != nil {
		t.Fatal(err)
	}
	rules := p.Compile()
	for k := int64(1); k <= 8; k++ {
		if w := rules.Waits(); w.Min(k) != w.Max(k) || fmt.Sprint(w.Min(k)) != "2s" {
			t.Errorf("retry %d: %v to %v", k, w.Min(k), w.Max(k))
		}
	}
}
