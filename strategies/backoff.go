package strategies

import (
	"math"
	"time"
)

// Longest is the longest wait there is, about 73 years. Waits stop growing
// there; it lies beyond the end of any run, and three of them do not overflow.
const Longest time.Duration = 1 << 61

// kindOf finds a kind by name; the empty one is none, so that the zero Backoff
// retries at once.
func kindOf(name string) (i int, ok bool) {
	for i, entry := range (Backoff{}).Kinds() {
		if entry[0] == name {
			return i, true
		}
	}
	return 0, name == ""
}

// growth is what x grows like.
type growth uint8

const (
	constant growth = iota
	power
	powerMinusOne
	polynomial
	fibonacci
	scheduled
)

// jitter is the shape of the random part.
type jitter uint8

const (
	noJitter jitter = iota
	fullJitter
	equalJitter
	factorJitter
	addJitter
	plusMinusJitter
	aboveJitter
)

// rounding is how waits become multiples of a unit.
type rounding uint8

const (
	unrounded rounding = iota
	roundDown
	roundNearest
	roundUp
)

// memory says how the waits of one request hang together.
type memory uint8

const (
	independent memory = iota
	walking            // each comes from the one before
	differing          // each is a difference
	sorting            // they are drawn together
)

// curve is a Backoff in axes and in numbers that cannot overflow: durations are
// whole nanoseconds up to Longest, and what is not limited has a limit that is
// never reached.
type curve struct {
	memory memory
	closed bool // the walk is decorrelated-jitter, whose law is known

	growth  growth
	base    int64
	factor  float64
	first   int64 // first_exponent
	repeats int64 // first_repeats
	degree  int64
	offset  int64
	step    int64 // what x is rounded down to at every step; 0: not rounded
	stay    int64 // the retry at which x stops growing
	limit   int64 // of x
	free    bool  // the first x has no limit
	cap     int64
	stop    bool // no jitter where x is above cap
	wraps   bool // no wait where x is above 2^63-1

	jitter     jitter
	lo, hi     float64
	spread     int64
	grows      bool // spread does
	from       int64
	widen      int64
	values     uint64 // 0: all
	start      int64  // the first wait, exactly; negative: no exception
	startLo    float64
	startHi    float64
	ofPrevious bool // lo multiplies the wait before, not base
	hiGrows    bool

	most     int64 // of a wait
	half     bool  // a wait above cap is drawn anew
	least    int64
	rounding rounding
	unit     int64
	timer    bool

	size int64 // how many waits are sorted
}

// curve makes the axes of every kind.
func (b Backoff) curve() curve {
	limit := whole(b.Cap)
	if limit == 0 {
		limit = int64(Longest)
	}
	c := curve{
		base: whole(b.Base), factor: b.Factor, first: b.FirstExponent,
		stay: math.MaxInt64, limit: limit, cap: limit, most: int64(Longest),
		lo: b.Lo, hi: b.Hi, spread: whole(b.Spread), start: -1,
	}
	switch b.Kind {
	case "", "none":
		c.base = 0
	case "fixed":
	case "linear":
		c.growth, c.degree, c.first = polynomial, 1, plus(c.first, 1)
	case "exponential":
		c.growth = power
	case "full-jitter":
		c.growth, c.jitter = power, fullJitter
	case "equal-jitter":
		c.growth, c.jitter = power, equalJitter
	case "proportional-jitter":
		c.growth, c.jitter = power, factorJitter
	case "additive-jitter":
		c.growth, c.jitter = power, addJitter
	case "decorrelated-jitter":
		c.memory, c.closed, c.most = walking, true, limit
	case "schedule":
		c.growth = scheduled
	case "custom":
		c.customise(b)
	default:
		panic("strategies: unknown kind of backoff")
	}
	return c
}

// customise reads the axes of custom.
func (c *curve) customise(b Backoff) {
	c.repeats, c.degree, c.offset = b.FirstRepeats, b.Degree, whole(b.Offset)
	c.grows, c.from, c.widen = b.SpreadGrows, whole(b.From), whole(b.Widen)
	c.startLo, c.startHi, c.hiGrows = b.FirstLo, b.FirstHi, b.HiGrows
	c.ofPrevious = b.LoOf == "previous"
	c.least, c.unit = whole(b.Min), whole(b.Unit)
	c.wraps, c.timer = b.Overflow == "at-once", b.Overflow == "timer"
	if b.First != nil {
		c.start = whole(*b.First)
	}
	if b.Values > 0 {
		c.values = uint64(b.Values)
	}
	if b.RoundSteps {
		c.step = c.unit
	}
	c.setGrowth(b.Growth)
	c.setJitter(b.Jitter)
	c.setRounding(b.Round)
	c.setCap(b.CapOn, b.AtCap)
	if b.Sorted {
		c.memory, c.size = sorting, b.Steps
	}
}

func (c *curve) setGrowth(word string) {
	switch word {
	case "constant":
		c.growth = constant
	case "power-minus-one":
		c.growth = powerMinusOne
	case "polynomial":
		c.growth = polynomial
	case "fibonacci":
		c.growth = fibonacci
	case "walk":
		c.memory = walking
	case "polly":
		c.memory = differing
	default:
		c.growth = power
	}
}

func (c *curve) setJitter(word string) {
	switch word {
	case "full":
		c.jitter = fullJitter
	case "equal":
		c.jitter = equalJitter
	case "factor":
		c.jitter = factorJitter
	case "add":
		c.jitter = addJitter
	case "plus-minus":
		c.jitter = plusMinusJitter
	case "above":
		c.jitter = aboveJitter
	default:
		c.jitter = noJitter
	}
}

func (c *curve) setRounding(word string) {
	switch word {
	case "down":
		c.rounding = roundDown
	case "nearest":
		c.rounding = roundNearest
	case "up":
		c.rounding = roundUp
	default:
		c.rounding = unrounded
	}
}

// setCap places the cap. A cap on the wait leaves x alone: up to Longest, and
// the range of a walk even further.
func (c *curve) setCap(on, at string) {
	free := int64(Longest)
	if c.memory == walking {
		free = math.MaxInt64
	}
	switch on {
	case "after":
		c.limit, c.most = free, c.cap
	case "both":
		c.most = c.cap
	case "state":
		c.free = true
	}
	switch at {
	case "stop-jitter":
		c.stop = true
	case "half":
		c.half = true
	case "stay":
		c.stay = plus(c.lastBelow(c.cap), 1)
	}
}

// whole is a duration in nanoseconds, at most Longest.
func whole(d time.Duration) int64 { return int64(min(d, Longest)) }
