package experiment

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"retrystorm/sim"
	"retrystorm/strategies"
)

// drawRecord is a replication of a model with two services and one hop.
func drawRecord(t *rapid.T) *sim.Record {
	rec := &sim.Record{
		Requests: rapid.Int64Range(1, 50).Draw(t, "requests"),
		Row:      time.Second << rapid.IntRange(0, 3).Draw(t, "width"),
		Hops:     []sim.HopRecord{{From: "clients", To: "db", Calls: rapid.Int64Range(0, 100).Draw(t, "calls")}},
	}
	for range rec.Requests / 2 {
		rec.Completion.Add(time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "took")))
	}
	n := rapid.IntRange(0, 9).Draw(t, "rows")
	for range 2 {
		var s sim.ServiceRecord
		for range n {
			s.Timeline = append(s.Timeline, sim.Row{Arrivals: rapid.Int64Range(0, 9).Draw(t, "arrivals")})
		}
		rec.Services = append(rec.Services, s)
	}
	return rec
}

// observed is all that a pool is asked for.
func (p *pool) observed() any {
	m := oneService()
	m.Services = append(m.Services, m.Services[0])
	return []any{p.timelines(m)[:len(p.rows)], p.distribution(nil), p.means(m), p.runs, p.completion.Exact()}
}

// Neither the order nor the grouping of merges can be seen.
func TestMergeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.Custom(drawRecord), 1, 6).Draw(t, "records")
		var inOrder pool
		for _, rec := range records {
			inOrder.add(rec, 0)
		}
		parts := make([]pool, 3)
		for _, rec := range rapid.Permutation(records).Draw(t, "order") {
			parts[rapid.IntRange(0, 2).Draw(t, "part")].add(rec, 0)
		}
		var merged pool
		for _, i := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "parts") {
			merged.merge(&parts[i])
		}
		if diff := cmp.Diff(inOrder.observed(), merged.observed(), alike); diff != "" {
			t.Fatal(diff)
		}
		var arrivals, want int64
		for _, row := range merged.rows[0] {
			arrivals += row.Arrivals
		}
		for _, rec := range records {
			for _, row := range rec.Services[0].Timeline {
				want += row.Arrivals
			}
		}
		if arrivals != want {
			t.Fatalf("%d arrivals in the timeline, %d in the records", arrivals, want)
		}
	})
}

func TestRowsAreCoarsened(t *testing.T) {
	rows := func(width time.Duration, arrivals ...int64) *sim.Record {
		rec := &sim.Record{Row: width, Services: make([]sim.ServiceRecord, 1)}
		for _, n := range arrivals {
			rec.Services[0].Timeline = append(rec.Services[0].Timeline, sim.Row{Arrivals: n})
		}
		return rec
	}
	var p pool
	p.add(rows(time.Second, 1, 2, 3, 4, 5), 0)
	p.add(rows(2*time.Second, 10, 20), 0)
	p.add(rows(time.Second, 100), 0) // ended early: adds zeros
	line := p.timelines(oneService())[0]
	var got []int64
	for _, row := range line.Rows {
		got = append(got, row.Arrivals)
	}
	if diff := cmp.Diff([]int64{113, 27, 5}, got); diff != "" || line.Row != 2*time.Second || line.Replications != 3 {
		t.Error(line.Row, line.Replications, diff)
	}
}

func TestHopMeans(t *testing.T) {
	var p pool
	for _, calls := range []int64{10, 20} {
		p.add(&sim.Record{
			Requests: 5, EndedAt: 12 * time.Second, Services: []sim.ServiceRecord{{}, {Blocked: 2 * time.Second}},
			Hops: []sim.HopRecord{{
				From: "a", To: "b", Policy: "app", Layer: 1, Inner: true, Requests: 4, Calls: calls,
				Timeouts: 1, Refused: 2, Reset: 3, Status: 4, Late: 5, Skipped: 6,
				Busy: sim.Sum{Lo: 4e9}, Wasted: sim.Sum{Lo: 1e9},
				Withheld: [strategies.GiveUps]int64{strategies.Retry: 100, strategies.BudgetEmpty: 4, strategies.LimiterFull: 2},
			}},
		}, 2*time.Second)
	}
	want := []Hop{{
		Edge: Edge{From: "a", To: "b", Policy: "app", Layer: 1, Inner: true}, Requests: 4, Calls: 15, Amplification: 3,
		Timeouts: 1, Refused: 2, Reset: 3, Status: 4, Late: 5, Withheld: 6, Skipped: 6, Busy: 4, Wasted: 1, WastedShare: 0.25, Blocked: 0.2,
	}}
	got := p.means(&sim.Model{Services: []sim.Service{{Name: "a"}, {Name: "b"}}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every number of a hop is added: a field that is new in the record shows here.
func TestAddHopLeavesNothingOut(t *testing.T) {
	var h, sum sim.HopRecord
	v := reflect.ValueOf(&h).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Int64, reflect.Int:
			f.SetInt(int64(i + 1))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Array:
			for k := range f.Len() {
				f.Index(k).SetInt(int64(100*i + k))
			}
		case reflect.String:
			f.SetString("name")
		case reflect.Struct:
			f.Set(reflect.ValueOf(sim.Sum{Hi: uint64(i), Lo: uint64(100 + i)}))
		default:
			t.Fatalf("field %s: what is it?", v.Type().Field(i).Name)
		}
	}
	addHop(&sum, &h)
	if sum != h {
		t.Errorf("added %+v, got %+v", h, sum)
	}
}

// The unsuccessful are infinitely slow; the grid is the same at every point.
func TestDistribution(t *testing.T) {
	var p pool
	rec := &sim.Record{Requests: 1000}
	for i := range 990 {
		rec.Completion.Add(time.Duration(i+1) * time.Second)
	}
	p.add(rec, 0)
	p.add(rec, 0)
	got := map[float64]float64{}
	for _, q := range p.distribution(nil) {
		got[q.Q] = q.Seconds
	}
	for q, want := range map[float64]float64{0.001: 1, 0.5: 500, 0.99: 990, 0.995: inf, 1: inf} {
		if got[q] != want {
			t.Errorf("quantile %v = %v, want %v", q, got[q], want)
		}
	}
	if (&pool{}).distribution(nil) != nil {
		t.Error("no requests, no distribution")
	}
}
