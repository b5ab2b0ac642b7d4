package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// maxPattern is how many bytes a pattern of matches may have.
const maxPattern = 256

// kind is the type of an expression within a general operand.
type kind uint8

const (
	kindWrong kind = iota // an error was reported
	kindTruth
	kindWhole
	kindFraction
	kindString
	kindSet     // of strings
	kindStrings // a list of strings, written out
	kindNumbers // a list of numbers, written out
	kindCalls
)

func (k kind) String() string {
	return [...]string{"", "true or false", "a whole number", "a number", "a string", "a set of string",
		"a list of strings", "a list of numbers", "a list of calls"}[k]
}

func (k kind) number() bool { return k == kindWhole || k == kindFraction }

// exprChecker walks an expression and reports everything in it that LANGUAGE.md §2 does not allow.
// expr-lang alone is not safe with a stranger's text, so the checker refuses every construct that it does
// not name.
type exprChecker struct {
	*checker
	text      string
	at        grammar.Position // where text stands in the trigger
	inputs    map[string]input // all that is mentioned, by key
	keys      map[ast.Node]string
	fractions map[*ast.BinaryNode]bool // operations whose result may be no whole number
	patterns  map[int]string           // the patterns behind matches, by the character at which each stands
	over      *fact.Fact               // what any, all, none, one or count goes over, inside its condition
}

// general checks an operand that the grammar cannot read, and compiles it.
func (c *checker) general(x *grammar.General) leaf {
	if len(x.Text) > grammar.MaxGeneral {
		c.report(code.LongExpression, x.Range,
			fmt.Sprintf("the expression is longer than %d bytes", grammar.MaxGeneral),
			"shorten it, or say parts of it with and, or, not")
		return nil
	}
	a := &exprChecker{checker: c, text: x.Text, at: x.Start, inputs: map[string]input{},
		keys: map[ast.Node]string{}, fractions: map[*ast.BinaryNode]bool{}}
	var masked string
	masked, a.patterns = maskPatterns(x.Text)
	tree, err := parser.Parse(masked)
	if err != nil {
		a.unreadable(err)
		return nil
	}
	before := len(c.diags)
	switch k := a.walk(tree.Node); {
	case k == kindWrong || c.errorsSince(before):
		return nil
	case k != kindTruth:
		hint := "compare it with something"
		c.report(code.ExpressionAsCondition, x.Range, fmt.Sprintf("the expression is %s, not a condition", k), hint)
		return nil
	}
	if len(a.inputs) == 0 {
		hint, fix := "write a fact's name, as in turn_count > 10, or always or never", ""
		if b, ok := tree.Node.(*ast.BoolNode); ok {
			fix = map[bool]string{true: "always", false: "never"}[b.Value]
			hint = "did you mean " + fix + "?"
		}
		c.warn(code.ConstantExpression, x.Range, "the expression reads no fact, so it never changes", hint, fix)
	}
	source := spelled(tree.Node)
	if l, ok := a.reading(tree.Node); ok {
		if r, ok := l.(reading); ok {
			r.source = source
			return r
		}
		return l
	}
	g, err := newGeneral(a.rewrite(tree.Node), a.inputs)
	if err != nil { // never, since walk finds all mistakes: FuzzL4Compile checks that
		c.report(code.UnreadableExpression, x.Range, "the expression cannot be compiled",
			"write it with facts, literals and comparisons alone")
		return nil
	}
	g.source = source
	return g
}

func (c *checker) errorsSince(n int) bool {
	return c.diags[n:].HasErrors()
}

// span returns the place of a part of the expression. expr-lang counts in characters.
func (a *exprChecker) span(loc file.Location) grammar.Range {
	r := grammar.Range{Start: advance(a.at, a.text, loc.From)}
	r.End = advance(a.at, a.text, max(loc.To, loc.From))
	return r
}

// advance returns the place that is n characters behind p, where text begins.
func advance(p grammar.Position, text string, n int) grammar.Position {
	for ; n > 0 && text != ""; n-- {
		r, size := utf8.DecodeRuneInString(text)
		p.Offset += size
		p.Column++
		if r == '\n' {
			p.Line, p.Column = p.Line+1, 1
		}
		text = text[size:]
	}
	return p
}

// refuse reports something that is not on the list.
func (a *exprChecker) refuse(n ast.Node, what, hint string) kind {
	return a.wrong(code.NotAllowed, n, what+" is not allowed in a trigger", hint)
}

// wrong reports a mistake at a part of the expression.
func (a *exprChecker) wrong(id grammar.Code, at ast.Node, message, hint string) kind {
	a.report(id, a.span(at.Location()), message, hint)
	return kindWrong
}

// walk checks an expression and returns its kind; kindWrong after having reported a mistake.
func (a *exprChecker) walk(n ast.Node) kind {
	switch n := n.(type) {
	case *ast.BoolNode:
		return kindTruth
	case *ast.IntegerNode:
		return kindWhole
	case *ast.FloatNode:
		return kindFraction
	case *ast.StringNode:
		return kindString
	case *ast.IdentifierNode:
		return a.fact(n, n.Value)
	case *ast.MemberNode:
		return a.member(n)
	case *ast.CallNode:
		return a.call(n)
	case *ast.BuiltinNode:
		return a.builtin(n)
	case *ast.UnaryNode:
		return a.unary(n)
	case *ast.BinaryNode:
		return a.binary(n)
	case *ast.ArrayNode:
		return a.list(n)
	case *ast.PointerNode:
		return a.pointer(n)
	case *ast.NilNode:
		return a.refuse(n, "nil", "an unknown fact makes the whole expression unknown")
	case *ast.ConditionalNode:
		return a.refuse(n.Cond, "a choice with ? or if", "write it with and, or, not")
	case *ast.SliceNode:
		return a.refuse(n, "a slice", "use len, in, any or all")
	case *ast.MapNode:
		return a.refuse(n, "a map", "")
	case *ast.VariableDeclaratorNode:
		return a.refuse(n, "let", "write the expression out")
	case *ast.SequenceNode:
		return a.refuse(n, "a sequence with ;", "join conditions with and")
	case *ast.ChainNode:
		return a.refuse(n, "?.", "a fact is a plain word")
	case *ast.BytesNode:
		return a.refuse(n, "a text of bytes", "write it in plain quotes")
	default:
		return a.refuse(n, "this", "")
	}
}

// pointer checks #, the member that is looked at.
func (a *exprChecker) pointer(n *ast.PointerNode) kind {
	switch {
	case n.Name != "":
		return a.refuse(n, "#"+n.Name, "# alone is the member that is looked at")
	case a.over != nil && a.over.Type == fact.Calls:
		return a.wrong(code.OperandType, n, "a call is looked at by its fields",
			"write one of ."+strings.Join(callFields, ", ."))
	}
	a.stand(n, input{key: memberKey, member: kindString})
	return kindString
}

// field checks a field of the call that is looked at. It reports false if n is something else.
func (a *exprChecker) field(n *ast.MemberNode) (k kind, is bool) {
	if _, ok := n.Node.(*ast.PointerNode); !ok || a.over == nil {
		return kindWrong, false
	}
	name, ok := n.Property.(*ast.StringNode)
	if !ok || a.quoted(n.Property) && len(a.patterns) == 0 {
		return kindWrong, false
	}
	if a.over.Type != fact.Calls {
		return a.refuse(n, "a field", fmt.Sprintf("the members of %s are texts: write # alone", a.over.Name)), true
	}
	if !slices.Contains(callFields, name.Value) {
		at := a.span(name.Location())
		a.unknown(code.UnknownNameInExpression, at, fmt.Sprintf("a call has no field %q", name.Value), name.Value,
			callFields, "the fields are ."+strings.Join(callFields, ", ."))
		return kindWrong, true
	}
	k = kindString
	if name.Value == "failed" {
		k = kindTruth
	}
	a.stand(n, input{key: "." + name.Value, member: k})
	return k, true
}

// stand puts an input in the place of a node.
func (a *exprChecker) stand(n ast.Node, in input) {
	a.inputs[in.key] = in
	a.keys[n] = in.key
}

// fact checks the name of a fact.
func (a *exprChecker) fact(n ast.Node, name string) kind {
	ft, ok := a.schema.Lookup(name)
	if !ok {
		if i := slices.Index(constants, name); i >= 0 || name == stoppingWord {
			return a.wrong(code.UnknownNameInExpression, n, name+" is a condition by itself",
				"join it to the rest with and, or, not")
		}
		a.unknown(code.UnknownNameInExpression, a.span(n.Location()), fmt.Sprintf("there is no fact %q", name),
			name, a.schema.Names(), fmt.Sprintf("if a text is meant, quote it: %q", name))
		return kindWrong
	}
	if ft.Type == fact.Duration {
		return a.wrong(code.DurationInExpression, n,
			ft.Name+" is a duration, which cannot be part of an expression",
			"compare it by itself, as in "+example(ft))
	}
	a.stand(n, input{key: name, fact: ft})
	return [...]kind{fact.Bool: kindTruth, fact.Int: kindWhole, fact.Number: kindFraction,
		fact.Ratio: kindFraction, fact.Dollars: kindFraction, fact.String: kindString,
		fact.Set: kindSet, fact.Calls: kindCalls}[ft.Type]
}

// member checks vars.NAME and the fields of a call; nothing else has members.
func (a *exprChecker) member(n *ast.MemberNode) kind {
	if k, is := a.field(n); is {
		return k
	}
	if key, ok := declaredName(n); ok && !n.Method && !a.quoted(n.Property) {
		// The property's place is behind "vars."; the diagnostic should name both.
		if _, ok := a.schema.Lookup(key); !ok {
			at := a.span(n.Node.Location())
			at.End = a.span(n.Property.Location()).End
			a.unknown(code.UnknownNameInExpression, at, fmt.Sprintf("the fact %q is not declared", key), key,
				a.schema.Names(), "declare it, or use a fact there is")
			return kindWrong
		}
		return a.fact(n, key)
	}
	if _, ok := n.Property.(*ast.StringNode); ok {
		if a.quoted(n.Property) {
			return a.refuse(n, "an index", "a declared fact is written vars.NAME")
		}
		return a.refuse(n, "a field", "the only names with a dot are those of declared facts, vars.NAME")
	}
	return a.refuse(n, "an index", "use len, in, any or all")
}

// quoted reports whether a text stands in quotes, as the name behind a dot does not.
func (a *exprChecker) quoted(n ast.Node) bool {
	at := a.span(n.Location()).Start.Offset - a.at.Offset
	return at < len(a.text) && strings.ContainsRune("\"'`", rune(a.text[at]))
}

// quoteAll extends the fix of the last diagnostic to all bare words of a list, if the list holds nothing
// but words and texts.
func (a *exprChecker) quoteAll(n *ast.ArrayNode) {
	d := &a.diags[len(a.diags)-1]
	words := make([]string, len(n.Nodes))
	for i, e := range n.Nodes {
		switch v := e.(type) {
		case *ast.IdentifierNode:
			words[i] = strconv.Quote(v.Value)
		case *ast.StringNode:
			words[i] = strconv.Quote(v.Value)
		default:
			return
		}
	}
	at := a.span(n.Nodes[0].Location())
	at.End = a.span(n.Nodes[len(n.Nodes)-1].Location()).End
	if d.Fix != nil && len(words) > 1 {
		d.Fix = edit(at, strings.Join(words, ", "))
	}
}

func (a *exprChecker) list(n *ast.ArrayNode) kind {
	if len(n.Nodes) == 0 {
		return a.wrong(code.NotAllowed, n, "an empty list is not allowed in a trigger",
			"write what may stand in it")
	}
	var of kind
	for _, e := range n.Nodes {
		k := kindWrong
		switch v := e.(type) {
		case *ast.StringNode:
			k = kindStrings
		case *ast.IntegerNode, *ast.FloatNode:
			k = kindNumbers
		case *ast.UnaryNode:
			if v.Operator == "-" || v.Operator == "+" {
				switch v.Node.(type) {
				case *ast.IntegerNode, *ast.FloatNode:
					k = kindNumbers
				}
			}
		}
		switch {
		case k == kindWrong:
			if id, ok := e.(*ast.IdentifierNode); ok {
				q := fmt.Sprintf("%q", id.Value)
				a.mend(code.OperandType, a.span(e.Location()), "a list holds quoted texts or numbers",
					"did you mean "+q+"?", q)
				a.quoteAll(n)
			} else {
				a.report(code.OperandType, a.span(e.Location()), "a list holds quoted texts or numbers", "")
			}
			return kindWrong
		case of != kindWrong && k != of:
			return a.wrong(code.OperandType, e, "a list holds texts or numbers, not both", "")
		}
		of = k
	}
	return of
}

func (a *exprChecker) unary(n *ast.UnaryNode) kind {
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
	return a.wrong(code.OperandType, n, fmt.Sprintf("%s takes %s, not %s", n.Operator, wants, k), "")
}

func (a *exprChecker) binary(n *ast.BinaryNode) kind {
	if chained(n) {
		return a.wrong(code.NotAllowed, n, "a chained comparison is not allowed in a trigger",
			"write both comparisons, joined with and")
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
	if k, is := a.setOperator(n, l, r); is {
		return k
	}
	a.wildcard(n)
	result, allowed := resultOf(n.Operator, l, r)
	switch {
	case !allowed:
		return a.refuse(n, n.Operator, "")
	case n.Operator == "+" && l == kindString && r == kindString:
		return a.refuse(n, "joining texts with +", "compare them one by one")
	case result == kindFraction:
		a.fractions[n] = true
	case result == kindWrong:
		a.report(code.OperandType, a.span(n.Location()),
			fmt.Sprintf("%s does not apply to %s and %s", n.Operator, l, r), operandHint(n.Operator, l, r))
		a.mendOperand(n, l)
	}
	return result
}

// resultOf returns the kind of the expression "l op r", kindWrong if op does not apply to these kinds. It
// reports false if op is not allowed at all.
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

// mendOperand adds the likely fix to the last diagnostic, which is about an operator that does not apply.
func (a *exprChecker) mendOperand(n *ast.BinaryNode, l kind) {
	d := &a.diags[len(a.diags)-1]
	text, quoted := n.Right.(*ast.StringNode)
	if !quoted {
		return
	}
	at := a.span(n.Right.Location())
	if id, ok := n.Left.(*ast.IdentifierNode); ok && id.Value == a.schema.Fact(fact.UserMessage).Name {
		d.Hint, d.Fix = "the text of the message is prompt", edit(a.span(id.Location()), "prompt")
		return
	}
	switch n.Operator {
	case "<", "<=", ">", ">=", "==", "!=":
		if l.number() && isWhole(text.Value) {
			d.Hint, d.Fix = "did you mean "+text.Value+"?", edit(at, text.Value)
		}
	}
}

// wildcard warns of a tool's name with a * in it, which is a plain character inside an expression.
func (a *exprChecker) wildcard(n *ast.BinaryNode) {
	if n.Operator != "==" && n.Operator != "!=" && n.Operator != "in" {
		return
	}
	const instead = "write tool_used == NAME by itself, or use startsWith"
	for _, side := range []struct{ text, other ast.Node }{{n.Left, n.Right}, {n.Right, n.Left}} {
		s, ok := side.text.(*ast.StringNode)
		if !ok || !strings.Contains(s.Value, "*") {
			continue
		}
		_, member := side.other.(*ast.PointerNode)
		if key := a.keys[side.other]; member || key == ".tool" {
			a.warn(code.UselessWildcard, a.span(s.Location()), "* is no wildcard inside an expression",
				strings.ReplaceAll(instead, "NAME", s.Value), "")
		}
	}
}

// operandHint names the operands that an operator takes.
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
		return "both sides are whole numbers; a percentage stands in a comparison by itself, as in " +
			"context_usage > 75%"
	case "in":
		return "a text is in a set or a list, a number in a list"
	case "contains", "startsWith", "endsWith":
		if l == kindSet {
			return "compare the set with a quoted text"
		}
		return "both sides are strings"
	default:
		if l == kindSet || r == kindSet {
			return "a set is compared with a quoted text"
		}
		return "both sides are of one type"
	}
}

// chained reports whether n is a < b < c, which expr-lang parses as two comparisons that share a node.
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

func (a *exprChecker) matches(n *ast.BinaryNode) kind {
	l := a.walk(n.Left)
	p, ok := n.Right.(*ast.StringNode)
	if !ok {
		return a.wrong(code.BadPattern, n.Right, "the pattern of matches is not a quoted text",
			`write it out, as in prompt matches "deploy|release"`)
	}
	at := a.span(p.Location())
	if pattern, ok := a.patterns[p.Location().From]; ok {
		p.Value = pattern
	}
	if len(p.Value) > maxPattern {
		a.report(code.BadPattern, at, fmt.Sprintf("the pattern is longer than %d bytes", maxPattern),
			"shorten it, or join several with or")
		return kindWrong
	}
	if _, err := regexp.Compile(p.Value); err != nil { // RE2: linear in the text, whatever the pattern
		_, why, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		a.report(code.BadPattern, at, "the pattern cannot be read: "+why, patternHint(p.Value))
		return kindWrong
	}
	switch l {
	case kindWrong:
		return kindWrong
	case kindString:
		return kindTruth
	case kindSet:
		if k, is := a.setOperator(n, l, kindString); is {
			return k
		}
	}
	return a.wrong(code.OperandType, n, fmt.Sprintf("matches does not apply to %s", l),
		operandHint("contains", l, kindString))
}

// patternHint says how a regular expression that cannot be read may be meant.
func patternHint(pattern string) string {
	switch {
	case strings.Contains(pattern, "(?=") || strings.Contains(pattern, "(?!") ||
		strings.Contains(pattern, "(?<=") || strings.Contains(pattern, "(?<!"):
		return "there is no lookahead and no lookbehind: use two conditions, joined by and not"
	case strings.HasPrefix(pattern, "*"):
		return `* alone is a glob: contains and endsWith compare plain texts, and any text is .*`
	case strings.ContainsAny(pattern, "()[]{}+?*"):
		return `write a regular expression of RE2; a sign that is meant as it stands has a backslash, as in \(`
	}
	return "write a regular expression of RE2"
}
