package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"retrystorm/cmd/retrystorm/internal/play"
)

// TestAPageMakesTheSameBytes runs scenarios in both ways and compares every file.
func TestAPageMakesTheSameBytes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		text string
		sets []string
	}{
		"set":      {pageScenario, []string{"clients.count=30", "seed=5", "replications=9", "title='It''s <b>'"}},
		"swept":    {pageScenario + "sweep: {clients.count: [20, 40], services.db.workers: [1, 2]}\n", []string{"replications=3"}},
		"bisected": {pageScenario, []string{"replications=3", "expect=[]", "bisect={axis: clients.count, in: 10..50, where: failed > 5, within: 10}"}},
	} {
		if testing.Short() && name != "set" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "page.yaml")
			if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", file, "-q", "-o", name}
			for _, s := range c.sets {
				args = append(args, "--set", s)
			}
			var said bytes.Buffer
			if code := run(args, nil, &bytes.Buffer{}, &said, func(string) string { return "" }); code != exitOK && code != exitExpect {
				t.Fatalf("exit code %d: %s", code, &said)
			}
			var last play.Event
			result := play.New(play.Limits{Jobs: 2}).Run(nil, play.Edit{Text: c.text, Sets: c.sets}, func(e play.Event) { last = e })
			if result == nil {
				t.Fatalf("got %+v", last)
			}
			want := filesIn(t, name)
			if got, want := slices.Sorted(slices.Values(result.Names())), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
				t.Errorf("files %q, not %q", got, want)
			}
			for name, want := range want {
				got, err := result.File(name)
				if err != nil {
					t.Error(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s has %d bytes that are not the %d of the command line", name, len(got), len(want))
				}
			}
		})
	}
}

func filesIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

const pageScenario = `name: page
until: 5s
replications: 8
clients: {count: 20, calls: db, policy: app, network: 5ms}
services:
  db: {workers: 1, service_time: exponential 10ms, queue: 5, faults: {outage: down at 0s for 500ms}}
policies:
  app: {max_attempts: 4, backoff: full-jitter 100ms}
variants:
  as-is: {}
  patient: {policies.app.max_attempts: 20}
expect:
  - total_calls[as-is] < total_calls[patient]
`
