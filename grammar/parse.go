package grammar

import (
	"fmt"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/excerpt"
	"github.com/aside-go/aside/internal/lines"
)

// Parse parses a trigger. It always returns a tree, together with all mistakes of the source, sorted by
// place. The tree has a Bad node for each operand that is missing or cannot be read; without an error it
// has none. Parse does not check the meaning of names and the types of operands: trigger.Compile does.
//
// It takes time and memory in proportion to the source. It does not parse a source of more than MaxTrigger
// bytes or MaxNesting levels: the whole of it becomes one Bad node.
func Parse(src string) (*Trigger, Diagnostics) {
	r := &reading{src: src, places: newPlaces(src)}
	t := &Trigger{Source: src, Root: r.tree()}
	for i := range r.problems {
		r.problems[i].Hint = oneLine(r.problems[i].Hint)
	}
	r.problems.Sort()
	return t, r.problems
}

// reading is a source on its way to a tree.
type reading struct {
	src string
	places
	tokens   []token // the last of them tokEnd
	problems Diagnostics
}

// tree reads the whole. Where that is no trigger, each operand is read by itself, and a Bad token takes the
// place of one that cannot be read, so that one mistake does not hide the next.
func (r *reading) tree() Expr {
	if p := r.tooLong(); p != nil {
		return r.refuse(p)
	}
	r.tokens, r.problems = scan(r.src, r.places)
	if p := r.tooDeep(); p != nil {
		return r.refuse(p)
	}
	root, _, err := parse(r.src, r.tokens)
	if err != nil {
		r.repair()
		root, _, err = parse(r.src, r.tokens)
	}
	if err != nil {
		// Never reached: each operand that is left was parsed. TestParticipleNeverRefuses checks that.
		return r.refuse(&Diagnostic{Code: code.UnreadableTrigger, Range: r.between(0, len(r.src)),
			Message: "the trigger cannot be read", Hint: "please report it: " + err.Error()})
	}
	return r.or(root)
}

// refuse makes one Bad operand of the whole source.
func (r *reading) refuse(p *Diagnostic) Expr {
	r.problems = append(r.problems, *p)
	return &Bad{Range: r.places.between(0, len(r.src))}
}

func (r *reading) text(t token) string { return t.text(r.src) }

func (r *reading) quoted(t token) string { return quoted(r.text(t)) }

func (r *reading) report(t token, p Diagnostic) {
	p.Range = r.between(t.start, t.end)
	r.problems = append(r.problems, p)
}

// mistake reports a problem with t. The caller may add a fix, before it reports another one.
func (r *reading) mistake(t token, id Code, message, hint string) *Diagnostic {
	r.report(t, Diagnostic{Code: id, Message: message, Hint: hint})
	return &r.problems[len(r.problems)-1]
}

// instead reports a mistake with the text to write in its place.
func (r *reading) instead(t token, id Code, message, text string) {
	r.mistake(t, id, message, "write "+text).Fix = r.replace(t, text)
}

// The limits of a trigger. Parse reports a trigger that exceeds one, and does not hand it to participle,
// which recurses without a limit of its own.
const (
	MaxTrigger = 4096 // bytes
	MaxNesting = 64   // levels of parentheses, brackets, calls and nots together
	MaxGeneral = 1024 // bytes of one expression that computes
)

// tooLong returns the problem of a source of more than MaxTrigger bytes.
func (r *reading) tooLong() *Diagnostic {
	src := r.src
	if len(src) <= MaxTrigger {
		return nil
	}
	return &Diagnostic{Code: code.LongTrigger, Range: r.between(len(excerpt.Head(src, MaxTrigger)), len(src)),
		Message: fmt.Sprintf("the trigger is too long: %d bytes, at most %d", len(src), MaxTrigger),
		Hint:    "split it into several reminders"}
}

// tooDeep returns the problem of tokens that nest more than MaxNesting levels deep.
func (r *reading) tooDeep() *Diagnostic {
	var nots []int // for each open bracket, how many nots stand before the operand it belongs to
	depth, here := 0, 0
	for _, t := range r.tokens {
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
			return &Diagnostic{Code: code.DeepTrigger, Range: r.between(t.start, t.end),
				Message: fmt.Sprintf("the trigger nests more than %d levels deep", MaxNesting),
				Hint:    "split it into several reminders"}
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
