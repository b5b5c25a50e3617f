package server

import "time"

// Backlog describes a queue of messages between those who send and the service
// that works on them. Whoever sends is done when the message is stored.
type Backlog struct {
	// Consumers is how many take messages, each one delivery at a time.
	Consumers int64 `yaml:"consumers" unit:"count" default:"1" least:"1"`
	// Batch is how many messages a consumer takes at once, at most; it works on
	// them one after the other, and all of them are invisible from when they are
	// taken.
	Batch int64 `yaml:"batch" unit:"count" default:"1" least:"1"`
	// Visibility is how long a message that has been taken is hidden from other
	// consumers. If it is still there then, it is delivered again.
	Visibility time.Duration `yaml:"visibility" default:"30s" above:"0"`
	// MaxReceives is how often a message is delivered; then it is dead.
	MaxReceives int64 `yaml:"max_receives" unit:"count" unlimited:"true" default:"unlimited" least:"1"`
	// DeadLetter is the queue that dead messages go to; without one they are lost.
	DeadLetter string `yaml:"dead_letter" format:"name" none:"true"`
	// Ordered: a message is delivered only when all before it are gone.
	Ordered bool `yaml:"ordered" default:"false"`
	// Poison makes some messages fail whenever they are worked on.
	Poison Poison `yaml:"poison"`
	// Delay is how long a message is stored before it can be taken.
	Delay time.Duration `yaml:"delay" default:"0s"`
	// Retention is how long a message is kept; then it is lost.
	Retention time.Duration `yaml:"retention" default:"4d" above:"0"`
}

// Poison describes messages that can never be worked on.
type Poison struct {
	// Share is the share of messages that are poisoned.
	Share float64 `yaml:"share" unit:"share" default:"0%"`
	// Answer is what working on one comes to, after the full service.
	Answer Answer `yaml:"answer" default:"422"`
}

// Kinds gives Poison its one-line form: "1% answer 500".
func (Poison) Kinds() [][]string { return [][]string{{"", "share", "answer"}} }
