package reference

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/fact"
)

// An expression is read by precedence: and over or, comparisons over both, then + -, * / %, **, and at last
// "not" and "-" before one operand. Its value is a bool, a float64, a string or a list of texts; nil is
// unknown, and what is made of it too. The members of a set and the calls are looked at one by one: there,
// and in comparisons of sets, an unknown one makes the answer unknown only if no other one decides.
type expression struct {
	schema *fact.Schema
	in     string
	at     int
	// what is written in it and remembered (see remembered)
	conditions []string
}

type node interface{ eval(s *scope) any }

// scope is what an expression is read in.
type scope struct {
	o       *Occasion
	member  string
	call    *fact.Call
	path    string
	written string
}

// raw is a pattern behind matches, whose backslashes are its own.
var tokens = regexp.MustCompile("^(?:" + strings.Join([]string{
	`"(?:[^"\\]|\\.)*"`, "`[^`]*`", `\$\d+(?:\.\d+)?`, `\d+(?:\.\d+)?(?:%|[a-zA-Z][a-zA-Z0-9]*)?`, `\.\d+`,
	`[A-Za-z_][A-Za-z0-9_.:/*-]*`, `\.input\.[a-z]+`, `\.[a-z]+`, `\*\*`, `==|!=|<=|>=|&&|\|\|`, `[-+*/%^<>!#()\[\],]`}, "|") + ")")

func (e *expression) peek() string {
	for e.at < len(e.in) && strings.ContainsRune(" \t\r\n", rune(e.in[e.at])) {
		e.at++
	}
	t := tokens.FindString(e.in[e.at:])
	if t == "" && e.at < len(e.in) {
		panic(fmt.Errorf("what is %q?", e.in[e.at:]))
	}
	if i := strings.IndexAny(t, "*/-:"); i > 0 && letter(t[0]) && t[0] > '9' {
		if _, ok := e.schema.Lookup(t[:i]); ok { // a fact, and an operator without blanks
			return t[:i]
		}
	}
	return t
}

func (e *expression) take(want ...string) string {
	if t := e.peek(); slices.Contains(want, t) {
		e.at += len(t)
		return t
	}
	return ""
}

func (e *expression) must(want string) {
	if e.take(want) == "" {
		panic(fmt.Errorf("%q instead of %q", e.in[e.at:], want))
	}
}

func (e *expression) whole() node {
	n := e.or()
	if e.peek() != "" {
		panic(fmt.Errorf("what is %q?", e.in[e.at:]))
	}
	return n
}

func (e *expression) or() node {
	n := e.and()
	for e.take("or", "||") != "" {
		n = binary{"or", n, e.and()}
	}
	return n
}

func (e *expression) and() node {
	n := e.comparison()
	for e.take("and", "&&") != "" {
		n = binary{"and", n, e.comparison()}
	}
	return n
}

func (e *expression) comparison() node {
	from := e.at
	n := e.sum()
	for {
		not := false
		if save := e.at; e.take("not") != "" {
			if !slices.Contains([]string{"in", "contains", "startsWith", "endsWith", "matches"}, e.peek()) {
				e.at = save
				return n
			}
			not = true
		}
		op := e.take("==", "!=", "<=", ">=", "<", ">", "in", "contains", "startsWith", "endsWith", "matches")
		if op == "" {
			return n
		}
		var m node
		if t := e.peek(); op == "matches" && t != "" && t[0] == '"' {
			e.at += len(t)
			m = literal{strings.ReplaceAll(rawPattern(t[1:len(t)-1]), `\"`, `"`)}
		} else {
			m = e.sum()
		}
		n = e.compared(op, n, m, e.in[from:e.at])
		if not {
			n = negated{n}
		}
	}
}

// rawPattern makes of the doubled backslash of a pattern a single one, where what follows is a letter or sign
// that it may stand before: "\\b" and "\b" mean the same, and "\\\\" is a backslash itself.
func rawPattern(text string) string { return strings.ReplaceAll(text, `\\`, `\`) }

func (e *expression) sum() node {
	n := e.product()
	for {
		op := e.take("+", "-")
		if op == "" {
			return n
		}
		n = binary{op, n, e.product()}
	}
}

func (e *expression) product() node {
	n := e.power()
	for {
		op := e.take("*", "/", "%")
		if op == "" {
			return n
		}
		n = binary{op, n, e.power()}
	}
}

func (e *expression) power() node {
	n := e.unary()
	if e.take("**", "^") != "" {
		return binary{"**", n, e.power()}
	}
	return n
}

func (e *expression) unary() node {
	switch {
	case e.take("-") != "":
		return binary{"-", literal{0.0}, e.unary()}
	case e.take("not", "!") != "":
		return negated{e.unary()}
	}
	return e.primary()
}

func (e *expression) primary() node {
	t := e.peek()
	e.at += len(t)
	switch {
	case t == "(":
		n := e.or()
		e.must(")")
		return n
	case t == "[":
		var l list
		for e.take("]") == "" {
			l = append(l, e.sum())
			e.take(",")
		}
		return l
	case t == "#":
		return here("#")
	case t == "":
		panic("the expression ends too early")
	case t[0] == '.' && t[1] >= 'a':
		return here(t)
	case t == "true", t == "false":
		return literal{t == "true"}
	case t[0] == '"':
		return literal{texts(t)}
	case t[0] == '`':
		return literal{t[1 : len(t)-1]}
	case t[0] >= '0' && t[0] <= '9', t[0] == '$':
		return literal{number(t)}
	case e.peek() == "(" && plain.MatchString(t):
		return e.call(t)
	}
	if _, ok := e.schema.Lookup(t); ok {
		return factName(t)
	}
	return literal{t} // a bare word
}

var plain = regexp.MustCompile(`^[a-z_]+$`)

var quantifiers = []string{"any", "all", "none", "one", "count"}

func (e *expression) call(function string) node {
	from := e.at
	e.must("(")
	if slices.Contains(quantifiers, function) {
		set := e.peek()
		e.at += len(set)
		e.must(",")
		q := quantifier{function, set, e.or(), strings.Contains(e.in, ".path"), strings.Contains(e.in, ".written")}
		e.must(")")
		return e.looked(q, function+e.in[from:e.at])
	}
	var args list
	for e.take(")") == "" {
		args = append(args, e.or())
		e.take(",")
	}
	n := called{function, args}
	if of, ok := args[0].(factName); ok && function == "len" && (of == "calls" || e.isSet(of)) {
		r := e.remember(function+e.in[from:e.at], n)
		r.parts, r.turns, r.none, r.read = sum, sum, 0.0, reading(n)
		return recalled{r, n}
	}
	return n
}

// looked returns an expression with a quantifier: of none and all it is remembered what is against them, of
// one how many there are.
func (e *expression) looked(q quantifier, text string) node {
	r := e.remember(text, q)
	switch r.read = reading(q); q.function {
	case "count":
		r.parts, r.turns, r.none = sum, sum, 0.0
	case "none", "all":
		r.read = reading(negated{q})
		return negated{recalled{r, q}}
	case "one":
		r.parts, r.turns, r.none = upToTwo, upToTwo, 0.0
		r.read = func(o *Occasion) any {
			yes, _, unknown := q.look(&scope{o: o})
			if yes > 1 || unknown == 0 {
				return float64(yes)
			}
			return nil
		}
		return comparison{"==", recalled{r, q}, literal{1.0}}
	}
	return recalled{r, q}
}

// reading reads an expression in what one occasion tells.
func reading(n node) func(*Occasion) any {
	return func(o *Occasion) any { return n.eval(&scope{o: o}) }
}

// condition returns the condition that an expression is, which is remembered as a whole where not all that
// happens in it is.
func (e *expression) condition(n node, text string) node {
	switch x := n.(type) {
	case factName:
		return e.event(x)
	case negated:
		return negated{e.condition(x.n, text)}
	case comparison:
		if name, ok := x.a.(factName); ok && e.isLiteral(x.b) {
			x.a = e.event(name)
			n = x
		}
	}
	terms, bare := false, false
	visit(n, func(n node) bool {
		_, is := n.(recalled)
		terms = terms || is
		name, _ := n.(factName)
		ft, _ := e.schema.Lookup(string(name))
		bare = bare || name != "" && ft.Kind == fact.Event
		return !is
	})
	if terms && !bare {
		return n
	}
	r := e.remember(text, n)
	r.read = reading(n)
	return recalled{r, n}
}

// event is a fact, which is remembered itself if it is a bool or a number that happens.
func (e *expression) event(n factName) node {
	ft, _ := e.schema.Lookup(string(n))
	if ft.Kind != fact.Event || ft.Type == fact.Set || ft.Type == fact.String {
		return n
	}
	r := e.remember("fact "+string(n), n)
	r.alone = true
	if r.read = reading(n); n == "last_tool_call_failed" {
		r.turns = latest
	}
	return recalled{r, n}
}

func (e *expression) isLiteral(n node) bool {
	_, is := n.(literal)
	return is
}

type literal struct{ v any }

func (l literal) eval(*scope) any { return l.v }

type list []node

func (l list) eval(s *scope) any {
	var out []any
	for _, n := range l {
		out = append(out, n.eval(s))
	}
	return out
}

type factName string

func (n factName) eval(s *scope) any {
	if l, all, ok := s.o.members(string(n)); ok {
		if !all {
			return nil
		}
		return l
	}
	return s.o.value(string(n))
}

// untold is a path or a text that the host does not tell.
const untold = "\x00"

// here is the member that is looked at, or a field of the call.
type here string

func (h here) eval(s *scope) any {
	c := s.call
	switch h {
	case "#":
		return s.member
	case ".tool":
		return c.Tool
	case ".class":
		return string(c.Class)
	case ".command":
		if c.Class == fact.Shell && !c.Told {
			return nil
		}
		return c.Command
	case ".path":
		if s.path == untold {
			return nil
		}
		if (c.Class == fact.Edit || c.Class == fact.Read) && !c.Told || c.Unsaid && len(c.Paths) == 0 {
			return nil
		}
		return s.path
	case ".written":
		if s.written == untold {
			return nil
		}
		if (c.Class == fact.Edit || c.Edits) && !c.WrittenTold && len(c.Written) == 0 {
			return nil
		}
		return s.written
	case ".output":
		if !c.OutputTold {
			return nil
		}
		return c.Output
	case ".duration":
		if !c.DurationTold {
			return nil
		}
		return float64(c.Duration)
	case ".input.x", ".input.n":
		if c.Input == "" {
			return nil
		}
		if v, is := inputOf(c)[string(h[len(".input."):])]; is {
			return fmt.Sprint(v)
		}
		return ""
	default:
		if c.Failed == fact.Unknown {
			return nil
		}
		return c.Failed == fact.True
	}
}

type negated struct{ n node }

func (n negated) eval(s *scope) any {
	if v, ok := n.n.eval(s).(bool); ok {
		return !v
	}
	return nil
}

type binary struct {
	op   string
	a, b node
}

func (b binary) eval(s *scope) any {
	x, y := b.a.eval(s), b.b.eval(s)
	if b.op == "and" || b.op == "or" {
		decides := b.op == "or"
		looking := s.call != nil // members and calls are looked at one by one
		switch {
		case looking && (x == decides || y == decides):
			return decides
		case x == nil || y == nil:
			return nil
		case x == decides || y == decides:
			return decides
		default:
			return !decides
		}
	}
	if x == nil || y == nil {
		return nil
	}
	if t, ok := x.(string); ok {
		return t + y.(string)
	}
	v := arithmetic(b.op, x.(float64), y.(float64))
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

func arithmetic(op string, x, y float64) float64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "%":
		if y == 0 {
			return math.NaN()
		}
		return math.Mod(x, y)
	default:
		return math.Pow(x, y)
	}
}

type called struct {
	function string
	args     list
}

func (c called) eval(s *scope) any {
	switch c.function {
	case "len", "lower", "upper":
		switch v := c.args[0].eval(s); v := v.(type) {
		case noText:
			if c.function == "len" {
				return 0.0
			}
			return v
		case string:
			switch c.function {
			case "lower":
				return strings.ToLower(v)
			case "upper":
				return strings.ToUpper(v)
			}
			return float64(utf8.RuneCountInString(v))
		case []string:
			return float64(len(v))
		}
		if n, ok := c.args[0].(factName); ok && n == "calls" && s.o.Told {
			return float64(len(s.o.Calls))
		}
		return nil
	}
	var args []string
	for _, a := range c.args {
		args = append(args, a.eval(s).(string))
	}
	return s.o.Past.call(c.function, args)
}

type quantifier struct {
	function, set string
	condition     node
	paths, texts  bool
}

func (q quantifier) eval(s *scope) any {
	yes, no, unknown := q.look(s)
	return counted(q.function, yes, no, unknown)
}

// look looks at the members of the set, or at the calls, one by one.
func (q quantifier) look(s *scope) (yes, no, unknown int) {
	visit(q.condition, func(n node) bool {
		if name, is := n.(factName); is && name.eval(s) == nil { // all is unknown
			unknown = 1
		}
		return true
	})
	if unknown > 0 {
		return 0, 0, unknown
	}
	see := func(in *scope) {
		switch q.condition.eval(in) {
		case true:
			yes++
		case false:
			no++
		default:
			unknown++
		}
	}
	if q.set == "calls" {
		if !s.o.Told {
			unknown++
		}
		for i := range s.o.Calls {
			c := &s.o.Calls[i]
			if !s.o.Told {
				break
			}
			paths := []string{""}
			if len(c.Paths) > 0 {
				paths = c.Paths
			}
			if c.Unsaid && len(c.Paths) > 0 {
				paths = append(slices.Clone(paths), untold)
			}
			if !q.paths {
				paths = paths[:1]
			}
			texts := []string{""}
			if len(c.Written) > 0 {
				texts = c.Written
			}
			if (c.Class == fact.Edit || c.Edits) && !c.WrittenTold && len(c.Written) > 0 {
				texts = append(slices.Clone(texts), untold)
			}
			if !q.texts {
				texts = texts[:1]
			}
			for _, p := range paths {
				for _, w := range texts {
					see(&scope{o: s.o, call: c, path: p, written: w})
				}
			}
		}
	} else {
		members, all, _ := s.o.members(q.set)
		for _, m := range members {
			see(&scope{o: s.o, member: m, call: &fact.Call{}})
		}
		if !all {
			unknown++
		}
	}
	return yes, no, unknown
}

func counted(function string, yes, no, unknown int) any {
	switch {
	case function == "any" && yes > 0, function == "all" && no == 0 && unknown == 0,
		function == "none" && yes == 0 && unknown == 0, function == "one" && yes == 1 && unknown == 0:
		return true
	case function == "all" && no > 0, function == "none" && yes > 0, function == "one" && yes > 1:
		return false
	case unknown > 0:
		return nil
	case function == "count":
		return float64(yes)
	default:
		return false
	}
}
