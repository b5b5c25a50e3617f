package sim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// replications of a queue in a theory test, and how many customers each sees.
func effort() (replications int, customers float64) {
	if testing.Short() {
		return 10, 4_000
	}
	return 20, 25_000
}

// queue is a Poisson stream to a station of c workers that lets in k calls in
// all (0: any number). One unit of theory's time is one second.
func queue(lambda float64, c, k int64, service random.Dist) *sim.Model {
	spec := workers(c)
	spec.ServiceTime = service
	if k > 0 {
		spec.Queue.Limit = k - c
	}
	m := model(poisson(lambda), strategies.Policy{MaxAttempts: 1}, constant(0), spec)
	_, customers := effort()
	m.Until = time.Duration(customers / lambda * float64(s))
	m.Window = s
	return m
}

// TestQueues holds every row of the classic queues against the same station.
func TestQueues(t *testing.T) {
	one := exponential(s)
	cases := map[string]func(t *testing.T, o oracle) *sim.Model{
		"mm1": func(t *testing.T, o oracle) *sim.Model { return queue(o.param(t, "lambda"), 1, 0, one) },
		"mmc": func(t *testing.T, o oracle) *sim.Model {
			return queue(o.param(t, "lambda"), int64(o.param(t, "c")), 0, one)
		},
		"mmck": func(t *testing.T, o oracle) *sim.Model {
			return queue(o.param(t, "lambda"), int64(o.param(t, "c")), int64(o.param(t, "K")), one)
		},
		"md1": func(t *testing.T, o oracle) *sim.Model { return queue(o.param(t, "lambda"), 1, 0, constant(s)) },
		"mdc": func(t *testing.T, o oracle) *sim.Model {
			return queue(o.param(t, "lambda"), int64(o.param(t, "c")), 0, constant(s))
		},
		"mg1": func(t *testing.T, o oracle) *sim.Model { return queue(0.8, 1, 0, generalService(t, o)) },
	}
	for family, build := range cases {
		byParams := map[string][]oracle{}
		var order []string
		for _, o := range oracles(t, family) {
			if byParams[o.params] == nil {
				order = append(order, o.params)
			}
			byParams[o.params] = append(byParams[o.params], o)
		}
		for _, params := range order {
			rows := byParams[params]
			if strings.Contains(params, "N0=") {
				continue // the drain of a backlog needs a start that is not empty
			}
			t.Run(family+"/"+params, func(t *testing.T) {
				t.Parallel()
				replications, _ := effort()
				v := watch(t, build(t, rows[0]), replications)
				for _, o := range rows {
					v.hold(t, o)
				}
			})
		}
	}
}

// generalService is the service law that a row of mg1 names. The two-point and
// hyperexponential laws come as samples, as a user would bring them.
func generalService(t *testing.T, o oracle) random.Dist {
	switch p := o.params; {
	case strings.Contains(p, "Uniform"):
		return random.Dist{Kind: "uniform", From: 0, To: 2 * s}
	case strings.Contains(p, "lognormal"):
		return random.Dist{Kind: "lognormal", Mean: s, CV: math.Sqrt2}
	case strings.Contains(p, "Erlang-2"):
		return random.Dist{Kind: "erlang", Mean: s, K: 2}
	case strings.Contains(p, "9.1"):
		d := random.Dist{Kind: "file"}
		for range 9 {
			d.Values = append(d.Values, 100*ms)
		}
		d.Values = append(d.Values, 9100*ms)
		return d
	case strings.Contains(p, "H2"):
		// 200,000 equally likely values: middles of the quantile function's cells.
		const n, p1, m1, m2 = 200_000, 0.887298334620742, 0.563508326896292, 4.43649167310371
		d := random.Dist{Kind: "file"}
		for i := range n {
			tail := 1 - (float64(i)+0.5)/n
			lo, hi := 0.0, 200.0
			for range 80 {
				x := (lo + hi) / 2
				if p1*math.Exp(-x/m1)+(1-p1)*math.Exp(-x/m2) > tail {
					lo = x
				} else {
					hi = x
				}
			}
			d.Values = append(d.Values, time.Duration(lo*float64(s)))
		}
		return d
	default:
		t.Fatalf("unknown service law %q", p)
		return random.Dist{}
	}
}

// hold compares one row with what was seen.
func (v *visits) hold(t *testing.T, o oracle) {
	t.Helper()
	check := func(s sample) { t.Helper(); agree(t, o.quantity, s.mean(), s.se(), o.value) }
	quantile := func(sections [][]float64, name string) {
		t.Helper()
		digits := name[strings.LastIndex(name, "_p")+2:]
		q := number(t, "0."+digits)
		estimate, se := sectioned(sections, q)
		agree(t, o.quantity, estimate, se, o.value)
	}
	switch q := o.quantity; {
	case q == "L_mean_number_in_system":
		check(v.length)
	case q == "Lq_mean_number_waiting":
		check(v.lq)
	case q == "mean_busy":
		check(v.busy)
	case q == "P0_idle":
		idle := make(sample, len(v.waited))
		for i, w := range v.waited {
			idle[i] = 1 - w
		}
		check(idle)
	case q == "P_wait_ErlangC":
		check(v.waited)
	case q == "P_block":
		check(v.blocked)
	case q == "throughput":
		check(v.throughput)
	case q == "W_mean_sojourn":
		check(means(v.sojourns))
	case strings.HasPrefix(q, "Wq_mean_wait"):
		check(means(v.waits))
	case strings.HasSuffix(q, "_p999") && testing.Short():
		// Needs more customers.
	case strings.HasPrefix(q, "sojourn_p"):
		quantile(v.sojourns, q)
	case strings.HasPrefix(q, "wait_p"):
		quantile(v.waits, strings.TrimSuffix(q, "_accepted"))
	case strings.Contains(q, "variance") || strings.Contains(q, "var_") || strings.Contains(q, "busy_period"):
		// Properties of the theory that the station has no counter for.
	default:
		t.Errorf("no way to measure %s", q)
	}
}

// Erlang's loss formula does not depend on the law of the service time, only on
// its mean.
func TestErlangB(t *testing.T) {
	laws := []random.Dist{
		exponential(s),
		constant(s),
		{Kind: "lognormal", Mean: s, CV: 2},
	}
	for _, o := range oracles(t, "erlangB") {
		if o.quantity != "P_block" && o.quantity != "mean_busy" {
			continue
		}
		a := number(t, o.params[strings.Index(o.params, "mu=")+3:strings.Index(o.params, ";")])
		c := int64(o.param(t, "c"))
		for _, law := range laws {
			t.Run(fmt.Sprintf("%s/a=%g/%s", o.quantity, a, law.Kind), func(t *testing.T) {
				t.Parallel()
				m := queue(a, c, c, law)
				replications, _ := effort()
				watch(t, m, replications).hold(t, o)
			})
		}
	}
}

// TestNestedLayers holds the random keys of nested calls to the telescoping
// product: with independent failures 4 x 4 x 4 attempts cost (1-f^64)/(1-f)
// calls. Keys that repeat under every parent would give 42.6 at f = 0.9.
func TestNestedLayers(t *testing.T) {
	rows := oracles(t, "nested_444")
	byF := map[string]map[string]float64{}
	for _, o := range rows {
		if !strings.Contains(o.params, "f=") {
			continue
		}
		f := o.params[strings.Index(o.params, "f=")+2:]
		f = f[:strings.Index(f, ";")]
		if byF[f] == nil {
			byF[f] = map[string]float64{}
		}
		byF[f][o.quantity] = o.value
	}
	for f, want := range byF {
		t.Run("f="+f, func(t *testing.T) {
			m := layers([3]int64{4, 4, 4}, server.Fault{Name: "flaky", Kind: "errors", Share: number(t, f), Answer: server.Reply{Answer: 503}})
			n := 20_000.0
			if f == "1.0" {
				n = 1000 // nothing random is left
			}
			m.Groups[0].Count = int64(n)
			rec := run(t, m, 1, 0)
			mean := float64(rec.Services[2].Calls) / n
			agree(t, "mean calls at the bottom", mean, math.Sqrt(want["var_leaf_calls"]/n), want["mean_leaf_calls"])
			p := want["P_user_failure"]
			agree(t, "failed requests", float64(rec.Failed)/n, math.Sqrt(p*(1-p)/n), p)
		})
	}
}

// TestAttempts holds retries of independent failures to (1-(1-p)^N)/p.
func TestAttempts(t *testing.T) {
	want := map[string]map[string]float64{}
	for _, o := range oracles(t, "attempts_geometric") {
		if want[o.params] == nil {
			want[o.params] = map[string]float64{}
		}
		want[o.params][o.quantity] = o.value
	}
	for params, w := range want {
		p, attempts := oracle{params: params}.param(t, "p"), int64(oracle{params: params}.param(t, "N"))
		spec := unlimited()
		spec.Faults = []server.Fault{{Name: "flaky", Kind: "errors", Share: 1 - p, Answer: server.Reply{Answer: 500}}}
		const n = 50_000
		rec := run(t, model(burst(n), retry(attempts, 0, backoff("none", 0, 0)), constant(ms), spec), 1, 0)
		agree(t, params+": attempts", float64(rec.Services[0].Calls)/n, math.Sqrt(w["var_attempts"]/n), w["mean_attempts"])
		ok := w["P_request_success"]
		agree(t, params+": success", float64(rec.Succeeded)/n, math.Sqrt(ok*(1-ok)/n), ok)
	}
}

// TestLockstepWaves: a service that admits c+K of the calls of a wave and
// serves them before the next needs ceil(N/(c+K)) waves.
func TestLockstepWaves(t *testing.T) {
	for _, o := range oracles(t, "lockstep_waves") {
		n, admits := int64(o.param(t, "N")), int64(o.param(t, "c+K"))
		spec := workers(admits / 2)
		spec.ServiceTime = constant(10 * ms)
		spec.Queue.Limit = admits - admits/2
		rec := run(t, model(burst(n), retry(strategies.Unlimited, 0, backoff("fixed", s, 0)), constant(0), spec), 1, 0)
		got := map[string]float64{
			"total_calls": float64(rec.Services[0].Calls),
			"waves":       float64(rec.FinishedAt/s + 1),
		}[o.quantity]
		if got != o.value {
			t.Errorf("%s: %s %v, want %v", o.params, o.quantity, got, o.value)
		}
	}
}

// TestOccupancy: N clients that fail together and retry once after U(0, W) put
// a peak into M windows that is the maximum of a multinomial.
func TestOccupancy(t *testing.T) {
	type peaks struct{ mean, sd, none float64 }
	want := map[string]*peaks{}
	for _, o := range oracles(t, "occupancy_peak") {
		if want[o.params] == nil {
			want[o.params] = &peaks{}
		}
		switch o.quantity {
		case "mean_peak_per_bin":
			want[o.params].mean = o.value
		case "sd_peak_per_bin":
			want[o.params].sd = o.value
		case "no_jitter_peak":
			want[o.params].none = o.value
		}
	}
	for params, w := range want {
		n, bins := int64(oracle{params: params}.param(t, "N")), oracle{params: params}.param(t, "M")
		spec := unlimited()
		spec.Faults = []server.Fault{{Name: "blip", Kind: "down", For: 1, Answer: server.Reply{Answer: server.Refused}}}
		var r sim.Runner
		peak := func(b strategies.Backoff, replications int) sample {
			var peaks sample
			m := model(burst(n), retry(2, 0, b), constant(0), spec)
			m.Window = time.Duration(1e9 / bins)
			if strings.Contains(params, "equal jitter") {
				m.Window = time.Duration(1e9 / (2 * bins))
			}
			for i := range replications {
				rec, err := r.Run(m, 1, uint64(i), sim.Options{})
				if err != nil {
					t.Fatal(err)
				}
				peaks = append(peaks, float64(rec.Services[0].PeakRetries))
			}
			return peaks
		}
		kind := "full-jitter"
		if strings.Contains(params, "equal jitter") {
			kind = "equal-jitter"
		}
		replications := 400
		if testing.Short() {
			replications = 60
		}
		got := peak(backoff(kind, s, 0), replications)
		se := w.sd / math.Sqrt(float64(replications))
		agree(t, params+": mean peak", got.mean(), se, w.mean)
		// The peak's law is nearly normal, so its sd has about this error.
		agree(t, params+": sd of peak", math.Sqrt(got.variance()), 1.2*se/math.Sqrt2, w.sd)
		if got := peak(backoff("fixed", s, 0), 1); got[0] != w.none {
			t.Errorf("%s: without jitter %v, want %v", params, got[0], w.none)
		}
	}
}
