package main

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"retrystorm/experiment"
	"retrystorm/report"
)

// A dry run tries replications of different points for a moment, and takes the
// rest to be like them.
const tryFor = 2 * time.Second

// dryRun says what a run would do.
func (a *app) dryRun(jobs []*job, f *runFlags) error {
	for i, j := range jobs {
		if i > 0 {
			a.printf("\n")
		}
		if err := a.plan(j, f); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) plan(j *job, f *runFlags) error {
	shards := max(f.shard.N, 1)
	p := j.experiment.Plan(shards)
	tried, err := try(j.experiment)
	if err != nil {
		return err
	}
	cores := f.jobs
	if cores == 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	a.printf("%s: a dry run, nothing is written\n\n", j.name)
	line := func(name, format string, args ...any) { a.printf("%-14s%s\n", name, fmt.Sprintf(format, args...)) }
	count := func(n float64) string { return report.Human(n, "") }
	if j.experiment.Bisects() {
		line("crossings", "%s, by bisection", count(float64(p.Points)))
	} else {
		line("points", "%s", count(float64(p.Points)))
	}
	replications := count(float64(p.Least))
	if p.Most > p.Least {
		replications += " to " + count(float64(p.Most))
	}
	line("replications", "%s", replications)
	if len(tried.trials) == 0 {
		line("calls", "unknown: nothing could be tried in %s", clock(tryFor.Seconds()))
		return nil
	}
	calls, seconds := tried.perCost()
	span := func(write func(float64) string, least float64) string {
		if p.Most == p.Least {
			return write(least)
		}
		return write(least) + " to " + write(least*float64(p.Most)/float64(p.Least))
	}
	line("calls", "about %s, by %s tried", span(about, p.Cost*calls), plural(len(tried.trials), "replication"))
	line("time", "about %s on one core, %s on %s", span(clock, p.Cost*seconds), span(clock, p.Cost*seconds/float64(cores)), plural(cores, "core"))
	each := max(uint64(j.clients)*bytesPerClient, tried.memory)
	line("memory", "about %s per core", size(max(each, 1<<20)))
	if shards == 1 {
		return nil
	}
	a.printf("\n%-8s%8s%8s%16s%12s\n", "shard", "points", "pieces", "calls", "one core")
	for k, s := range p.Shards {
		if len(p.Shards) > 100 && f.shard.K != k+1 {
			continue
		}
		a.printf("%-8s%8d%8d%16s%12s\n", fmt.Sprintf("%d/%d", k+1, shards), s.Points, s.Pieces, about(s.Cost*calls), clock(s.Cost*seconds))
	}
	return nil
}

// tried is what trials took.
type tried struct {
	trials []experiment.Trial
	took   time.Duration
	memory uint64 // more than before
}

func try(e *experiment.Experiment) (tried, error) {
	var t tried
	stop := make(chan struct{})
	timer := time.AfterFunc(tryFor, func() { close(stop) })
	defer timer.Stop()
	before := memoryUsed()
	start := time.Now()
	for i := 0; time.Since(start) < tryFor/2; i++ {
		trial, ok, err := e.Try(i, stop)
		if err != nil {
			return t, err
		}
		if !ok {
			break
		}
		t.trials = append(t.trials, trial)
		t.took = time.Since(start)
		if now := memoryUsed(); now > before {
			t.memory = max(t.memory, now-before)
		}
	}
	return t, nil
}

// perCost is how many calls, and how many seconds, there are for each call of
// the estimate.
func (t *tried) perCost() (calls, seconds float64) {
	var cost, made float64
	for _, x := range t.trials {
		cost += x.Cost
		made += float64(x.Calls)
	}
	return made / cost, t.took.Seconds() / cost
}

// about is a number that is not known better than to two digits.
func about(x float64) string {
	if x <= 0 || math.IsInf(x, 0) {
		return report.Human(x, "")
	}
	scale := math.Pow(10, math.Floor(math.Log10(x))-1)
	return report.Human(math.Round(x/scale)*scale, "")
}

// clock is a duration for people who wait, with blanks as in reports.
func clock(seconds float64) string {
	minutes := int(math.Round(seconds / 60))
	switch {
	case seconds < 1:
		return "1 s"
	case seconds > 1e9:
		return "more than 30 years"
	case seconds < 600:
		return report.Human(math.Round(seconds), "s")
	case minutes < 60:
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
