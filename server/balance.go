package server

import "retrystorm/sim/random"

// Balancer says which replica of a service a call goes to. It knows how many
// calls are inside each, and nothing of their health: a replica that turns calls
// away has few inside, and looks good to least.
type Balancer struct {
	rule balance
	turn int // whose it is, of round-robin
}

type balance uint8

const (
	byChance balance = iota
	inTurn
	fewest
	twoChoices
)

// balances are their names in a spec.
var balances = []string{"random", "round-robin", "least", "two-choices"}

// Balancer is the balancer of a service.
func (spec Spec) Balancer() (b Balancer) {
	for i, name := range balances {
		if name == spec.Balance {
			b.rule = balance(i)
		}
	}
	return b
}

// Reset makes it as new.
func (b *Balancer) Reset() { b.turn = 0 }

// Pick chooses among the stations for a call with that key, all but the one to
// avoid (none if below 0) if there are others. Of equally good ones each is
// equally likely.
func (b *Balancer) Pick(stations []*Station, key random.Key, avoid int) int {
	n := len(stations)
	if n == 1 {
		return 0
	}
	if uint(avoid) >= uint(n) {
		avoid = n
	} else {
		n--
	}
	// Those that may be chosen are numbered from 0.
	at := func(i int) int {
		if i >= avoid {
			i++
		}
		return i
	}
	draw := func(index uint64, n int) int { return int(random.Uniform(key.Draw(random.Replica, index), uint64(n))) }
	switch b.rule {
	case inTurn:
		i := b.turn
		if i == avoid {
			i = (i + 1) % len(stations)
		}
		b.turn = (i + 1) % len(stations)
		return i
	case fewest:
		least, equals := int64(0), 0
		for i := range n {
			switch inside := stations[at(i)].Inside(); {
			case equals == 0 || inside < least:
				least, equals = inside, 1
			case inside == least:
				equals++
			}
		}
		k := draw(0, equals)
		for i := range n {
			if stations[at(i)].Inside() == least {
				if k == 0 {
					return at(i)
				}
				k--
			}
		}
	case twoChoices:
		i := draw(0, n)
		if n == 1 {
			return at(i)
		}
		j := draw(1, n-1)
		if j >= i {
			j++
		}
		if stations[at(j)].Inside() < stations[at(i)].Inside() {
			i = j
		}
		return at(i)
	}
	return at(draw(0, n))
}
