package strategies

import (
	"math/bits"
	"time"
)

// asked is RetryAfter, compiled.
type asked struct {
	kind    askedKind
	on      OutcomeSet
	forms   AskedForms
	cap     time.Duration
	tooLong askedTooLong
	width   time.Duration
	jitter  float64
	centred bool
	restart bool
}

type askedKind uint8

const (
	askedIgnored askedKind = iota
	askedFloor
	askedReplace
	askedAdd
	askedBand
	askedRequired
)

type askedTooLong uint8

const (
	cut askedTooLong = iota
	giveUp
	ignoreIt
)

// AskedForms is a set of forms in which a wait is asked for.
type AskedForms uint8

// The forms.
const (
	AskedSeconds AskedForms = 1 << iota // delta-seconds
	AskedDate                           // HTTP-date
	AskedMillis                         // a header in ms
)

// ParseForms compiles RetryAfter.Forms; ok is false when a word is unknown.
func ParseForms(words []string) (forms AskedForms, ok bool) {
	for _, word := range words {
		switch word {
		case "seconds":
			forms |= AskedSeconds
		case "date":
			forms |= AskedDate
		case "ms":
			forms |= AskedMillis
		default:
			return 0, false
		}
	}
	return forms, true
}

func askedKindOf(name string) (askedKind, bool) {
	for i, row := range (RetryAfter{}).Kinds() {
		if row[0] == name {
			return askedKind(i), true
		}
	}
	return askedIgnored, name == ""
}

func (a RetryAfter) compile() asked {
	out := asked{
		cap: min(a.Cap, Longest), width: min(a.Width, Longest),
		jitter: a.Jitter, centred: a.Centred, restart: a.Restart,
	}
	out.kind, _ = askedKindOf(a.Kind)
	out.on, _ = ParseOutcomes(a.Answers)
	out.forms, _ = ParseForms(a.Forms)
	if out.cap == 0 {
		out.cap = Longest
	}
	switch a.TooLong {
	case "give-up":
		out.tooLong = giveUp
	case "ignore":
		out.tooLong = ignoreIt
	}
	return out
}

// Reads reports whether the caller looks for a wait in an answer of this kind,
// written in this form.
func (r *Rules) Reads(o Outcome, form AskedForms) bool {
	return r.asked.kind != askedIgnored && r.asked.forms&form != 0 && r.asked.on.Has(o)
}

// hint is what became of what the answer asks for.
type hint uint8

const (
	hintAbsent  hint = iota // nothing is asked, or it is ignored
	hintTaken               // the wait obeys it
	hintRefuses             // there is no retry
)

// apply is the wait after looking at what the answer asks for.
func (a *asked) apply(wait time.Duration, f *Failure) (time.Duration, hint) {
	if !a.on.Has(f.Outcome) {
		return wait, hintAbsent
	}
	asked := min(max(f.Asked, 0), Longest)
	switch {
	case f.Hinted && asked <= a.cap:
	case f.Hinted && a.tooLong == cut:
		asked = a.cap
	case f.Hinted && a.tooLong == giveUp, a.kind == askedRequired:
		return 0, hintRefuses
	default:
		return wait, hintAbsent
	}
	if asked == Longest && a.kind != askedBand {
		return 0, hintRefuses // not in this life
	}
	asked = a.spread(asked, f.AskedDraw)
	switch a.kind {
	case askedFloor:
		wait = max(wait, asked)
	case askedReplace, askedRequired:
		wait = asked
	case askedAdd:
		wait += asked
	case askedBand:
		wait = min(max(asked, wait), wait+a.width)
	}
	return min(wait, Longest), hintTaken
}

// spread adds the jitter: U(0, jitter) of d, or U(-jitter, jitter).
func (a *asked) spread(d time.Duration, u uint64) time.Duration {
	width := nearest(float64(d) * a.jitter)
	if width == 0 {
		return d
	}
	if a.centred {
		part, _ := bits.Mul64(u, uint64(2*width)+1)
		return min(d-time.Duration(width)+time.Duration(part), Longest)
	}
	part, _ := bits.Mul64(u, uint64(width)+1)
	return min(d+time.Duration(part), Longest)
}
