package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/lazyregexp"
)

func (a *allower) unary(n *ast.UnaryNode) kind {
	k := a.walk(n.Node)
	switch {
	case k == kindWrong:
		return kindWrong
	case (n.Operator == "not" || n.Operator == "!") && k == kindTruth:
		return kindTruth
	case (n.Operator == "-" || n.Operator == "+") && k.number():
		return k
	}
	wants := "a number"
	if n.Operator == "not" || n.Operator == "!" {
		wants = "a condition"
	}
	a.report("R0305", a.span(n.Location()), fmt.Sprintf("%s takes %s, not %s", n.Operator, wants, k), "")
	return kindWrong
}

func (a *allower) binary(n *ast.BinaryNode) kind {
	if chained(n) {
		a.report("R0302", a.span(n.Location()), "a chained comparison is not allowed in a trigger", "write both comparisons, joined with and")
		return kindWrong
	}
	switch n.Operator {
	case "..":
		return a.refuse(n, "a range, x..y,", "use in with a list, or two comparisons")
	case "??":
		return a.refuse(n, "??", "an unknown fact makes the whole expression unknown")
	case "matches":
		return a.matches(n)
	}
	l, r := a.walk(n.Left), a.walk(n.Right)
	if l == kindWrong || r == kindWrong {
		return kindWrong
	}
	a.wildcard(n)
	switch n.Operator {
	case "and", "or", "&&", "||":
		if l == kindTruth && r == kindTruth {
			return kindTruth
		}
	case "==", "!=":
		if l == kindSet || r == kindSet {
			a.report("R0305", a.span(n.Location()), n.Operator+" does not apply to a set of string inside an expression", "use in, as in \"Bash\" in tool_used")
			return kindWrong
		}
		if l == r && (l == kindTruth || l == kindString) || l.number() && r.number() {
			return kindTruth
		}
	case "<", "<=", ">", ">=":
		if l.number() && r.number() {
			return kindTruth
		}
	case "in":
		if l == kindString && (r == kindSet || r == kindStrings) || l.number() && r == kindNumbers {
			return kindTruth
		}
	case "contains", "startsWith", "endsWith":
		if l == kindString && r == kindString {
			return kindTruth
		}
	case "+", "-", "*", "/", "%", "**", "^":
		switch {
		case n.Operator == "+" && l == kindString && r == kindString:
			return a.refuse(n, "joining texts with +", "compare them one by one")
		case n.Operator == "%" && l == kindWhole && r == kindWhole:
			return kindWhole
		case n.Operator == "%":
		case (n.Operator == "/" || n.Operator == "**" || n.Operator == "^") && l.number() && r.number():
			return kindFraction
		case l == kindWhole && r == kindWhole:
			return kindWhole
		case l.number() && r.number():
			return kindFraction
		}
	default:
		return a.refuse(n, n.Operator, "")
	}
	a.report("R0305", a.span(n.Location()), fmt.Sprintf("%s does not apply to %s and %s", n.Operator, l, r), operandHint(n.Operator, l, r))
	a.mendOperand(n, l, r)
	return kindWrong
}

// mendOperand gives the last diagnostic, of an operator that does not apply, what is most likely meant.
func (a *allower) mendOperand(n *ast.BinaryNode, l, r kind) {
	d := &a.diags[len(a.diags)-1]
	text, quoted := n.Right.(*ast.StringNode)
	if !quoted {
		return
	}
	at := a.span(n.Right.Location())
	switch n.Operator {
	case "contains", "startsWith", "endsWith":
		if id, ok := n.Left.(*ast.IdentifierNode); ok && l == kindSet {
			whole := a.span(n.Left.Location())
			whole.End = at.End
			if whole.Start.Offset < whole.End.Offset {
				mended := fmt.Sprintf("any(%s, # %s %q)", id.Value, n.Operator, text.Value)
				d.Hint, d.Fix = "write "+mended, edit(whole, mended)
			}
		}
	case "<", "<=", ">", ">=", "==", "!=":
		if l.number() && isWhole(text.Value) {
			d.Hint, d.Fix = "did you mean "+text.Value+"?", edit(at, text.Value)
		}
	}
}

// wildcard warns of a tool's name with a * in it, which is a plain character inside an expression.
func (a *allower) wildcard(n *ast.BinaryNode) {
	if n.Operator != "==" && n.Operator != "!=" && n.Operator != "in" {
		return
	}
	for _, side := range []struct{ text, other ast.Node }{{n.Left, n.Right}, {n.Right, n.Left}} {
		s, ok := side.text.(*ast.StringNode)
		if !ok || !strings.Contains(s.Value, "*") {
			continue
		}
		_, member := side.other.(*ast.PointerNode)
		if id, ok := side.other.(*ast.IdentifierNode); ok && id.Value == "tool_used" || member {
			a.warn("R0223", a.span(s.Location()), "* is no wildcard inside an expression", "write tool_used == "+s.Value+" by itself, or use startsWith", "")
		}
	}
}

// operandHint says what an operator takes.
func operandHint(op string, l, r kind) string {
	switch op {
	case "and", "or", "&&", "||":
		return "both sides are conditions"
	case "<", "<=", ">", ">=", "-", "*", "/", "+", "**", "^":
		if l == kindSet || r == kindSet {
			return "for how many there are: len(tool_used)"
		}
		return "both sides are numbers"
	case "%":
		return "both sides are whole numbers; a percentage stands in a comparison by itself, as in context_usage > 75%"
	case "in":
		return "a text is in a set or a list, a number in a list"
	case "contains", "startsWith", "endsWith":
		if l == kindSet {
			return "use any(tool_used, # " + op + " \"…\")"
		}
		return "both sides are strings"
	default:
		return "both sides are of one type"
	}
}

// chained reports whether n is what expr-lang makes of a < b < c: two comparisons that share a node.
func chained(n *ast.BinaryNode) bool {
	l, ok := n.Left.(*ast.BinaryNode)
	if !ok || n.Operator != "&&" {
		return false
	}
	if l.Operator == "&&" {
		inner, ok := l.Right.(*ast.BinaryNode)
		if !ok {
			return false
		}
		l = inner
	}
	r, ok := n.Right.(*ast.BinaryNode)
	return ok && l.Right == r.Left
}

func (a *allower) matches(n *ast.BinaryNode) kind {
	l := a.walk(n.Left)
	p, ok := n.Right.(*ast.StringNode)
	if !ok {
		a.report("R0308", a.span(n.Right.Location()), "the pattern of matches is not a quoted text", `write it out, as in prompt matches "deploy|release"`)
		return kindWrong
	}
	at := a.span(p.Location())
	if len(p.Value) > maxPattern {
		a.report("R0308", at, fmt.Sprintf("the pattern is longer than %d bytes", maxPattern), "shorten it, or join several with or")
		return kindWrong
	}
	if _, err := regexp.Compile(p.Value); err != nil { // RE2: linear in the text, whatever the pattern
		_, why, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		a.report("R0308", at, "the pattern cannot be read: "+why, "write a regular expression of RE2")
		return kindWrong
	}
	switch l {
	case kindWrong:
		return kindWrong
	case kindString:
		return kindTruth
	}
	a.report("R0305", a.span(n.Location()), fmt.Sprintf("matches does not apply to %s", l), operandHint("contains", l, kindString))
	return kindWrong
}

// unreadable reports that expr-lang cannot parse the text.
func (a *allower) unreadable(err error) {
	fe, ok := err.(*file.Error)
	if !ok {
		a.report("R0301", a.span(file.Location{To: len(a.text)}), "the expression cannot be read", "")
		return
	}
	at := a.span(fe.Location)
	if n := len(a.text) - (at.Start.Offset - a.at.Offset); at.Start == at.End && n > 0 {
		at.End = advance(at.Start, a.text[len(a.text)-n:], 1)
	}
	tok := a.text[min(at.Start.Offset-a.at.Offset, len(a.text)):min(at.End.Offset-a.at.Offset, len(a.text))]
	switch {
	case tok == "" || strings.Contains(fe.Message, "EOF") || strings.Contains(fe.Message, "unexpected end"):
		a.report("R0301", at, "the expression ends too early", "")
	case tok == "=":
		a.mend("R0301", at, "= is not a comparison", "did you mean ==?", "==")
	case strings.Contains(fe.Message, "literal not terminated"):
		a.report("R0301", at, "the text is not closed", "write the closing quote")
	case tok[0] == '#' && a.misspeltPredicate():
	case strings.Contains(fe.Message, "unexpected token"):
		a.report("R0301", at, fmt.Sprintf("%q was not expected here", tok), "")
	case strings.Contains(fe.Message, "unrecognized character"):
		a.report("R0301", at, fmt.Sprintf("%q means nothing here", tok), "")
	default:
		a.report("R0301", at, fmt.Sprintf("the expression cannot be read at %q", tok), "")
	}
}

// called are the names in front of an opening parenthesis.
var called = lazyregexp.New(`[A-Za-z_]\w*\s*\(`)

// misspeltPredicate reports Any(tool_used, # == "Bash"), of which expr-lang says only that # means nothing there.
func (a *allower) misspeltPredicate() bool {
	predicates := allowedBuiltins()[3:] // those that take a condition
	for _, at := range called().FindAllStringIndex(a.text, -1) {
		name := strings.TrimRight(a.text[at[0]:at[1]-1], " \t\r\n")
		if slices.Contains(predicates, name) {
			continue
		}
		if near := grammar.Suggest(name, predicates); len(near) > 0 {
			r := grammar.Range{Start: advance(a.at, a.text, utf8.RuneCountInString(a.text[:at[0]]))}
			r.End = advance(r.Start, name, len(name))
			a.mend("R0304", r, fmt.Sprintf("there is no function %q", name), "did you mean "+near[0]+"?", near[0])
			return true
		}
	}
	return false
}

// reading recognises what needs no machine: a function or the length of a set, compared with a number, or a function that
// is a condition by itself.
func (a *allower) reading(n ast.Node) (leaf, bool) {
	if t := a.term(n); t != nil && t.bool {
		return reading{t: t, op: grammar.Equal, c: 1}, true
	}
	b, ok := n.(*ast.BinaryNode)
	if !ok {
		return nil, false
	}
	ops := map[string][2]grammar.Op{ // as written, and turned round
		"==": {grammar.Equal, grammar.Equal}, "!=": {grammar.NotEqual, grammar.NotEqual},
		"<": {grammar.Less, grammar.Greater}, "<=": {grammar.LessEqual, grammar.GreaterEqual},
		">": {grammar.Greater, grammar.Less}, ">=": {grammar.GreaterEqual, grammar.LessEqual},
	}
	op, ok := ops[b.Operator]
	if !ok {
		return nil, false
	}
	l := reading{op: op[0]}
	if l.t, l.c, ok = a.termAndNumber(b.Left, b.Right); !ok {
		l.op = op[1]
		if l.t, l.c, ok = a.termAndNumber(b.Right, b.Left); !ok {
			return nil, false
		}
	}
	if l.t.chain != "" && !a.remembered(a.span(b.Location()), l.t.chain, l.c) {
		return nil, true
	}
	return l, true
}

func (a *allower) termAndNumber(x, y ast.Node) (*term, float64, bool) {
	t := a.term(x)
	if t == nil || t.bool {
		return nil, 0, false
	}
	c, ok := constantOf(y)
	return t, c, ok
}

// constantOf is the number that n writes, perhaps with a minus.
func constantOf(n ast.Node) (float64, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return float64(n.Value), n.Value >= -fact.MaxInt && n.Value <= fact.MaxInt
	case *ast.FloatNode:
		return n.Value, true
	case *ast.UnaryNode:
		if c, ok := constantOf(n.Node); ok && n.Operator == "-" {
			return 0 - c, true // no -0
		}
	}
	return 0, false
}

// term returns the number that n asks for, nil if it is none of those known.
func (a *allower) term(n ast.Node) *term {
	if key, ok := inputKey(n); ok {
		for _, in := range a.inputs {
			if in.key == key && in.term != nil {
				return in.term
			}
		}
	}
	if b, ok := n.(*ast.BuiltinNode); ok && b.Name == "len" {
		if id, ok := b.Arguments[0].(*ast.IdentifierNode); ok {
			if ft, ok := a.schema.Lookup(id.Value); ok && ft.Type == fact.Set {
				return lengthOf(ft)
			}
		}
	}
	return nil
}
