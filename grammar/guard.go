package grammar

import (
	"fmt"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/code"
)

// The limits of a trigger. Parse reports a trigger that exceeds one, and does not hand it to participle, which recurses
// without a limit of its own.
const (
	MaxTrigger = 4096 // bytes
	MaxNesting = 64   // levels of parentheses, brackets, calls and nots together
	MaxGeneral = 1024 // bytes of one general expression
)

// tooLong returns the problem of a source of more than MaxTrigger bytes.
func tooLong(src string) *problem {
	if len(src) <= MaxTrigger {
		return nil
	}
	start := MaxTrigger
	for start > 0 && !utf8.RuneStart(src[start]) {
		start--
	}
	return &problem{
		code: code.LongTrigger, start: start, end: len(src),
		message: fmt.Sprintf("the trigger is too long: %d bytes, at most %d", len(src), MaxTrigger),
		hint:    "split it into several reminders",
	}
}

// tooDeep returns the problem of tokens that nest more than MaxNesting levels deep.
func tooDeep(tokens []token) *problem {
	var nots []int // for each open bracket, how many nots stand before the operand it belongs to
	depth, here := 0, 0
	for _, t := range tokens {
		switch t.kind {
		case tokOpen, tokOpenList, tokOpenMap:
			nots = append(nots, here)
			here = 0
			depth++
		case tokClose, tokCloseList, tokCloseMap:
			depth -= here
			here = 0
			if n := len(nots); n > 0 {
				here, nots = nots[n-1], nots[:n-1]
				depth--
			}
		case tokAnd, tokOr, tokComma:
			depth -= here
			here = 0
		case tokNot:
			here++
			depth++
		}
		if depth > MaxNesting {
			return &problem{
				code: code.DeepTrigger, start: t.start, end: t.end,
				message: fmt.Sprintf("the trigger nests more than %d levels deep", MaxNesting),
				hint:    "split it into several reminders",
			}
		}
	}
	return nil
}

// layout says how tokens belong together. Its lists have one number for each token.
type layout struct {
	match    []int // for an opening bracket the index of the one that closes it; -1 for other tokens, and where none does
	ends     []int // the index of the token at which an operand that begins here ends: and, or, a closing parenthesis, the end
	unclosed int   // how many opening brackets are never closed
}

func layOut(tokens []token) layout {
	l := layout{match: make([]int, len(tokens)), ends: make([]int, len(tokens))}
	var open []int
	var waiting [tokUnknown]int // how many of a kind are open
	for i, t := range tokens {
		l.match[i] = -1
		switch t.kind {
		case tokOpen, tokOpenList, tokOpenMap:
			open = append(open, i)
			waiting[t.kind]++
		case tokClose, tokCloseList, tokCloseMap:
			opener := t.kind.opener()
			if waiting[opener] == 0 {
				continue
			}
			for { // the brackets opened since then are never closed
				last := open[len(open)-1]
				open = open[:len(open)-1]
				waiting[tokens[last].kind]--
				if tokens[last].kind == opener {
					l.match[last] = i
					break
				}
				l.unclosed++
			}
		}
	}
	l.unclosed += len(open)
	for i := len(tokens) - 1; i >= 0; i-- {
		switch tokens[i].kind {
		case tokEnd, tokAnd, tokOr, tokClose:
			l.ends[i] = i
		default:
			l.ends[i] = l.ends[max(i, l.match[i])+1]
		}
	}
	return l
}

// closer returns the bracket that closes an opening one.
func (k kind) closer() string {
	switch k {
	case tokOpen:
		return ")"
	case tokOpenList:
		return "]"
	default:
		return "}"
	}
}

// opener returns the kind of bracket that a closing one closes.
func (k kind) opener() kind {
	switch k {
	case tokClose:
		return tokOpen
	case tokCloseList:
		return tokOpenList
	default:
		return tokOpenMap
	}
}
