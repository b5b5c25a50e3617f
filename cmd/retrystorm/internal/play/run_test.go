package play

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// told runs an edit and lists what is told.
func told(t *testing.T, p *Player, stop chan struct{}, e Edit, also func(Event)) (*Result, []Event) {
	t.Helper()
	var events []Event
	r := p.Run(stop, e, func(event Event) {
		events = append(events, event)
		if also != nil {
			also(event)
		}
	})
	return r, events
}

func TestRunTellsHowFarItIs(t *testing.T) {
	r, events := told(t, newPlayer(), nil, Edit{small, []string{"seed=3"}}, nil)
	last := events[len(events)-1]
	if r == nil || last.Kind != "done" || last.View == nil || last.View.Partial || last.Done != last.Total || last.Total != 24 {
		t.Fatalf("got %+v", last)
	}
	if last.View.Command != "retrystorm run small.yaml --seed 3 --replications 10" || last.View.Title != "A <small> one" || len(last.View.Expectations) != 1 {
		t.Errorf("got %+v", last.View)
	}
	if !slices.Equal(last.Files, r.Names()) || !slices.Contains(last.Files, "summary.csv") {
		t.Errorf("got %q", last.Files)
	}
	views, done := 0, 0
	for _, e := range events[:len(events)-1] {
		if e.Done < done || e.Total < e.Done {
			t.Errorf("%d of %d after %d", e.Done, e.Total, done)
		}
		done = e.Done
		switch e.Kind {
		case "progress":
		case "view":
			views++
			if !e.View.Partial || len(e.View.Expectations) > 0 || len(e.View.Points) != 2 {
				t.Errorf("got %+v", e.View)
			}
		default:
			t.Errorf("got %+v", e)
		}
	}
	if views == 0 {
		t.Error("nothing to look at while it runs")
	}
}

func TestRunCanBeCancelled(t *testing.T) {
	stop := make(chan struct{})
	r, events := told(t, newPlayer(), stop, Edit{small, []string{"replications=100000"}}, func(e Event) {
		if e.Kind == "view" {
			close(stop)
		}
	})
	if last := events[len(events)-1]; r != nil || last.Kind != "cancelled" || last.Done >= last.Total {
		t.Errorf("got %+v", last)
	}
}

func TestRunFails(t *testing.T) {
	few := New(Limits{Jobs: 1, Kept: 1000})
	for _, c := range []struct {
		p    *Player
		e    Edit
		want string
	}{
		{newPlayer(), Edit{"name: x", nil}, "clients: missing"},
		{newPlayer(), Edit{small, []string{"clients.count=0"}}, "setting 1: "},
		{newPlayer(), Edit{"utnil: 5s\n" + small, nil}, "line 1: "},
		{newPlayer(), Edit{small, []string{"clients.count=50000000"}}, "clients at most would do"},
		{few, Edit{small, nil}, "the result takes more than"},
	} {
		r, events := told(t, c.p, nil, c.e, nil)
		if last := events[len(events)-1]; r != nil || last.Kind != "failed" || !strings.Contains(last.Message, c.want) {
			t.Errorf("%+v: %+v", c.e.Sets, last)
		}
	}
}

func TestBisectionRuns(t *testing.T) {
	r, events := told(t, newPlayer(), nil, Edit{small, []string{
		"replications=4", "variants={as-is: {}}", "bisect={axis: clients.count, in: 10..100, where: failed > 0, within: 50}", "expect=[]",
	}}, nil)
	if last := events[len(events)-1]; r == nil || last.Kind != "done" || !slices.Contains(last.Files, "bisect.csv") {
		t.Errorf("got %+v", last)
	}
}

func TestFilesByExactName(t *testing.T) {
	r, _ := told(t, newPlayer(), nil, Edit{small, []string{"replications=2"}}, nil)
	if b, err := r.File("scenario.yaml"); err != nil || !strings.Contains(string(b), "name: small") {
		t.Errorf("%q, %v", b, err)
	}
	for _, name := range []string{"", ".", "../summary.csv", "/etc/passwd", "summary.csv/", "SUMMARY.CSV", "./summary.csv", "nothing.csv"} {
		if _, err := r.File(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if r.Size() <= 0 {
		t.Error("it takes memory")
	}
}
