package experiment

import (
	"strings"
	"testing"
)

const racing = `name: race
seed: 3
until: 20s
clients: {count: 40, calls: db, policy: p}
services: {db: {workers: 2, service_time: exponential 20ms, queue: 5 full 503}}
policies: {p: {timeout: 2s, max_attempts: unlimited, backoff: full-jitter 50ms cap 2s}}
variants:
  none: {policies.p.backoff: fixed 1ms}
  full-jitter: {}
  equal-jitter: {policies.p.backoff.kind: equal-jitter}
`

// Progress counts replications, and never goes back.
func TestRankProgress(t *testing.T) {
	last := 0
	_, list, err := mustNew(t, racing).Rank(Race{Metric: "total_calls", Within: "2%", Most: 100}, Options{Jobs: 2, Progress: func(done, total int) {
		if done < last || done > total {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}})
	ran := 0
	for _, l := range list[0].Lanes {
		ran += l.Replications
	}
	if err != nil || last < ran || last > ran+3*heat {
		t.Errorf("%v: %d of %d", err, last, ran)
	}
}

// The clear loser drops out after the first stage; replications go to those who
// may be best.
func TestRank(t *testing.T) {
	var last []Ranking
	for _, jobs := range []int{1, 2} {
		m, list, err := mustNew(t, racing).Rank(Race{Metric: "total_calls", Within: "2%", Most: 500}, Options{Jobs: jobs})
		if err != nil || m.Name != "total_calls" || len(list) != 1 {
			t.Fatalf("%v, %+v", err, list)
		}
		r := list[0]
		if !r.Decided || r.Best != "equal-jitter" || r.Lanes[0].Replications != 20 || r.Lanes[1].Replications < 20 {
			t.Errorf("%+v", r)
		}
		if last != nil && (last[0].Lanes[2] != r.Lanes[2] || last[0].Lanes[1] != r.Lanes[1]) {
			t.Errorf("%+v with %d jobs", r, jobs)
		}
		last = list
	}
}

func TestRankRefuses(t *testing.T) {
	for _, c := range []struct {
		race Race
		want string
	}{
		{Race{Metric: "total_cals", Within: "1%", Most: 50}, "did you mean total_calls?"},
		{Race{Metric: "total_calls", Within: "1s", Most: 50}, "total_calls is a plain number"},
		{Race{Metric: "total_calls[none]", Within: "1%", Most: 50}, "cannot be selected"},
		{Race{Metric: "total_calls", Within: "0%", Most: 50}, "above 0"},
	} {
		_, _, err := mustNew(t, racing).Rank(c.race, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.race, err)
		}
	}
}
