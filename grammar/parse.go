package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/aside-go/aside/internal/code"
)

// Parse parses a trigger. It always returns a tree, together with everything that is wrong with the source, sorted by place.
// The tree has a Bad node for each operand that is missing or cannot be read; if there is no error, it has none. Parse does
// not check what names mean, the types of operands, or what is inside general leaves: compile.Compile does.
//
// It takes time and memory in proportion to the source. One of more than MaxTrigger bytes or MaxNesting levels is not parsed:
// the whole of it becomes one Bad node.
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

// tree parses the tokens.
func (r *reading) tree() Expr {
	tokens, err := lexer.Upgrade(r.stream())
	if err == nil {
		var root *orSyntax
		if root, err = parser().ParseFromLexer(tokens); err == nil {
			return r.or(root)
		}
	}
	// Never reached, since the operand pass repairs what the grammar would refuse. TestParticipleNeverRefuses checks that.
	r.refuse(&problem{code: code.UnreadableTrigger, end: len(r.src), message: "the trigger cannot be read", hint: "please report it: " + err.Error()})
	return &Bad{Range: r.places.between(0, len(r.src))}
}
