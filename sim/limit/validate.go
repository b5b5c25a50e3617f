package limit

import (
	"fmt"
	"strings"
)

// most keeps limits and what is in flight exact as floats.
const most = 1_000_000_000

// Validate calls bad with each field that Kind uses and cannot: its name in
// the file, and what is allowed.
func (s Spec) Validate(bad func(field, problem string)) {
	within := func(field string, n, lo, hi int64, problem string) {
		if n < lo || n > hi {
			bad(field, problem)
		}
	}
	switch s.Kind {
	case "concurrency":
		within("limit", s.Limit, 1, most, "must be 1 to 1e9")
	case "aimd", "gradient":
		within("min", s.Min, 1, most, "must be 1 to 1e9")
		within("max", s.Max, max(s.Min, 1), most, fmt.Sprintf("must be at least min (%d), and at most 1e9", s.Min))
		within("limit", s.Limit, s.Min, s.Max, fmt.Sprintf("must be from min (%d) to max (%d)", s.Min, s.Max))
	default:
		var names []string
		for _, k := range s.Kinds() {
			names = append(names, k[0])
		}
		bad("kind", "must be one of "+strings.Join(names, ", "))
	}
}
