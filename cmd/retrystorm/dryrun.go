package main

import (
	"fmt"
	"runtime"
	"time"

	"retrystorm/cmd/retrystorm/internal/forecast"
	"retrystorm/report"
)

// tryFor is how long a dry run tries replications.
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
	tried, err := forecast.Try(j.experiment, tryFor, 0)
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
	if len(tried.Runs) == 0 {
		line("calls", "unknown: nothing could be tried in %s", forecast.Clock(tryFor.Seconds()))
		return nil
	}
	calls, seconds := tried.PerCost()
	span := func(write func(float64) string, least float64) string {
		if p.Most == p.Least {
			return write(least)
		}
		return write(least) + " to " + write(least*float64(p.Most)/float64(p.Least))
	}
	line("calls", "about %s, by %s tried", span(forecast.About, p.Cost*calls), plural(len(tried.Runs), "replication"))
	line("time", "about %s on one core, %s on %s", span(forecast.Clock, p.Cost*seconds), span(forecast.Clock, p.Cost*seconds/float64(cores)), plural(cores, "core"))
	each := max(uint64(j.clients)*forecast.BytesPerClient, tried.Memory)
	line("memory", "about %s per core", forecast.Size(max(each, 1<<20)))
	if shards == 1 {
		return nil
	}
	a.printf("\n%-8s%8s%8s%16s%12s\n", "shard", "points", "pieces", "calls", "one core")
	for k, s := range p.Shards {
		if len(p.Shards) > 100 && f.shard.K != k+1 {
			continue
		}
		a.printf("%-8s%8d%8d%16s%12s\n", fmt.Sprintf("%d/%d", k+1, shards), s.Points, s.Pieces, forecast.About(s.Cost*calls), forecast.Clock(s.Cost*seconds))
	}
	return nil
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
