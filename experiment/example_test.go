package experiment_test

import (
	"fmt"

	"retrystorm/experiment"
	"retrystorm/scenarios"
)

// Every layer that retries multiplies the calls of the one below.
func Example() {
	f, err := scenarios.Load("layers.yaml", []byte(`
name: layers
replications: 3
clients: {calls: gateway, policy: layer}
services:
  gateway: {calls: db, policy: layer}
  db: {faults: {broken: errors}}
policies:
  layer: {max_attempts: 4, retry_on: [5xx], backoff: fixed 10ms}
variants:
  both-retry: {}
  one-retries: {services.gateway.policy: {max_attempts: 1}}
expect:
  - amplification[one-retries] < 25% * amplification[both-retry]
`), nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := experiment.New(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := e.Run(experiment.Options{Jobs: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Points {
		for i, m := range r.Metrics {
			if m.Name == "amplification" {
				fmt.Println(p.Variant, p.Estimates[i].Centre)
			}
		}
	}
	for _, x := range r.Expectations {
		fmt.Println(x.Ruling, x.Detail)
	}
	// Output:
	// both-retry 16
	// one-retries 4
	// fail one-retries: amplification[one-retries] = 4 against 25% * amplification[both-retry] = 4; difference 0
}
