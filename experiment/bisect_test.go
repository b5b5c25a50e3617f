package experiment

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A cell finds the flip of a noiseless condition exactly, with few tries, and
// the borders of the undecided stretch around it.
func TestCellFindsCrossing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.IntRange(1, 3000).Draw(t, "steps")
		flip := rapid.IntRange(1, steps).Draw(t, "flip") // the first value on the other side
		lo := rapid.IntRange(0, flip-1).Draw(t, "lo")    // the last certain one
		hi := rapid.IntRange(flip, steps).Draw(t, "hi")  // the first certain one
		low := rapid.Bool().Draw(t, "low")
		c := cell{steps: steps, tried: map[int]try{}}
		for {
			want := c.next()
			if len(want) == 0 {
				break
			}
			for _, k := range want {
				if _, again := c.tried[k]; again {
					t.Fatalf("%d is tried twice", k)
				}
				x := try{holds: (k < flip) == low, ruling: Unclear}
				if k <= lo || k >= hi {
					x.ruling = map[bool]Ruling{true: Pass, false: Fail}[x.holds]
				}
				c.tried[k] = x
			}
		}
		s, crosses := c.search()
		if !crosses || s.flip != [2]int{flip - 1, flip} || s.low[0] != lo || s.high[1] != hi {
			t.Fatalf("%+v; want %d and %d, between %d and %d", s, flip-1, flip, lo, hi)
		}
		if most := 2 + 3*int(depth(steps)); len(c.tried) > most {
			t.Fatalf("%d tries for %d steps", len(c.tried), steps)
		}
	})
}

// Where both ends agree there is nothing to find.
func TestCellWithoutCrossing(t *testing.T) {
	c := cell{steps: 100, tried: map[int]try{}}
	for _, k := range c.next() {
		c.tried[k] = try{holds: true, ruling: Pass}
	}
	if want := c.next(); len(c.tried) != 2 || want != nil {
		t.Errorf("%v after %d tries", want, len(c.tried))
	}
}

const locking = `name: locking
replications: 6
until: 5m
seed: 1
clients: {arrival: poisson 280/s, calls: db, policy: {timeout: 1s, max_attempts: 2}}
services: {db: {workers: 1, service_time: 300/s, faults: {outage: pause at 60s for 10s}}}
bisect: {axis: clients.arrival.rate, in: 100/s..290/s, where: recovery == never, within: 5/s}
`

// The load that locks in lies in the vulnerable band, above half the capacity.
func TestBisect(t *testing.T) {
	locking, lowest := locking, 140.0
	if testing.Short() { // fewer runs, too short to see that some recover
		locking = strings.NewReplacer("replications: 6", "replications: 4", "5m", "3m", "5/s", "25/s").Replace(locking)
		lowest = 120
	}
	kept := newMemory()
	r, err := mustNew(t, locking).Run(Options{Jobs: 2, Store: kept})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Crossings) != 1 {
		t.Fatalf("%+v", r.Crossings)
	}
	c := r.Crossings[0]
	if c.Low != Fail || c.High != Pass || c.From == "" || c.Evaluated != len(r.Points) {
		t.Errorf("%+v of %d points", c, len(r.Points))
	}
	var from float64
	for _, p := range r.Points {
		if p.Sweep[0] == c.From {
			from = p.Numbers[0]
		}
	}
	if from < lowest || from > 280 {
		t.Errorf("crossing from %s", c.From)
	}
	again, err := mustNew(t, locking).Run(Options{Jobs: 1, Store: kept, Sealed: true})
	if err != nil {
		t.Fatal(err)
	}
	compareWhole(t, first(t, r), again)
}

// Where there is nothing to see, a condition does not hold.
func TestConditionWithoutValues(t *testing.T) {
	e := newTest([]string{"a"}, nil, nil, 2, nil)
	for _, text := range []string{"recovery == never", "recovery < 1m", "locked_in > 50%"} {
		c, err := e.condition(text, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		p := &Point{Variant: "a", Runs: make([]Run, 2)}
		for i := range p.Runs {
			for range e.metrics {
				p.Runs[i].Values = append(p.Runs[i].Values, nan)
			}
		}
		p.Estimates = estimates(e.metrics, p.Runs)
		if got, holds := c.judge(p); got.Ruling == Pass || holds {
			t.Errorf("%s: %s, holds %v", text, got.Ruling, holds)
		}
	}
}
