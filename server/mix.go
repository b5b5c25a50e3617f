package server

import "retrystorm/sim/random"

// mixed is one of several replies; it has the draws below, from the one before.
type mixed struct {
	below float64
	reply reply
}

func newMix(parts []MixPart) []mixed {
	var mix []mixed
	sum := 0.0
	for _, p := range parts {
		sum += p.Share
		mix = append(mix, mixed{sum, newReply(p.reply(), 500)})
	}
	if len(mix) > 0 {
		mix[len(mix)-1].below = 1 // not nearly
	}
	return mix
}

// reply is the part as an answer of its own; OK if there is no such answer.
func (p MixPart) reply() Reply {
	r := Reply{RetryAfter: p.RetryAfter, Spread: p.Spread, Form: p.Form, Skew: p.Skew, Behind: p.Behind}
	if err := r.Answer.UnmarshalText([]byte(p.Answer)); err != nil {
		r.Answer = OK
	}
	return r
}

// mixDraws keeps the draws of the mixes apart from those of the shares.
const mixDraws = 1 << 32

// draw is what a call gets that a fault with a mix fails.
func (f *fault) draw(key random.Key) *reply {
	u := random.Unit(key.Draw(random.Error, mixDraws|f.index))
	i := 0
	for u >= f.mix[i].below { // the last is 1
		i++
	}
	return &f.mix[i].reply
}
