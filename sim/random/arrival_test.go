package random

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// arrivals plays an open process up to until.
func arrivals(p *Process, key Key, until time.Duration) []time.Duration {
	var list []time.Duration
	prev := time.Duration(0)
	for i := int64(0); ; i++ {
		at, ok := p.Next(i, prev, key.Draw(Start, uint64(i)))
		if !ok || at >= until {
			return list
		}
		list = append(list, at)
		prev = at
	}
}

var points = []Point{{5 * time.Second, 40}, {20 * time.Second, 80}, {20 * time.Second, 200}, {30 * time.Second, 0}, {40 * time.Second, 0}, {60 * time.Second, 100}}

var open = []struct {
	name    string
	arrival Arrival
	count   int64
}{
	{"poisson", Arrival{Kind: "poisson", Rate: 50, At: 3 * time.Second, For: 90 * time.Second}, 7},
	{"poisson per client", Arrival{Kind: "poisson", Rate: 50, Per: "client"}, 3},
	{"constant", Arrival{Kind: "constant", Rate: 7, For: 60 * time.Second}, 1},
	{"constant per client", Arrival{Kind: "constant", Rate: 1.0 / 6, Per: "client", At: time.Second}, 11},
	{"profile", Arrival{Kind: "profile", Points: points}, 1},
	{"profile per client", Arrival{Kind: "profile", Points: points, Per: "client", At: 7 * time.Second, For: 50 * time.Second}, 4},
	{"trace", Arrival{Kind: "trace", Times: []time.Duration{0, 1e9, 1e9, 5e9, 80e9, 99e9}, At: 2 * time.Second, For: 90 * time.Second}, 1},
}

// The number of arrivals in every tenth of two minutes is that of the integral
// of the rate: within 4 standard deviations of a Poisson number, or exactly.
// The draws are fixed, so this cannot flake.
func TestCountsMatchIntegral(t *testing.T) {
	const until, part = 2 * time.Minute, 12 * time.Second
	for _, c := range open {
		p := c.arrival.Process(c.count)
		list := arrivals(&p, Root(3), until)
		if !slices.IsSorted(list) {
			t.Errorf("%s: not in order", c.name)
		}
		if last := p.Until(until); len(list) == 0 || list[len(list)-1] > last {
			t.Errorf("%s: arrivals until %v, not %v", c.name, list[len(list)-1], last)
		}
		for from := time.Duration(0); from < until; from += part {
			i, _ := slices.BinarySearch(list, from)
			j, _ := slices.BinarySearch(list, from+part)
			got, want := float64(j-i), p.Integral(from, from+part)
			allowed := 4 * math.Sqrt(want)
			if p.Kind() == Constant || p.Kind() == Trace {
				allowed = 1
			}
			if math.Abs(got-want) > allowed {
				t.Errorf("%s: %v arrivals in [%v, %v), want %.1f", c.name, got, from, from+part, want)
			}
		}
	}
}

func TestConstantIsExact(t *testing.T) {
	for _, c := range []struct {
		rate  float64
		until time.Duration
		want  int
	}{
		{7, 60 * time.Second, 420},
		{3, 100 * time.Second, 300},
		{10.0 / 60, time.Hour, 600},
		{3.0 / 3600, 24 * time.Hour, 72},
		{1e6 / 3, 3 * time.Second, 1_000_000},
	} {
		p := Arrival{Kind: "constant", Rate: c.rate, For: c.until}.Process(1)
		list := arrivals(&p, 0, forever)
		if len(list) != c.want || list[0] != 0 {
			t.Errorf("%v/s for %v: %d arrivals from %v on, want %d", c.rate, c.until, len(list), list[0], c.want)
		}
	}
}

// In the time scale of the integral a profile is a Poisson process of rate 1:
// gaps have mean 1 and variance 1, whatever the rate does meanwhile.
func TestProfileGaps(t *testing.T) {
	p := Arrival{Kind: "profile", Points: points, Per: "client", At: time.Second}.Process(100)
	list := arrivals(&p, Root(4), time.Minute)
	n, square, last := float64(len(list)), 0.0, time.Duration(0)
	for _, at := range list {
		gap := p.Integral(last, at)
		square += gap * gap
		last = at
	}
	mean := p.Integral(0, last) / n
	if math.Abs(mean-1) > 4/math.Sqrt(n) || math.Abs(square/n-2) > 4*math.Sqrt(20/n) {
		t.Errorf("%v gaps: mean %v and mean square %v, want 1 and 2", n, mean, square/n)
	}
}

func TestProfileInversion(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []Point
		prev   time.Duration
		need   float64
		want   float64 // seconds
	}{
		{"level", []Point{{0, 4}}, 0, 2, 0.5},
		{"level, later", []Point{{0, 4}}, 1e9, 2, 1.5},
		{"before the first corner", []Point{{10e9, 4}}, 0, 2, 0.5},
		{"rising from 0", []Point{{0, 0}, {10e9, 10}}, 0, 8, 4},
		{"rising", []Point{{0, 0}, {10e9, 10}}, 4e9, 4.5, 5},
		{"falling", []Point{{0, 10}, {10e9, 0}}, 6e9, 6, 8},
		{"over a corner", []Point{{0, 0}, {2e9, 2}}, 0, 4, 3},
		{"over a step", []Point{{0, 1}, {1e9, 1}, {1e9, 5}}, 0, 3.5, 1.5},
		{"over a pause", []Point{{0, 1}, {1e9, 1}, {1e9, 0}, {5e9, 0}, {5e9, 2}}, 0, 2, 5.5},
		{"never", []Point{{0, 10}, {10e9, 0}}, 6e9, 8.1, math.Inf(1)},
	} {
		p := Arrival{Kind: "profile", Points: c.points}.Process(1)
		got := p.nextOfProfile(c.prev, c.need)
		if got == forever && math.IsInf(c.want, 1) {
			continue
		}
		if math.Abs(got.Seconds()-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %vs", c.name, got, c.want)
		}
	}
}

func TestRateAt(t *testing.T) {
	for _, c := range []struct {
		arrival Arrival
		at      time.Duration
		want    float64
	}{
		{Arrival{Kind: "profile", Points: points}, 0, 40},
		{Arrival{Kind: "profile", Points: points}, 11 * time.Second, 56},
		{Arrival{Kind: "profile", Points: points}, 20 * time.Second, 200},
		{Arrival{Kind: "profile", Points: points}, 25 * time.Second, 100},
		{Arrival{Kind: "profile", Points: points}, 35 * time.Second, 0},
		{Arrival{Kind: "profile", Points: points}, time.Hour, 100},
		{Arrival{Kind: "profile", Points: points, At: 6 * time.Second, Per: "client"}, 17 * time.Second, 560},
		{Arrival{Kind: "poisson", Rate: 5, At: time.Second}, 0, 0},
		{Arrival{Kind: "poisson", Rate: 5, At: time.Second, For: time.Second}, 2 * time.Second, 0},
		{Arrival{Kind: "constant", Rate: 5, Per: "client"}, 0, 50},
		{Arrival{Kind: "every", Every: 2 * time.Second}, 0, 5},
		{Arrival{Kind: "burst"}, 0, 0},
	} {
		p := c.arrival.Process(10)
		if got := p.RateAt(c.at); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: rate at %v is %v, want %v", c.arrival, c.at, got, c.want)
		}
	}
}

func TestIntegralOfClients(t *testing.T) {
	burst := Arrival{At: 2 * time.Second, Spread: 4 * time.Second}.Process(100)
	at := Arrival{At: 2 * time.Second}.Process(100)
	every := Arrival{Kind: "every", Every: 2 * time.Second}.Process(100)
	for _, c := range []struct{ got, want float64 }{
		{burst.Integral(0, time.Minute), 100},
		{burst.Integral(3*time.Second, 5*time.Second), 50},
		{burst.Integral(7*time.Second, time.Minute), 0},
		{at.Integral(0, 2*time.Second), 0},
		{at.Integral(2*time.Second, 3*time.Second), 100},
		{at.Integral(3*time.Second, 4*time.Second), 0},
		{every.Integral(0, time.Minute), 3000},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

func TestSpikes(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name     string
		arrival  Arrival
		from, to time.Duration
		ok       bool
	}{
		{"no profile", Arrival{Kind: "poisson", Rate: 1}, 0, 0, false},
		{"level", Arrival{Points: []Point{{0, 80}}}, 0, 0, false},
		{"steps", Arrival{Points: []Point{{0, 80}, {60 * s, 80}, {60 * s, 110}, {120 * s, 110}, {120 * s, 80}}}, 60 * s, 120 * s, true},
		{"shifted", Arrival{At: 5 * s, Points: []Point{{0, 80}, {60 * s, 80}, {60 * s, 110}, {120 * s, 110}, {120 * s, 80}}}, 65 * s, 125 * s, true},
		{"triangle", Arrival{Points: []Point{{10 * s, 80}, {20 * s, 100}, {40 * s, 40}}}, 10 * s, 20*s + 20*s/3, true},
		{"dip, then up", Arrival{Points: []Point{{0, 80}, {10 * s, 60}, {30 * s, 100}, {40 * s, 80}}}, 20 * s, 40 * s, true},
		{"two", Arrival{Points: []Point{{0, 1}, {10 * s, 1}, {10 * s, 2}, {11 * s, 1}, {20 * s, 1}, {21 * s, 2}, {22 * s, 1}}}, 10 * s, 22 * s, true},
		{"to the end", Arrival{Points: []Point{{0, 1}, {10 * s, 1}, {10 * s, 2}}}, 10 * s, 600 * s, true},
		{"to the end of for", Arrival{For: 50 * s, Points: []Point{{0, 1}, {10 * s, 1}, {10 * s, 2}}}, 10 * s, 50 * s, true},
		{"falling", Arrival{Points: []Point{{0, 2}, {10 * s, 1}}}, 0, 0, false},
		{"after the end", Arrival{For: 5 * s, Points: []Point{{0, 1}, {10 * s, 1}, {10 * s, 2}}}, 0, 0, false},
	} {
		if c.arrival.Kind == "" {
			c.arrival.Kind = "profile"
		}
		from, to, ok := c.arrival.Spikes(10 * time.Minute)
		if from != c.from || (to-c.to).Abs() > 1 || ok != c.ok {
			t.Errorf("%s: [%v, %v) %v, want [%v, %v) %v", c.name, from, to, ok, c.from, c.to, c.ok)
		}
	}
}

func TestUntil(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name    string
		arrival Arrival
		want    time.Duration
	}{
		{"burst", Arrival{At: 3 * s}, 3 * s},
		{"spread", Arrival{At: 3 * s, Spread: 4 * s}, 7 * s},
		{"endless", Arrival{Kind: "poisson", Rate: 1}, 100 * s},
		{"for", Arrival{Kind: "every", Every: s, At: 3 * s, For: 4 * s}, 7 * s},
		{"too long", Arrival{Kind: "closed", At: 3 * s, For: 4000 * s}, 100 * s},
		{"profile", Arrival{Kind: "profile", At: 3 * s, Points: []Point{{0, 1}, {9 * s, 0}}}, 12 * s},
		{"trace", Arrival{Kind: "trace", At: 3 * s, Times: []time.Duration{s, 2 * s}}, 5 * s},
	} {
		p := c.arrival.Process(1)
		if got := p.Until(100 * s); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestClients(t *testing.T) {
	const s, half = time.Second, 1 << 63
	burst := Arrival{At: s, Spread: 10 * s}.Process(5)
	closed := Arrival{Kind: "closed", At: 2 * s, Think: Dist{Mean: 3 * s}}.Process(5)
	aligned := Arrival{Kind: "every", Every: 10 * s, At: s, Phase: "aligned"}.Process(5)
	random := Arrival{Kind: "every", Every: 10 * s, At: s, Phase: "random", Jitter: 0.5}.Process(5)
	for _, c := range []struct {
		name      string
		got, want time.Duration
	}{
		{"burst", burst.Start(0, half), 6 * s},
		{"burst, first", burst.Start(0, 0), s},
		{"burst, last", burst.Start(0, math.MaxUint64), 11*s - 1},
		{"closed", closed.Start(4, half), 2 * s},
		{"think", closed.Think(half), 3 * s},
		{"aligned", aligned.Start(1, half), s},
		{"aligned, tick 3", aligned.Tick(3, half, half), 31 * s},
		{"random", random.Start(1, half), 6 * s},
		{"random, tick 3", random.Tick(3, half, half), 38*s + s/2},
		{"random, tick 3 in time", random.Tick(3, half, 0), 36 * s},
		{"tick far away", random.Tick(math.MaxInt64, half, half), forever},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	for _, p := range []*Process{&burst, &closed, &aligned} {
		if _, ok := p.Next(0, 0, half); ok || p.Open() {
			t.Errorf("kind %d is open", p.Kind())
		}
	}
	ending := Arrival{Kind: "closed", At: s, For: s}.Process(1)
	if ending.Ended(2*s-1) || !ending.Ended(2*s) || burst.Ended(1e6*s) {
		t.Error("the end is not where it should be")
	}
}

// TestGoldenArrivals pins the bits: run it on every architecture.
func TestGoldenArrivals(t *testing.T) {
	var d digest
	for _, c := range open {
		p := c.arrival.Process(c.count)
		for _, at := range arrivals(&p, Root(5), 3*time.Minute) {
			d.add(uint64(at))
			d.add(math.Float64bits(p.Integral(0, at)))
		}
	}
	if want := digest(0xfed69fd5b942820b); d != want {
		t.Errorf("got %#x, want %#x", d, want)
	}
}

func TestArrivalValidate(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		arrival Arrival
		want    string // fields that are bad
	}{
		{Arrival{}, ""},
		{Arrival{At: -1, Spread: -1, Rate: -1}, "at spread"},
		{Arrival{Kind: "poisson"}, "rate"},
		{Arrival{Kind: "poisson", Rate: math.NaN(), Per: "host"}, "per rate"},
		{Arrival{Kind: "constant", Rate: math.Inf(1)}, "rate"},
		{Arrival{Kind: "constant", Rate: 1, For: Max + 1}, "for"},
		{Arrival{Kind: "every"}, "every"},
		{Arrival{Kind: "every", Every: s, Phase: "full", Jitter: 1.1}, "phase jitter"},
		{Arrival{Kind: "closed", Think: Dist{Kind: "pareto", Mean: -1, Shape: 0.5}}, "think.mean think.shape"},
		{Arrival{Kind: "profile"}, "points"},
		{Arrival{Kind: "profile", Points: []Point{{0, 1}, {2 * s, 1}, {s, 1}}}, "points"},
		{Arrival{Kind: "profile", Points: []Point{{0, 1}, {0, 2}, {0, 3}}}, "points"},
		{Arrival{Kind: "profile", Points: []Point{{-1, -1}, {0, 2}}}, "points points"},
		{Arrival{Kind: "profile", Points: []Point{{0, 0}, {s, 0}}}, "points"},
		{Arrival{Kind: "profile", Points: points}, ""},
		{Arrival{Kind: "trace"}, "file"},
		{Arrival{Kind: "drip"}, "kind"},
	} {
		var got []string
		c.arrival.Validate(func(field, problem string) {
			got = append(got, field)
			if !strings.Contains(problem, "must") && !strings.Contains(problem, "takes") {
				t.Errorf("%+v: %s %s", c.arrival, field, problem)
			}
		})
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: bad are %v, want %q", c.arrival, got, c.want)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for _, c := range open[:6] {
		b.Run(c.name, func(b *testing.B) {
			p, key, prev := c.arrival.Process(c.count), Root(1), time.Duration(0)
			for i := range int64(b.N) {
				at, ok := p.Next(i&1023, prev, key.Draw(Start, uint64(i)))
				if prev = at; !ok {
					prev = 0
				}
			}
			sink = uint64(prev)
		})
	}
}
