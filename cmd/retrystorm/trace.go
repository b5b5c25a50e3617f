package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"retrystorm/scenarios"
	"retrystorm/sim"
)

// traceFlags choose the run and what is shown of it.
type traceFlags struct {
	variant        string
	sweep, set     []string
	seed           int64
	replication    int64
	request, first int64
}

func (a *app) traceCommand() *cobra.Command {
	var t traceFlags
	cmd := &cobra.Command{
		Use:   "trace SCENARIO [--variant V] [--replication R] [--request N | --first N] [--sweep path=value]...",
		Short: "Print the life of requests, one event a line",
		Long: `Run one replication of one point and print what happened to requests, one event
a line: when each attempt was sent and served, what was answered, and how long
the caller waited before the next. Requests are numbered from 1 in the order in
which they start; changes of the services (-) stand between their events. The
replication is the same that run makes.`,
		Example: `  retrystorm trace recovering-server --variant full-jitter --first 2
  retrystorm trace recovering-server --variant exponential --replication 3 --request 100
  retrystorm trace aws-occ --sweep clients.count=10 --first 1`,
		Args:              between(1, 1, "a SCENARIO"),
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := t.check(cmd); err != nil {
				return err
			}
			src, err := a.open(args[0])
			if err != nil {
				return err
			}
			c := changes{seed: t.seed, replications: -1, set: t.set}
			file, _, err := c.load(src)
			if err != nil {
				return err
			}
			point, err := t.point(file)
			if err != nil {
				return err
			}
			return a.trace(file, point, t)
		},
	}
	f := cmd.Flags()
	f.StringVar(&t.variant, "variant", "", "`name` of the variant (default: the first)")
	f.StringArrayVar(&t.sweep, "sweep", nil, "value of one axis, as in `path=value` (default: the first); may be repeated")
	f.StringArrayVar(&t.set, "set", nil, "change one value, as in `path=value`; may be repeated")
	f.Int64Var(&t.seed, "seed", -1, "`number` all randomness derives from")
	f.Lookup("seed").DefValue = "0" // not shown: the scenario has its own
	f.Int64Var(&t.replication, "replication", 1, "`number` of the replication, from 1")
	f.Int64Var(&t.request, "request", 0, "only the request with this `number`")
	f.Int64Var(&t.first, "first", 20, "only the first `N` requests")
	return cmd
}

func (t *traceFlags) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	for _, n := range []struct {
		flag         string
		value, least int64
	}{{"seed", t.seed, 0}, {"replication", t.replication, 1}, {"request", t.request, 1}, {"first", t.first, 1}} {
		if given(n.flag) && n.value < n.least {
			return usagef("--%s %d: it must be %d or more", n.flag, n.value, n.least)
		}
	}
	if given("request") && given("first") {
		return usagef("--request and --first exclude each other")
	}
	return nil
}

// point finds the point that was asked for.
func (t *traceFlags) point(file *scenarios.File) (int, error) {
	variants, axes := file.Variants(), file.Axes()
	if t.variant == "" {
		t.variant = variants[0]
	}
	if !slices.Contains(variants, t.variant) {
		return 0, usagef("there is no variant %s; there is %s", t.variant, strings.Join(variants, ", "))
	}
	want := map[string]string{}
	for _, s := range t.sweep {
		path, value, ok := strings.Cut(s, "=")
		switch {
		case !ok:
			return 0, usagef("--sweep %s: write --sweep PATH=VALUE", s)
		case !slices.Contains(axes, path):
			return 0, usagef("--sweep %s: the scenario has no such axis; it has %s", s, orNone(axes))
		}
		want[path] = value
	}
	seen := map[string][]string{}
	for i := range file.Points() {
		p := file.Point(i)
		if p.Variant != t.variant {
			continue
		}
		matches := true
		for k, axis := range axes {
			value, given := want[axis]
			matches = matches && (!given || value == p.Sweep[k])
			if !slices.Contains(seen[axis], p.Sweep[k]) {
				seen[axis] = append(seen[axis], p.Sweep[k])
			}
		}
		if matches {
			return i, nil
		}
	}
	for _, axis := range axes {
		if value, given := want[axis]; given && !slices.Contains(seen[axis], value) {
			return 0, usagef("--sweep %s=%s: there is no such value; there is %s", axis, value, strings.Join(seen[axis], ", "))
		}
	}
	return 0, errors.New("there is no such point")
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// trace runs one replication and prints what was asked for.
func (a *app) trace(file *scenarios.File, point int, t traceFlags) error {
	scenario, err := file.Resolve(point)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	model, err := scenario.Model()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	interrupted, release := watch()
	defer release()
	from, to := int64(1), t.first
	if t.request > 0 {
		from, to = t.request, t.request
	}
	p := tracePrinter{app: a, from: from, to: to, shown: map[requestID]int64{}}
	var r sim.Runner
	_, err = r.Run(model, uint64(scenario.Seed), uint64(t.replication-1), sim.Options{Stop: interrupted.stop, Trace: p.event})
	switch {
	case interrupted.happened():
		return interrupted.error("")
	case err != nil:
		return err
	case p.started < from:
		return usagef("--request %d: only %d requests were started", from, p.started)
	}
	return nil
}

// requestID is what tells the requests of a run apart.
type requestID struct {
	group           string
	client, request int64
}

// tracePrinter numbers requests and prints the events of some, and what
// happens to the stations meanwhile.
type tracePrinter struct {
	app      *app
	from, to int64
	started  int64
	alive    int
	shown    map[requestID]int64 // numbers of the requests that are shown
	before   []sim.TraceEvent    // the last of each station before the first of them
}

func (p *tracePrinter) event(e sim.TraceEvent) {
	if e.Kind == sim.TraceStation {
		p.station(e)
		return
	}
	id := requestID{e.Group, e.Client, e.Request}
	if e.Kind == sim.TraceStarted {
		if p.started++; p.from <= p.started && p.started <= p.to {
			p.shown[id] = p.started
			p.alive++
			p.catchUp()
		}
	}
	number, ok := p.shown[id]
	if !ok {
		return
	}
	p.line(fmt.Sprintf("#%d", number), e)
	if e.Kind == sim.TraceSucceeded || e.Kind == sim.TraceFailed {
		p.alive--
	}
}

func (p *tracePrinter) station(e sim.TraceEvent) {
	switch {
	case p.alive > 0:
		p.line("-", e)
	case len(p.shown) == 0:
		p.before = slices.DeleteFunc(p.before, func(old sim.TraceEvent) bool { return old.To == e.To })
		p.before = append(p.before, e)
	}
}

// catchUp prints how the stations are when the first request begins.
func (p *tracePrinter) catchUp() {
	for _, e := range p.before {
		p.line("-", e)
	}
	p.before = nil
}

func (p *tracePrinter) line(label string, e sim.TraceEvent) {
	p.app.printf("%-4s %s\n", label, e)
}
