package server

import "time"

// Inbox describes how a service finds out that it has done a call's work
// before: by the keys that requests carry, the same for all calls of a request
// over one hop, however they came about.
type Inbox struct {
	// Kind is how a key is kept: not at all (none); looked up when the work
	// begins and written when it is done (check-then-insert), so that two calls in
	// service at once both do it; or under a unique constraint from when the work
	// begins (unique), so that one does it.
	Kind string `yaml:"kind" default:"none"`
	// Keep is how long a key is kept; none: for ever.
	Keep time.Duration `yaml:"keep" none:"true"`
	// KeepNewest is how many keys are kept, the newest.
	KeepNewest int64 `yaml:"keep_newest" unit:"count" unlimited:"true" default:"unlimited" least:"1"`
	// Replay answers a call whose work has been done with the answer of the first
	// one; else it gets 409. While the first is still in service it gets 409 anyhow.
	Replay bool `yaml:"replay" default:"true"`
	// SameKey is the share of requests that carry the key of the request before
	// (of the same client): a key that is too coarse.
	SameKey float64 `yaml:"same_key" unit:"share" default:"0%"`
	// KeyCycle makes keys begin again after that time, as a number that is counted
	// from 1 every day: the n-th request of a group in every cycle has one key.
	KeyCycle time.Duration `yaml:"key_cycle" none:"true"`
}

// Kinds lists the kinds of Inbox with their fields.
func (Inbox) Kinds() [][]string {
	return [][]string{
		{"none", ""},
		{"check-then-insert", "", "keep", "keep_newest", "replay", "same_key", "key_cycle"},
		{"unique", "", "keep", "keep_newest", "replay", "same_key", "key_cycle"},
	}
}

// Validate calls bad for every problem, as [Spec.Validate] does.
func (b Inbox) Validate(bad func(field, problem string)) {
	v := check{bad: bad}
	switch b.Kind {
	case "", "none":
		return
	case "check-then-insert", "unique":
	default:
		v.at("kind", "must be none, check-then-insert or unique")
	}
	v.that(0 <= b.Keep && b.Keep <= never, "keep", "must be longer than 0s, or none: for ever")
	v.that(b.KeepNewest == Unlimited || b.KeepNewest >= 1, "keep_newest", "must be at least 1, or unlimited")
	v.share("same_key", b.SameKey)
	v.that(0 <= b.KeyCycle && b.KeyCycle <= never, "key_cycle", "must be longer than 0s, or none")
}

// On reports whether there is an inbox at all.
func (b Inbox) On() bool { return b.Kind != "" && b.Kind != "none" }
