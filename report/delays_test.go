package report

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNewDelay compares with numbers worked out by hand.
func TestNewDelay(t *testing.T) {
	var waits []time.Duration
	for i := 200; i > 0; i-- {
		waits = append(waits, time.Duration(i)*time.Millisecond)
	}
	d := NewDelay(waits)
	want := []float64{100.5, 57.734305, 1, 2, 20, 100, 180, 198, 200}
	for i, v := range d.Values() {
		if name := DelayColumns()[i]; v/1e6-want[i] > 1e-6 || want[i]-v/1e6 > 1e-6 {
			t.Errorf("%s is %v ms, not %v", name, v/1e6, want[i])
		}
	}
	if d := NewDelay([]time.Duration{7, 7, 7}); d.SD != 0 || d.Mean != 7 || d.P01 != 7 || d.Longest != 7 {
		t.Errorf("equal waits: %+v", d)
	}
	if d := NewDelay([]time.Duration{1 << 61, 1 << 61}); d.Mean != 1<<61 || d.SD != 0 {
		t.Errorf("the longest waits: %+v", d)
	}
	if d := NewDelay(nil); d != (Delay{}) {
		t.Errorf("no waits: %+v", d)
	}
}

func delaysSample(rows ...[]time.Duration) *Delays {
	d := &Delays{Name: "sample", Formula: "U(0, x)", Stops: "by default it stops after 2 retries", Samples: 3}
	for _, waits := range rows {
		d.Rows = append(d.Rows, NewDelay(waits))
	}
	return d
}

func TestDelaysCSV(t *testing.T) {
	var got strings.Builder
	if err := delaysSample([]time.Duration{1e6, 2e6, 3e6}, []time.Duration{5e5, 5e5, 5e5}).WriteCSV(&got); err != nil {
		t.Fatal(err)
	}
	want := "attempt,mean_ms,sd_ms,min_ms,p01_ms,p10_ms,p50_ms,p90_ms,p99_ms,max_ms\n" +
		"1,2,0.816496581,1,1,1,2,3,3,3\n2,0.5,0,0.5,0.5,0.5,0.5,0.5,0.5,0.5\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
}

// TestDelaysPicture draws what is likely to break it, and says what it shows.
func TestDelaysPicture(t *testing.T) {
	draws(t)
	second := time.Second
	for name, c := range map[string]struct {
		d    *Delays
		want string
	}{
		"random": {delaysSample([]time.Duration{0, second, 3 * second}, []time.Duration{0, 100 * second, 200 * second}), "sample: the first wait is 1.33 s on average, mostly 0 s to 3 s; by default it stops after 2 retries"},
		"fixed":  {delaysSample([]time.Duration{second, second}), "sample: the first wait is 1 s for everybody; by default it stops after 2 retries"},
		"zero":   {delaysSample([]time.Duration{0, 0}, []time.Duration{0, 0}), "sample: the first retry comes at once; by default it stops after 2 retries"},
		"long":   {delaysSample([]time.Duration{0, 1 << 61}), ""},
		"none":   {delaysSample(), "sample: there are no waits"},
	} {
		f := c.d.figure()
		if c.want != "" && f.Title != c.want {
			t.Errorf("%s: %q, not %q", name, f.Title, c.want)
		}
		var b bytes.Buffer
		if err := c.d.WritePNG(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := png.Decode(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if named := slices.ContainsFunc(f.Panels[0].Series, func(s Series) bool { return s.Name == "mean" }); named == c.d.fixed() {
			t.Errorf("%s: mean drawn: %v", name, named)
		}
	}
}

func TestDelaysTable(t *testing.T) {
	d := delaysSample([]time.Duration{1e6, 2e6, 3e6}, []time.Duration{3600e9, 3600e9, 7200e9 + 123e6})
	for width, want := range map[int]string{
		0: `sample, 3 sequences
wait before retry k = U(0, x)
by default it stops after 2 retries

retry     mean       sd     min     p01     p10     p50     p90     p99     max
    1      2ms  816.5µs     1ms     1ms     1ms     2ms     3ms     3ms     3ms
    2  1h20m0s   28m17s  1h0m0s  1h0m0s  1h0m0s  1h0m0s  2h0m0s  2h0m0s  2h0m0s
`,
		50: `sample, 3 sequences
wait before retry k = U(0, x)
by default it stops after 2 retries

retry     mean       sd     min     p50     max
    1      2ms  816.5µs     1ms     2ms     3ms
    2  1h20m0s   28m17s  1h0m0s  1h0m0s  2h0m0s

left out for the width: p01, p99, p10, p90
`,
	} {
		var got strings.Builder
		if err := d.WriteTable(&got, TableOptions{Width: width}); err != nil || got.String() != want {
			t.Errorf("%d: %v, got\n%swant\n%s", width, err, &got, want)
		}
	}
	d.Rows, d.Samples = nil, 1
	var got strings.Builder
	if err := d.WriteTable(&got, TableOptions{}); err != nil || !strings.Contains(got.String(), "sample, 1 sequence\n") || !strings.HasSuffix(got.String(), "\nthere are no waits\n") {
		t.Errorf("%v, got\n%s", err, &got)
	}
}
