package play

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"time"

	"retrystorm/cmd/retrystorm/internal/forecast"
	"retrystorm/experiment"
	"retrystorm/report"
)

// Replications are tried for a moment to say what a run would take, and none that
// has many events.
const (
	tryFor     = 400 * time.Millisecond
	mostEvents = 1 << 19
	// eventsPerCall is how many there are, roughly: an arrival, an answer, a wait.
	eventsPerCall = 4
	// mostBlind is above how many clients a replication that was cut has seen little
	// but their beginning.
	mostBlind = mostEvents / 8
)

// recent are the trials of the edits that were looked at last.
type recent struct {
	mu     sync.Mutex
	trials map[editKey]forecast.Trials
	order  []editKey
}

const mostRecent = 100

// editKey stands for an edit, which may be long.
type editKey [sha256.Size]byte

func keyOfEdit(e Edit) editKey {
	return sha256.Sum256([]byte(e.Text + "\x00" + strings.Join(e.Sets, "\x00")))
}

// trials tries an edit, or remembers what came of it.
func (p *Player) trials(e Edit, x *experiment.Experiment) (forecast.Trials, error) {
	key := keyOfEdit(e)
	p.recent.mu.Lock()
	t, known := p.recent.trials[key]
	p.recent.mu.Unlock()
	if known {
		return t, nil
	}
	t, err := forecast.Try(x, tryFor, mostEvents)
	if err != nil {
		return t, err
	}
	p.recent.mu.Lock()
	defer p.recent.mu.Unlock()
	if p.recent.trials == nil {
		p.recent.trials = map[editKey]forecast.Trials{}
	}
	if _, known := p.recent.trials[key]; !known {
		p.recent.order = append(p.recent.order, key)
	}
	p.recent.trials[key] = t
	if len(p.recent.order) > mostRecent {
		delete(p.recent.trials, p.recent.order[0])
		p.recent.order = p.recent.order[1:]
	}
	return t, nil
}

// estimate says what a run would take here.
func (p *Player) estimate(e Edit, r *ready) Estimate {
	plan := r.experiment.Plan(1)
	out := Estimate{Points: plan.Points, Replications: r.experiment.Replications()}
	if out.Refused = p.tooLarge(r.experiment, &plan); out.Refused != "" {
		out.Calls, out.Text = plan.Cost, "more than can be run here"
		return out
	}
	trials, err := p.trials(e, r.experiment)
	if err != nil {
		out.Refused, out.Text = err.Error(), "a replication that was tried failed"
		return out
	}
	calls, seconds := 1.0, 0.0
	measured, about := len(trials.Runs) > 0, "about"
	if measured {
		calls, seconds = trials.PerCost()
	} else { // none of them ended: arithmetic has to say
		about = "very roughly"
		if trials.Cut > 0 {
			seconds = eventsPerCall * trials.CutTook.Seconds() / float64(trials.Cut*mostEvents)
		} else { // one takes longer than it was tried
			about, seconds = "at least", tryFor.Seconds()*float64(plan.Least)/plan.Cost
		}
		if out.Unknown = trials.Cut > 0 && r.experiment.Clients() > mostBlind; out.Unknown {
			about = "at least"
		}
	}
	out.Calls = report.Rounded(plan.Cost * calls)
	out.Seconds = report.Rounded(plan.Cost * seconds / float64(max(p.limits.Jobs, 1)))
	out.Text = fmt.Sprintf("%s %s calls, %s", about, forecast.About(out.Calls), forecast.Clock(out.Seconds))
	if plan.Most > plan.Least {
		least := forecast.Clock(out.Seconds)
		out.Seconds = report.Rounded(out.Seconds * float64(plan.Most) / float64(plan.Least))
		if most := forecast.Clock(out.Seconds); most != least {
			out.Text += " to " + most
		}
	}
	out.Ask = out.Unknown || out.Seconds > p.limits.Ask
	if measured && p.limits.Calls > 0 && out.Calls > p.limits.Calls {
		out.Refused = p.tooManyCalls(r.experiment, out.Calls)
	}
	return out
}

// tooLarge says why a run is refused whatever it would come to, and what would
// do; it is empty for one that is not.
func (p *Player) tooLarge(x *experiment.Experiment, plan *experiment.Plan) string {
	l := &p.limits
	if _, err := forecast.Fitting(1, x.Clients(), l.Memory); err != nil {
		return fmt.Sprintf("%v; %d clients at most would do", err, l.Memory/forecast.BytesPerClient)
	}
	if l.Points > 0 && plan.Points > l.Points {
		return fmt.Sprintf("%d points; %d at most are run here, and retrystorm run has no such limit", plan.Points, l.Points)
	}
	return ""
}

func (p *Player) tooManyCalls(x *experiment.Experiment, calls float64) string {
	s := fmt.Sprintf("about %s calls; %s at most are made here, and retrystorm run has no such limit", forecast.About(calls), forecast.About(p.limits.Calls))
	if n := int(float64(x.Replications()) * p.limits.Calls / calls); n > 0 {
		return fmt.Sprintf("%s; replications: %d would do", s, n)
	}
	return s + "; fewer points, clients or calls would do"
}
