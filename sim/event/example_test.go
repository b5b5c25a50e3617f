package event_test

import (
	"fmt"
	"time"

	"retrystorm/sim/event"
)

func ExampleSet() {
	const (
		answer  = 1 << 60
		timeout = 2 << 60
	)
	var s event.Set
	s.Push(event.Event{At: time.Second, Key: timeout | 7})
	s.Push(event.Event{At: time.Second, Key: answer | 7})
	s.Push(event.Event{At: 20 * time.Millisecond, Key: answer | 8})
	for e, ok := s.Pop(); ok; e, ok = s.Pop() {
		fmt.Println(e.At, e.Key>>60, e.Key&0xff)
	}
	// Output:
	// 20ms 1 8
	// 1s 1 7
	// 1s 2 7
}
