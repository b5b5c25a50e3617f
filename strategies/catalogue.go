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
	}
	for i, kind := range (Backoff{}).Kinds() {
		for _, name := range kind[1:] {
			if name != "" {
				entries[i].Fields = append(entries[i].Fields, field(name))
			}
		}
		entries[i].Default = Backoff{
			Kind: kind[0], Base: 100 * time.Millisecond, Factor: 2,
			Lo: 0.5, Hi: 1, Spread: 100 * time.Millisecond,
		}
	}
	return entries
}

func field(name string) Field {
	switch name {
	case "base":
		return Field{name, "100ms", "the first wait, before jitter"}
	case "cap":
		return Field{name, "none", "the longest wait, before jitter"}
	case "factor":
		return Field{name, "2", "growth from one retry to the next, 1 or more"}
	case "first_exponent":
		return Field{name, "0", "added to the exponent (linear: to the multiple); 1 starts one step later"}
	case "lo":
		return Field{name, "0.5", "the shortest wait as a multiple of x"}
	case "hi":
		return Field{name, "1", "the longest wait as a multiple of x"}
	case "spread":
		return Field{name, "100ms", "the width of the random part"}
	default:
		panic("strategies: no description of field " + name)
	}
}
