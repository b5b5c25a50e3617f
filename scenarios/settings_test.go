package scenarios

import (
	"slices"
	"testing"
)

func TestSettings(t *testing.T) {
	f := mustLoad(t, `name: x
clients: {calls: db, policy: app}
services: {db: {workers: 5}}
policies:
  base: {max_attempts: 3, backoff: exponential 1s cap 5s, budget: ratio 20% floor 10/s}
  app: {extends: base, timeout: 1s, retry_after: {kind: floor, answers: [429]}}
variants:
  a: {}
  b: {policies.app.timeout: 2s}
  c: {policies.*.backoff.cap: 9s}
sweep: {services.db.workers: [1, 2]}
`, "policies.app.backoff.base=2s")
	for path, want := range map[string]string{
		"policies.app.timeout":      "1s",
		"policies.app.max_attempts": "3",
		"policies.app.backoff":      "exponential 2s cap 5s",
		"policies.app.budget":       "ratio 20% floor 10/s",
		"policies.app.retry_after":  "{kind: floor, answers: [429]}",
		"policies.app.deadline":     "",
		"services.db":               "{workers: 5}",
		"nothing.at.all":            "",
	} {
		if got := f.Text(path); got != want {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
	for path, want := range map[string][]string{
		"policies.app.timeout":      {"variant b"},
		"policies.app":              {"variant b", "variant c"},
		"policies.app.backoff.cap":  {"variant c"},
		"policies.app.backoff.base": nil,
		"services.db.workers":       {"sweep axis services.db.workers"},
		"services.db.queue":         nil,
	} {
		if got := f.SetBy(path); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
}
