package scenarios

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// The presets are compared with what the libraries really wait, see
// testdata/policies/README.md. Both sides are samples, so they may differ by
// five standard errors of the difference: a sampler that is right fails
// somewhere among the 10,000 comparisons for one seed in 200.
const (
	librarySamples = 200_000
	presetSamples  = 100_000
	presetSeed     = 1
	deviations     = 5
	// tick is what waits that are not random may differ by, in ms.
	tick = 0.001
	// correlated is what correlations may differ by, four standard errors.
	correlated = 0.016
	// unseen is what the ends of a sample lie inside those of its law, as a
	// share of the upper end.
	unseen = 2e-4
)

var (
	// differenceError is the standard error of the difference of two means, for
	// a standard deviation of 1.
	differenceError = math.Sqrt(1.0/librarySamples + 1.0/presetSamples)
	quantiles       = [...]float64{0.01, 0.10, 0.50, 0.90, 0.99}
)

// librarySetting names the parameters at which a library was measured.
type librarySetting struct{ library, version, params string }

// libraryWaits are its waits before one retry, in ms.
type libraryWaits struct {
	retry    int
	mean, sd float64
	min, max float64
	at       [len(quantiles)]float64
}

// TestPresetsWaitAsLibraries finds every setting of the reference files in
// some preset.
func TestPresetsWaitAsLibraries(t *testing.T) {
	settings, correlations := readLibraries(t), readCorrelations(t)
	buffer := make([]float64, 8*presetSamples)
	for _, c := range readPresetTable(t) {
		rows, known := settings[c.librarySetting]
		r, correlated := correlations[c.librarySetting]
		delete(settings, c.librarySetting)
		delete(correlations, c.librarySetting)
		if !known {
			t.Errorf("%v: no reference", c.librarySetting)
			continue
		}
		t.Run(c.preset+" "+c.params, func(t *testing.T) {
			s := c.sample(t, buffer)
			for _, row := range rows {
				if row.retry > len(s.waits) {
					t.Fatalf("there is no retry %d", row.retry)
				}
				s.compare(t, row)
			}
			if last := rows[len(rows)-1].retry; len(s.waits) != last && !rows[0].rounded() {
				t.Errorf("%d waits, the library has %d", len(s.waits), last)
			}
			if correlated {
				s.compareCorrelation(t, r)
			}
		})
	}
	for setting := range settings {
		t.Errorf("%v: no preset is compared with it", setting)
	}
	for setting := range correlations {
		t.Errorf("%v: its correlation is compared with no preset", setting)
	}
}

// presetCase is a preset, its version, the outcome that is waited after and
// what is set, and whose waits these should be.
type presetCase struct {
	librarySetting
	preset, at, outcome, set string
}

// sampled are whole sequences of waits: waits[k-1][i] is what sequence i waits
// before retry k, in ms.
type sampled struct {
	law   *strategies.Waits
	waits [][]float64
	// dependent: a wait depends on those before, so its ends are rare.
	dependent bool
}

func (c presetCase) sample(t *testing.T, buffer []float64) sampled {
	t.Helper()
	sets := strings.Split(c.set, "; ")
	if c.set == "" {
		sets = nil
	}
	policy, err := PresetPolicy(c.preset, c.at, sets)
	if err != nil {
		t.Fatal(err)
	}
	rules := policy.Compile()
	s := sampled{law: rules.Waits()}
	if c.outcome != "" {
		s.law = rules.WaitsAfter(strategies.Outcome(measured(t, c.outcome)))
	}
	b := policy.Backoff
	s.dependent = b.Growth == "walk" || b.Growth == "polly" || b.Sorted || b.Kind == "decorrelated-jitter"
	samples, fixed := presetSamples, true
	for k := range min(s.law.Steps(), 8) {
		fixed = fixed && s.law.Min(k+1) == s.law.Max(k+1)
	}
	if fixed {
		samples = 100
	}
	for range min(s.law.Steps(), 8) {
		s.waits, buffer = append(s.waits, buffer[:samples]), buffer[samples:]
	}
	for i := range samples {
		key, memory := random.Root(presetSeed, uint64(i)), uint64(0)
		for k := range s.waits {
			wait, next := s.law.Next(int64(k)+1, memory, key.Draw(random.Backoff, uint64(k)+1))
			s.waits[k][i], memory = float64(wait)/1e6, next
		}
	}
	return s
}

func (s sampled) compare(t *testing.T, want libraryWaits) {
	t.Helper()
	got := s.waits[want.retry-1]
	wrong := func(what string, got, want, tolerance float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s is %v, the library's %v, tolerance %v", what, got, want, tolerance)
		}
	}
	name := "retry " + strconv.Itoa(want.retry) + ": "
	mean, sd, sdError := moments(got)
	s.compareEnds(t, name, got, want)
	wrong(name+"mean", mean, want.mean, deviations*want.sd*differenceError+want.rounding(want.mean))
	wrong(name+"standard deviation", sd, want.sd, deviations*sdError*differenceError+want.rounding(want.sd))
	if want.rounded() || want.sd == 0 {
		return
	}
	for i, p := range quantiles {
		below, upTo := shares(got, want.at[i])
		if d := deviations * math.Sqrt(p*(1-p)) * differenceError; below-d > p || p > upTo+d {
			t.Errorf("%squantile %v of the library is %v; %v to %v of our waits are below", name, p, want.at[i], below, upTo)
		}
	}
}

// shares are how many of x are less than q, and how many are not more.
func shares(x []float64, q float64) (below, upTo float64) {
	less, notMore := 0, 0
	for _, v := range x {
		if v <= q+tick {
			notMore++
			if v < q-tick {
				less++
			}
		}
	}
	n := float64(len(x))
	return float64(less) / n, float64(notMore) / n
}

// compareEnds looks at the exact ends of the law: what the library waits lies
// between them, and, where each wait is drawn by itself, comes near them.
func (s sampled) compareEnds(t *testing.T, name string, got []float64, want libraryWaits) {
	t.Helper()
	low := float64(s.law.Min(int64(want.retry))) / 1e6
	high := float64(s.law.Max(int64(want.retry))) / 1e6
	if least, most := slices.Min(got), slices.Max(got); least < low || most > high {
		t.Errorf("%s%v to %v was drawn from %v to %v", name, least, most, low, high)
	}
	if want.rounded() {
		return
	}
	if want.min < low-tick || want.max > high+tick {
		t.Errorf("%sthe library waits %v to %v, the law allows %v to %v", name, want.min, want.max, low, high)
	}
	if d := tick + unseen*want.max; !s.dependent && (low < want.min-d || high > want.max+d) {
		t.Errorf("%sthe law allows %v to %v, the library waits %v to %v", name, low, high, want.min, want.max)
	}
	if least, most := slices.Min(got), slices.Max(got); want.sd == 0 && (least < want.min-tick || most > want.max+tick) {
		t.Errorf("%s%v to %v, the library always waits %v", name, least, most, want.mean)
	}
}

// moments are mean, standard deviation, and the standard error of the latter
// for a sample of one.
func moments(x []float64) (mean, sd, sdError float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	second, fourth := 0.0, 0.0
	for _, v := range x {
		square := (v - mean) * (v - mean)
		second += square / n
		fourth += square * square / n
	}
	if second == 0 {
		return mean, 0, 0
	}
	sd = math.Sqrt(second)
	return mean, sd, math.Sqrt(max(fourth-second*second, 0)) / (2 * sd)
}

// compareCorrelation looks at the waits before retries 3 and 4.
func (s sampled) compareCorrelation(t *testing.T, want float64) {
	t.Helper()
	if len(s.waits) < 4 {
		if want != 0 {
			t.Errorf("correlation %v of waits that are not there", want)
		}
		return
	}
	a, b := s.waits[2], s.waits[3]
	meanA, sdA, _ := moments(a)
	meanB, sdB, _ := moments(b)
	r := 0.0
	if varies(a) && varies(b) {
		for i := range a {
			r += (a[i] - meanA) * (b[i] - meanB) / float64(len(a))
		}
		r /= sdA * sdB
	}
	if math.Abs(r-want) > correlated {
		t.Errorf("correlation %v, the library's %v", r, want)
	}
}

// varies reports whether there are two different values.
func varies(x []float64) bool { return slices.Min(x) < slices.Max(x) }

// rounded says that only mean and spread are known, to four digits.
func (w libraryWaits) rounded() bool { return w.max < w.min }

// rounding is what a number may be off by as it is printed.
func (w libraryWaits) rounding(x float64) float64 {
	switch {
	case !w.rounded():
		return tick
	case x < 1000:
		return 0.05 + tick
	default:
		return 0.5 + tick
	}
}

// TestBareNames finds, under the name of a reference file, its first row: what
// a library does by itself.
func TestBareNames(t *testing.T) {
	names := map[string]librarySetting{}
	for _, r := range readCSV(t, "testdata/policies/names.csv", "name,library,version,params") {
		names[r[0]] = librarySetting{r[1], r[2], r[3]}
	}
	for _, file := range libraryFiles(t) {
		name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".csv"), "_", "-")
		first := readCSV(t, file, libraryHeader)[0]
		names[strings.TrimSuffix(name, "-port")] = settingOf(first)
	}
	if len(names) < 51 {
		t.Errorf("%d names, there were 51", len(names))
	}
	cases := map[librarySetting]presetCase{}
	for _, c := range readPresetTable(t) {
		cases[c.librarySetting] = c
	}
	for name, setting := range names {
		c := cases[setting]
		if c.set != "" || c.outcome != "" {
			t.Errorf("%s is %s with %s %s, not by itself", name, c.preset, c.outcome, c.set)
		}
		want, err := PresetPolicy(c.preset, c.at, nil)
		if err != nil {
			t.Error(err)
		}
		got, err := PresetPolicy(name, "", nil)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is not %s (-want +got):\n%s", name, c.preset, diff)
		}
	}
}

// TestCorrections applies what is offered against each defect.
func TestCorrections(t *testing.T) {
	defects := 0
	for _, p := range shipped().presets {
		if p.Defect != "" {
			defects++
		}
		if len(p.corrections) == 0 {
			continue
		}
		before, err := PresetPolicy(p.Name, "", nil)
		if err != nil {
			t.Error(err)
			continue
		}
		var sets []string
		for _, c := range p.corrections {
			sets = append(sets, c.path+"="+c.val.String())
		}
		after, err := PresetPolicy(p.Name, "", sets)
		if err != nil || cmp.Equal(before, after) {
			t.Errorf("%s with %v: nothing changed; %v", p.Name, sets, err)
		}
	}
	if defects < 40 {
		t.Errorf("%d presets name a defect, there were 40", defects)
	}
}

// readLibraries reads the reference files, and the summary of libraries that
// have none.
func readLibraries(t *testing.T) map[librarySetting][]libraryWaits {
	t.Helper()
	out := map[librarySetting][]libraryWaits{}
	for _, file := range libraryFiles(t) {
		for _, r := range readCSV(t, file, libraryHeader) {
			setting, w := settingOf(r), libraryWaits{retry: int(measured(t, r[3])), mean: measured(t, r[4]), sd: measured(t, r[5]), min: measured(t, r[6]), max: measured(t, r[12])}
			for i := range w.at {
				w.at[i] = measured(t, r[7+i])
			}
			out[setting] = append(out[setting], w)
		}
	}
	whole := len(out)
	for _, r := range readCSV(t, "testdata/policies/summary.csv", "library,version,params,attempt,mean,sd") {
		setting := settingOf(r)
		out[setting] = append(out[setting], libraryWaits{retry: int(measured(t, r[3])), mean: measured(t, r[4]), sd: measured(t, r[5]), min: 1})
	}
	if whole < 143 || len(out) < 167 {
		t.Errorf("%d settings in files and %d in all; there were 143 and 167", whole, len(out))
	}
	return out
}

const libraryHeader = "library,version,params,attempt,mean,sd,min,p01,p10,p50,p90,p99,max"

// libraryFiles are the reference files, one for each library.
func libraryFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/policies/*.csv")
	if err != nil || len(files) == 0 {
		t.Fatal("no reference files", err)
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return slices.Contains([]string{"names.csv", "presets.csv", "serial_correlation.csv", "summary.csv"}, filepath.Base(file))
	})
}

func readCorrelations(t *testing.T) map[librarySetting]float64 {
	t.Helper()
	out := map[librarySetting]float64{}
	for _, r := range readCSV(t, "testdata/policies/serial_correlation.csv", "library,version,params,attempt_a,attempt_b,pearson_r") {
		if r[3] != "3" || r[4] != "4" {
			t.Errorf("%v: not of retries 3 and 4", r)
		}
		out[settingOf(r)] = measured(t, r[5])
	}
	return out
}

func readPresetTable(t *testing.T) []presetCase {
	t.Helper()
	var out []presetCase
	for _, r := range readCSV(t, "testdata/policies/presets.csv", "library,version,params,preset,at,outcome,set") {
		out = append(out, presetCase{settingOf(r), r[3], r[4], r[5], r[6]})
	}
	return out
}

func settingOf(row []string) librarySetting { return librarySetting{row[0], row[1], row[2]} }

// readCSV reads the rows below a header.
func readCSV(t *testing.T, name, header string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 2 || strings.Join(rows[0], ",") != header {
		t.Fatalf("%s: not a table of %s: %v", name, header, err)
	}
	return rows[1:]
}

func measured(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
