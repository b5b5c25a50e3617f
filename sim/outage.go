package sim

import "time"

// outage finds the time, after an action, in which too few requests are served.
type outage struct {
	from, end       time.Duration // of the action; of the open block
	requests, ok    int64         // that started, and succeeded, in the open block
	seconds, latest int64         // latest: of blocks after which no request has started yet
}

// outageBlock is what is looked at as one.
const outageBlock = 10 * time.Second

// started counts a new request. What came before it was not the end.
func (o *outage) started(now time.Duration) {
	if now < o.from {
		return
	}
	o.roll(now)
	o.seconds += o.latest
	o.latest = 0
	o.requests++
}

func (o *outage) succeeded(now time.Duration) {
	if now >= o.from {
		o.roll(now)
		o.ok++
	}
}

// roll closes the block that is open if it is over.
func (o *outage) roll(now time.Duration) {
	if now < o.end {
		return
	}
	if 10*o.ok < 9*o.requests {
		o.latest += int64(outageBlock / time.Second)
	}
	o.requests, o.ok = 0, 0
	o.end += (now - o.end) / outageBlock * outageBlock
	o.end += outageBlock
}
