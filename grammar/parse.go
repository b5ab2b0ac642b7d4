package grammar

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/excerpt"
	"github.com/aside-go/aside/internal/lines"
)

// Parse parses a trigger. It always returns a tree, together with all mistakes of the source, sorted by
// place. The tree has a Bad node for each operand that is missing or cannot be read; without an error it
// has none. Parse does not check the meaning of names, the types of operands, or the inside of general
// leaves: trigger.Compile does.
//
// It takes time and memory in proportion to the source. It does not parse a source of more than MaxTrigger
// bytes or MaxNesting levels: the whole of it becomes one Bad node.
func Parse(src string) (*Trigger, Diagnostics) {
	r := read(src)
	t := &Trigger{Source: src, Root: r.tree()}
	return t, diagnostics(r.problems, r.places)
}

// reading is a source on its way to a tree.
type reading struct {
	src      string
	places   places
	tokens   []token // as repaired
	computed map[int]Expr
	problems []problem
}

// read takes a source through the first three stages: guard, lexer and operand pass.
func read(src string) *reading {
	r := &reading{src: src, places: newPlaces(src)}
	if p := tooLong(src); p != nil {
		return r.refuse(p)
	}
	tokens, problems := scan(src)
	if p := tooDeep(tokens); p != nil {
		return r.refuse(p)
	}
	r.problems = problems
	r.repair(tokens)
	repaired := r.tokens
	if i := slices.IndexFunc(repaired, func(t token) bool { return t.kind == tokBad }); i >= 0 &&
		len(r.problems) == 0 {
		r.problems = append(r.problems, causeOf(src, tokens, repaired[i]))
	}
	return r
}

// causeOf returns the problem of an operand that is none although each of its tokens is one: a class that
// stands where no tool is named.
func causeOf(src string, tokens []token, operand token) problem {
	for _, t := range tokens {
		if t.start >= operand.start && t.end <= operand.end && t.kind == tokWord && src[t.start] == '@' {
			return problem{code: code.StrayCharacter, start: t.start, end: t.end,
				message: fmt.Sprintf("%s is a class of tools, and no tool is named here", quoted(t.text(src))),
				hint:    "a class stands where a tool does, as in after_tool:@edit"}
		}
	}
	return problem{code: code.UnreadableTrigger, start: operand.start, end: operand.end,
		message: "this is not a condition", hint: "write one such as turn_count > 10"}
}

// refuse makes one Bad operand of the whole source.
func (r *reading) refuse(p *problem) *reading {
	r.tokens = []token{{kind: tokBad, end: len(r.src)}, {kind: tokEnd, start: len(r.src), end: len(r.src)}}
	r.problems = append(r.problems, *p)
	return r
}

func (r *reading) stream() lexer.Lexer {
	return &stream{src: r.src, places: r.places, tokens: r.tokens,
		kindOf: func(t token, _ string) kind { return t.kind }}
}

// tree parses the tokens.
func (r *reading) tree() Expr {
	tokens, err := lexer.Upgrade(r.stream())
	if err == nil {
		var root *orSyntax
		if root, err = parser().ParseFromLexer(tokens); err == nil {
			return r.or(root)
		}
	}
	// Never reached, since the operand pass repairs everything that the grammar would refuse.
	// TestParticipleNeverRefuses checks that.
	r.refuse(&problem{code: code.UnreadableTrigger, end: len(r.src), message: "the trigger cannot be read",
		hint: "please report it: " + err.Error()})
	return &Bad{Range: r.places.between(0, len(r.src))}
}

// The limits of a trigger. Parse reports a trigger that exceeds one, and does not hand it to participle,
// which recurses without a limit of its own.
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
	return &problem{code: code.LongTrigger, start: len(excerpt.Head(src, MaxTrigger)), end: len(src),
		message: fmt.Sprintf("the trigger is too long: %d bytes, at most %d", len(src), MaxTrigger),
		hint:    "split it into several reminders"}
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
			return &problem{code: code.DeepTrigger, start: t.start, end: t.end,
				message: fmt.Sprintf("the trigger nests more than %d levels deep", MaxNesting),
				hint:    "split it into several reminders"}
		}
	}
	return nil
}

// layout says how tokens belong together. Its lists have one number for each token.
type layout struct {
	// for an opening bracket the index of the one that closes it; -1 for other tokens, and where none does
	match []int
	// the index of the token at which an operand that begins here ends: and, or, a closing parenthesis, the end
	ends     []int
	unclosed int // how many opening brackets are never closed
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

// places knows the line and column of every offset of a text.
type places struct{ *lines.Index }

func newPlaces(src string) places { return places{lines.New(src)} }

func runeLen(src string, i int) int {
	_, n := utf8.DecodeRuneInString(src[i:])
	return n
}

func (p places) at(offset int) Position {
	line, column := p.At(offset)
	return Position{Offset: offset, Line: line, Column: column}
}

func (p places) between(start, end int) Range {
	return Range{Start: p.at(start), End: p.at(end)}
}
