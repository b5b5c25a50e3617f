package server

import (
	"time"

	"retrystorm/sim/limit"
)

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
	bucket limit.Bucket  // the token bucket's rule
	limit  int64         // of a window
	window time.Duration // its width

	// What is remembered, by kind. The first is everybody's; with a limit per
	// client each has its own.
	clients *clients
	levels  []limit.Level
	windows []meter
	admits  []ring[time.Duration] // what a sliding window admitted
}

// meter is the start of the last window and how many calls it admitted.
type meter struct {
	at time.Duration
	n  int64
}

func newRateLimit(spec RateLimit) rateLimit {
	l := rateLimit{reply: newReply(spec.Answer, 429), limit: spec.Limit, window: spec.Window}
	switch spec.Kind {
	case "token-bucket":
		l.kind, l.bucket = tokenBucket, limit.NewBucket(spec.Rate, spec.Burst)
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
	clear(l.levels)
	clear(l.windows)
	for i := range l.admits {
		l.admits[i].clear()
	}
}

// grow makes room for n clients, the new ones fresh.
func (l *rateLimit) grow(n int) {
	for l.kind == tokenBucket && len(l.levels) < n {
		l.levels = append(l.levels, limit.Level{})
	}
	for l.kind == fixedWindow && len(l.windows) < n {
		l.windows = append(l.windows, meter{})
	}
	for l.kind == slidingWindow && len(l.admits) < n {
		l.admits = append(l.admits, ring[time.Duration]{})
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
		return l.bucket.Take(&l.levels[i], now)
	case fixedWindow:
		m := &l.windows[i]
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

// fresh says whether what is remembered admits from now on what nothing would.
func (l *rateLimit) fresh(i uint32, now time.Duration) bool {
	switch l.kind {
	case tokenBucket:
		return l.levels[i].Full(now)
	case fixedWindow:
		return l.windows[i].at+l.window <= now
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
		return l.bucket.Wait(&l.levels[i], now)
	case fixedWindow:
		if m := &l.windows[i]; m.n == l.limit && now-m.at < l.window {
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
