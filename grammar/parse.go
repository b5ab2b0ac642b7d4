package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// Parse reads a trigger. It always returns a tree, with a Bad node wherever no operand could be read, and everything
// that is wrong with the source, sorted; the tree of a source without errors has no Bad node. Names, types and general
// leaves are not checked here.
//
// Parse may be called concurrently. It takes time and memory in proportion to the source, and refuses one of more than
// MaxTrigger bytes or MaxNesting levels without reading it.
func Parse(src string) (*Trigger, Diagnostics) {
	r := read(src)
	t := &Trigger{Source: src, Root: r.tree()}
	return t, diagnostics(r.problems, r.places)
}

// reading is a source on its way to a tree.
type reading struct {
	src      string
	places   *places
	tokens   []token // as repaired
	problems []problem
}

// read cuts, guards and repairs.
func read(src string) *reading {
	r := &reading{src: src, places: newPlaces(src)}
	if p := tooLong(src); p != nil {
		return r.refuse(p)
	}
	tokens, problems := scan(src)
	if p := tooDeep(tokens); p != nil {
		return r.refuse(p)
	}
	repaired, more := repair(src, tokens)
	r.tokens, r.problems = repaired, append(problems, more...)
	return r
}

// refuse makes one Bad operand of the whole source.
func (r *reading) refuse(p *problem) *reading {
	r.tokens = []token{{kind: tokBad, end: len(r.src)}, {kind: tokEnd, start: len(r.src), end: len(r.src)}}
	r.problems = append(r.problems, *p)
	return r
}

func (r *reading) stream() lexer.Lexer {
	return &stream{src: r.src, places: r.places, tokens: r.tokens}
}

// tree lets participle read the tokens.
func (r *reading) tree() Expr {
	tokens, err := lexer.Upgrade(r.stream())
	if err == nil {
		var root *orSyntax
		if root, err = parser().ParseFromLexer(tokens); err == nil {
			return r.or(root)
		}
	}
	// The operand pass leaves nothing that the grammar refuses: TestParticipleNeverRefuses holds the two in step.
	r.refuse(&problem{code: codeUnreadable, end: len(r.src), message: "the trigger cannot be read", hint: "please report it: " + err.Error()})
	return &Bad{Range: r.places.between(0, len(r.src))}
}
