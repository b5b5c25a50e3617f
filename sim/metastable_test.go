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

// The system of Bronson et al., "Metastable Failures in Distributed Systems"
// (HotOS 2021): a database for 300 queries/s, callers that give up after 1 s and
// ask once more, and something that holds the database up for a while. Work is
// done for callers who have left, so once everything is late each request costs
// two queries.
const (
	capacity = 300
	pauseAt  = 15 * s
)

// vulnerable is that system at a load, with a pause.
func vulnerable(load float64, pause time.Duration) *sim.Model {
	return paused(capacity, load, 2, pauseAt, server.Fault{Kind: "pause", For: pause})
}

// paused is a service of a worker that needs 1/mu for each call.
func paused(mu, load float64, attempts int64, at time.Duration, fault server.Fault) *sim.Model {
	spec := workers(1)
	spec.ServiceTime = constant(time.Duration(1e9 / mu))
	fault.Name, fault.At = "fault", at
	spec.Faults = []server.Fault{fault}
	m := model(poisson(load), retry(attempts, s, backoff("none", 0, 0)), constant(0), spec)
	m.Until = 80 * s
	return m
}

// outcome is how replications ended: by how much of what was asked in 5 of their
// last 6 seconds succeeded, less than a fifth or more than four fifths.
type outcome struct{ stuck, well int }

func (e outcome) String() string { return fmt.Sprintf("%d stuck, %d well", e.stuck, e.well) }

// endings runs replications.
func endings(t *testing.T, m *sim.Model, replications int) (e outcome) {
	t.Helper()
	m.Slices = []sim.Slice{{From: m.Until - 6*s, To: m.Until - s}}
	var r sim.Runner
	for i := range replications {
		rec, err := r.Run(m, 1, uint64(i), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		switch g := &rec.Slices[0].All; {
		case 5*g.Succeeded < g.Requests:
			e.stuck++
		case 5*g.Succeeded > 4*g.Requests:
			e.well++
		default:
			t.Errorf("replication %d: %d of %d succeed at the end, neither stuck nor well", i, g.Succeeded, g.Requests)
		}
	}
	return e
}

// twenty runs 20 replications, all of which must end the same way. The seeds
// are fixed, and the parameters so far from the edges that a replication ends
// the other way with a probability of less than 1e-3.
func twenty(t *testing.T, stuck bool, m *sim.Model) {
	t.Helper()
	n := 20
	if testing.Short() {
		n = 4
	}
	want := outcome{well: n}
	if stuck {
		want = outcome{stuck: n}
	}
	if got := endings(t, m, n); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// In the bad state the database is asked 2 x 280 times a second, and nobody is
// served in time.
func TestLockedIn(t *testing.T) {
	t.Parallel()
	m := vulnerable(280, 10*s)
	m.Slices = []sim.Slice{{From: 40 * s, To: 80 * s}}
	var r sim.Runner
	var rate sample
	for i := range 20 {
		rec, err := r.Run(m, 1, uint64(i), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		calls := int64(0)
		for _, n := range rec.Slices[0].Hops[0].Causes {
			calls += n
		}
		rate = append(rate, float64(calls)/40)
		if n := rec.Slices[0].All.Succeeded; n > 0 {
			t.Errorf("replication %d: %d requests succeed, want none", i, n)
		}
	}
	agree(t, "calls per second", rate.mean(), rate.se(), 560)
}

// What becomes of it below, in and above the vulnerable band, 150/s to 300/s.
func TestVulnerableBand(t *testing.T) {
	for _, c := range []struct {
		name  string
		load  float64
		pause time.Duration
		until time.Duration
		stuck bool
	}{
		{"harmless at half of the lower edge", 75, 10 * s, 80 * s, false},
		{"recovers below it", 140, 4 * s, 180 * s, false}, // 48 s by theory
		{"does not above it", 160, 4 * s, 180 * s, true},
		{"nothing happens without a trigger", 280, 0, 80 * s, false},
		{"a short one does nothing", 280, 900 * ms, 80 * s, false},
		{"a long one does", 280, 1200 * ms, 80 * s, true},
		{"collapses by itself above the capacity", 315, 0, 180 * s, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := vulnerable(c.load, c.pause)
			m.Until = c.until
			if c.pause == 0 {
				m.Services[0].Spec.Faults = nil
			}
			twenty(t, c.stuck, m)
		})
	}
}

// What makes the bad state impossible, and what does not.
func TestWaysOut(t *testing.T) {
	budget := func(b strategies.Budget) func(*sim.Model) {
		return func(m *sim.Model) {
			b.Scope, b.Keyed, b.Window, b.Floor.Set, b.PerRequest = "all", "target", 10*s, true, 1
			m.Groups[0].Steps[0].Policies[0].Budget = &b
		}
	}
	ratio := func(kind string, r float64) func(*sim.Model) { return budget(strategies.Budget{Kind: kind, Ratio: r}) }
	tokens := func(r float64) func(*sim.Model) {
		return budget(strategies.Budget{Kind: "tokens", Tokens: 10, Retry: 1, Timeout: 1, Throttled: 1, Request: r})
	}
	queue := func(q server.Queue) func(*sim.Model) {
		return func(m *sim.Model) {
			q.Full = server.Reply{Answer: 503}
			m.Services[0].Spec.Queue = q
		}
	}
	cancel := func(what string) func(*sim.Model) {
		return func(m *sim.Model) { m.Groups[0].Steps[0].Policies[0].Cancel = what }
	}
	// Some clients leave at 25 s; those that stay ask so often.
	shed := func(stay float64) func(*sim.Model) {
		return func(m *sim.Model) {
			leave := m.Groups[0]
			leave.Name = "leave"
			leave.Arrival.Rate, leave.Arrival.For = leave.Arrival.Rate-stay, 25*s
			m.Groups[0].Arrival.Rate = stay
			m.Groups = append(m.Groups, leave)
		}
	}
	for _, c := range []struct {
		name   string
		until  time.Duration
		stuck  bool
		change func(*sim.Model)
	}{
		// Whoever gets in is served in time while all that may wait is less than
		// 1 s of work: 300.
		{"290 may wait", 80 * s, false, queue(server.Queue{Limit: 290, Order: "fifo"})},
		{"310 may wait", 80 * s, true, queue(server.Queue{Limit: 310, Order: "fifo"})},
		// Retries outweigh what is to spare above 300/280 - 1 = 7.14 %. After 3 s
		// it takes 573/(300 - 1.06 x 280) = 179 s to work off what has piled up,
		// give or take 74 s.
		{"ratio 6 %", 500 * s, false, ratio("ratio", 0.06)},
		{"ratio 8 %", 200 * s, true, ratio("ratio", 0.08)},
		{"ratio 10 %", 80 * s, true, ratio("ratio", 0.10)},
		{"window 6 %", 500 * s, false, ratio("window", 0.06)},
		{"window 8 %", 200 * s, true, ratio("window", 0.08)},
		{"tokens 6 %", 500 * s, false, tokens(0.06)},
		{"tokens 8 %", 200 * s, true, tokens(0.08)},
		// Earned by success, none are left when all fail.
		{"ratio 20 % of successes", 500 * s, false, budget(strategies.Budget{Kind: "ratio", Ratio: 0.2, Deposit: "success"})},
		{"newest first", 80 * s, false, queue(server.Queue{Limit: server.Unlimited, Order: "lifo"})},
		{"cancelled while running", 180 * s, false, cancel("running")},
		{"shed to 140/s", 400 * s, false, shed(140)}, // 2,053 too many, 20/s worked off
		{"shed to 160/s", 200 * s, true, shed(160)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := vulnerable(280, 3*s)
			m.Until = c.until
			c.change(m)
			twenty(t, c.stuck, m)
		})
	}
}

// lazily is what becomes of a load when work is dropped at its turn if its
// caller has left by then, and callers retry once: the rate of attempts and
// goodput in the bad state. c workers serve mu each. By the queue with constant
// patience (M/M/c+D) at L attempts/s, more than M = c mu, a call has waited
// y less than its patience with density M (L-M)/L exp(-(L-M) y), and succeeds
// if it is served within that y:
//
//	M/L mu/(L-M+mu)
//
// Most that are served began just in time to be late. Not ok where no L above
// M agrees with itself.
func lazily(load, c, mu float64) (attempts, goodput float64, ok bool) {
	attempts = 2 * load
	for range 10_000 {
		if attempts <= c*mu {
			return 0, 0, false
		}
		failed := 1 - c*mu/attempts*mu/(attempts-c*mu+mu)
		attempts, goodput = load*(1+failed), load*(1-failed*failed)
	}
	return attempts, goodput, true
}

// Dropping the work of callers who have left, when its turn comes, does not make
// the bad state impossible: most of what is begun is begun too late.
func TestDropAtItsTurn(t *testing.T) {
	drop := func(load float64, c int64, pause time.Duration) *sim.Model {
		m := vulnerable(load, pause)
		m.Services[0].Expired.Kind = "drop"
		m.Services[0].Spec.Workers = c
		m.Services[0].Spec.ServiceTime = exponential(time.Duration(c) * s / capacity)
		m.Until = 120 * s
		return m
	}
	for _, c := range []struct {
		load    float64
		workers int64
	}{{280, 10}, {280, 3}, {260, 10}, {240, 10}} {
		t.Run(fmt.Sprintf("%v/s, %d workers", c.load, c.workers), func(t *testing.T) {
			t.Parallel()
			wantRate, wantGood, _ := lazily(c.load, float64(c.workers), capacity/float64(c.workers))
			m := drop(c.load, c.workers, 5*s)
			m.Slices = []sim.Slice{{From: 40 * s, To: 120 * s}}
			var r sim.Runner
			var rate, good sample
			for i := range 10 {
				rec, err := r.Run(m, 1, uint64(i), sim.Options{})
				if err != nil {
					t.Fatal(err)
				}
				calls := int64(0)
				for _, n := range rec.Slices[0].Hops[0].Causes {
					calls += n
				}
				rate = append(rate, float64(calls)/80)
				good = append(good, float64(rec.Slices[0].All.Succeeded)/80)
			}
			t.Logf("%.1f (%.1f) attempts/s, want %.1f; goodput %.1f (%.1f), want %.1f", rate.mean(), rate.se(), wantRate, good.mean(), good.se(), wantGood)
		})
	}
	for _, load := range []float64{190, 200, 210, 220, 230} {
		_, _, ok := lazily(load, 10, 30)
		t.Log(load, ok, endings(t, drop(load, 10, 5*s), 5))
	}
}

// critical is the length of a disturbance above which a system locks in.
type critical struct {
	rho, share float64 // the share of the capacity that is left
	retries    int64
	length     time.Duration
}

// criticals are the rows of the fluid model. Times are in timeouts, of 1 s.
func criticals(t *testing.T) []critical {
	t.Helper()
	var list []critical
	for _, o := range oracles(t, "fluid_metastable") {
		c := critical{
			rho:     o.param(t, "rho"),
			retries: int64(o.param(t, "R")),
			length:  time.Duration(o.value * float64(s)),
		}
		if strings.Contains(o.params, "drops to 20%") {
			c.share = 0.2
		}
		list = append(list, c)
	}
	return list
}

// disturb is an empty system whose capacity goes down at 0, for a time.
func (c critical) disturb(mu float64, length time.Duration) *sim.Model {
	fault := server.Fault{Kind: "pause", For: length}
	if c.share > 0 {
		fault = server.Fault{Kind: "slow", Factor: 1 / c.share, For: length}
	}
	m := paused(mu, c.rho*mu, c.retries+1, 0, fault)
	m.Until = 25 * s
	return m
}

func (c critical) String() string {
	return fmt.Sprintf("rho %g, %d retries, capacity %g", c.rho, c.retries, c.share)
}

// A disturbance that is 5 % shorter than critical is overcome, one that is 5 %
// longer is not, where 3,000 calls are served within a timeout.
func TestCriticalLength(t *testing.T) {
	for _, c := range criticals(t) {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			twenty(t, false, c.disturb(3000, c.length*95/100))
			twenty(t, true, c.disturb(3000, c.length*105/100))
		})
	}
}

// Half of the replications lock in at the critical length: by bisection it is
// found where the fluid model has it.
func TestCriticalLengthByBisection(t *testing.T) {
	t.Parallel()
	for _, c := range criticals(t) {
		if c.rho != 0.7 || c.retries != 1 || c.share > 0 {
			continue
		}
		lo, hi := c.length*90/100, c.length*110/100
		for hi-lo > 10*ms {
			middle := (lo + hi) / 2
			if e := endings(t, c.disturb(3000, middle), 10); e.stuck >= 5 {
				hi = middle
			} else {
				lo = middle
			}
		}
		// With 3,000 calls a timeout the crossing is blurred by about 0.02.
		if off := (lo+hi)/2 - c.length; off.Abs() > 20*ms {
			t.Errorf("%v: half lock in at %v, want %v", c, (lo+hi)/2, c.length)
		}
	}
}

// Where retries do not outweigh the capacity the system recovers after as long
// as its formula says. The mean is that of a random walk.
func TestSlowRecovery(t *testing.T) {
	for _, c := range []struct {
		load float64
		want time.Duration
	}{{100, 16 * s}, {120, 33 * s}, {140, 118 * s}} {
		t.Run(fmt.Sprint(c.load), func(t *testing.T) {
			t.Parallel()
			m := vulnerable(c.load, 10*s)
			mean, most, ok := m.SlowRecovery(pauseAt, pauseAt+10*s)
			if !ok || (mean-c.want).Abs() > s/2 || most < mean {
				t.Fatalf("by the formula %v, %v at most, %v; want %v", mean, most, ok, c.want)
			}
			m.Until = pauseAt + 10*s + most + 10*s
			var r sim.Runner
			var times sample
			for i := range 20 {
				first := time.Duration(0)
				_, err := r.Run(m, 1, uint64(i), sim.Options{Trace: func(e sim.TraceEvent) {
					if e.Kind == sim.TraceSucceeded && e.At >= pauseAt+10*s && first == 0 {
						first = e.At - pauseAt - 10*s
					}
				}})
				if err != nil || first == 0 || first > most {
					t.Errorf("replication %d: recovers after %v, by the formula %v at most, %v", i, first, most, err)
				}
				times = append(times, first.Seconds())
			}
			t.Logf("%.2f s, standard error %.2f s", times.mean(), times.se())
			agree(t, "recovery", times.mean(), times.se(), mean.Seconds())
		})
	}
}

// When it is known, and when not.
func TestSlowRecoveryIsKnown(t *testing.T) {
	policy := func(m *sim.Model) *strategies.Policy { return &m.Groups[0].Steps[0].Policies[0].Policy }
	ratio := func(m *sim.Model) *strategies.Budget {
		policy(m).Budget = &strategies.Budget{Kind: "ratio", Ratio: 0.06, Scope: "all", Window: 10 * s, Floor: strategies.Floor{Set: true}}
		return policy(m).Budget
	}
	for _, c := range []struct {
		name   string
		load   float64
		change func(*sim.Model)
		want   float64 // seconds; 0: not known
	}{
		{"one retry", 140, func(*sim.Model) {}, 2360. / 20},
		{"at the edge", 150, func(*sim.Model) {}, 0},
		{"no retries", 280, func(m *sim.Model) { policy(m).MaxAttempts = 1 }, 2500. / 20},
		{"three retries", 60, func(m *sim.Model) { policy(m).MaxAttempts = 4 }, (60*(10+9+8+7) - 300) / 60.},
		{"more retries than there is time for", 20, func(m *sim.Model) { policy(m).MaxAttempts = 13 }, (20*(55.) - 300) / 40},
		{"a longer timeout", 140, func(m *sim.Model) { policy(m).Timeout = 4 * s }, (140*16 - 1200) / 20.},
		{"so long that nothing is late", 100, func(m *sim.Model) { policy(m).Timeout = 20 * s }, 1e-9},
		{"a budget", 280, func(m *sim.Model) { ratio(m) }, (280*10*1.06 - 300) / 3.2},
		{"a budget with a floor", 280, func(m *sim.Model) { ratio(m).Floor.Rate = 1 }, (280*10*1.06 + 20 - 300) / 2.2},
		{"a budget that is too large", 280, func(m *sim.Model) { ratio(m).Ratio = 0.08 }, 0},
		{"a budget of each client", 280, func(m *sim.Model) {
			m.Groups[0].Count = 4
			b := ratio(m)
			b.Scope, b.Floor.Rate = "client", 0.25
		}, (280*10*1.06 + 20 - 300) / 2.2},
		{"a budget of each request", 280, func(m *sim.Model) { ratio(m).Scope = "request" }, 0},
		{"two groups", 60, func(m *sim.Model) {
			g := m.Groups[0]
			g.Arrival.Rate = 80
			m.Groups = append(m.Groups, g)
		}, 2360. / 20},
		{"one of two leaves", 140, func(m *sim.Model) {
			g := m.Groups[0]
			g.Arrival.For = pauseAt + 20*s // 10 s after the pause
			m.Groups = append(m.Groups, g)
			// 2 x 2,660 calls, 10 s in which 260/s come to that, 140 retries in flight.
		}, 10 + (5320+2600+140-300)/20.},
		{"an outer layer", 140, func(m *sim.Model) {
			step := &m.Groups[0].Steps[0]
			step.Policies = append(step.Policies, step.Policies[0])
		}, 0},
		{"a breaker", 140, func(m *sim.Model) { policy(m).Breaker = &strategies.Breaker{} }, 0},
		{"no timeout", 140, func(m *sim.Model) { policy(m).Timeout = 0 }, 0},
		{"unlimited attempts", 140, func(m *sim.Model) { policy(m).MaxAttempts = strategies.Unlimited }, 0},
		{"unlimited workers", 140, func(m *sim.Model) { m.Services[0].Spec.Workers = server.Unlimited }, 0},
		{"a crash", 140, func(m *sim.Model) { m.Services[0].Spec.Crash = &server.Crash{} }, 0},
		{"a burst", 140, func(m *sim.Model) { m.Groups[0].Arrival = random.Arrival{Kind: "burst"} }, 0},
	} {
		m := vulnerable(c.load, 10*s)
		c.change(m)
		mean, most, ok := m.SlowRecovery(pauseAt, pauseAt+10*s)
		if ok != (c.want > 0) || math.Abs(mean.Seconds()-c.want) > 1e-6 || most < mean {
			t.Errorf("%s: %v, at most %v, %v; want %v s", c.name, mean, most, ok, c.want)
		}
	}
}

// Above the fold of the mean field a queue with random service collapses by
// itself, and well below it does not; the mean field is no better than that.
func TestFold(t *testing.T) {
	for _, o := range oracles(t, "meanfield_mm1_timeout_retry") {
		if !strings.HasPrefix(o.quantity, "fold_load") {
			continue
		}
		t.Run(o.params, func(t *testing.T) {
			t.Parallel()
			// One unit of the theory's time is a millisecond.
			timeout := time.Duration(o.param(t, "T")) * ms
			for _, c := range []struct {
				of    float64
				stuck bool
			}{{0.6, false}, {1.2, true}} {
				spec := workers(1)
				spec.ServiceTime = exponential(ms)
				p := retry(int64(o.param(t, "R"))+1, timeout, backoff("none", 0, 0))
				m := model(poisson(c.of*o.value*1000), p, constant(0), spec)
				m.Until = 10 * s
				twenty(t, c.stuck, m)
			}
		})
	}
}
