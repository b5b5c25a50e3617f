package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"retrystorm/experiment"
	"retrystorm/report"
)

func (a *app) rankCommand() *cobra.Command {
	var c changes
	race := experiment.Race{}
	jobs, quiet := 0, false
	cmd := &cobra.Command{
		Use:   "rank SCENARIO --by METRIC",
		Short: "Find the best variant, with few replications",
		Long: `Find the variant with the smallest (or largest) mean of a metric at every place
of the sweep, by the procedure of Kim and Nelson: all variants race under common
random numbers, and those that cannot be the best any more drop out, so that
replications go where they matter. The best is picked with a probability of 95 %
at least, when it is better than the others by --within; else one that is not
worse by more than that. Means are compared: a variant for which the metric is
never in some replication is the worst, if that is seen.`,
		Example: `  retrystorm rank recovering-server --by total_calls --variants full-jitter,equal-jitter
  retrystorm rank aws-occ --by finished_at --sweep clients.count=50,100`,
		Args:              between(1, 1, "a SCENARIO"),
		ValidArgsFunction: completeBuiltin,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case race.Metric == "":
				return usagef("--by METRIC is missing: best in what? As in --by total_calls")
			case race.Most < 2 || race.Most > 1_000_000:
				return usagef("--max %d: it must be 2 to 1,000,000", race.Most)
			case checkJobs(jobs) != nil:
				return checkJobs(jobs)
			}
			if err := c.check(cmd); err != nil {
				return err
			}
			return a.rank(args[0], &c, race, jobs, quiet)
		},
	}
	c.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&race.Metric, "by", "", "`metric` to rank by, as in expectations")
	f.BoolVar(&race.Largest, "largest", false, "the largest is best (default: the smallest)")
	f.StringVar(&race.Within, "within", "1%", "a `difference` that does not matter: a share of the best, or an amount")
	f.IntVar(&race.Most, "max", 2000, "`number` of replications that a variant gets at most")
	f.IntVar(&jobs, "jobs", 0, "`number` of processor cores to use (default: all)")
	f.BoolVarP(&quiet, "quiet", "q", false, "no progress")
	_ = f.MarkHidden("replications") // the race decides
	return cmd
}

func (a *app) rank(arg string, c *changes, race experiment.Race, jobs int, quiet bool) error {
	src, err := a.open(arg)
	if err != nil {
		return err
	}
	p, err := c.prepare(src)
	if err != nil {
		return err
	}
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	interrupted, release := watch()
	defer release()
	if jobs, err = fitting(jobs, p.experiment.Clients(), interrupted.limit); err != nil {
		return err
	}
	bar := a.newProgress(p.file.Scenario.Name, quiet)
	metric, list, err := p.experiment.Rank(race, experiment.Options{Jobs: jobs, Stop: interrupted.stop, Progress: bar.at})
	bar.end()
	switch {
	case interrupted.happened():
		return interrupted.error("")
	case metric.Name == "" && err != nil:
		return usagef("--by %s: %w", race.Metric, err)
	case err != nil:
		return unsteady(err)
	}
	a.printf("%s: seed %d, best by %s, differences within %s do not matter\n", p.file.Scenario.Name, p.file.Scenario.Seed, metric.Name, race.Within)
	for i := range list {
		a.printRanking(&list[i], p.file.Axes(), metric, race)
	}
	return undecidedRace(list, race)
}

func (a *app) printRanking(r *experiment.Ranking, axes []string, metric experiment.Metric, race experiment.Race) {
	a.printf("\n")
	if len(axes) > 0 {
		var at []string
		for i, v := range r.Sweep {
			at = append(at, axes[i]+" = "+v)
		}
		a.printf("at %s: ", strings.Join(at, ", "))
	}
	a.printf("%s\n", outcomeOf(r, metric, race))
	width := len("variant")
	for _, l := range r.Lanes {
		width = max(width, len(l.Variant))
	}
	a.printf("%-*s  %12s  mean %s\n", width, "variant", "replications", metric.Name)
	for _, l := range r.Lanes {
		mean := report.HumanInterval(l.Mean.Centre, l.Mean.Lo, l.Mean.Hi, report.HumanUnit(metric))
		if l.Never > 0 {
			mean = fmt.Sprintf("never in %d of %d", l.Never, l.Replications)
		}
		a.printf("%-*s  %12d  %s\n", width, l.Variant, l.Replications, mean)
	}
	if metric.Infinite && r.Decided {
		a.printf("%s can be never, which makes a mean infinite; what is rarer than 1 of %d replications nobody can see here\n", metric.Name, seenBy(r))
	}
}

// seenBy is how rare something may be that was not seen in the replications of
// the best: with 95 % it would have been if it were more frequent than 3 in n.
func seenBy(r *experiment.Ranking) int {
	for _, l := range r.Lanes {
		if l.Variant == r.Best {
			return max(l.Replications/3, 1)
		}
	}
	return 1
}

// outcomeOf is what a race came to, in one line.
func outcomeOf(r *experiment.Ranking, metric experiment.Metric, race experiment.Race) string {
	switch {
	case r.Absent:
		return "cannot be ranked: " + metric.Name + " has no value here"
	case r.Infinite:
		return "cannot be ranked by means: " + metric.Name + " was never in some replications"
	case r.Decided && len(r.Ties) > 0:
		return strings.Join(append([]string{r.Best}, r.Ties...), ", ") + " are best: the same in every replication"
	case r.Decided:
		return r.Best + " is best, to within " + race.Within
	}
	return fmt.Sprintf("%s so far; undecided among %s after %s replications", r.Best, strings.Join(r.Among, ", "), report.Human(float64(race.Most), ""))
}

// undecidedRace is the error of races that the limit ended.
func undecidedRace(list []experiment.Ranking, race experiment.Race) error {
	n, hope := 0, false
	for i := range list {
		if r := &list[i]; !r.Decided {
			n++
			hope = hope || !r.Absent && !r.Infinite
		}
	}
	if n == 0 {
		return nil
	}
	text := "the best is undecided"
	if len(list) > 1 {
		text = fmt.Sprintf("the best is undecided at %d of %d places", n, len(list))
	}
	if hope {
		text += "; a larger --max or --within decides"
	}
	return &exitError{exitUndecided, errors.New(text)}
}
