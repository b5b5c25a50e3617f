package server

import (
	"fmt"
	"strconv"
)

// Answer is what a service says to a call: OK, a status 400..599, or one of
// the ways of not answering properly.
type Answer uint16

// The answers that are not an HTTP status.
const (
	OK      Answer = 0
	Refused Answer = 1 // no connection: answered at once, at no cost
	Reset   Answer = 2 // the connection broke
	Silent  Answer = 3 // nothing comes back: the caller waits until its timeout
)

// UnmarshalText reads refused, reset, silent or a status 400..599.
func (a *Answer) UnmarshalText(text []byte) error {
	switch s := string(text); s {
	case "refused":
		*a = Refused
	case "reset":
		*a = Reset
	case "silent":
		*a = Silent
	default:
		n, err := strconv.Atoi(s)
		if err != nil || n < 400 || n > 599 || strconv.Itoa(n) != s {
			return fmt.Errorf("not an answer; allowed: refused, reset, silent, or a status 400 to 599")
		}
		*a = Answer(n)
	}
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

func (a Answer) String() string {
	switch a {
	case OK:
		return "ok"
	case Refused:
		return "refused"
	case Reset:
		return "reset"
	case Silent:
		return "silent"
	default:
		return strconv.Itoa(int(a))
	}
}
