package sim

import "time"

// TraceLine is one event in the life of a request.
type TraceLine struct {
	At      time.Duration
	Group   string
	Request int64  // number of the request, in order of start, from 1
	Text    string // what happened, without the time and the request
}
