package server

import (
	"testing"
	"time"

	"retrystorm/sim/random"

	"pgregory.net/rapid"
)

// The table against Go's map, with keys that collide often.
func TestTableAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table[int]
		m := map[random.Key]int{}
		keys := rapid.Custom(func(t *rapid.T) random.Key {
			return random.Key(rapid.Uint64Range(0, 40).Draw(t, "key") << rapid.IntRange(0, 3).Draw(t, "shift"))
		})
		for i := range rapid.IntRange(1, 300).Draw(t, "steps") {
			k := keys.Draw(t, "k")
			switch rapid.IntRange(0, 40).Draw(t, "what") {
			case 0:
				table.Clear()
				clear(m)
			case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15:
				table.Delete(k)
				delete(m, k)
			default:
				*table.Put(k, -1) = i
				m[k] = i
			}
			if table.Len() != len(m) {
				t.Fatalf("%d keys, want %d", table.Len(), len(m))
			}
			for k := range random.Key(350) {
				want, ok := m[k]
				if got := table.Get(k); (got != nil) != ok || ok && *got != want {
					t.Fatalf("key %d: %v, want %d, %v", k, got, want, ok)
				}
			}
		}
	})
}

// history is an inbox that remembers every write there ever was, and works out
// from them what it is asked.
type history struct {
	spec   Inbox
	writes []struct {
		key, owner random.Key
		at         time.Duration
	}
	held map[random.Key]random.Key // owners
}

// kept is the owner of a committed key, if it is still kept.
func (h *history) kept(now time.Duration, key random.Key) (owner random.Key, ok bool) {
	later := map[random.Key]bool{}
	for i := len(h.writes) - 1; i >= 0; i-- {
		w := h.writes[i]
		if w.key != key {
			later[w.key] = true
			continue
		}
		young := h.spec.Keep == 0 || now < w.at+h.spec.Keep
		return w.owner, young && (h.spec.KeepNewest == Unlimited || int64(len(later)) < h.spec.KeepNewest)
	}
	return 0, false
}

func (h *history) begin(now time.Duration, key, owner random.Key) (Verdict, bool) {
	if o, ok := h.kept(now, key); ok {
		if h.spec.Replay {
			return Replay, o != owner
		}
		return Conflict, o != owner
	}
	if o, ok := h.held[key]; ok && h.spec.Kind == "unique" {
		return Conflict, o != owner
	}
	h.held[key] = owner
	return Do, false
}

// TestKeysAgainstHistory lets calls begin and end at random.
func TestKeysAgainstHistory(t *testing.T) {
	type work struct{ key, owner random.Key }
	rapid.Check(t, func(t *rapid.T) {
		spec := Inbox{
			Kind:       rapid.SampledFrom([]string{"check-then-insert", "unique"}).Draw(t, "kind"),
			Keep:       rapid.SampledFrom([]time.Duration{0, 1, 5, 30}).Draw(t, "keep"),
			KeepNewest: rapid.SampledFrom([]int64{Unlimited, 1, 2, 5}).Draw(t, "newest"),
			Replay:     rapid.Bool().Draw(t, "replay"),
		}
		spec.Validate(func(field, problem string) { t.Fatalf("%s %s", field, problem) })
		k := NewKeys(spec)
		for range 2 { // the second time on the memory of the first
			k.Reset()
			h := history{spec: spec, held: map[random.Key]random.Key{}}
			now, busy := time.Duration(0), []work(nil)
			for range rapid.IntRange(1, 100).Draw(t, "steps") {
				now += rapid.SampledFrom([]time.Duration{0, 0, 1, 2, 7}).Draw(t, "pause")
				if i := rapid.IntRange(0, 2*len(busy)).Draw(t, "which"); i < len(busy) {
					w := busy[i]
					busy = append(busy[:i:i], busy[i+1:]...)
					delete(h.held, w.key)
					if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
						k.Rollback(w.key)
						continue
					}
					k.Commit(now, w.key, w.owner)
					h.writes = append(h.writes, struct {
						key, owner random.Key
						at         time.Duration
					}{w.key, w.owner, now})
					continue
				}
				w := work{random.Key(rapid.IntRange(0, 6).Draw(t, "key")), random.Key(rapid.IntRange(0, 2).Draw(t, "owner"))}
				want, by := h.begin(now, w.key, w.owner)
				got, foreign := k.Begin(now, w.key, w.owner)
				if got != want || foreign != by {
					t.Fatalf("at %d key %d of %d: %d, foreign %v; want %d, %v", now, w.key, w.owner, got, foreign, want, by)
				}
				if got == Do {
					busy = append(busy, w)
				}
			}
		}
	})
}

// In a steady state keys need no memory, and neither does a second run.
func TestKeysAllocateNothing(t *testing.T) {
	k := NewKeys(Inbox{Kind: "unique", Keep: 100, KeepNewest: Unlimited, Replay: true})
	now := time.Duration(0)
	turn := func() {
		k.Reset()
		for i := range uint64(1000) {
			now++
			key := random.Root(1, i)
			k.Begin(now, key, key)
			k.Commit(now, key, key)
		}
	}
	turn()
	if n := testing.AllocsPerRun(10, turn); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := k.known.Len(); n != 100 {
		t.Errorf("%d keys, want those of the last 100 ns", n)
	}
}

func TestInboxValidate(t *testing.T) {
	good := Inbox{Kind: "unique", KeepNewest: Unlimited, Replay: true}
	for _, c := range []struct {
		field  string
		change func(b *Inbox)
	}{
		{"", func(b *Inbox) {}},
		{"", func(b *Inbox) { *b = Inbox{} }},
		{"", func(b *Inbox) { b.Keep, b.KeepNewest, b.SameKey, b.KeyCycle = time.Hour, 1, 1, 24*time.Hour }},
		{"kind", func(b *Inbox) { b.Kind = "some" }},
		{"keep", func(b *Inbox) { b.Keep = -1 }},
		{"keep_newest", func(b *Inbox) { b.KeepNewest = 0 }},
		{"same_key", func(b *Inbox) { b.SameKey = 1.01 }},
		{"same_key", func(b *Inbox) { b.SameKey = -0.01 }},
		{"key_cycle", func(b *Inbox) { b.KeyCycle = -time.Second }},
	} {
		b, got := good, ""
		c.change(&b)
		b.Validate(func(field, _ string) { got += field })
		if got != c.field {
			t.Errorf("%+v: bad %q, want %q", b, got, c.field)
		}
	}
}
