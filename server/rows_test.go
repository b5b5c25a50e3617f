package server

import (
	"testing"

	"pgregory.net/rapid"
)

func TestVersions(t *testing.T) {
	r := NewRows(Contention{Kind: "optimistic", Rows: 2})
	first, second := r.Version(1), r.Version(1) // two read the same version
	if !r.Write(1, first) {
		t.Error("the first writer loses")
	}
	if r.Write(1, second) {
		t.Error("the second writer overwrites what it hasn't seen")
	}
	if !r.Write(1, r.Version(1)) {
		t.Error("a writer that was told the version loses")
	}
	if !r.Write(0, 0) {
		t.Error("rows share a version")
	}
	r.Release()
	if r.Write(1, first) {
		t.Error("a crash made an old version current")
	}
	r.Reset()
	if r.Version(0) != 0 || r.Version(1) != 0 {
		t.Error("versions survive Reset")
	}
}

// Locks against a list of calls for each row, its head the holder.
func TestLocksAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 4).Draw(t, "rows")
		r := NewRows(Contention{Kind: "lock", Rows: int64(n)})
		lists := make([][]uint32, n)
		for call := range rapid.Uint32Range(1, 200).Draw(t, "steps") {
			row := rapid.Uint64Range(0, n-1).Draw(t, "row")
			list := lists[row]
			switch what := rapid.IntRange(0, 20).Draw(t, "what"); {
			case what == 0: // a crash
				r.Release()
				clear(lists)
			case what < 12 && len(list) > 0:
				next, ok := r.Unlock(row)
				lists[row] = list[1:]
				if ok != (len(list) > 1) || ok && next != list[1] {
					t.Fatalf("row %d goes to call %d, %v; list %v", row, next, ok, list)
				}
			default:
				if got := r.Lock(row, call); got != (len(list) == 0) {
					t.Fatalf("row %d, call %d: locked %v; list %v", row, call, got, list)
				}
				lists[row] = append(list, call)
			}
		}
	})
}

func TestLockAllocatesNothing(t *testing.T) {
	r := NewRows(Contention{Kind: "lock", Rows: 10})
	turn := func() {
		for i := range uint64(100) {
			r.Lock(i%10, uint32(i))
		}
		for i := range uint64(100) {
			r.Unlock(i % 10)
		}
	}
	if n := testing.AllocsPerRun(100, turn); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := len(r.waiters); n != 1+90 {
		t.Errorf("room for %d waiters, though never more than 90 wait", n-1)
	}
}
