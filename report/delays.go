package report

import (
	"io"
	"math"
	"slices"
	"time"

	"retrystorm/experiment"
)

// Delays are the waits before each retry of a policy, from whole sequences of
// retries.
type Delays struct {
	Name    string // of the policy
	Formula string // of the wait before retry k; may be empty
	Stops   string // when the retries end by themselves; may be empty
	Samples int
	Rows    []Delay // of retry 1, 2, ...
}

// Delay describes the waits before one retry, in ns.
type Delay struct {
	Mean, SD                                 float64
	Min, P01, P10, Median, P90, P99, Longest time.Duration
}

// NewDelay describes waits, and sorts them. Quantiles are nearest-rank, the
// standard deviation is that of the sample itself.
func NewDelay(waits []time.Duration) Delay {
	n := len(waits)
	if n == 0 {
		return Delay{}
	}
	slices.Sort(waits)
	quantile := func(percent int) time.Duration { return waits[max((n*percent+99)/100, 1)-1] }
	d := Delay{
		Min: waits[0], P01: quantile(1), P10: quantile(10), Median: quantile(50),
		P90: quantile(90), P99: quantile(99), Longest: waits[n-1],
	}
	// From the shortest wait on, so that equal waits have no spread at all.
	for _, w := range waits {
		d.Mean += float64(w - d.Min)
	}
	d.Mean /= float64(n)
	squares := 0.0
	for _, w := range waits {
		x := float64(w-d.Min) - d.Mean
		squares += float64(x * x)
	}
	d.SD = math.Sqrt(squares / float64(n))
	d.Mean += float64(d.Min)
	return d
}

// Values are the numbers of a row in the order of the CSV file, in ns.
func (d Delay) Values() []float64 {
	return []float64{
		d.Mean, d.SD, float64(d.Min), float64(d.P01), float64(d.P10), float64(d.Median),
		float64(d.P90), float64(d.P99), float64(d.Longest),
	}
}

// DelayColumns name the Values.
func DelayColumns() []string {
	return []string{"mean", "sd", "min", "p01", "p10", "p50", "p90", "p99", "max"}
}

// WriteCSV writes one row for each retry, in ms.
func (d *Delays) WriteCSV(w io.Writer) error {
	columns := columnsOf(whole64, "attempt", "")
	for _, name := range DelayColumns() {
		columns = append(columns, tableColumn{name: name + "_ms", kind: numeric})
	}
	t := &table{columns: columns, scope: ofResult, rows: func(l *lines, _ []*experiment.Point) {
		for i, delay := range d.Rows {
			l.whole(i + 1)
			for _, v := range delay.Values() {
				l.number(v / 1e6)
			}
		}
	}}
	return (&pass{scope: ofResult}).file("", func(w io.Writer) (maker, error) { return newCSVWriter(w, t) }).Write(w)
}
