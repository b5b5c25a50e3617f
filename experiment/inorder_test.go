package experiment

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func TestInOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		var got []int
		err := InOrder(100, workers, func(i int) (int, error) {
			if i%10 == 0 {
				time.Sleep(time.Millisecond) // those after it are made first
			}
			return i, nil
		}, func(i int) error {
			got = append(got, i)
			return nil
		})
		if err != nil || len(got) != 100 || !slices.IsSorted(got) {
			t.Errorf("%d workers: %v, %v", workers, err, got)
		}
	}
	if err := InOrder(0, 3, func(int) (int, error) { return 0, nil }, func(int) error { return nil }); err != nil {
		t.Error(err)
	}
}

// The first error in order is told, and not everything is made then.
func TestInOrderEnds(t *testing.T) {
	bad, full := errors.New("bad"), errors.New("full")
	var made atomic.Int64
	produce := func(i int) (int, error) {
		made.Add(1)
		if i == 50 {
			return 0, bad
		}
		return i, nil
	}
	taken := 0
	err := InOrder(10_000, 4, produce, func(int) error { taken++; return nil })
	if err != bad || taken != 50 || made.Load() > 100 {
		t.Errorf("%v after %d of %d", err, taken, made.Load())
	}
	made.Store(0)
	err = InOrder(10_000, 4, produce, func(i int) error {
		if i == 20 {
			return full
		}
		return nil
	})
	if err != full || made.Load() > 60 {
		t.Errorf("%v after %d", err, made.Load())
	}
}
