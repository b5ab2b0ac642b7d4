package grammar

// slip is the first place in an operand where values and operators do not take turns.
type slip struct {
	what  slipKind
	at    int   // the token it is about; one past the last: the end
	inner int   // the opening token of the innermost bracket around it; -1: none
	open  []int // of slipUnclosed: the opening tokens, outermost first
}

type slipKind uint8

const (
	slipNone     slipKind = iota
	slipSide              // a value directly behind a value
	slipNoValue           // an operator, a comma, a closing bracket or the end where a value is wanted
	slipComma             // a comma outside any bracket
	slipJoin              // and, or outside any bracket: only where expr-lang cuts the source into other tokens than we do
	slipStray             // a closing bracket that closes nothing
	slipUnclosed          // the end, or the closing bracket of an outer pair, while a bracket is open
	slipChain             // the second of two comparisons
	slipComment           // a comment
)

// findSlip reads the tokens of one operand as "value operator value …", inside brackets as well, and returns the first slip.
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

// slipFinder is what findSlip knows of the tokens that it has read.
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
	case k == tokOp && outside && operatorOf(text) != In:
		if f.compared {
			return f.found(slipChain, i)
		}
		f.compared = true
	}
	f.want = true
	return slip{}
}

// unclosed returns how many of the open brackets remain open where a bracket of this kind is closed, counting that one: the
// ones after these, further inside, were never closed. It returns -1 if no bracket of this kind is open.
func unclosed(ts []token, open []int, opener kind) int {
	for n := len(open); n > 0; n-- {
		if ts[open[n-1]].kind == opener {
			return n
		}
	}
	return -1
}

// continues reports whether an opening bracket goes on with the value before it: a call or an index.
func continues(before, opening kind) bool {
	switch opening {
	case tokOpen:
		return before == tokWord
	case tokOpenList:
		return before == tokWord || before == tokText || before == tokClose || before == tokCloseList || before == tokPointer
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
