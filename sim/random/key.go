package random

import (
	"math/bits"
)

// Key names a thing that draws random numbers: a group, a client, a call. Keys
// are well mixed: equal names give equal keys, different ones unrelated keys.
type Key uint64

// golden is 2^64 / the golden ratio, rounded to odd: the increment of
// SplitMix64.
const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014; Stafford's variant 13): a bijection in
// which every input bit flips every output bit about half of the time.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// absorb adds one word to a name: a bijection of either argument while the
// other is fixed, so names that differ in one word never collide.
func absorb(h, word uint64) uint64 { return mix((h ^ word) + golden) }

// Root is the key of the thing that the words lead to, in this order: seed,
// replication, group, client, request. A shorter path names what all longer
// ones have in common, such as the group.
func Root(seed uint64, path ...uint64) Key {
	h := absorb(uint64(len(path)), seed)
	for _, word := range path {
		h = absorb(h, word)
	}
	return Key(mix(h))
}

// children keeps the keys of children apart from the draws of their parent.
const children = 0xd1b54a32d192ed03

// Child is the key of one call made under k: over which hop, the how manieth
// attempt, and which copy of it (0 the primary, then hedges). Hop and copy are
// below 2^32.
func (k Key) Child(hop, attempt, copy uint64) Key {
	return Key(absorb(absorb(uint64(k)^children, hop<<32^copy), attempt))
}

// Purpose is what a draw is used for. Two purposes under one key never share
// a draw. The numbers are part of the results: append, never renumber.
type Purpose uint64

// The purposes. The index tells several draws of one purpose apart.
const (
	_           Purpose = iota
	NetworkOut          // delay of the message to the service
	NetworkBack         // delay of its answer
	NetworkRead         // the extra round trip of an optimistic writer: index 0 out, 1 back
	Service             // service demand
	Error               // whether a fault fails the call
	Backoff             // wait before a retry
	RetryAfter          // spread of the wait a server asks for
	Row                 // row that a writer contends for
	Think               // pause of a closed client
	Start               // start of a client or arrival, by index
	Phase               // where in its period a client's clock starts
	Jitter              // how late a tick is, by index
	Class               // kind of a request
	Share               // whether an optional step is taken
	Replica             // which replica is chosen
	Cache               // whether a look-up hits
	InboxKey            // whether two requests carry one idempotency key
	Order               // place in a randomly served queue
	Poison              // whether a message can never be processed
	Member              // which client of a group an arrival belongs to
	AskedJitter         // jitter on the wait that a server asks for
	Design              // place of a point in a sweep
	Admit               // whether a call is let in
)

// Draw is 64 random bits: SplitMix64 that starts at the key, taken at a place
// that purpose and index name. Keys are well mixed themselves, so the sequences
// of different keys start anywhere. Under one key, different pairs of purpose
// and index (below 2^56) give different bits.
func (k Key) Draw(p Purpose, index uint64) uint64 {
	counter := uint64(p)<<56 ^ index
	return mix(uint64(k) + counter*golden)
}

// Unit turns a draw into a number in the open interval (0, 1): the middles of
// 2^52 equal cells, so neither end is ever met, and Unit(^u) is exactly
// 1 - Unit(u).
func Unit(u uint64) float64 {
	return (float64(int64(u>>12)) + 0.5) * (1.0 / (1 << 52))
}

// Uniform turns a draw into an integer in [0, n), all nearly equally likely; 0
// when n is 0.
//
// It is the upper half of u * n. Each value owns floor(2^64/n) or one more of
// the draws, so probabilities are off by less than n/2^64 of themselves: below
// 2^-20 for n < 2^44 (about five hours in nanoseconds). An experiment would
// need some 2^40 draws to see that, and rejection, the usual cure, would cost
// what matters more here: one draw per variate.
func Uniform(u, n uint64) uint64 {
	hi, _ := bits.Mul64(u, n)
	return hi
}
