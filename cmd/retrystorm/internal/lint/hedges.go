package lint

import "fmt"

// hedges says what extra calls cost.
func (v *view) hedges() {
	v.eachLayer(func(h *hop, i int) {
		l := &h.layers[i]
		n := float64(l.hedges())
		if n == 0 {
			return
		}
		v.slower(l, n)
		v.notCancelled(h, l, n)
	})
}

// slower says what becomes of hedges without a limit when all calls are slower.
func (v *view) slower(l *layer, n float64) {
	hedge := l.Hedge
	if hedge.Budget < n {
		return
	}
	f := Finding{Check: Hedge, Severity: Note, Path: l.field("hedge"), Fix: "a budget, such as 5%"}
	if q := hedge.After.Quantile; q > 0 {
		f.Message = fmt.Sprintf("hedges after p%s are %s more calls while times are steady, more while they rise, and nothing limits them",
			number(q*100), percent(float64((1-q)*n)))
	} else {
		f.Message = fmt.Sprintf("every call that takes longer than %s is hedged: once all do, that is 1 + %s calls for each, and nothing limits them",
			duration(hedge.After.Delay), number(n))
	}
	v.report("", f)
}

// notCancelled reports hedges that bring a service above its capacity because
// the calls that lose are served all the same.
func (v *view) notCancelled(h *hop, l *layer, n float64) {
	if l.Cancel == "running" || l.Cancel == "queued" {
		return
	}
	s := v.service(h)
	most, limited := capacity(s.Spec)
	share := min(n, l.Hedge.Budget)
	if q := l.Hedge.After.Quantile; q > 0 {
		share = min(share, float64((1-q)*n))
	}
	rate, _ := v.runs(h)
	load := v.offered(h.To)
	more := float64(rate * share)
	if !limited || load >= most || load+more < most {
		return
	}
	v.report(h.path+" "+s.Name, Finding{
		Check: Hedge, Severity: Problem, Path: l.field("hedge"),
		Message: fmt.Sprintf("calls that lose are served all the same: %s + %s x %s hedges = %s to %s, which can serve %s",
			perSecond(load), perSecond(rate), number(share), perSecond(load+more), s.Name, perSecond(most)),
		Fix: "cancel: running, or a budget for hedges",
	})
}
