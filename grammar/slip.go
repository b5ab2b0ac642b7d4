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
	slipJoin              // and, or outside any bracket: only in what expr-lang would split differently
	slipStray             // a closing bracket that closes nothing
	slipUnclosed          // another closing bracket, or the end, where some bracket is to be closed first
	slipChain             // the second of two ordering comparisons
	slipComment           // a comment
)

// findSlip reads the tokens of one operand as "value operator value …", at every depth, and returns the first slip.
func findSlip(ts []token, src string) slip {
	want := true      // a value
	compared := false // an ordering comparison stands outside brackets already
	var open []int
	inner := func() int {
		if len(open) == 0 {
			return -1
		}
		return open[len(open)-1]
	}
	for i, t := range ts {
		found := func(what slipKind) slip { return slip{what: what, at: i, inner: inner()} }
		switch k := t.kind; {
		case k.isValue() || k == tokShorthand:
			if !want {
				return found(slipSide)
			}
			want = k == tokShorthand // its argument comes next
		case k == tokOpen || k == tokOpenList || k == tokOpenMap:
			if !want && !continues(ts[i-1].kind, k) {
				return found(slipSide)
			}
			open, want = append(open, i), true
		case k == tokClose || k == tokCloseList || k == tokCloseMap:
			if n := unclosed(ts, open, k.opener()); n < 0 {
				return found(slipStray)
			} else if n < len(open) {
				return slip{what: slipUnclosed, at: i, inner: -1, open: open[n:]}
			}
			if want && inner() != i-1 {
				return found(slipNoValue)
			}
			open, want = open[:len(open)-1], false
		case k == tokComma:
			if len(open) == 0 && !shorthandBefore(ts[:i]) {
				return found(slipComma)
			}
			if want {
				return found(slipNoValue)
			}
			want = true
		case k == tokNot:
			if !want && !negates(ts, i, src) {
				return found(slipSide)
			}
		case k == tokSign && isComment(t.text(src)):
			return found(slipComment)
		case k == tokSign && want && isUnary(t.text(src)):
		case want:
			return found(slipNoValue)
		case (k == tokAnd || k == tokOr) && len(open) == 0:
			return found(slipJoin)
		default:
			if k == tokOp && len(open) == 0 && operatorOf(t.text(src)).ordering() {
				if compared {
					return found(slipChain)
				}
				compared = true
			}
			want = true
		}
	}
	if len(open) > 0 {
		return slip{what: slipUnclosed, at: len(ts), inner: -1, open: open}
	}
	if want {
		return slip{what: slipNoValue, at: len(ts), inner: -1}
	}
	return slip{}
}

// unclosed returns which of the open brackets, from there on inwards, have no closing one where an opener is closed;
// len(open) if all have, -1 if no opener is open.
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
