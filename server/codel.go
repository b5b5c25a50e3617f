package server

import (
	"math"
	"time"
)

// The parameters of CoDel that RFC 8289 recommends.
const (
	codelTarget   = 5 * time.Millisecond
	codelInterval = 100 * time.Millisecond
)

// codel is the dequeue law of RFC 8289, section 5.6, with calls for packets:
// when all calls of an interval have waited longer than the target, one is
// dropped, and then one every interval/sqrt(n), n counting them, until a call
// has waited less. The names of the RFC are in brackets.
type codel struct {
	above    time.Duration // when it may drop (first_above_time_); 0: not above
	dropping bool
	next     time.Duration // the next drop (drop_next_)
	owed     bool          // next is still that of the last drop
	count    int64         // drops since it began to drop
	last     int64         // count when it began to drop (lastcount_)
}

// drops decides on a call that leaves the queue. The RFC looks on to the next
// call when it drops one; here that is the next call of this function.
func (c *codel) drops(now, waited time.Duration, behind int64) bool {
	may := c.may(now, waited, behind)
	switch {
	case !may:
		c.dropping, c.owed = false, false
	case !c.dropping:
		c.begin(now)
		return true
	default:
		if c.owed {
			c.next, c.owed = c.next+control(c.count), false
		}
		if now >= c.next {
			c.count++
			c.owed = true
			return true
		}
	}
	return false
}

// may says whether calls have waited too long for an interval (ok_to_drop). A
// queue of one call at most is never too long.
func (c *codel) may(now, waited time.Duration, behind int64) bool {
	switch {
	case waited < codelTarget || behind <= 1:
		c.above = 0
	case c.above == 0:
		c.above = now + codelInterval
	default:
		return now >= c.above
	}
	return false
}

// begin starts to drop, about as fast as it ended if that was not long ago.
func (c *codel) begin(now time.Duration) {
	c.dropping = true
	delta := c.count - c.last
	c.count = 1
	if delta > 1 && now-c.next < 16*codelInterval {
		c.count = delta
	}
	c.next = now + control(c.count)
	c.last = c.count
}

// idle is a look at the empty queue.
func (c *codel) idle() { c.above, c.dropping, c.owed = 0, false, false }

// control is interval/sqrt(n), rounded down. For integers that is the root of
// interval^2/n, rounded down twice; the root of the float is exact for every n.
func control(n int64) time.Duration {
	square := int64(codelInterval) * int64(codelInterval) / n
	return time.Duration(math.Sqrt(float64(square)))
}
