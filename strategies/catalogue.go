package strategies

import "time"

// Entry describes one kind of backoff to a reader.
type Entry struct {
	Name        string
	Formula     string // of the wait before retry k = 1, 2, ...
	Description string
	Fields      []Field // that the kind uses; the first is the main value
	Note        string
	Default     Backoff // what the name alone means
}

// Field is one field of a kind.
type Field struct {
	Name    string
	Default string // as written in a file
	Meaning string
}

// Catalogue describes every kind, in the order of Backoff.Kinds.
func Catalogue() []Entry {
	entries := []Entry{
		{
			Name:        "none",
			Formula:     "0",
			Description: "Retry at once.",
			Note:        "No retries at all is max_attempts: 1.",
		},
		{
			Name:        "fixed",
			Formula:     "min(cap, base)",
			Description: "The same wait before every retry.",
			Note:        "Callers that fail together come back together, every time.",
		},
		{
			Name:        "linear",
			Formula:     "min(cap, base * (k+first_exponent))",
			Description: "Each wait is longer than the one before by base.",
		},
		{
			Name:        "exponential",
			Formula:     "x = min(cap, base * factor^(k-1+first_exponent))",
			Description: "Each wait is factor times the one before.",
			Note:        "Spreads the load over time but keeps callers that fail together in step.",
		},
		{
			Name:        "full-jitter",
			Formula:     "U(0, x), x as for exponential",
			Description: "Anything up to the exponential wait.",
			Note:        "Some libraries call U(x/2, x) full jitter; here that is equal-jitter.",
		},
		{
			Name:        "equal-jitter",
			Formula:     "x/2 + U(0, x/2), x as for exponential",
			Description: "At least half the exponential wait, and up to all of it.",
			Note:        "The same law as U(x/2, x), \"half to full\", also called full jitter by some.",
		},
		{
			Name:        "decorrelated-jitter",
			Formula:     "min(cap, U(base, 3 * previous wait)), which starts at base",
			Description: "A random walk: each wait depends on the one before, not on k.",
			Note:        "The mean grows by half per retry, the typical wait only by a tenth: few very long waits make the mean.",
		},
		{
			Name:        "proportional-jitter",
			Formula:     "U(lo*x, hi*x), x as for exponential",
			Description: "The exponential wait times a random factor.",
			Note:        "lo 0.8 hi 1.2 is the usual plus or minus 20 %. With hi above 1 waits pass the cap.",
		},
		{
			Name:        "additive-jitter",
			Formula:     "x + U(0, spread), x as for exponential",
			Description: "The exponential wait plus a random one that does not grow.",
			Note:        "Waits pass the cap by up to spread.",
		},
		{
			Name:        "schedule",
			Formula:     "wait k of the list waits; the last one holds for ever",
			Description: "Waits from a list.",
			Note:        "steps ends the retries; max_attempts does too.",
		},
		{
			Name: "custom",
			Formula: "round(max(min, jitter(x))); x = min(cap, growth), or the cap on the wait (cap_on), " +
				"or a walk from the wait before",
			Description: "Any library's formula, put together from axes.",
			Note:        "Every other kind is short for some of these axes.",
		},
	}
	for i, kind := range (Backoff{}).Kinds() {
		for _, name := range kind[1:] {
			if name != "" {
				entries[i].Fields = append(entries[i].Fields, field(name))
			}
		}
		entries[i].Default = defaults(kind[0])
	}
	return entries
}

// defaults is a kind with what its tags say, and for schedule, which has no
// waits of its own, the shortest list.
func defaults(kind string) Backoff {
	b := Backoff{
		Kind: kind, Base: 100 * time.Millisecond, Factor: 2,
		Lo: 0.5, Hi: 1, Spread: 100 * time.Millisecond,
		Growth: "power", Degree: 1, LoOf: "base", FirstLo: 1, FirstHi: 1,
		Jitter: "none", Values: Unlimited, CapOn: "before", AtCap: "continue",
		Round: "none", Unit: time.Millisecond, Overflow: "saturate", Steps: Unlimited,
	}
	if kind == "schedule" {
		b.Waits = []time.Duration{100 * time.Millisecond}
	}
	return b
}

func field(name string) Field {
	for _, f := range fields {
		if f.Name == name {
			return f
		}
	}
	panic("strategies: no description of field " + name)
}

var fields = [...]Field{
	{"base", "100ms", "the first wait, before jitter"},
	{"cap", "none", "the longest wait, before jitter (custom: see cap_on)"},
	{"factor", "2", "growth from one retry to the next, 1 or more"},
	{"first_exponent", "0", "added to the exponent (linear: to the multiple); 1 starts one step later"},
	{"lo", "0.5", "the shortest wait as a multiple of x"},
	{"hi", "1", "the longest wait as a multiple of x"},
	{"spread", "100ms", "the width of the random part"},
	{"waits", "", "the waits, in order"},
	{"steps", "unlimited", "how many waits there are; no retry after the last"},
	{"first_repeats", "0", "how many more retries have the exponent of the first"},
	{"growth", "power", "what x grows like, n = k-1+first_exponent: constant (base), power (base*factor^n), " +
		"power-minus-one (base*(factor^n-1)), polynomial (offset+base*n^degree), fibonacci (base*1, 2, 3, 5, ...), " +
		"walk (from the wait before), polly (differences of 2^t tanh sqrt 4t)"},
	{"degree", "1", "the exponent of polynomial"},
	{"offset", "0s", "the constant term of polynomial"},
	{"lo_of", "base", "what lo multiplies in a walk: base or the previous wait"},
	{"first_lo", "1", "the shortest first wait of a walk, as a multiple of base"},
	{"first_hi", "1", "the longest first wait of a walk, as a multiple of base"},
	{"hi_grows", "false", "a walk's hi is multiplied by factor^(k-1)"},
	{"first", "", "the first wait, exactly; 0s retries at once, then as if it had waited"},
	{"jitter", "none", "none; full U(0, x); equal U(x/2, x); factor U(lo*x, hi*x); add x + U(0, spread); " +
		"plus-minus x + U(-spread, spread); above U(from, x)"},
	{"from", "0s", "the lower end of the jitter above"},
	{"spread_grows", "false", "spread is multiplied by k"},
	{"values", "unlimited", "how many values the jitter takes, equally far apart"},
	{"widen", "0s", "added to the upper end of the jitter's range"},
	{"cap_on", "before", "where the cap acts: before or after the jitter, both, or on x from the second retry on (state)"},
	{"at_cap", "continue", "what happens there: continue, stop-jitter, half (a wait above cap becomes U(cap/2, cap)), " +
		"stay (x keeps the value that passes it), end (no further retry)"},
	{"min", "0s", "the shortest wait"},
	{"round", "none", "waits become multiples of unit: none, down, nearest, up"},
	{"unit", "1ms", "what is rounded to"},
	{"round_steps", "false", "x is rounded down to unit at every step"},
	{"overflow", "saturate", "too long for the library: saturate, at-once (above 2^63-1 ns), timer (above 2^31-1 ms: 1 ms)"},
	{"sorted", "false", "the waits of a request, all steps of them, in ascending order"},
}
