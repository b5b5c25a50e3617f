package site

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"retrystorm/cmd/retrystorm/internal/forecast"
	"retrystorm/cmd/retrystorm/internal/play"
)

// runs are those that go on, wait, or are over and can still be looked at.
type runs struct {
	opt    *Options
	player *play.Player
	gate   *gate
	stop   <-chan struct{} // the server stops

	mu  sync.Mutex
	all []*run // the one that was looked at last is the last
}

func newRuns(opt *Options, player *play.Player, stop <-chan struct{}) *runs {
	return &runs{opt: opt, player: player, gate: newGate(opt.Runs, opt.Waiting), stop: stop}
}

// run is one of them.
type run struct {
	id   string
	stop chan struct{} // closed when it is to end

	mu       sync.Mutex
	latest   []message     // one of each kind at most, in order
	last     int           // number of the last of them
	changed  chan struct{} // closed when there is another
	ended    bool          // stop is closed
	reason   string        // why, if nobody wanted it
	over     bool          // the last event was told
	result   *play.Result
	size     int64
	watchers int
	alone    time.Time // since when nobody looks
	began    time.Time // when its turn came
}

// message is an event as it is sent.
type message struct {
	number int
	kind   string
	data   []byte
}

// start starts a run, which may have to wait; it is not ok when too many do.
func (rs *runs) start(e play.Edit) (id string, ok bool) {
	if !rs.gate.queue() {
		return "", false
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	x := &run{id: hex.EncodeToString(b[:]), stop: make(chan struct{}), changed: make(chan struct{}), alone: time.Now()}
	rs.mu.Lock()
	rs.all = append(rs.all, x)
	rs.mu.Unlock()
	go rs.watch(x)
	go rs.do(x, e)
	return x.id, true
}

// find finds a run, which is then the last to be forgotten.
func (rs *runs) find(id string) (*run, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	i := slices.IndexFunc(rs.all, func(x *run) bool { return x.id == id })
	if i < 0 {
		return nil, false
	}
	x := rs.all[i]
	rs.all = append(slices.Delete(rs.all, i, i+1), x)
	return x, true
}

// do waits for its turn, and runs.
func (rs *runs) do(x *run, e play.Edit) {
	defer func() {
		if p := recover(); p != nil {
			text, _, _ := strings.Cut(fmt.Sprint(p), "\n")
			x.tell(play.Event{Kind: "failed", Message: "internal error: " + text + "; please report it with the scenario"})
			if rs.opt.Complain != nil {
				rs.opt.Complain(fmt.Sprintf("internal error in a run: %s; please report it\n%s", text, debug.Stack()))
			}
		}
		rs.forget(rs.opt.Kept, rs.opt.KeptBytes)
	}()
	if len(rs.gate.free) == 0 {
		x.tell(play.Event{Kind: "progress", Message: "waiting for another run to end"})
	}
	if !rs.gate.enter(rs.stop, x.stop) {
		x.tell(play.Event{Kind: "cancelled"})
		return
	}
	defer rs.gate.leave()
	x.begin()
	var done play.Event
	result := rs.player.Run(x.stop, e, func(event play.Event) {
		if event.Kind == "done" { // told when its files can be had
			done = event
			return
		}
		x.tell(event)
	})
	if result != nil {
		x.finish(result, done)
	}
}

// watch ends a run that goes on for too long, that nobody looks at any more, or
// that takes too much memory; and every run when the server stops.
func (rs *runs) watch(x *run) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	tight := false
	for {
		select {
		case <-rs.stop:
			x.end("the server has stopped")
			return
		case <-x.stop:
			return
		case <-tick.C:
		}
		over, alone, began := x.state()
		switch {
		case over:
			return
		case longer(began, rs.opt.RunTime):
			x.end(fmt.Sprintf("stopped after %v, the longest that a run may take here; retrystorm run has no such limit", rs.opt.RunTime))
		case longer(alone, rs.opt.Grace):
			x.end("stopped because nobody looked at it")
		case rs.opt.Memory > 0 && forecast.MemoryUsed() > rs.opt.Memory:
			if tight {
				x.end(fmt.Sprintf("stopped because %s of memory do not do; fewer clients or a limited queue need less", forecast.Size(rs.opt.Memory)))
			}
			tight = true
			rs.forget(0, 0)
			debug.FreeOSMemory()
		}
	}
}

// forget drops the results that were not looked at for longest until those that are
// left are few and small enough.
func (rs *runs) forget(most int, bytes int64) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var size int64
	n := 0
	newest := true
	for i := len(rs.all) - 1; i >= 0; i-- {
		x := rs.all[i]
		if over, _, _ := x.state(); !over {
			continue
		}
		n++
		size += x.bytes()
		if n > most || size > bytes && !newest {
			rs.all = slices.Delete(rs.all, i, i+1)
			continue
		}
		newest = false
	}
}

// tell keeps an event for those who look, in the place of what was told of its kind
// before: who comes late, or is slow, gets the latest.
func (x *run) tell(e play.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.note(e)
}

func (x *run) note(e play.Event) {
	if x.over {
		return
	}
	if e.Kind == "cancelled" && x.reason != "" {
		e.Kind, e.Message = "failed", x.reason
	}
	switch e.Kind {
	case "done", "cancelled", "failed":
		x.over = true
		x.latest = nil
	}
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // types of play can be written
	}
	x.last++
	x.latest = append(slices.DeleteFunc(x.latest, func(m message) bool { return m.kind == e.Kind }), message{x.last, e.Kind, data})
	close(x.changed)
	x.changed = make(chan struct{})
}

// finish keeps the result, and says that it is there.
func (x *run) finish(r *play.Result, done play.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.result = r
	x.note(done)
	x.size = r.Size()
	for _, m := range x.latest {
		x.size += int64(len(m.data))
	}
}

// end makes a run stop, for a reason unless somebody wanted it.
func (x *run) end(reason string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.ended && !x.over {
		x.ended, x.reason = true, reason
		close(x.stop)
	}
}

// begin notes that its turn has come.
func (x *run) begin() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.began = time.Now()
}

// state says whether a run is over, since when nobody looks at it, and since when it
// goes on.
func (x *run) state() (over bool, alone, began time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.over, x.alone, x.began
}

// longer says whether something lasts longer than it may, if it has begun.
func longer(since time.Time, may time.Duration) bool {
	return !since.IsZero() && time.Since(since) > may
}

func (x *run) bytes() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.size
}

// finished is the result, or nil.
func (x *run) finished() *play.Result {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.result
}

// look and turn away: somebody does.
func (x *run) look() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.watchers++
	x.alone = time.Time{}
}

func (x *run) turnAway() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.watchers--; x.watchers == 0 {
		x.alone = time.Now()
	}
}

// since is what was told after the n-th event, a channel that is closed when there
// is more, and whether there never will be.
func (x *run) since(n int) (news []message, changed <-chan struct{}, over bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range x.latest {
		if m.number > n {
			news = append(news, m)
		}
	}
	return news, x.changed, x.over
}
