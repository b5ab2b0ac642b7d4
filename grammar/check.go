package grammar

import (
	"fmt"
	"strings"

	"github.com/aside-go/aside/internal/code"
)

// check puts the operand in[i:end], in which values and operators alternate, into the stream: unchanged if
// it is a comparison or the like, as one General token if it computes. It reports whether it is one of the
// two.
func (r *repairer) check(i, end int) bool {
	ts := r.in[i:end]
	first := ts[0]
	switch {
	case first.kind == tokShorthand:
		return r.checkShorthand(ts)
	case len(ts) == 1 && first.kind == tokWord:
		k := tokWord
		if isConstant(r.text(first)) {
			k = tokConstant
		}
		r.emit(k, first)
		return true
	}
	left := literal(ts)
	switch {
	case left == len(ts) && !(left == 1 && (first.kind == tokBool || first.kind == tokPointer)):
		p := problem{code: code.ValueAsCondition, message: "a value alone is not a condition",
			hint: "compare it with a fact, as in turn_count > 10"}
		if before := r.comparisonBefore(i); before != "" && left == 1 {
			p.hint, p.fix = "write "+before+r.text(first), insert(first.start, before)
		}
		r.report(token{start: first.start, end: ts[left-1].end}, p)
		return false
	case left > 0 && left < len(ts) && ts[left].kind == tokOp:
		right := literal(ts[left+1:])
		if right == len(ts)-left-1 {
			return r.checkComparison(ts)
		}
	}
	if first.kind == tokWord && len(ts) > 3 && ts[1].kind == tokOp && r.otherBrackets(ts) {
		return false
	}
	return r.checkGeneral(ts)
}

// comparisonBefore returns the beginning that a value at i probably lacks: in FACT == A or B it is "FACT ==
// ". It returns "" where the meaning is not clear: FACT != A or B is true of nearly everything, FACT == A
// and B of nearly nothing.
func (r *repairer) comparisonBefore(i int) string {
	if i < 4 || r.in[i-1].kind != tokOr && r.in[i-1].kind != tokAnd {
		return ""
	}
	joins, j := r.in[i-1].kind, i-2 // j is a value before it
	for j >= 4 && r.in[j].kind == tokText && r.in[j-1].kind == joins {
		j -= 2
	}
	if r.in[j-1].kind != tokOp || r.in[j-2].kind != tokWord || !isLiteral(r.in[j].kind) {
		return ""
	}
	j--
	if op := r.text(r.in[j]); op == "==" && joins == tokOr || op == "!=" && joins == tokAnd {
		return r.text(r.in[j-1]) + " " + op + " "
	}
	return ""
}

// otherBrackets reports FACT in (A, B) and FACT in {A, B}.
func (r *repairer) otherBrackets(ts []token) bool {
	last := len(ts) - 1
	if ts[2].kind != tokOpen && ts[2].kind != tokOpenMap || ts[2].kind != ts[last].kind.opener() ||
		operatorOf(r.text(ts[1])).ordering() {
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
	right := operatorOf(r.text(ts[1])).String()
	if !operatorOf(right).Membership() {
		right = "in"
	}
	right += " [" + r.src[ts[3].start:ts[last-1].end] + "]"
	r.mistake(list, code.ListForm, "a list stands in square brackets",
		"write "+right).fix = &patch{start: ts[1].start, end: list.end, text: right}
	return true
}

// barePattern reports FACT == NAME(SUBJECT) and FACT in [NAME(SUBJECT)]: a call pattern that lacks quotes.
// What stands in its parentheses is not a value of the language, unlike in a call.
func (r *repairer) barePattern(ts []token) bool {
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

func isLiteral(k kind) bool { return k.isNumber() || k == tokWord || k == tokText || k == tokBool }

// checkComparison is for LITERAL OP LITERAL.
func (r *repairer) checkComparison(ts []token) bool {
	if !r.sound(ts) {
		return false
	}
	if ts[0].kind != tokWord && ts[len(ts)-1].kind != tokWord {
		for _, t := range ts {
			if t.kind == tokWord || r.native(t) {
				r.mistake(token{start: ts[0].start, end: ts[len(ts)-1].end}, code.ValueAsCondition,
					"the comparison reads no fact", "write a fact on one side, as in turn_count > 10")
				return false
			}
		}
		return r.checkGeneral(ts)
	}
	if last := r.text(ts[len(ts)-1]); ts[0].kind != tokWord && nameLen(last) < len(last) {
		return r.checkGeneral(ts) // 5 < turn_count-3: the other side is no bare word
	}
	for _, t := range ts {
		r.emit(t.kind, t)
	}
	return true
}

// sound reports whether the numbers of ts are numbers and its lists have values.
func (r *repairer) sound(ts []token) bool {
	ok := true
	for i, t := range ts {
		if t.kind == tokNumber {
			r.misspelt(t, i > 0 && ts[i-1].kind == tokOp && operatorOf(r.text(ts[i-1])).ordering())
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
func (r *repairer) misspelt(t token, ordered bool) {
	_, f := readNumber(r.text(t))
	p := problem{code: code.NumberNotation, message: f.message, hint: f.hint}
	switch {
	case ordered && f.instead == quote(r.text(t)):
		p.hint = "write a number as 10, 4k, 0.5, 75%, $5 or 1h30m"
	case f.instead != "":
		p.fix = replace(t, f.instead)
	}
	r.report(t, p)
}

// native reports whether t is a number with a unit.
func (r *repairer) native(t token) bool {
	switch t.kind {
	case tokPercent, tokDuration, tokDollars:
		return true
	case tokWhole, tokDecimal:
		return isLetter(r.src[t.end-1])
	default:
		return false
	}
}

// checkShorthand is for NAME: with something behind it.
func (r *repairer) checkShorthand(ts []token) bool {
	if ts[0].reported {
		return false
	}
	for i, t := range ts[1:] {
		if i%2 == 0 && t.kind != tokArg || i%2 == 1 && t.kind != tokComma {
			r.mistake(t, code.ShorthandForm,
				fmt.Sprintf("%s is a condition by itself", quoted(r.text(ts[0])+r.text(ts[1]))),
				"join it with others by and / or; quote an argument that has other characters")
			return false
		}
	}
	if r.bracketedArgs(ts) {
		return false
	}
	for _, t := range ts {
		r.emit(t.kind, t)
	}
	return true
}

// bracketedArgs reports NAME:[A, B], where the arguments of a shorthand are written as a list; ts is the
// shorthand.
func (r *repairer) bracketedArgs(ts []token) bool {
	if !isBracket(r.text(ts[1])[0]) {
		return false
	}
	args := token{start: ts[1].start, end: ts[len(ts)-1].end}
	p := problem{code: code.ShorthandForm, message: "the arguments of a shorthand have no brackets",
		hint: "write them with commas between, as in after_tool:Edit,Write"}
	if inner := strings.Trim(r.text(args), "[{}] \t\r\n"); inner != "" && !strings.ContainsAny(inner, "[{}]") &&
		strings.ContainsAny(r.src[args.end-1:args.end], "]}") {
		p.hint, p.fix = "write "+r.text(ts[0])+inner, replace(args, inner)
	}
	r.report(args, p)
	return true
}

func isBracket(c byte) bool { return c == '[' || c == '{' }

// checkGeneral parses every other operand as an expression. What can be said more clearly than the parser
// does is looked for before.
func (r *repairer) checkGeneral(ts []token) bool {
	leaf := token{kind: tokGeneral, start: ts[0].start, end: ts[len(ts)-1].end}
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
		if t.kind == tokShorthand {
			r.mistake(t, code.ShorthandForm, "a shorthand is a condition by itself", "join it with others by and / or")
			return false
		}
	}
	// Scanned again as an expression: in a-b+1 the long word falls apart.
	all := scanGeneral(r.src, leaf.start, leaf.end)
	if s := findSlip(all[:len(all)-1], r.src); s.what != slipNone {
		r.explain(all[:len(all)-1], s)
		return false
	}
	x, wrong := r.expression(all)
	if wrong != nil {
		r.problems = append(r.problems, *wrong)
		return false
	}
	if r.computed == nil {
		r.computed = map[int]Expr{}
	}
	r.computed[leaf.start] = x
	r.out = append(r.out, leaf)
	return true
}

// slip is the first place in an operand where values and operators do not take turns.
type slip struct {
	what  slipKind
	at    int   // the token it is about; one past the last: the end
	inner int   // the opening token of the innermost bracket around it; -1: none
	open  []int // of slipUnclosed: the opening tokens, outermost first
}

type slipKind uint8

const (
	slipNone    slipKind = iota
	slipSide             // a value directly behind a value
	slipNoValue          // an operator, a comma, a closing bracket or the end where a value is wanted
	slipComma            // a comma outside any bracket
	// and, or outside any bracket: only where an expression has other tokens than a comparison
	slipJoin
	slipStray    // a closing bracket that closes nothing
	slipUnclosed // the end, or the closing bracket of an outer pair, while a bracket is open
	slipChain    // the second of two comparisons
	slipComment  // a comment
)

// findSlip reads the tokens of one operand as "value operator value …", inside brackets as well, and returns
// the first slip.
func findSlip(ts []token, src string) slip {
	f := slipFinder{ts: ts, src: src, want: true}
	for i := range ts {
		if s := f.read(i); s.what != slipNone {
			return s
		}
	}
	switch {
	case len(f.open) > 0:
		return slip{what: slipUnclosed, at: len(ts), inner: -1, open: f.open}
	case f.want:
		return slip{what: slipNoValue, at: len(ts), inner: -1}
	default:
		return slip{}
	}
}

// slipFinder is the state of findSlip.
type slipFinder struct {
	ts       []token
	src      string
	want     bool  // a value comes next, not an operator
	compared bool  // there was a comparison outside brackets, in apart
	open     []int // the opening tokens of the brackets that are open, outermost first
}

// read reads the token at i, and returns its slip if it is one.
func (f *slipFinder) read(i int) slip {
	switch k := f.ts[i].kind; {
	case k.isValue() || k == tokShorthand:
		return f.value(i)
	case k == tokOpen || k == tokOpenList || k == tokOpenMap:
		return f.opening(i)
	case k == tokClose || k == tokCloseList || k == tokCloseMap:
		return f.closing(i)
	case k == tokComma:
		return f.comma(i)
	case k == tokNot:
		if !f.want && !negates(f.ts, i, f.src) {
			return f.found(slipSide, i)
		}
		return slip{}
	default:
		return f.operator(i)
	}
}

func (f *slipFinder) found(what slipKind, i int) slip {
	return slip{what: what, at: i, inner: f.innermost()}
}

// innermost returns the opening token of the innermost bracket that is open; -1 if none is.
func (f *slipFinder) innermost() int {
	if len(f.open) == 0 {
		return -1
	}
	return f.open[len(f.open)-1]
}

func (f *slipFinder) value(i int) slip {
	if !f.want {
		return f.found(slipSide, i)
	}
	f.want = f.ts[i].kind == tokShorthand // its argument comes next
	return slip{}
}

func (f *slipFinder) opening(i int) slip {
	if !f.want && !continues(f.ts[i-1].kind, f.ts[i].kind) {
		return f.found(slipSide, i)
	}
	f.open, f.want = append(f.open, i), true
	return slip{}
}

func (f *slipFinder) closing(i int) slip {
	switch n := unclosed(f.ts, f.open, f.ts[i].kind.opener()); {
	case n < 0:
		return f.found(slipStray, i)
	case n < len(f.open):
		return slip{what: slipUnclosed, at: i, inner: -1, open: f.open[n:]}
	case f.want && f.innermost() != i-1: // a() and [] need no value
		return f.found(slipNoValue, i)
	}
	f.open, f.want = f.open[:len(f.open)-1], false
	return slip{}
}

func (f *slipFinder) comma(i int) slip {
	switch {
	case len(f.open) == 0 && !shorthandBefore(f.ts[:i]):
		return f.found(slipComma, i)
	case f.want:
		return f.found(slipNoValue, i)
	}
	f.want = true
	return slip{}
}

// operator reads a sign or a word that stands between values, or before one.
func (f *slipFinder) operator(i int) slip {
	k, text, outside := f.ts[i].kind, f.ts[i].text(f.src), len(f.open) == 0
	switch {
	case k == tokSign && isComment(text):
		return f.found(slipComment, i)
	case k == tokSign && f.want && isUnary(text):
		return slip{}
	case f.want:
		return f.found(slipNoValue, i)
	case (k == tokAnd || k == tokOr) && outside:
		return f.found(slipJoin, i)
	case k == tokOp && outside && !operatorOf(text).Membership():
		if f.compared {
			return f.found(slipChain, i)
		}
		f.compared = true
	}
	f.want = true
	return slip{}
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

// negates reports whether the not at i belongs to the operator behind it, as in "not in".
func negates(ts []token, i int, src string) bool {
	if i+1 == len(ts) {
		return false
	}
	next := ts[i+1]
	return next.kind == tokOp && next.text(src) == "in" || next.kind == tokSign && isLetter(src[next.start])
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
