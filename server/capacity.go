package server

// Count is how many replicas there are.
func (spec Spec) Count() int64 { return max(1, spec.Replicas) }

// AllWorkers is how many workers all replicas have together.
func (spec Spec) AllWorkers() int64 {
	if spec.Workers == Unlimited {
		return Unlimited
	}
	return spec.Workers * spec.Count()
}

// Capacity is the nominal rate, in calls per second, that a service can serve:
// workers / mean service time, or what its rate limit lets in, or the smaller
// of both, times its replicas. It is not ok when neither limits anything. A
// limit for each client is no limit of the service.
func (spec Spec) Capacity() (perSecond float64, ok bool) {
	if mean := spec.ServiceTime.MeanSeconds(); spec.Workers != Unlimited && mean > 0 {
		perSecond, ok = float64(spec.Workers)/mean, true
	}
	if l := spec.RateLimit; l != nil && l.Scope != "client" {
		rate := l.Rate
		if l.Kind != "token-bucket" {
			rate = float64(l.Limit) / l.Window.Seconds()
		}
		if !ok || rate < perSecond {
			perSecond, ok = rate, true
		}
	}
	return perSecond * float64(spec.Count()), ok
}
