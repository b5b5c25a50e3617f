package scenarios

import (
	"fmt"
	"time"

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

// fed are the queues that anything may be put in: by a call, or when it is dead.
func (v *validator) fed() map[string]bool {
	fed := v.deadLetters()
	for _, c := range v.scenario.callers() {
		for step := range c.calls.Calls() {
			fed[step.To] = true
		}
	}
	return fed
}

// deadLetters are the queues that dead letters may come to: from a policy that
// gives up, or from another queue.
func (v *validator) deadLetters() map[string]bool {
	dead := map[string]bool{}
	for _, c := range v.scenario.callers() {
		for _, l := range v.graph.layersOf(c) {
			dead[l.DeadLetter] = true
		}
	}
	for i := range v.scenario.Queues {
		dead[v.scenario.Queues[i].DeadLetter] = true
	}
	return dead
}

const (
	maxConsumers = 1_000_000
	longTime     = 140 * 366 * 24 * time.Hour
)

// queues checks every queue.
func (v *validator) queues() {
	queues := names(v.root.value("queues"))
	for i := range v.scenario.Queues {
		q := &v.scenario.Queues[i]
		path := "queues." + q.Name
		if v.graph.places[q.Name] < len(v.scenario.Services) {
			v.bad(path, "a service has this name; give one of them another, as calls name both", "")
		}
		if to, known := v.graph.places[q.To]; known && v.graph.queue(to) != nil {
			v.bad(join(path, "to"), "consumers call a service, and this is a queue", list(names(v.root.value("services"))))
		}
		v.queueName(join(path, "dead_letter"), q.DeadLetter, queues)
		if q.DeadLetter == q.Name {
			v.bad(join(path, "dead_letter"), "a message that dies would come back, for ever", "another queue, or none")
		}
		that := func(ok bool, field, message, allowed string) {
			if !ok {
				v.bad(join(path, field), message, allowed)
			}
		}
		that(1 <= q.Consumers && q.Consumers <= maxConsumers, "consumers", "too few or too many", fmt.Sprintf("1 to %d", maxConsumers))
		that(1 <= q.Batch && q.Batch <= maxConsumers, "batch", "too small or too large", fmt.Sprintf("1 to %d", maxConsumers))
		that(q.MaxReceives == server.Unlimited || q.MaxReceives >= 1, "max_receives", "too small: the first delivery counts", "1 or more, or unlimited")
		that(time.Millisecond <= q.Visibility && q.Visibility <= longTime, "visibility", "too short or too long", "1ms to 140 years")
		that(0 < q.Retention && q.Retention <= longTime, "retention", "too short or too long", "above 0s")
		that(q.Delay <= longTime, "delay", "too long", "")
	}
}

// queueName checks that what is named is a queue.
func (v *validator) queueName(path, name string, queues []string) {
	if name == "" || isBad(v.root, "queues") {
		return
	}
	switch place, known := v.graph.places[name]; {
	case !known && queues == nil:
		v.bad(path, "no such queue; there is none", "")
	case !known:
		v.bad(path, "no such queue"+didYouMean(name, queues), list(queues))
	case v.graph.queue(place) == nil:
		v.bad(path, "a service is no queue", list(queues))
	}
}

func (v *validator) queueAdvice(q *Queue) {
	path := "queues." + q.Name
	field := func(name string) string { return join(path, name) }
	if q.To == "" {
		for _, name := range []string{"consumers", "batch", "visibility", "max_receives", "dead_letter", "ordered", "poison", "delay", "policy", "network"} {
			v.idleIf(true, field(name), "has no effect: without to nobody takes messages out of it")
		}
		return
	}
	if q.Retention < q.Visibility {
		v.warn(field("retention"), "a message that was taken once is lost before it can be delivered again: visibility is "+FormatDuration(q.Visibility))
	}
	if q.Retention <= q.Delay {
		v.warn(field("retention"), "every message is lost before it can be taken: delay is "+FormatDuration(q.Delay))
	}
	unlimited := q.MaxReceives == server.Unlimited
	if unlimited && q.Poison.Share > 0 {
		behind := ""
		if q.Ordered {
			behind = ", and all behind it wait"
		}
		v.warn(field("poison"), "a poisoned message is delivered again and again until it is lost after "+FormatDuration(q.Retention)+behind+": max_receives is unlimited")
	}
	v.idleIf(unlimited, field("dead_letter"), "has no effect: max_receives is unlimited, so no message dies")
	v.idleIf(q.Poison.Share == 0, field("poison.answer"), "has no effect: no message is poisoned")
	v.idleIf(q.Visibility >= v.scenario.Until, field("visibility"), "no message is ever delivered again: not shorter than the run")
}
