package scenarios

import (
	"retrystorm/server"
	"retrystorm/sim/random"
)

// Queue is a named queue of messages. A call to it succeeds when the message is
// stored; then its consumers make a call for it.
type Queue struct {
	Name string `yaml:",name"`
	// To is the service that works on the messages; without one the queue only
	// stores them.
	To             string `yaml:"to" format:"name" optional:"true"`
	server.Backlog `yaml:",inline"`
	// Policy is that of its consumers: the name of a policy, a policy written in
	// place, or a list of up to 32 names, the outermost first.
	Policy *PolicyRef `yaml:"policy" optional:"true"`
	// Network is the delay of one message from a consumer to the service, one way.
	Network random.Dist `yaml:"network"`
}

// caller is the queue as one who calls: its consumers.
func (q *Queue) caller() caller {
	c := caller{path: "queues." + q.Name, policy: q.Policy, network: q.Network, queue: true}
	if q.To != "" {
		c.calls = Steps{{To: q.To, Share: 1}}
	}
	return c
}

// storing is the work of a queue: none.
func storing() server.Spec {
	return server.Spec{Replicas: 1, Workers: server.Unlimited, Queue: server.Queue{Limit: server.Unlimited}, InFlight: server.Unlimited}
}

// fed are the queues that anything may be put in: by a call, by a policy that
// gives up, or by another queue.
func (v *validator) fed() map[string]bool {
	fed := map[string]bool{}
	for _, c := range v.scenario.callers() {
		for step := range c.calls.Calls() {
			fed[step.To] = true
		}
		for _, l := range v.graph.layersOf(c) {
			fed[l.DeadLetter] = true
		}
	}
	for i := range v.scenario.Queues {
		fed[v.scenario.Queues[i].DeadLetter] = true
	}
	return fed
}
