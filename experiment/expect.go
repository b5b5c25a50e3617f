package experiment

import (
	"fmt"
	"math"
	"strings"
)

// An expectation is written like this:
//
//	expectation = term , ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) , term , [ "+-" , quantity ] ;
//	term        = [ quantity , "*" ] , ( metric | "baseline" ) | quantity ;
//	metric      = metric-name , [ "[" , selector , { "," , selector } , "]" ] ;
//	selector    = variant | key , "=" , value ;
//	quantity    = number , [ unit ] | "never" ;
//
// A key is a sweep axis, or a dimension in which the metric has parts: service,
// group, cause, reason, policy, or t, whose values are intervals of virtual time:
// t=60s..120s. The baseline is the metric of the other side at the same point of
// a result that was kept.

// sentence is a parsed expectation; its names may mean nothing yet.
type sentence struct {
	left, right phrase
	op          string
	tolerance   *quantity
}

// phrase is a parsed term.
type phrase struct {
	text      string
	column    int       // where it starts, from 1
	quantity  *quantity // the whole term, or what the metric is multiplied by
	metric    string
	selectors []selector
}

// selector narrows the points, or the metric to a part; key is empty for a
// variant.
type selector struct {
	key, value string
	column     int
}

// syntaxError is a sentence that does not parse.
type syntaxError struct {
	column  int // from 1
	message string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("at column %d: %s", e.column, e.message) }

// parse reads an expectation.
func parse(text string) (sentence, error) {
	p := parser{text: text}
	s, err := p.sentence()
	if err != nil {
		return sentence{}, err
	}
	return s, nil
}

// parseMetric reads a metric that stands alone.
func parseMetric(text string) (phrase, error) {
	p := parser{text: text}
	ph, err := p.phrase()
	if err == nil && p.at < len(text) {
		err = p.fail("expected the end, found %q", p.rest())
	}
	if err == nil && (ph.metric == "" || ph.quantity != nil) {
		err = fmt.Errorf("%q is not the name of a metric", text)
	}
	return ph, err
}

// parser walks over the text; at is the offset of what comes next.
type parser struct {
	text string
	at   int
}

func (p *parser) sentence() (s sentence, err error) {
	if s.left, err = p.phrase(); err != nil {
		return s, err
	}
	if s.op, err = p.operator(); err != nil {
		return s, err
	}
	if s.right, err = p.phrase(); err != nil {
		return s, err
	}
	if p.take("+-") {
		p.blanks()
		start := p.at
		q, err := p.quantity()
		if err != nil {
			return s, err
		}
		if q.kind == forever {
			return s, p.failAt(start, "a tolerance cannot be never")
		}
		s.tolerance = &q
	}
	if p.blanks(); p.at < len(p.text) {
		return s, p.fail("expected the end, found %q", p.rest())
	}
	return s, nil
}

func (p *parser) operator() (string, error) {
	for _, op := range []string{"<=", ">=", "==", "!=", "<", ">"} {
		if p.take(op) {
			return op, nil
		}
	}
	if p.take("=") {
		p.at--
		return "", p.fail("expected an operator: equality is written ==")
	}
	return "", p.fail("expected one of < <= > >= == !=, found %s", p.found())
}

func (p *parser) phrase() (ph phrase, err error) {
	p.blanks()
	start := p.at
	ph.column = start + 1
	if c := p.peek(); isDigit(c) || c == '.' || p.word() == "never" {
		q, err := p.quantity()
		if err != nil {
			return ph, err
		}
		ph.quantity = &q
	}
	if ph.quantity == nil || p.take("*") {
		p.blanks()
		if ph.metric = p.word(); ph.metric == "" {
			return ph, p.fail("expected a metric or a number, found %s", p.found())
		}
		p.at += len(ph.metric)
		if p.peek() == '.' && strings.Contains(ph.metric, "_p") {
			return ph, p.fail("decimals of a quantile are further digits: completion_p999 is 99.9 %%")
		}
		if p.take("[") {
			if ph.selectors, err = p.selectors(); err != nil {
				return ph, err
			}
		}
	}
	ph.text = strings.TrimSpace(p.text[start:p.at])
	return ph, nil
}

// selectors reads up to the closing bracket.
func (p *parser) selectors() ([]selector, error) {
	open := p.at - 1
	var out []selector
	for {
		p.blanks()
		start := p.at
		n := strings.IndexAny(p.rest(), ",[]")
		if n < 0 || p.rest()[n] == '[' {
			return nil, p.failAt(open, "this [ has no ]")
		}
		item := strings.TrimSpace(p.rest()[:n])
		if item == "" {
			return nil, p.fail("expected a variant or path=value")
		}
		s := selector{value: item, column: start + 1}
		if key, value, ok := strings.Cut(item, "="); ok {
			s.key, s.value = strings.TrimSpace(key), strings.TrimSpace(value)
			if s.key == "" || s.value == "" {
				return nil, p.fail("expected path=value, found %q", item)
			}
		}
		out = append(out, s)
		p.at += n + 1
		if p.text[p.at-1] == ']' {
			return out, nil
		}
	}
}

func (p *parser) quantity() (quantity, error) {
	if p.word() == "never" {
		p.at += len("never")
		return quantity{value: math.Inf(1), kind: forever, text: "never"}, nil
	}
	q, rest, problem := scanQuantity(p.rest())
	if problem != "" {
		return q, p.fail("%s", problem)
	}
	p.at = len(p.text) - len(rest)
	return q, nil
}

// word is the name at the present place.
func (p *parser) word() string {
	rest, n := p.rest(), 0
	for n < len(rest) && (isLetter(rest[n]) || rest[n] == '_' || n > 0 && isDigit(rest[n])) {
		n++
	}
	return rest[:n]
}

// take moves over blanks and a token, if it comes next.
func (p *parser) take(token string) bool {
	p.blanks()
	if !strings.HasPrefix(p.rest(), token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *parser) blanks() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

func (p *parser) rest() string { return p.text[p.at:] }

func (p *parser) peek() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// found describes what comes next.
func (p *parser) found() string {
	if p.at == len(p.text) {
		return "the end"
	}
	return fmt.Sprintf("%q", p.rest())
}

func (p *parser) fail(format string, args ...any) error {
	return p.failAt(p.at, fmt.Sprintf(format, args...))
}

func (p *parser) failAt(at int, message string) error {
	return &syntaxError{column: at + 1, message: message}
}
