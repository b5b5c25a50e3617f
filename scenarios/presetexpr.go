package scenarios

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"retrystorm/sim/random"
)

// quantity is a number, or a time in ns.
type quantity struct {
	num  *big.Rat
	time bool
}

// text writes a quantity as the language has it. Times are whole nanoseconds.
func (q quantity) text() string {
	switch {
	case q.time && q.num.Sign() >= 0:
		half := new(big.Rat).Add(q.num, big.NewRat(1, 2))
		if ns := new(big.Int).Quo(half.Num(), half.Denom()); ns.IsInt64() {
			return FormatDuration(time.Duration(ns.Int64()))
		}
		return FormatDuration(longest)
	case q.time:
		x, _ := new(big.Rat).Quo(q.num, big.NewRat(int64(time.Second), 1)).Float64()
		return strconv.FormatFloat(x, 'g', 6, 64) + "s"
	}
	if digits, exact := q.num.FloatPrec(); exact && digits <= 20 {
		return q.num.FloatString(digits)
	}
	x, _ := q.num.Float64()
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// percent writes a share.
func (q quantity) percent() string {
	return quantity{num: new(big.Rat).Mul(q.num, big.NewRat(100, 1))}.text() + "%"
}

// readQuantity reads 3, 0.5, 20% or 100ms.
func readQuantity(s string, asTime bool) (quantity, *wrong) {
	if asTime {
		d, w := parseDuration(s)
		return quantity{new(big.Rat).SetInt64(int64(d)), true}, w
	}
	num, percent := strings.CutSuffix(s, "%")
	if w := checkNumber(num, factorAllowed); w != nil {
		return quantity{}, w
	}
	if _, w := toFloat(num); w != nil || len(num) > 40 {
		return quantity{}, &wrong{"too large, or too fine", factorAllowed}
	}
	r, ok := new(big.Rat).SetString(plain(num))
	if !ok {
		return quantity{}, &wrong{"not a number", factorAllowed}
	}
	if percent {
		r.Quo(r, big.NewRat(100, 1))
	}
	return quantity{num: r}, nil
}

// expr is a piece of arithmetic: a constant, a name, or an operator of + - * /
// ^ and the words max and min with what it works on.
type expr struct {
	op    string // empty for a constant
	name  string
	value quantity
	args  []*expr
}

// readExpr reads arithmetic. Words and signs stand apart.
func readExpr(s string) (*expr, *wrong) {
	s = strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ").Replace(s)
	p := exprParser{words: strings.Fields(s)}
	e := p.sum()
	if p.wrong == nil && len(p.words) > 0 {
		p.fail(p.words[0])
	}
	return e, p.wrong
}

type exprParser struct {
	words []string
	wrong *wrong
}

func (p *exprParser) fail(word string) {
	if p.wrong == nil {
		p.wrong = &wrong{strconv.Quote(word) + " is not expected there", "numbers, times, x, parameters, and between blanks + - * / ^, parentheses, max(a, b) and min(a, b)"}
	}
	p.words = nil
}

func (p *exprParser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

func (p *exprParser) take(words ...string) (string, bool) {
	for _, w := range words {
		if p.peek() == w {
			p.words = p.words[1:]
			return w, true
		}
	}
	return "", false
}

func (p *exprParser) need(word string) {
	if _, ok := p.take(word); !ok {
		p.fail(p.peek())
	}
}

func (p *exprParser) sum() *expr { return p.chain(p.product, "+", "-") }

func (p *exprParser) product() *expr { return p.chain(p.power, "*", "/") }

// chain reads operators of one strength, from left to right.
func (p *exprParser) chain(operand func() *expr, ops ...string) *expr {
	e := operand()
	for {
		op, ok := p.take(ops...)
		if !ok {
			return e
		}
		e = &expr{op: op, args: []*expr{e, operand()}}
	}
}

func (p *exprParser) power() *expr {
	e := p.atom()
	if _, ok := p.take("^"); ok {
		e = &expr{op: "^", args: []*expr{e, p.power()}}
	}
	return e
}

func (p *exprParser) atom() *expr {
	word := p.peek()
	if word == "" {
		p.fail(word)
		return &expr{}
	}
	p.words = p.words[1:]
	switch {
	case word == "(":
		e := p.sum()
		p.need(")")
		return e
	case word == "max" || word == "min":
		p.need("(")
		a := p.sum()
		p.need(",")
		b := p.sum()
		p.need(")")
		return &expr{op: word, args: []*expr{a, b}}
	case nameForm.MatchString(word):
		return &expr{op: "name", name: word}
	}
	q, w := readQuantity(word, false)
	if w != nil {
		q, w = readQuantity(word, true)
	}
	if w != nil {
		p.fail(word)
	}
	return &expr{value: q}
}

// names calls f with every name.
func (e *expr) names(f func(string)) {
	if e.op == "name" {
		f(e.name)
	}
	for _, a := range e.args {
		a.names(f)
	}
}

// power is the power of time that a value has, 1 for a time and 0 for a number.
func (e *expr) power(timed func(string) bool) (power int, sound bool) {
	one := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	switch e.op {
	case "":
		return one(e.value.time), true
	case "name":
		return one(timed(e.name)), true
	}
	a, soundA := e.args[0].power(timed)
	b, soundB := e.args[1].power(timed)
	sound = soundA && soundB
	switch e.op {
	case "*":
		return a + b, sound
	case "/":
		return a - b, sound
	case "^":
		return 0, sound && a == 0 && b == 0
	}
	return a, sound && a == b
}

// value works it out; nothing where there is no such number.
func (e *expr) eval(of func(string) (quantity, bool)) (quantity, bool) {
	switch e.op {
	case "":
		return e.value, true
	case "name":
		return of(e.name)
	}
	a, okA := e.args[0].eval(of)
	b, okB := e.args[1].eval(of)
	if !okA || !okB {
		return quantity{}, false
	}
	r := new(big.Rat)
	switch e.op {
	case "+":
		return quantity{r.Add(a.num, b.num), a.time}, true
	case "-":
		return quantity{r.Sub(a.num, b.num), a.time}, true
	case "*":
		return quantity{r.Mul(a.num, b.num), a.time || b.time}, true
	case "/":
		if b.num.Sign() == 0 {
			return quantity{}, false
		}
		return quantity{r.Quo(a.num, b.num), a.time && !b.time}, true
	case "^":
		base, _ := a.num.Float64()
		exponent, _ := b.num.Float64()
		if base <= 0 || r.SetFloat64(random.Pow(base, exponent)) == nil {
			return quantity{}, false
		}
		return quantity{num: r}, true
	}
	if (a.num.Cmp(b.num) < 0) == (e.op == "max") {
		return b, true
	}
	return a, true
}
