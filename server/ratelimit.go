package server

import "time"

type limitKind uint8

const (
	noLimit limitKind = iota
	tokenBucket
	fixedWindow
	slidingWindow
)

// rateLimit admits a limited rate of calls. All of it is integer arithmetic: a
// token is there at the very nanosecond it is due, however long the run.
type rateLimit struct {
	kind   limitKind
	reply  reply
	bucket bucket        // the token bucket's rule
	limit  int64         // of a window
	window time.Duration // its width

	// Meter 0 is everybody's; with a limit per client each has its own.
	clients *clients
	meters  []meter
	admits  []ring[time.Duration] // instead of meters, for sliding windows
}

// meter is what a limit remembers of the calls it admitted: for a bucket, when
// it is full again (n: fractions of a nanosecond); for fixed windows, the start
// of the last window and how many it admitted.
type meter struct {
	at time.Duration
	n  int64
}

func newRateLimit(spec RateLimit) rateLimit {
	l := rateLimit{reply: newReply(spec.Answer, 429), limit: spec.Limit, window: spec.Window}
	switch spec.Kind {
	case "token-bucket":
		l.kind, l.bucket = tokenBucket, newBucket(spec.Rate, spec.Burst)
	case "fixed-window":
		l.kind = fixedWindow
	case "sliding-window":
		l.kind = slidingWindow
	}
	if spec.Scope == "client" {
		l.clients = newClients(fewClients)
	}
	l.grow(1)
	return l
}

func (l *rateLimit) reset() {
	if l.clients != nil {
		l.clients.reset()
	}
	clear(l.meters)
	for i := range l.admits {
		l.admits[i].clear()
	}
}

// grow makes n meters, the new ones fresh.
func (l *rateLimit) grow(n int) {
	for l.kind == slidingWindow && len(l.admits) < n {
		l.admits = append(l.admits, ring[time.Duration]{})
	}
	for l.kind != slidingWindow && len(l.meters) < n {
		l.meters = append(l.meters, meter{})
	}
}

// admit says whether a call may pass, and if so counts it.
func (l *rateLimit) admit(now time.Duration, client uint64) bool {
	i := uint32(0)
	if l.clients != nil {
		i = l.clients.find(client, l, now)
	}
	switch l.kind {
	case tokenBucket:
		return l.bucket.take(&l.meters[i], now)
	case fixedWindow:
		m := &l.meters[i]
		if start := now - now%l.window; m.at != start {
			*m = meter{at: start}
		}
		if m.n == l.limit {
			return false
		}
		m.n++
		return true
	default:
		admits := &l.admits[i]
		l.forget(admits, now)
		if int64(admits.len()) == l.limit {
			return false
		}
		admits.push(now)
		return true
	}
}

// forget drops the admissions that have left the window (now-window, now].
func (l *rateLimit) forget(admits *ring[time.Duration], now time.Duration) {
	for admits.len() > 0 && admits.front() <= now-l.window {
		admits.pop()
	}
}

// fresh says whether a meter admits from now on what a new one would.
func (l *rateLimit) fresh(i uint32, now time.Duration) bool {
	switch l.kind {
	case tokenBucket:
		return !l.meters[i].after(now, 0)
	case fixedWindow:
		return l.meters[i].at+l.window <= now
	default:
		l.forget(&l.admits[i], now)
		return l.admits[i].len() == 0
	}
}

// wait is how long it takes until a call of the client would be admitted, if
// nothing else were: to the nanosecond.
func (l *rateLimit) wait(now time.Duration, client uint64) time.Duration {
	i := uint32(0)
	if l.clients != nil {
		var ok bool
		if i, ok = l.clients.meters[client]; !ok {
			return 0
		}
	}
	switch l.kind {
	case tokenBucket:
		return l.bucket.wait(&l.meters[i], now)
	case fixedWindow:
		if m := &l.meters[i]; m.n == l.limit && now-m.at < l.window {
			return m.at + l.window - now
		}
		return 0
	default:
		admits := &l.admits[i]
		l.forget(admits, now)
		if int64(admits.len()) < l.limit {
			return 0
		}
		return admits.front() + l.window - now
	}
}
