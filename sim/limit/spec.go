package limit

// Spec describes a limit on how much is in flight at once.
type Spec struct {
	// Kind is how the limit adapts: not at all (concurrency), up slowly and
	// down at once when something is dropped (aimd), or by how the present
	// times compare with those of the long run (gradient).
	Kind string `yaml:"kind"`
	// Limit is the limit, or the one to begin with.
	Limit int64 `yaml:"limit" unit:"count" min:"1" default:"20"`
	// Min and Max bound a limit that adapts.
	Min int64 `yaml:"min" unit:"count" min:"1" default:"1"`
	Max int64 `yaml:"max" unit:"count" min:"1" default:"1000"`
}

// Kinds lists the limits with their fields.
func (Spec) Kinds() [][]string {
	return [][]string{
		{"concurrency", "limit"},
		{"aimd", "", "limit", "min", "max"},
		{"gradient", "", "limit", "min", "max"},
	}
}
