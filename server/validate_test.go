package server

import (
	"math"
	"slices"
	"testing"
	"time"

	"retrystorm/sim/limit"
)

func TestValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	fault := func(f Fault) func(*Spec) {
		f.Name = "outage"
		return faulty(f)
	}
	bucket := RateLimit{Kind: "token-bucket", Rate: 100, Burst: 1, Answer: says(429), Scope: "all"}
	window := RateLimit{Kind: "fixed-window", Limit: 10, Window: sec, Answer: says(429), Scope: "client"}
	withBucket := func(edit func(*RateLimit)) func(*Spec) { l := bucket; edit(&l); return limited(l) }
	withWindow := func(edit func(*RateLimit)) func(*Spec) { l := window; edit(&l); return limited(l) }
	rows := func(c Contention) func(*Spec) { return func(s *Spec) { s.Contention = &c } }

	waitingFor := func(limit int64) func(*Spec) { return waiting(Queue{Limit: limit, Full: says(503)}) }
	both := func(a, b func(*Spec)) func(*Spec) { return func(s *Spec) { a(s); b(s) } }

	for _, test := range []struct {
		reason string
		edit   func(*Spec)
		want   []string // fields
	}{
		{"the defaults", func(*Spec) {}, nil},
		{"no workers serve nobody", workers(0), []string{"workers"}},
		{"negative", workers(-2), []string{"workers"}},
		{"one", workers(1), nil},
		{"the most", workers(maxWorkers), nil},
		{"more", workers(maxWorkers + 1), []string{"workers"}},
		{"negative slowdown", func(s *Spec) { s.Slowdown = -1 }, []string{"slowdown"}},
		{"no queue", waiting(Queue{Limit: 0, Order: "lifo", Full: says(Silent)}), nil},
		{"every field of a queue", waiting(Queue{Limit: -2, Order: "any", Full: says(200)}), []string{"queue.limit", "queue.order", "queue.full.answer"}},
		{"a full queue that answers OK", waiting(Queue{Order: "fifo"}), []string{"queue.full.answer"}},

		{"token bucket", limited(bucket), nil},
		{"no tokens, ever", withBucket(func(l *RateLimit) { l.Rate = 0 }), []string{"rate_limit.rate"}},
		{"not a number", withBucket(func(l *RateLimit) { l.Rate = nan }), []string{"rate_limit.rate"}},
		{"infinite", withBucket(func(l *RateLimit) { l.Rate = inf }), []string{"rate_limit.rate"}},
		{"no place for a token", withBucket(func(l *RateLimit) { l.Burst = 0 }), []string{"rate_limit.burst"}},
		{"a bucket that never fills", withBucket(func(l *RateLimit) { l.Rate = 0.5; l.Burst = 600_000_000 }), []string{"rate_limit.burst"}},
		{"window", limited(window), nil},
		{"a window of nothing", withWindow(func(l *RateLimit) { l.Window = 0; l.Limit = 0 }), []string{"rate_limit.limit", "rate_limit.window"}},
		{"sliding too", withWindow(func(l *RateLimit) { l.Kind = "sliding-window"; l.Limit = 0 }), []string{"rate_limit.limit"}},
		{"no such limit", limited(RateLimit{Kind: "leaky", Answer: says(OK), Scope: "process"}), []string{"rate_limit.kind", "rate_limit.answer.answer", "rate_limit.scope"}},

		{"every order", waiting(Queue{Order: "deadline", Full: says(503), MaxWait: sec}), nil},
		{"a wait below nothing", waiting(Queue{Full: says(503), MaxWait: -1}), []string{"queue.max_wait"}},
		{"an answer that asks to wait", waiting(Queue{Full: asksFor(sec)}), nil},
		{"every field of one", waiting(Queue{Full: Reply{
			Answer: 503, RetryAfter: Asked{Kind: AskedDelay, Delay: -1}, Spread: -1, Form: "minutes", Skew: -1,
		}}), []string{"queue.full.retry_after", "queue.full.spread", "queue.full.form", "queue.full.skew"}},
		{"refusals carry nothing", waiting(Queue{Full: Reply{Answer: Refused, RetryAfter: Asked{Kind: AskedNever}}}), []string{"queue.full.retry_after"}},
		{"nor does the answer of a service that is down, unless it says so", fault(Fault{Kind: "down", Answer: Reply{RetryAfter: Asked{Kind: AskedRecovery}}}), []string{"faults.outage.answer.retry_after"}},
		{"errors answer 500, which does", fault(Fault{Kind: "errors", Answer: Reply{RetryAfter: Asked{Kind: AskedRecovery}}}), nil},
		{"next-token of nothing", waiting(Queue{Full: asks(AskedToken)}), []string{"queue.full.retry_after"}},
		{"next-token of the rate limit", both(limited(bucket), waiting(Queue{Full: asks(AskedToken)})), nil},
		{"a queue that nobody waits in", waiting(Queue{Full: asks(AskedQueue)}), []string{"queue.full.retry_after"}},
		{"a queue", both(workers(1), waiting(Queue{Full: asks(AskedQueue)})), nil},
		{"clocks matter to dates", waiting(Queue{Full: Reply{Answer: 503, RetryAfter: Asked{Kind: AskedNever}, Form: "date", Skew: sec, Behind: true}}), nil},
		{"and to nothing else", waiting(Queue{Full: Reply{Answer: 503, RetryAfter: Asked{Kind: AskedNever}, Skew: sec}}), []string{"queue.full.skew"}},

		{"ban", withBucket(func(l *RateLimit) { l.Answer, l.Ban = asks(AskedToken), sec }), nil},
		{"a ban of those who were asked for nothing", withBucket(func(l *RateLimit) { l.Ban = sec }), []string{"rate_limit.ban"}},
		{"a ban below nothing", withBucket(func(l *RateLimit) { l.Ban = -1 }), []string{"rate_limit.ban"}},

		{"too many replicas", func(s *Spec) { s.Replicas = 10_001 }, []string{"replicas"}},
		{"a negative number of replicas", func(s *Spec) { s.Replicas, s.Balance, s.InFlight = -1, "best", -2 }, []string{"replicas", "balance", "in_flight"}},
		{"replicas", func(s *Spec) { s.Replicas, s.Balance, s.InFlight, s.Admit = 10_000, "least", 1, new(0.0) }, nil},
		{"more than all are let in", func(s *Spec) { s.Admit = new(1.1) }, []string{"admit"}},
		{"rows in several places", both(rows(Contention{Kind: "lock", Rows: 1}), func(s *Spec) { s.Replicas = 2 }), []string{"contention"}},
		{"a fault of one replica of one", fault(Fault{Kind: "pause", Replicas: new(int64(1))}), nil},
		{"a fault of two replicas of one", fault(Fault{Kind: "pause", Replicas: new(int64(2))}), []string{"faults.outage.replicas"}},
		{"a fault of no replica", both(fault(Fault{Kind: "pause", Replicas: new(int64(0))}), func(s *Spec) { s.Replicas = 3 }), []string{"faults.outage.replicas"}},
		{"a fault that comes again", fault(Fault{Kind: "pause", For: sec, Ramp: sec, Every: 2*sec + 1}), nil},
		{"a fault that comes again before it is over", fault(Fault{Kind: "pause", For: sec, Ramp: sec, Every: 2 * sec}), []string{"faults.outage.every"}},
		{"a fault that comes again and never ends", fault(Fault{Kind: "pause", Every: sec}), []string{"faults.outage.every"}},
		{"a fault that comes again at once", fault(Fault{Kind: "pause", For: 1, Every: 2}), []string{"faults.outage.every"}},

		{"shed", both(waitingFor(10), shedding(Shed{Kind: "retries", Above: 0.8, Answer: says(503)})), nil},
		{"shed without a queue", both(waitingFor(0), shedding(Shed{Kind: "retries", Above: 0.8, Answer: says(503)})), []string{"shed"}},
		{"shed without a limit", both(waitingFor(Unlimited), shedding(Shed{Kind: "first-tries", Above: 0.8, Answer: says(503)})), []string{"shed"}},
		{"every field of shed", both(waitingFor(10), shedding(Shed{Kind: "all", Above: nan})), []string{"shed.kind", "shed.above", "shed.answer.answer"}},

		{"limiter", limiting(limit.Spec{Kind: "aimd", Limit: 20, Min: 1, Max: 100}), nil},
		{"a limiter of nothing", func(s *Spec) { s.Limiter = &Limiter{limit.Spec{Kind: "concurrency"}, says(200)} }, []string{"limiter.limit", "limiter.answer.answer"}},

		{"contention", rows(Contention{Kind: "lock", Rows: 1}), nil},
		{"no such contention, no rows", rows(Contention{Kind: "locks"}), []string{"contention.kind", "contention.rows"}},
		{"too many rows", rows(Contention{Kind: "optimistic", Rows: 1e9}), []string{"contention.rows"}},

		{"crash", crashing(Crash{Above: 1}), nil},
		{
			"every field of a crash", crashing(Crash{Restart: -1, Ramp: -1, RampFrom: 1.5}),
			[]string{"crash.above", "crash.restart", "crash.ramp", "crash.ramp_from"},
		},

		{"down", fault(Fault{Kind: "down"}), nil},
		{"down with success", fault(Fault{Kind: "down", Answer: says(200)}), []string{"faults.outage.answer.answer"}},
		{
			"every time of a fault", fault(Fault{Kind: "pause", At: -1, For: -1, Ramp: -1, RampFrom: -0.1}),
			[]string{"faults.outage.at", "faults.outage.for", "faults.outage.ramp", "faults.outage.ramp_from"},
		},
		{"centuries", fault(Fault{Kind: "pause", At: math.MaxInt64}), []string{"faults.outage.at"}},
		{"mix", fault(Fault{Kind: "errors", Share: 1, Mix: []MixPart{{Answer: "503", Share: 0.9}, {Answer: "429", Share: 0.1, RetryAfter: Asked{Kind: AskedNever}}}}), nil},
		{"thirds", fault(Fault{Kind: "errors", Mix: []MixPart{{Answer: "503", Share: 1.0 / 3}, {Answer: "429", Share: 1.0 / 3}, {Answer: "reset", Share: 1.0 / 3}}}), nil},
		{"not all of a mix", fault(Fault{Kind: "errors", Mix: []MixPart{{Answer: "503", Share: 0.9}}}), []string{"faults.outage.mix"}},
		{"more than all", fault(Fault{Kind: "errors", Mix: []MixPart{{Answer: "503", Share: 1}, {Answer: "429", Share: 1e-8}}}), []string{"faults.outage.mix"}},
		{
			"every field of a part", fault(Fault{Kind: "errors", Mix: []MixPart{{Answer: "200", Share: nan, Spread: -1}}}),
			[]string{"faults.outage.mix.200.share", "faults.outage.mix.200.answer", "faults.outage.mix.200.spread", "faults.outage.mix"},
		},
		{"a mix and an answer", fault(Fault{Kind: "errors", Answer: says(500), Mix: []MixPart{{Answer: "503", Share: 1}}}), []string{"faults.outage.answer"}},
		{"errors", fault(Fault{Kind: "errors", Share: 1, Answer: says(Reset)}), nil},
		{"more than all fail", fault(Fault{Kind: "errors", Share: 1.01}), []string{"faults.outage.share"}},
		{"not a share", fault(Fault{Kind: "capacity", Share: nan}), []string{"faults.outage.share"}},
		{"slow", fault(Fault{Kind: "slow", Factor: 0.5}), nil},
		{"no work", fault(Fault{Kind: "slow"}), []string{"faults.outage.factor"}},
		{"endless work", fault(Fault{Kind: "slow", Factor: inf}), []string{"faults.outage.factor"}},
		{"a field of another kind is not looked at", fault(Fault{Kind: "pause", Share: -1, Factor: -1, Answer: says(1000)}), nil},
		{"no such fault", fault(Fault{Kind: "flush"}), []string{"faults.outage.kind"}},
		{"only the broken fault is named", faulty(Fault{Name: "a", Kind: "pause"}, Fault{Name: "b", Kind: "slow"}), []string{"faults.b.factor"}},
		{"a problem of the service time", func(s *Spec) { s.ServiceTime.Kind = "constant"; s.ServiceTime.Mean = -1 }, []string{"service_time.mean"}},
	} {
		spec := service(func(s *Spec) { s.ServiceTime.Kind = "constant" }, test.edit)
		var got []string
		spec.Validate(func(field, problem string) {
			got = append(got, field)
			if problem == "" {
				t.Errorf("%s: %s: nothing said", test.reason, field)
			}
		})
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestCapacity(t *testing.T) {
	served := func(mean time.Duration) func(*Spec) {
		return func(s *Spec) { s.ServiceTime.Kind, s.ServiceTime.Mean = "constant", mean }
	}
	for _, test := range []struct {
		reason string
		spec   Spec
		want   float64
		ok     bool
	}{
		{"workers / service time", service(workers(100), served(20*ms)), 5000, true},
		{"unlimited workers", service(served(20 * ms)), 0, false},
		{"no work", service(workers(1), served(0)), 0, false},
		{"a bucket alone", service(limited(RateLimit{Kind: "token-bucket", Rate: 30, Burst: 5, Scope: "all"})), 30, true},
		{"the bucket is smaller", service(workers(1), served(10*ms), limited(RateLimit{Kind: "token-bucket", Rate: 30, Scope: "all"})), 30, true},
		{"the workers are fewer", service(workers(1), served(100*ms), limited(RateLimit{Kind: "token-bucket", Rate: 30, Scope: "all"})), 10, true},
		{"a window", service(limited(RateLimit{Kind: "sliding-window", Limit: 200, Window: 500 * ms, Scope: "all"})), 400, true},
		{"a limit for each client limits no service", service(limited(RateLimit{Kind: "token-bucket", Rate: 30, Scope: "client"})), 0, false},
	} {
		if got, ok := test.spec.Capacity(); got != test.want || ok != test.ok {
			t.Errorf("%s: %v, %v; want %v, %v", test.reason, got, ok, test.want, test.ok)
		}
	}
}
