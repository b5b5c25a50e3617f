package strategies

import (
	"fmt"
	"strconv"
	"strings"
)

// Outcome is what the caller sees of one attempt: OK, one of the ways of
// getting no proper answer, or a status 400 to 599 as its number.
type Outcome uint16

// The outcomes that are not a status.
const (
	OK       Outcome = 0
	Refused  Outcome = 1 // no connection
	Reset    Outcome = 2 // the connection broke
	Timeout  Outcome = 3 // no answer in time
	Rejected Outcome = 4 // by the caller's own breaker or limiter
)

const firstStatus, lastStatus = 400, 599

func (o Outcome) String() string {
	switch o {
	case OK:
		return "ok"
	case Refused:
		return "refused"
	case Reset:
		return "reset"
	case Timeout:
		return "timeout"
	case Rejected:
		return "rejected"
	default:
		return strconv.Itoa(int(o))
	}
}

// OutcomeSet is a set of failures; OK is never in it. The zero value is empty.
// Bit 1 to 4 are the outcomes that are not a status, the statuses follow.
type OutcomeSet [4]uint64

// statusShift takes status 400 to the bit after Rejected.
const statusShift = firstStatus - (Rejected + 1)

// Has says whether o is in the set.
func (s *OutcomeSet) Has(o Outcome) bool {
	bit := o
	switch {
	case o >= firstStatus:
		bit -= statusShift
	case o > Rejected:
		return false
	}
	return bit>>6 < Outcome(len(s)) && s[bit>>6]>>(bit&63)&1 != 0
}

func (s *OutcomeSet) add(first, last Outcome) {
	for o := first; o <= last; o++ {
		bit := o
		if o >= firstStatus {
			bit -= statusShift
		}
		s[bit>>6] |= 1 << (bit & 63)
	}
}

// ParseOutcomes compiles a list of words, as in Policy.RetryOn. The error
// names the first word it does not know, and what is allowed.
func ParseOutcomes(words []string) (OutcomeSet, error) {
	var s OutcomeSet
	for _, word := range words {
		if !s.addWord(word) {
			return OutcomeSet{}, fmt.Errorf("%q is not an outcome; allowed: %s", word, outcomeWords)
		}
	}
	return s, nil
}

const outcomeWords = "timeout, refused, reset, rejected, a status 400 to 599, 4xx, 5xx, transient, any"

func (s *OutcomeSet) addWord(word string) bool {
	switch word {
	case "refused":
		s.add(Refused, Refused)
	case "reset":
		s.add(Reset, Reset)
	case "timeout":
		s.add(Timeout, Timeout)
	case "rejected":
		s.add(Rejected, Rejected)
	case "4xx":
		s.add(firstStatus, 499)
	case "5xx":
		s.add(500, lastStatus)
	case "transient":
		s.add(Refused, Rejected)
		s.add(409, 409)
		s.add(429, 429)
		s.add(500, lastStatus)
	case "any":
		s.add(Refused, Rejected)
		s.add(firstStatus, lastStatus)
	default:
		status, ok := parseStatus(word)
		if !ok {
			return false
		}
		s.add(status, status)
	}
	return true
}

// parseStatus takes three digits and nothing else: Atoi alone would take +409.
func parseStatus(word string) (Outcome, bool) {
	if len(word) != 3 || strings.Trim(word, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(word)
	return Outcome(n), err == nil && firstStatus <= n && n <= lastStatus
}
