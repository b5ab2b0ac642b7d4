package grammar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/code"
)

// operand makes the tree of an operand that stands at an index: a comparison or a word if it is one, else a
// condition that computes. Where it is neither, the tree is Bad.
func (r *reading) operand(s *notSyntax, ts []token, i int) Expr {
	first, left := ts[0], literal(ts)
	bad := &Bad{Range: r.over(ts)}
	switch {
	case len(ts) == 1 && first.kind == tokWord && isConstant(r.text(first)):
		return &Constant{Range: bad.Range, Name: r.text(first)}
	case left == len(ts) && first.kind != tokBool && (first.kind != tokWord || left > 1):
		p := Diagnostic{Code: code.ValueAsCondition, Message: "a value alone is not a condition",
			Hint: "compare it with a fact, as in turn_count > 10"}
		if fact, op := r.comparisonBefore(i); op != "" && left == 1 {
			before := fact + " " + op + " "
			p.Hint, p.Fix = "write "+before+r.text(first), r.insert(first.start, before)
		}
		r.report(token{start: first.start, end: ts[left-1].end}, p)
		return bad
	case left > 0 && left < len(ts) && ts[left].kind == tokOp && left+1+literal(ts[left+1:]) == len(ts):
		if !r.sound(ts) {
			return bad
		}
		isWord := func(t token) bool { return t.kind == tokWord }
		if isWord(first) || isWord(ts[len(ts)-1]) {
			return turned(r.sides(s))
		}
		if slices.ContainsFunc(ts, func(t token) bool { return isWord(t) || r.native(t) }) {
			r.mistake(token{start: first.start, end: ts[len(ts)-1].end}, code.ValueAsCondition,
				"the comparison reads no fact", "write a fact on one side, as in turn_count > 10")
			return bad
		}
	case r.barePattern(ts), r.otherBrackets(ts):
		return bad
	}
	if !r.computes(ts) {
		return bad
	}
	before := len(r.problems)
	if x := r.sides(s); len(r.problems) == before {
		return turned(x)
	}
	return bad
}

// turned puts the word of a comparison with values on the left.
func turned(x Expr) Expr {
	b, _ := x.(*Binary)
	if b == nil || b.Op.Turned() == "" || b.Op.Membership() {
		return x
	}
	if _, word := b.Right.(*Name); !word {
		return x
	}
	switch b.Left.(type) {
	case *Literal, *Array:
		b.Left, b.Right, b.Op = b.Right, b.Left, b.Op.Turned()
	}
	return x
}

// computes reports whether ts, which is no comparison, may be a condition that computes.
func (r *reading) computes(ts []token) bool {
	leaf := token{start: ts[0].start, end: ts[len(ts)-1].end}
	if leaf.end-leaf.start > MaxGeneral {
		r.mistake(leaf, code.LongOperand,
			fmt.Sprintf("the expression is too long: %d bytes, at most %d", leaf.end-leaf.start, MaxGeneral),
			"split it with and / or, or make it a fact of its own")
		return false
	}
	for _, t := range ts {
		if t.reported {
			return false
		}
		if t.kind == tokWord && r.src[t.start] == '@' {
			r.mistake(t, code.StrayCharacter, r.quoted(t)+" is a class of tools, and no tool is named here",
				"a class stands where a tool does, as in after_tool:@edit")
			return false
		}
	}
	return true
}

// comparisonBefore returns the fact and the operator of the comparison before the operand at i, which
// probably lacks them: in FACT == A or B the fact and ==. op is "" where the meaning is not clear: FACT != A
// or B is true of nearly everything, FACT == A and B of nearly nothing. Both are "" where no comparison is
// there.
func (r *reading) comparisonBefore(i int) (fact, op string) {
	if i > 4 && r.tokens[i-1].kind == tokNot { // A and not B
		i--
	}
	if i < 4 || r.tokens[i-1].kind != tokOr && r.tokens[i-1].kind != tokAnd {
		return "", ""
	}
	joins, j := r.tokens[i-1].kind, i-2 // j is a value before it
	for j >= 4 && r.tokens[j].kind == tokText && r.tokens[j-1].kind == joins {
		j -= 2
	}
	sign := r.tokens[j-1]
	if sign.kind != tokOp && !sign.joins(r.src) || r.tokens[j-2].kind != tokWord ||
		!isLiteral(r.tokens[j].kind) {
		return "", ""
	}
	fact, op = r.text(r.tokens[j-2]), r.text(sign)
	denies := op == "!=" || strings.HasPrefix(op, "not")
	if sign.kind == tokOp && sign.op.Membership() || op == "==" && joins == tokAnd || denies && joins == tokOr {
		op = ""
	}
	return fact, op
}

// otherBrackets reports FACT in (A, B) and FACT in {A, B}.
func (r *reading) otherBrackets(ts []token) bool {
	last := len(ts) - 1
	if last < 3 || ts[0].kind != tokWord || ts[1].kind != tokOp || ts[1].op.ordering() {
		return false
	}
	if open, shut := ts[2].kind, ts[last].kind; open != tokOpen && open != tokOpenMap ||
		shut != tokClose && shut != tokCloseMap || shut.opener() != open {
		return false
	}
	for i, t := range ts[3:last] {
		if i%2 == 0 && !isLiteral(t.kind) || i%2 == 1 && t.kind != tokComma {
			return false
		}
	}
	// in (vars.names) is an expression
	if last%2 == 1 || last == 4 && ts[2].kind == tokOpen && ts[3].kind == tokWord {
		return false
	}
	list := token{start: ts[2].start, end: ts[last].end}
	right := "in"
	if ts[1].op == NotIn {
		right = "not in"
	}
	right += " [" + r.src[ts[3].start:ts[last-1].end] + "]"
	r.mistake(list, code.ListForm, "a list stands in square brackets",
		"write "+right).Fix = r.edit(ts[1].start, list.end, right)
	return true
}

// barePattern reports FACT == NAME(SUBJECT) and FACT in [NAME(SUBJECT)]: a call pattern that lacks quotes.
// What stands in its parentheses is not a value of the language, unlike in a call.
func (r *reading) barePattern(ts []token) bool {
	i := 2
	if len(ts) > 3 && ts[i].kind == tokOpenList {
		i++
	}
	if len(ts) < i+2 || ts[0].kind != tokWord || ts[1].kind != tokOp {
		return false
	}
	name := r.text(ts[i])
	if ts[i].kind != tokWord || ts[i+1].kind != tokOpen || ts[i].end != ts[i+1].start ||
		r.text(ts[0]) != "tool_used" && name[0] != '@' {
		return false
	}
	n := parenthesised(r.src[ts[i+1].start:])
	if n == 0 {
		return false
	}
	pattern := token{start: ts[i].start, end: ts[i+1].start + n}
	r.instead(pattern, code.UnquotedText, "a call pattern with parentheses is quoted here",
		quote(r.text(pattern)))
	return true
}

func isConstant(name string) bool { return name == "always" || name == "never" || name == "manual" }

// literal returns how many tokens of ts one side of a comparison takes: a value or a list of values; 0 if it
// is neither.
func literal(ts []token) int {
	if len(ts) == 0 {
		return 0
	}
	if isLiteral(ts[0].kind) {
		return 1
	}
	if ts[0].kind != tokOpenList {
		return 0
	}
	for i := 1; i < len(ts); i += 2 {
		switch {
		case i == 1 && ts[i].kind == tokCloseList:
			return 2
		case !isLiteral(ts[i].kind) || i+1 == len(ts):
			return 0
		case ts[i+1].kind == tokCloseList:
			return i + 2
		case ts[i+1].kind != tokComma:
			return 0
		}
	}
	return 0
}

// sound reports whether the numbers of ts are numbers and its lists have values.
func (r *reading) sound(ts []token) bool {
	ok := true
	for i, t := range ts {
		if t.kind == tokNumber {
			r.misspelt(t, i > 0 && ts[i-1].kind == tokOp && ts[i-1].op.ordering())
			ok = false
		}
		if t.kind == tokOpenList && ts[i+1].kind == tokCloseList {
			r.mistake(token{start: t.start, end: ts[i+1].end}, code.ListForm, "the list is empty",
				"write at least one value")
			ok = false
		}
	}
	return ok
}

// misspelt reports the number t. Behind an operator that orders it cannot be a text.
func (r *reading) misspelt(t token, ordered bool) {
	_, f := readNumber(r.text(t))
	p := Diagnostic{Code: code.NumberNotation, Message: f.message, Hint: f.hint}
	switch {
	case ordered && f.instead == quote(r.text(t)):
		p.Hint = "write a number as 10, 4k, 0.5, 75%, $5 or 1h30m"
	case f.instead != "":
		p.Fix = r.replace(t, f.instead)
	}
	r.report(t, p)
}

// native reports whether t is a number with a unit.
func (r *reading) native(t token) bool {
	switch t.kind {
	case tokPercent, tokDuration, tokDollars:
		return true
	case tokWhole, tokDecimal:
		return isLetter(r.src[t.end-1])
	default:
		return false
	}
}

// bracketedArgs reports NAME:[A, B], where the arguments of a shorthand are written as a list; ts is the
// shorthand.
func (r *reading) bracketedArgs(ts []token) bool {
	if !isBracket(r.text(ts[1])[0]) {
		return false
	}
	args := token{start: ts[1].start, end: ts[len(ts)-1].end}
	p := Diagnostic{Code: code.ShorthandForm, Message: "the arguments of a shorthand have no brackets",
		Hint: "write them with commas between, as in after_tool:Edit,Write"}
	if inner := strings.Trim(r.text(args), "[{}] \t\r\n"); inner != "" && !strings.ContainsAny(inner, "[{}]") &&
		strings.ContainsAny(r.src[args.end-1:args.end], "]}") {
		p.Hint, p.Fix = "write "+r.text(ts[0])+inner, r.replace(args, inner)
	}
	r.report(args, p)
	return true
}

func isBracket(c byte) bool { return c == '[' || c == '{' }

// slip is the place in an operand from which it cannot go on.
type slip struct {
	what  slipKind
	at    int   // the token it is about; one past the last: the end
	inner int   // the opening token of the innermost bracket around it; -1: none
	open  []int // of slipUnclosed: the opening tokens, outermost first
}

type slipKind uint8

const (
	slipOther    slipKind = iota // none of the following
	slipSide                     // a value directly behind a value
	slipNoValue                  // an operator, a comma, a closing bracket or the end where a value is wanted
	slipComma                    // a comma outside any bracket
	slipStray                    // a closing bracket that closes nothing
	slipUnclosed                 // the end, or the closing bracket of an outer pair, while a bracket is open
	slipChain                    // the second of two comparisons
	slipComment                  // a comment
)

// slipOf says what is wrong at ts[at], the first token of an operand that cannot go on with those before it.
func slipOf(ts []token, at int, src string) slip {
	s := slip{at: at, inner: -1}
	compared := false
	for i, t := range ts[:at] {
		switch t.kind {
		case tokOpen, tokOpenList, tokOpenMap:
			s.open = append(s.open, i)
		case tokClose, tokCloseList, tokCloseMap:
			s.open = s.open[:len(s.open)-1]
		case tokOp:
			compared = compared || len(s.open) == 0 && !t.op.Membership()
		}
	}
	if len(s.open) > 0 {
		s.inner = s.open[len(s.open)-1]
	}
	wanted := at == 0 || !ts[at-1].kind.endsValue()
	switch {
	case at == len(ts) && len(s.open) > 0:
		s.what, s.inner = slipUnclosed, -1
	case at == len(ts):
		s.what = slipNoValue
	default:
		s.what = s.of(ts, src, wanted, compared)
	}
	return s
}

// of says what is wrong with the token at s, where a value is wanted, or behind one.
func (s *slip) of(ts []token, src string, wanted, compared bool) slipKind {
	outside := len(s.open) == 0
	switch t := ts[s.at]; {
	case t.kind == tokSign && isComment(t.text(src)), t.text(src) == "#" && !wanted && outside:
		return slipComment
	case t.kind == tokClose || t.kind == tokCloseList || t.kind == tokCloseMap:
		n := unclosed(ts, s.open, t.kind.opener())
		if n >= 0 && n < len(s.open) {
			s.open, s.inner = s.open[n:], -1
			return slipUnclosed
		}
		if n < 0 {
			return slipStray
		}
		return slipNoValue
	case t.kind == tokNot && s.at+1 < len(ts) && ts[s.at+1].joins(src): // response ! contains
		return slipOther
	case t.kind == tokSign && s.at+1 == len(ts): // user_message?
		s.at++
		return slipNoValue
	case t.kind.isValue(), t.kind == tokOpen, t.kind == tokOpenList, t.kind == tokOpenMap, t.kind == tokNot,
		t.kind == tokShorthand:
		if !wanted && !continues(ts[s.at-1].kind, t.kind) {
			return slipSide
		}
		return slipOther
	case wanted:
		return slipNoValue
	case t.kind == tokComma && outside:
		return slipComma
	case t.kind == tokOp && outside && compared && !t.op.Membership():
		return slipChain
	}
	return slipOther
}

// unclosed returns how many of the open brackets remain open where a bracket of this kind is closed, counting
// that one: the ones after these, further inside, were never closed. It returns -1 if no bracket of this kind
// is open.
func unclosed(ts []token, open []int, opener kind) int {
	for n := len(open); n > 0; n-- {
		if ts[open[n-1]].kind == opener {
			return n
		}
	}
	return -1
}

// continues reports whether an opening bracket belongs to the value before it, as in a call or an index.
func continues(before, opening kind) bool {
	switch opening {
	case tokOpen:
		return before == tokWord
	case tokOpenList:
		return before == tokWord || before == tokText || before == tokClose || before == tokCloseList ||
			before == tokPointer
	default:
		return false
	}
}

// joins reports whether t is an operator that is a word.
func (t token) joins(src string) bool {
	return (t.kind == tokOp || t.kind == tokSign) && isLetter(src[t.start])
}

// shorthandBefore reports whether ts is a shorthand with nothing but arguments and commas.
func shorthandBefore(ts []token) bool {
	if len(ts) == 0 || ts[0].kind != tokShorthand {
		return false
	}
	last := ts[len(ts)-1].kind
	return last == tokShorthand || last == tokArg || last == tokComma
}

func isComment(sign string) bool { return sign == "//" || sign == "/*" }

func isUnary(sign string) bool { return sign == "-" || sign == "+" }
