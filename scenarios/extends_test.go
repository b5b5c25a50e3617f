package scenarios

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"retrystorm/strategies"
)

// TestWrittenKind: what is written with its kind has nothing of the value that
// is inherited, whichever way it is written; a map without one is merged into it.
func TestWrittenKind(t *testing.T) {
	const src = `
name: x
clients: {calls: db, policy: p, network: 1ms}
services: {db: {}}
policies:
  tokens: {max_attempts: 2, backoff: full-jitter 1s cap 20s factor 3, backoff_on: {429: fixed 5s, 503: linear 1s cap 9s}, budget: tokens 100 retry 7, breaker: count 50 failures 20%, limiter: aimd max 90, retry_after: band 9s cap 1m, hedge: 50ms max 2}
  p: {PARENT, OWN}
`
	backoff := func(kind string, base, limit time.Duration, factor float64) any {
		return [...]any{kind, base, limit, factor}
	}
	for _, c := range []struct {
		parent, own string
		sets        []string
		get         func(p *Policy) any
		want        any
	}{
		{"library: botocore-standard", "backoff: exponential 8s", nil, waits, backoff("exponential", 8*time.Second, 0, 2)},
		{"library: botocore-standard", "backoff: {kind: exponential, base: 8s}", nil, waits, backoff("exponential", 8*time.Second, 0, 2)},
		{"library: botocore-standard", "backoff: full-jitter 8s", nil, waits, backoff("full-jitter", 8*time.Second, 0, 2)}, // the same kind again
		{"library: botocore-standard", "backoff: none", nil, waits, backoff("none", 100*time.Millisecond, 0, 2)},
		{"library: botocore-standard", "backoff: {cap: 10s}", nil, waits, backoff("full-jitter", time.Second, 10*time.Second, 2)},
		{"library: botocore-standard", "timeout: 1s", []string{"policies.p.backoff=exponential 8s"}, waits, backoff("exponential", 8*time.Second, 0, 2)},
		{"library: botocore-standard", "timeout: 1s", []string{"policies.p.backoff.base=8s"}, waits, backoff("full-jitter", 8*time.Second, 20*time.Second, 2)},
		{"library: botocore-standard", "timeout: 1s", []string{"policies.p.backoff.kind=exponential"}, waits, backoff("exponential", time.Second, 20*time.Second, 2)},
		{"library: botocore-standard", "backoff: {cap: 9s}", []string{"policies.p.backoff.kind=exponential", "policies.p.backoff.base=3s"}, waits, backoff("exponential", 3*time.Second, 9*time.Second, 2)},
		{"library: botocore-standard", "backoff: exponential 8s", []string{"policies.p.backoff.kind=full-jitter"}, waits, backoff("full-jitter", 8*time.Second, 0, 2)},
		{"library: resilience4j-exponential-random", "backoff: exponential 1s", nil, waits, backoff("exponential", time.Second, 0, 2)},
		{"extends: tokens", "backoff: exponential 8s", nil, waits, backoff("exponential", 8*time.Second, 0, 2)},
		{"extends: tokens", "backoff: {base: 2s}", nil, waits, backoff("full-jitter", 2*time.Second, 20*time.Second, 3)},
		{"extends: tokens", "timeout: 1s", []string{"policies.p.backoff.kind=fixed"}, waits, backoff("fixed", time.Second, 20*time.Second, 2)},
		{"extends: tokens", "timeout: 1s", []string{"policies.tokens.backoff=exponential 8s"}, waits, backoff("exponential", 8*time.Second, 0, 2)},
		{"extends: tokens", "backoff_on: {429: exponential 8s}", nil, waitsOn, [...]any{"exponential", 8 * time.Second, "linear", 9 * time.Second}},
		{"extends: tokens", "backoff_on: {503: {cap: 8s}}", nil, waitsOn, [...]any{"fixed", 5 * time.Second, "linear", 8 * time.Second}},
		{"extends: tokens", "backoff_on: {}", nil, waitsOn, nil},
		{"extends: tokens", "backoff_on: none", nil, waitsOn, nil},
		{"extends: tokens", "timeout: 1s", []string{"policies.p.backoff_on={}"}, waitsOn, nil},
		{"extends: tokens", "timeout: 1s", []string{"policies.p.backoff_on.429.kind=exponential"}, waitsOn, [...]any{"exponential", 5 * time.Second, "linear", 9 * time.Second}},
		{"extends: tokens", "budget: ratio 10%", nil, func(p *Policy) any { return *p.Budget }, budget("{kind: ratio, ratio: 10%}")},
		{"extends: tokens", "budget: tokens 50", nil, func(p *Policy) any { return *p.Budget }, budget("{kind: tokens, tokens: 50}")},
		{"extends: tokens", "budget: {tokens: 50}", nil, func(p *Policy) any { return *p.Budget }, budget("{kind: tokens, tokens: 50, retry: 7}")},
		{"extends: tokens", "budget: none", nil, func(p *Policy) any { return p.Budget == nil }, true},
		{"library: botocore-standard", "budget: ratio 20%", nil, func(p *Policy) any { return *p.Budget }, budget("{kind: ratio, ratio: 20%}")},
		{"extends: tokens", "breaker: time 5s", nil, func(p *Policy) any { return [...]any{p.Breaker.Size, p.Breaker.Failures} }, [...]any{int64(0), 0.5}},
		{"extends: tokens", "breaker: {size: 5}", nil, func(p *Policy) any { return [...]any{p.Breaker.Size, p.Breaker.Failures} }, [...]any{int64(5), 0.2}},
		{"extends: tokens", "limiter: aimd", nil, func(p *Policy) any { return p.Limiter.Max }, int64(1000)},
		{"extends: tokens", "retry_after: floor", nil, func(p *Policy) any { return p.RetryAfter.Cap }, time.Duration(0)},
		{"extends: tokens", "retry_after: {cap: 5s}", nil, func(p *Policy) any { return [...]any{p.RetryAfter.Kind, p.RetryAfter.Cap, p.RetryAfter.Width} }, [...]any{"band", 5 * time.Second, 9 * time.Second}},
		{"extends: tokens", "hedge: p95", nil, func(p *Policy) any { return p.Hedge.Max }, int64(2)}, // no kind: merged
	} {
		text := strings.NewReplacer("PARENT", c.parent, "OWN", c.own).Replace(src)
		f := mustLoad(t, text, c.sets...)
		if got := c.get(&f.Scenario.Policies[1]); !reflect.DeepEqual(got, c.want) {
			t.Errorf("{%s, %s} %v: got %v, want %v", c.parent, c.own, c.sets, got, c.want)
		}
		again := mustLoad(t, string(f.Long()))
		if diff := cmp.Diff(f.Scenario, again.Scenario); diff != "" {
			t.Errorf("{%s, %s} %v: the long form says something else:\n%s\n%s", c.parent, c.own, c.sets, diff, f.Long())
		}
	}
}

func waits(p *Policy) any {
	b := &p.Backoff
	return [...]any{b.Kind, b.Base, b.Cap, b.Factor}
}

func waitsOn(p *Policy) any {
	if len(p.BackoffOn) == 0 {
		return nil
	}
	return [...]any{p.BackoffOn[0].Kind, p.BackoffOn[0].Base, p.BackoffOn[1].Kind, p.BackoffOn[1].Cap}
}

// budget is a budget that inherits nothing.
func budget(text string) strategies.Budget {
	f, err := Load("x.yaml", []byte("name: x\nclients: {calls: db, policy: {budget: "+text+"}}\nservices: {db: {}}\n"), nil, nil)
	if err != nil {
		panic(err)
	}
	return *f.Scenario.Clients.Policy.Inline.Budget
}

// TestKindOfInherited: a --set that changes a kind takes the rest from what the
// file inherits, so nothing else may change where that comes from.
func TestKindOfInherited(t *testing.T) {
	const src = "name: x\nclients: {calls: db, policy: p, network: 1ms}\nservices: {db: {}}\npolicies: {p: {library: tenacity}, q: {library: botocore}}\nsweep: {policies.PATH.library: [tenacity, botocore]}\n"
	_, err := Load("x.yaml", []byte(strings.Replace(src, "PATH", "p", 1)), nil, []string{"policies.p.backoff.kind=exponential"})
	if want := "x.yaml:5:9: policies.p.library: set by sweep axis policies.p.library, while --set 1 changes the kind"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	mustLoad(t, strings.Replace(src, "PATH", "q", 1), "policies.p.backoff.kind=exponential")
	mustLoad(t, strings.Replace(src, "PATH", "p", 1), "policies.p.backoff=exponential 1s")
}

// TestSetMix: the command line is to blame for what it makes of a whole.
func TestSetMix(t *testing.T) {
	const src = "name: x\nclients: {calls: db}\nservices: {db: {faults: {f: {kind: errors, mix: {503: 60%, 429: 40%}}}}}\n"
	_, err := Load("x.yaml", []byte(src), nil, []string{"services.db.faults.f.mix.503.share=50%"})
	if want := "--set 1: services.db.faults.f.mix: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
