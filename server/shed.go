package server

import "math/bits"

// shed turns away retries, or first tries, while many calls wait.
type shed struct {
	active  bool
	retries bool
	from    int64 // calls that wait
	reply   reply
}

func newShed(spec Shed, limit int64) shed {
	return shed{active: true, retries: spec.Kind == "retries", from: sharesOf(limit, spec.Above), reply: newReply(spec.Answer, 503)}
}

// sharesOf is a share of n, rounded up.
func sharesOf(n int64, share float64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(parts(share)))
	x, rest := bits.Div64(hi, lo, whole)
	if rest > 0 {
		x++
	}
	return int64(x)
}

func (s *shed) refuses(waiting int64, retry bool) bool {
	return retry == s.retries && waiting >= s.from
}
