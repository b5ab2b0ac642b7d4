package compile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/aside-go/aside/internal/code"
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
	a.report(code.OperandType, a.span(n.Location()), fmt.Sprintf("%s takes %s, not %s", n.Operator, wants, k), "")
	return kindWrong
}

func (a *allower) binary(n *ast.BinaryNode) kind {
	if chained(n) {
		a.report(code.NotAllowed, a.span(n.Location()), "a chained comparison is not allowed in a trigger", "write both comparisons, joined with and")
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
	result, allowed := resultOf(n.Operator, l, r)
	switch {
	case !allowed:
		return a.refuse(n, n.Operator, "")
	case n.Operator == "+" && l == kindString && r == kindString:
		return a.refuse(n, "joining texts with +", "compare them one by one")
	case (n.Operator == "==" || n.Operator == "!=") && (l == kindSet || r == kindSet):
		a.report(code.OperandType, a.span(n.Location()), n.Operator+" does not apply to a set of string inside an expression", "use in, as in \"Bash\" in tool_used")
	case result == kindWrong:
		a.report(code.OperandType, a.span(n.Location()), fmt.Sprintf("%s does not apply to %s and %s", n.Operator, l, r), operandHint(n.Operator, l, r))
		a.mendOperand(n, l, r)
	}
	return result
}

// resultOf returns the kind of the expression "l op r", kindWrong if op does not apply to these kinds. It reports false if op is
// not allowed at all.
func resultOf(op string, l, r kind) (result kind, allowed bool) {
	numbers, applies := l.number() && r.number(), false
	result = kindTruth
	switch op {
	case "and", "or", "&&", "||":
		applies = l == kindTruth && r == kindTruth
	case "==", "!=":
		applies = numbers || l == r && (l == kindTruth || l == kindString)
	case "<", "<=", ">", ">=":
		applies = numbers
	case "in":
		applies = l == kindString && (r == kindSet || r == kindStrings) || l.number() && r == kindNumbers
	case "contains", "startsWith", "endsWith":
		applies = l == kindString && r == kindString
	case "+", "-", "*":
		result, applies = kindFraction, numbers
		if l == kindWhole && r == kindWhole {
			result = kindWhole
		}
	case "/", "**", "^":
		result, applies = kindFraction, numbers
	case "%":
		result, applies = kindWhole, l == kindWhole && r == kindWhole
	default:
		return kindWrong, false
	}
	if !applies {
		return kindWrong, true
	}
	return result, true
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
	var instead string
	switch n.Operator {
	case "==", "!=":
		instead = "write tool_used " + n.Operator + " NAME by itself, or use startsWith"
	case "in": // "not in" is a not around this node
		instead = "write tool_used == NAME by itself (for not in, tool_used != NAME), or use startsWith"
	default:
		return
	}
	for _, side := range []struct{ text, other ast.Node }{{n.Left, n.Right}, {n.Right, n.Left}} {
		s, ok := side.text.(*ast.StringNode)
		if !ok || !strings.Contains(s.Value, "*") {
			continue
		}
		_, member := side.other.(*ast.PointerNode)
		if id, ok := side.other.(*ast.IdentifierNode); ok && id.Value == "tool_used" || member {
			a.warn(code.UselessWildcard, a.span(s.Location()), "* is no wildcard inside an expression", strings.ReplaceAll(instead, "NAME", s.Value), "")
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
		if l == kindSet {
			return "tool_used in [Bash, Edit] stands by itself, with not before it for not in"
		}
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
		a.report(code.BadPattern, a.span(n.Right.Location()), "the pattern of matches is not a quoted text", `write it out, as in prompt matches "deploy|release"`)
		return kindWrong
	}
	at := a.span(p.Location())
	if len(p.Value) > maxPattern {
		a.report(code.BadPattern, at, fmt.Sprintf("the pattern is longer than %d bytes", maxPattern), "shorten it, or join several with or")
		return kindWrong
	}
	if _, err := regexp.Compile(p.Value); err != nil { // RE2: linear in the text, whatever the pattern
		_, why, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		a.report(code.BadPattern, at, "the pattern cannot be read: "+why, "write a regular expression of RE2")
		return kindWrong
	}
	switch l {
	case kindWrong:
		return kindWrong
	case kindString:
		return kindTruth
	}
	a.report(code.OperandType, a.span(n.Location()), fmt.Sprintf("matches does not apply to %s", l), operandHint("contains", l, kindString))
	return kindWrong
}
