package strategies

import (
	"math"
	"time"
)

// What a budget allows when it does not say.
const (
	defaultRate  = 10 // retries per second
	defaultCount = 3  // retries at once
)

// The values of deposit.
const (
	depositRequest = "request"
	depositSuccess = "success"
	depositFinal   = "final"
)

// maxReserve keeps sums of tokens within 62 bits.
const maxReserve = 1 << 60

// FloorRate is how many retries a second a budget over time always allows.
func (b Budget) FloorRate() float64 {
	if b.Floor.Set {
		return b.Floor.Rate
	}
	return defaultRate
}

// compileRatio: a retry costs 1000/ratio, rounded down, where each deposit is
// 1000. Rounded, it costs 1/ratio, rounded down, where each deposit is 1; that
// cannot express a ratio above 1, which is taken as if not rounded.
func (b Budget) compileRatio(r *BudgetRules) {
	r.slot = slotOf(b.Window)
	r.depositOn = b.Deposit
	if r.depositOn == "" {
		r.depositOn = depositRequest
	}
	r.perRequest = millionths(b.PerRequest)
	r.deposit = thousand
	if b.Rounded && b.Ratio <= 1 {
		r.deposit = 1
	}
	if b.Ratio > 0 {
		r.withdrawal = int64(min(float64(r.deposit)/b.Ratio, maxReserve))
	} else {
		r.deposit, r.withdrawal = 0, 1
	}
	reserve := float64(float64(b.FloorRate()*b.Window.Seconds()) * float64(r.withdrawal))
	r.floor = int64(math.Round(min(reserve, maxReserve)))
}

// compileWindow: the floor of 10/s is counted over one second; one below 1/s
// over the time of one retry.
func (b Budget) compileWindow(r *BudgetRules) {
	r.slot = slotOf(b.Window)
	r.innerSlot = 1
	if rate := b.FloorRate(); rate > 0 {
		whole := max(math.Floor(rate), 1)
		r.floor = int64(whole)
		r.innerSlot = slotOf(time.Duration(math.Round(float64(whole / rate * float64(time.Second)))))
	}
}

func (r *BudgetRules) earn(s *BudgetState, now time.Duration) {
	s.windows.balance.add(now/r.slot, r.deposit)
}

// balance is what a windowed bucket holds. It is below zero when what was spent
// was earned before the window, and the spending is still in it.
func (r *BudgetRules) balance(s *BudgetState, now time.Duration) int64 {
	return r.floor + s.windows.balance.of(now/r.slot)
}

// perStart is how many retries a request that starts now may have: per_request
// of the balance, rounded up.
func (r *BudgetRules) perStart(s *BudgetState, now time.Duration) int64 {
	if r.perRequest >= million {
		return math.MaxInt64
	}
	retries := max(r.balance(s, now), 0) / r.withdrawal
	whole, rest := retries/million, retries%million
	return whole*r.perRequest + (rest*r.perRequest+million-1)/million
}

func (r *BudgetRules) takeRatio(s *BudgetState, now time.Duration) (int64, bool) {
	if r.balance(s, now) < r.withdrawal {
		return 0, false
	}
	s.windows.balance.add(now/r.slot, -r.withdrawal)
	return r.withdrawal, true
}

// takeWindow counts the retry that is asked for.
func (r *BudgetRules) takeWindow(s *BudgetState, now time.Duration) bool {
	w := s.windows
	if w.recent.of(now/r.innerSlot) >= r.floor &&
		(w.retries.of(now/r.slot)+1)*million > r.ratio*w.requests.of(now/r.slot) {
		return false
	}
	w.recent.add(now/r.innerSlot, 1)
	w.retries.add(now/r.slot, 1)
	return true
}

func (r *BudgetRules) takeConcurrent(s *BudgetState) bool {
	if r.before {
		if s.active >= max(r.ratio*s.inFlight/million, r.floor) {
			return false
		}
	} else {
		if s.active >= r.floor && s.active*million > r.ratio*s.inFlight {
			return false
		}
		s.inFlight++ // the request is in it once, and its retry once more
	}
	s.active++
	return true
}

// ended: an attempt is not in flight any more.
func (r *BudgetRules) ended(s *BudgetState, retry bool) {
	if retry {
		s.active--
	}
	if r.before || retry {
		s.inFlight--
	}
}

func (r *BudgetRules) takeTokens(s *BudgetState, o Outcome) (int64, bool) {
	cost := r.retry
	switch o {
	case Timeout:
		cost = r.timeout
	case 429:
		cost = r.throttled
	}
	if s.balance-cost < r.reserve {
		return 0, false
	}
	s.balance -= cost
	return cost, true
}
