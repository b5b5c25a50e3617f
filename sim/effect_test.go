package sim

import "testing"

// What is to blame for work that is done again.
func TestRepeat(t *testing.T) {
	first, retry, hedge := effect{}, effect{cause: AfterTimeout}, effect{cause: Hedged}
	resent, resentRetry := effect{1, Resent, Resent}, effect{1, AfterReset, Resent}
	rerun := effect{2, Repeated, Repeated}
	for _, c := range []struct {
		name string
		done []effect
		want []Cause // of all but the first
	}{
		{"in order", []effect{first, retry, hedge}, []Cause{AfterTimeout, Hedged}},
		{"the first attempt is last", []effect{hedge, retry, first}, []Cause{AfterTimeout, Hedged}},
		{"it never comes", []effect{hedge, retry, retry}, []Cause{AfterTimeout, AfterTimeout}},
		{"the request is resent", []effect{first, resent}, []Cause{Resent}},
		{"and retried", []effect{first, resent, resentRetry}, []Cause{Resent, AfterReset}},
		{"only the retry does it", []effect{first, resentRetry}, []Cause{Resent}},
		{"and then the first attempt", []effect{first, resentRetry, resent}, []Cause{Resent, AfterReset}},
		{"the old run is late", []effect{resent, retry, first}, []Cause{Resent, Resent}},
		{"twice", []effect{retry, resent, rerun}, []Cause{Resent, Repeated}},
	} {
		e := c.done[0]
		for i, now := range c.done[1:] {
			if got := e.repeat(now); got != c.want[i] {
				t.Errorf("%s: %v is to blame for number %d, want %v", c.name, got, i+2, c.want[i])
			}
		}
	}
}
