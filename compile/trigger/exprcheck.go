package trigger

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// exprChecker walks an expression, gives each part its type, and reports everything that LANGUAGE.md §2 does
// not allow.
type exprChecker struct {
	*checker
	inputs    map[grammar.Expr]*input  // all that is mentioned
	named     map[string]*input        // the same, by key
	fractions map[*grammar.Binary]bool // operations whose result may be no whole number
	over      *fact.Fact               // what any, all, none, one or count goes over, inside its condition
}

// general checks a condition that computes, and compiles it.
func (c *checker) general(x *grammar.General) leaf {
	a := &exprChecker{checker: c, inputs: map[grammar.Expr]*input{}, named: map[string]*input{},
		fractions: map[*grammar.Binary]bool{}}
	before := len(c.diags)
	switch k := a.walk(x.X); {
	case k == kindWrong || c.diags[before:].HasErrors():
		return nil
	case k != kindTruth:
		return c.report(code.ExpressionAsCondition, x.Range,
			fmt.Sprintf("the expression is %s, not a condition", k), "compare it with something")
	}
	if len(a.inputs) == 0 {
		hint, fix := "write a fact's name, as in turn_count > 10, or always or never", ""
		if b, ok := x.X.(*grammar.Literal); ok {
			fix = map[string]string{"true": "always", "false": "never"}[b.Text]
			hint = "did you mean " + fix + "?"
		}
		c.warn(code.ConstantExpression, x.Range, "the expression reads no fact, so it never changes", hint, fix)
	}
	l, ok := a.reading(x.X)
	if !ok {
		l = a.newGeneral(x.X)
	}
	if l != nil {
		l.Source = spelling{fractions: a.fractions}.of(x.X)
	}
	return l
}

// refuse reports something that is not on the list.
func (a *exprChecker) refuse(n grammar.Expr, what, hint string) kind {
	return a.wrong(code.NotAllowed, n, what+" is not allowed in a trigger", hint)
}

// wrong reports a mistake at a part of the expression: at its operator or its function's name, if it has one,
// else at all of it.
func (a *exprChecker) wrong(id grammar.Code, n grammar.Expr, message, hint string) kind {
	at := n.Span()
	switch n := n.(type) {
	case *grammar.Binary:
		at = n.OpRange
	case *grammar.Call:
		at = n.NameRange
	case *grammar.Unary:
		at = n.OpRange
	}
	a.report(id, at, message, hint)
	return kindWrong
}

// walk checks an expression and returns its kind; kindWrong after having reported a mistake.
func (a *exprChecker) walk(n grammar.Expr) kind {
	switch n := n.(type) {
	case *grammar.Literal:
		return kindOfLiteral(n)
	case *grammar.Name:
		return a.name(n)
	case *grammar.Field:
		return a.field(n)
	case *grammar.Call:
		return a.call(n)
	case *grammar.Unary:
		return a.unary(n)
	case *grammar.Binary:
		return a.binary(n)
	default: // *grammar.Array
		return a.list(n.(*grammar.Array))
	}
}

// isInput reports whether a field is a member of the call's input.
func isInput(field string) bool {
	name, ok := strings.CutPrefix(field, inputField)
	return ok && name != "" && !strings.Contains(name, ".") && name != "NAME"
}

// field checks #, the member that is looked at, and the fields of a call.
func (a *exprChecker) field(n *grammar.Field) kind {
	name, isField := strings.CutPrefix(n.Text, ".")
	named := grammar.Range{Start: n.Start.After(n.Text[:1]), End: n.End}
	switch {
	case a.over == nil && isField:
		return a.wrong(code.UnreadableExpression, grammar.Range{Start: n.Start, End: named.Start},
			`"." was not expected here`,
			"a field stands inside any, all, none, one or count: any(calls, .tool == \"Bash\")")
	case a.over == nil:
		return a.wrong(code.UnreadableExpression, n, fmt.Sprintf("%q was not expected here", n.Text),
			"it stands inside any, all, none, one or count: any(tool_used, # == \"Bash\")")
	case !isField && n.Text != memberKey:
		return a.refuse(n, n.Text, "# alone is the member that is looked at")
	case !isField && a.over.Type == fact.Calls:
		return a.wrong(code.OperandType, n, "a call is looked at by its fields",
			"write one of ."+strings.Join(callFields, ", ."))
	case !isField:
		a.stand(n, input{key: memberKey, kind: kindString})
		return kindString
	case a.over.Type != fact.Calls:
		return a.wrong(code.NotAllowed, named, "a field is not allowed in a trigger",
			fmt.Sprintf("the members of %s are texts: write # alone", a.over.Name))
	case isInput(n.Text):
	case name == "input", strings.HasPrefix(n.Text, inputField):
		return a.wrong(code.UnknownNameInExpression, named, "a call has no field "+strconv.Quote(name),
			"write .input.NAME, with the name of one member of the tool's input")
	case !slices.Contains(callFields, name):
		a.unknown(code.UnknownNameInExpression, named, fmt.Sprintf("a call has no field %q", name), name,
			callFields, "the fields are ."+strings.Join(callFields, ", ."))
		return kindWrong
	}
	k := kindString
	switch name {
	case "failed":
		k = kindTruth
	case "duration":
		k = kindDuration
	}
	a.stand(n, input{key: n.Text, kind: k})
	return k
}

// stand puts an input in the place of a node: one that was mentioned before is the same.
func (a *exprChecker) stand(n grammar.Expr, in input) {
	if a.named[in.key] == nil {
		in.name = fmt.Sprintf("input%d", len(a.named))
		a.named[in.key] = &in
	}
	a.inputs[n] = a.named[in.key]
}

// mention puts a term in the place of a node, and returns its kind.
func (a *exprChecker) mention(n grammar.Expr, t *term) kind {
	k := kindWhole
	if t.Bool {
		k = kindTruth
	}
	a.stand(n, input{key: t.Text, kind: k, term: t})
	return k
}

// name checks the name of a fact.
func (a *exprChecker) name(n *grammar.Name) kind {
	ft, ok := a.schema.Lookup(n.Name)
	if ok {
		a.stand(n, input{key: n.Name, kind: kind(ft.Type), fact: ft,
			term: &term{Text: ft.Name, Reads: []fact.ID{ft.ID}}})
		return kind(ft.Type)
	}
	switch {
	case n.Name == "nil":
		return a.refuse(n, "nil", "an unknown fact makes the whole expression unknown")
	case strings.Contains(n.Name, ".") && !strings.HasPrefix(n.Name, "vars."):
		return a.refuse(n, "a field", dotHint)
	}
	a.noFactNamed(code.UnknownNameInExpression, n.Range, n.Name,
		fmt.Sprintf("if a text is meant, quote it: %q", n.Name))
	return kindWrong
}

// quoteAll extends the fix of the last diagnostic to all bare words of a list, if the list holds nothing
// but words and texts.
func (a *exprChecker) quoteAll(n *grammar.Array) {
	d := &a.diags[len(a.diags)-1]
	words := make([]string, len(n.Items))
	for i, e := range n.Items {
		switch v := e.(type) {
		case *grammar.Name:
			words[i] = strconv.Quote(v.Name)
		case *grammar.Literal:
			if v.Kind != grammar.String {
				return
			}
			words[i] = strconv.Quote(v.Text)
		default:
			return
		}
	}
	at := grammar.Range{Start: n.Items[0].Span().Start, End: n.Items[len(n.Items)-1].Span().End}
	if d.Fix != nil && len(words) > 1 {
		d.Fix = edit(at, strings.Join(words, ", "))
	}
}

func (a *exprChecker) list(n *grammar.Array) kind {
	if len(n.Items) == 0 {
		return a.wrong(code.NotAllowed, n, "an empty list is not allowed in a trigger",
			"write what may stand in it")
	}
	var of kind
	for _, e := range n.Items {
		k := kindWrong
		if v, ok := literalOf(e); ok && v.Kind == grammar.String {
			k = kindStrings
		} else if ok && v.Kind <= grammar.Percent {
			k = kindNumbers
		}
		switch {
		case k == kindWrong:
			if id, ok := e.(*grammar.Name); ok {
				q := fmt.Sprintf("%q", id.Name)
				a.mend(code.OperandType, e.Span(), "a list holds quoted texts or numbers",
					"did you mean "+q+"?", q)
				a.quoteAll(n)
			} else {
				a.report(code.OperandType, e.Span(), "a list holds quoted texts or numbers", "")
			}
			return kindWrong
		case of != kindWrong && k != of:
			return a.wrong(code.OperandType, e, "a list holds texts or numbers, not both", "")
		}
		of = k
	}
	return of
}

func (a *exprChecker) unary(n *grammar.Unary) kind {
	k := a.walk(n.X)
	switch {
	case k == kindWrong:
		return kindWrong
	case n.Op == "not" && k == kindTruth, n.Op == "-" && k.amount():
		return k
	}
	wants := "a number"
	if n.Op == "not" {
		wants = "a condition"
	}
	return a.wrong(code.OperandType, n, fmt.Sprintf("%s takes %s, not %s", n.Op, wants, k), "")
}

func (a *exprChecker) binary(n *grammar.Binary) kind {
	if n.Op == "matches" {
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
	l, r = beside(n.Op, n.Left, l, r), beside(n.Op, n.Right, r, l)
	result := resultOf(n.Op, l, r)
	switch {
	case n.Op == "+" && l == kindString && r == kindString:
		return a.refuse(n, "joining texts with +", "compare them one by one")
	case result == kindWrong:
		a.wrong(code.OperandType, n, fmt.Sprintf("%s does not apply to %s and %s", n.Op, l, r),
			operandHint(n.Op, l, r))
		a.mendOperand(n, l)
	case result.amount() && result != kindWhole:
		a.fractions[n] = true
	}
	return result
}

// mendOperand adds the likely fix to the last diagnostic, which is about an operator that does not apply.
func (a *exprChecker) mendOperand(n *grammar.Binary, l kind) {
	d := &a.diags[len(a.diags)-1]
	text, quoted := n.Right.(*grammar.Literal)
	if !quoted || text.Kind != grammar.String {
		return
	}
	at := text.Range
	if id, ok := n.Left.(*grammar.Name); ok && id.Name == a.schema.Fact(fact.UserMessage).Name {
		d.Hint, d.Fix = "the text of the message is prompt", edit(id.Range, "prompt")
		return
	}
	switch n.Op {
	case "<", "<=", ">", ">=", "==", "!=":
		if l.number() && isWhole(text.Text) {
			d.Hint, d.Fix = "did you mean "+text.Text+"?", edit(at, text.Text)
		}
	}
}

// wildcard warns of a tool's name with a * in it, which is a plain character inside an expression.
func (a *exprChecker) wildcard(n *grammar.Binary) {
	if n.Op != "==" && n.Op != "!=" && n.Op != "in" {
		return
	}
	const instead = "write tool_used == NAME alone, or use startsWith"
	for _, side := range []struct{ text, other grammar.Expr }{{n.Left, n.Right}, {n.Right, n.Left}} {
		s, ok := side.text.(*grammar.Literal)
		if !ok || s.Kind != grammar.String || !strings.Contains(s.Text, "*") {
			continue
		}
		if in := a.inputs[side.other]; in != nil && (in.key == memberKey || in.key == ".tool") {
			a.warn(code.UselessWildcard, s.Range, "* is not a wildcard inside an expression",
				strings.ReplaceAll(instead, "NAME", s.Text), "")
		}
	}
}

func (a *exprChecker) matches(n *grammar.Binary) kind {
	l := a.walk(n.Left)
	p, ok := n.Right.(*grammar.Literal)
	if !ok || p.Kind != grammar.String {
		return a.wrong(code.BadPattern, n.Right, "the pattern of matches is not a quoted text",
			`write it out, as in prompt matches "deploy|release"`)
	}
	at := p.Range
	if _, err := regexp.Compile(p.Text); err != nil { // RE2: linear in the text, whatever the pattern
		_, why, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		return a.wrong(code.BadPattern, at, "the pattern cannot be read: "+why, patternHint(p.Text))
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

// setOperator compares a set with a text or a list by its members, as the grammar does outside expressions.
// It reports false if n does something else. l and r are the kinds of its sides.
func (a *exprChecker) setOperator(n *grammar.Binary, l, r kind) (k kind, is bool) {
	set, other := n.Left, n.Right
	op, ok := map[string]grammar.Op{"==": grammar.Equal, "!=": grammar.NotEqual}[n.Op]
	switch {
	case ok && r == kindSet:
		set, other = other, set
	case ok && l == kindSet:
	case n.Op == "in" && l == kindSet && r == kindStrings:
		op = grammar.In
	case n.Op == "in" && r == kindSet:
		set, other, op = other, set, grammar.Equal
	case l == kindSet && r == kindString && slices.Contains([]string{"contains", "startsWith", "endsWith",
		"matches"}, n.Op):
	default:
		return kindWrong, false
	}
	ft, isFact := a.listFact(set)
	operands, quoted := a.operands(other)
	if !isFact || !quoted {
		return kindWrong, false
	}
	of := &condition.Leaf{Kind: condition.MemberLike, Fact: ft.ID, Word: n.Op, Names: []string{operands[0].Text}}
	if ok || n.Op == "in" {
		of = a.texts(ft, op, operands)
	}
	if of == nil {
		return kindWrong, true
	}
	return a.mention(n, of.Of(canonical(n), a.schema)), true
}

// operands returns the quoted texts that n is; ok is false if it is anything else.
func (a *exprChecker) operands(n grammar.Expr) (list []grammar.Operand, ok bool) {
	nodes := []grammar.Expr{n}
	if l, ok := n.(*grammar.Array); ok {
		nodes = l.Items
	}
	for _, n := range nodes {
		s, ok := n.(*grammar.Literal)
		if !ok || s.Kind != grammar.String {
			return nil, false
		}
		list = append(list, s.Operand)
	}
	return list, true
}
