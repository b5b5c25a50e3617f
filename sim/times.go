package sim

import (
	"bytes"
	"encoding/gob"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// ExactTimes is how many durations Times keeps exactly.
const ExactTimes = 1 << 20

// Times is a multiset of durations with quantiles by rank: exact up to
// ExactTimes values, above that a histogram with 3 significant digits whose
// merge does not depend on order.
type Times struct {
	exact  []int64
	sorted bool
	hist   *hdrhistogram.Histogram
	min    int64
	max    int64
	n      int64
	sum    Sum
}

// maxTime is the largest duration the histogram tells apart: about 104 days.
const maxTime = 9_000_000_000_000_000

// Add adds one duration.
func (t *Times) Add(d time.Duration) {
	v := int64(d)
	if t.n == 0 || v < t.min {
		t.min = v
	}
	if v > t.max {
		t.max = v
	}
	t.n++
	t.sum.Add(1, v)
	if t.hist == nil {
		if len(t.exact) < ExactTimes {
			t.exact = append(t.exact, v)
			t.sorted = false
			return
		}
		t.spill()
	}
	t.record(v, 1)
}

// Grow makes room for n durations, so that memory does not double on the way.
func (t *Times) Grow(n int64) {
	if n <= ExactTimes && t.hist == nil {
		t.exact = slices.Grow(t.exact, max(0, int(n)-len(t.exact)))
	}
}

// Len is the number of durations.
func (t *Times) Len() int64 { return t.n }

// Sum is the sum of all durations, exact.
func (t *Times) Sum() Sum { return t.sum }

// Exact reports whether quantiles are exact.
func (t *Times) Exact() bool { return t.hist == nil }

// Rank is the k-th smallest duration, 1 <= k <= Len.
func (t *Times) Rank(k int64) time.Duration {
	switch {
	case k <= 1:
		return time.Duration(t.min)
	case k >= t.n:
		return time.Duration(t.max)
	}
	if t.hist == nil {
		if !t.sorted {
			slices.Sort(t.exact)
			t.sorted = true
		}
		return time.Duration(t.exact[k-1])
	}
	return time.Duration(t.rankInHist(k))
}

// Merge adds all durations of o.
func (t *Times) Merge(o *Times) {
	if o.n == 0 {
		return
	}
	if t.n == 0 || o.min < t.min {
		t.min = o.min
	}
	t.max = max(t.max, o.max)
	t.n += o.n
	t.sum.Merge(o.sum)
	if t.hist == nil && o.hist == nil && len(t.exact)+len(o.exact) <= ExactTimes {
		t.exact = append(t.exact, o.exact...)
		t.sorted = false
		return
	}
	if t.hist == nil {
		t.spill()
	}
	if o.hist != nil {
		t.hist.Merge(o.hist)
		return
	}
	for _, v := range o.exact {
		t.record(v, 1)
	}
}

// Reset empties t and keeps its memory.
func (t *Times) Reset() { *t = Times{exact: t.exact[:0]} }

// storedTimes is Times with names that gob sees. A histogram is its counts.
type storedTimes struct {
	Exact       []int64
	Hist        *hdrhistogram.Snapshot
	Min, Max, N int64
	Sum         Sum
}

// GobEncode writes the multiset as it is.
func (t Times) GobEncode() ([]byte, error) {
	s := storedTimes{Exact: t.exact, Min: t.min, Max: t.max, N: t.n, Sum: t.sum}
	if t.hist != nil {
		s.Hist = t.hist.Export()
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(s)
	return b.Bytes(), err
}

// GobDecode reads what GobEncode has written.
func (t *Times) GobDecode(b []byte) error {
	var s storedTimes
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return err
	}
	*t = Times{exact: s.Exact, min: s.Min, max: s.Max, n: s.N, sum: s.Sum}
	if s.Hist != nil {
		t.hist = hdrhistogram.Import(s.Hist)
	}
	return nil
}

func (t *Times) spill() {
	t.hist = hdrhistogram.New(1, maxTime, 3)
	for _, v := range t.exact {
		t.record(v, 1)
	}
	t.exact = nil
}

func (t *Times) record(v, n int64) {
	// The histogram's range covers every run that validation lets through.
	if err := t.hist.RecordValues(min(v, maxTime), n); err != nil {
		panic("sim: " + err.Error())
	}
}

// rankInHist is the midpoint of the bucket that holds rank k, kept within the
// exact extremes.
func (t *Times) rankInHist(k int64) int64 {
	var seen int64
	for _, b := range t.hist.Distribution() {
		seen += b.Count
		if seen >= k {
			return min(max(b.From+(b.To-b.From)/2, t.min), t.max)
		}
	}
	return t.max
}
