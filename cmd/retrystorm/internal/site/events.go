package site

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// beat is the time after which a stream without news says that it is still there,
// which also tells us whether somebody is.
const beat = 10 * time.Second

// lastWords is how long a stream waits for the end of a run when the server stops.
const lastWords = 300 * time.Millisecond

// events streams what a run tells, as server-sent events. A page that comes back
// says what it had last, and gets what came after it.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	x, ok := s.run(w, r)
	if !ok {
		return
	}
	if !s.streams.queue() {
		busy(w, "too many pages look at runs")
		return
	}
	if !s.streams.enter(s.stop, r.Context().Done()) {
		return
	}
	defer s.streams.leave()
	x.look()
	defer x.turnAway()
	last, _ := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	if news, _, over := x.since(last); over && len(news) == 0 {
		w.WriteHeader(http.StatusNoContent) // the browser asks no more
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	stop := (<-chan struct{})(s.stop)
	var late <-chan time.Time
	for {
		news, changed, over := x.since(last)
		limitWriting(w, writeTime)
		for _, m := range news {
			fmt.Fprintf(w, "id: %d\ndata: %s\n\n", m.number, m.data)
			last = m.number
		}
		if control.Flush() != nil || over {
			return
		}
		select {
		case <-changed:
		case <-tick.C:
			limitWriting(w, writeTime)
			fmt.Fprint(w, ":\n\n")
		case <-r.Context().Done():
			return
		case <-stop: // the run is told so, too, and has a moment to end
			stop, late = nil, time.After(lastWords)
		case <-late:
			return
		}
	}
}
