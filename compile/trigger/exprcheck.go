package trigger

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/words"
)

// general checks a condition that computes, and compiles it.
func (c *checker) general(x grammar.Expr) leaf {
	c.inputs = map[string]*input{}
	before := len(c.diags)
	v := c.walk(x)
	switch {
	case v == nil || c.diags[before:].HasErrors():
		return nil
	case v.Op == "%": // what is said of a remainder is mostly that there is none
		return c.report(code.ExpressionAsCondition, x.Span(), "a remainder is a number, not a condition",
			"write "+format(x)+" == 0")
	case v.Type != kindTruth:
		return c.report(code.ExpressionAsCondition, x.Span(),
			fmt.Sprintf("the expression is %s, not a condition", v.Type), "compare it with something")
	}
	l, ok := c.reading(v)
	if !ok {
		l = c.newGeneral(v)
	}
	if l == nil {
		return nil
	}
	if len(l.Terms)+len(l.Reads) == 0 {
		hint, fix := "write a fact's name, as in turn_count > 10, or always or never", ""
		if b, ok := x.(*grammar.Literal); ok {
			fix = map[string]string{"true": "always", "false": "never"}[b.Text]
			hint = "did you mean " + fix + "?"
		}
		written, m := format(x), meaning{schema: c.schema}
		for _, name := range c.schema.Names() { // "tool_used" == "Bash"
			line := strings.Replace(written, strconv.Quote(name), name, 1)
			if line != written && m.sound(line) {
				hint = "write " + line
			}
		}
		c.warn(code.ConstantExpression, x.Span(), "the expression reads no fact, so it never changes", hint, fix)
	}
	l.Value, l.Source = v, spelling{programs: true}.of(v)
	return l
}

// refuse reports something that is not on the list.
func (c *checker) refuse(n grammar.Expr, what, hint string) *typed {
	return c.wrong(code.NotAllowed, n, what+" is not allowed in a trigger", hint)
}

// wrong reports a mistake at a part of the expression: at its operator or its function's name, if it has one,
// else at all of it.
func (c *checker) wrong(id grammar.Code, n grammar.Expr, message, hint string) *typed {
	at := n.Span()
	switch n := n.(type) {
	case *grammar.Binary:
		at = n.OpRange
	case *grammar.Call:
		at = n.NameRange
	case *grammar.Unary:
		at = n.OpRange
	}
	c.report(id, at, message, hint)
	return nil
}

// walk checks an expression and returns it with its type; nil after having reported a mistake.
func (c *checker) walk(n grammar.Expr) *typed {
	switch n := n.(type) {
	case *grammar.Literal:
		return &typed{Expr: n, Type: kindOfLiteral(n)}
	case *grammar.Name:
		return c.name(n)
	case *grammar.Field:
		return c.field(n)
	case *grammar.Call:
		return c.call(n)
	case *grammar.Unary:
		return c.unary(n)
	case *grammar.Binary:
		return c.binary(n)
	default: // *grammar.Array
		return c.list(n.(*grammar.Array))
	}
}

// walkAll walks each of some expressions; nil if one of them is wrong.
func (c *checker) walkAll(ns ...grammar.Expr) []*typed {
	all, wrong := make([]*typed, len(ns)), false
	for i, n := range ns {
		all[i] = c.walk(n)
		wrong = wrong || all[i] == nil
	}
	if wrong {
		return nil
	}
	return all
}

// isInput reports whether a field is a member of the call's input.
func isInput(field string) bool {
	name, ok := strings.CutPrefix(field, inputField)
	return ok && name != "" && !strings.Contains(name, ".") && name != "NAME"
}

// field checks #, the member that is looked at, and the fields of a call.
func (c *checker) field(n *grammar.Field) *typed {
	name, isField := strings.CutPrefix(n.Text, ".")
	named := grammar.Range{Start: n.Start.After(n.Text[:1]), End: n.End}
	switch {
	case c.over == nil && isField:
		return c.wrong(code.UnreadableExpression, grammar.Range{Start: n.Start, End: named.Start},
			`"." was not expected here`,
			"a field stands inside any, all, none, one or count: any(calls, .tool == \"Bash\")")
	case c.over == nil:
		return c.wrong(code.UnreadableExpression, n, fmt.Sprintf("%q was not expected here", n.Text),
			"it stands inside any, all, none, one or count: any(tool_used, # == \"Bash\")")
	case !isField && n.Text != memberKey:
		return c.refuse(n, n.Text, "# alone is the member that is looked at")
	case !isField && c.over.Type == fact.Calls:
		return c.wrong(code.OperandType, n, "a call is looked at by its fields",
			"write one of ."+strings.Join(callFields, ", ."))
	case !isField:
		return &typed{Expr: n, Type: kindString}
	case c.over.Type != fact.Calls:
		return c.wrong(code.NotAllowed, named, "a field is not allowed in a trigger",
			fmt.Sprintf("the members of %s are texts: write # alone", c.over.Name))
	case isInput(n.Text):
	case name == "input", strings.HasPrefix(n.Text, inputField):
		return c.wrong(code.UnknownNameInExpression, named, "a call has no field "+strconv.Quote(name),
			"write .input.NAME, with the name of one member of the tool's input")
	case words.IsEnding(n.Text):
		return c.wrong(code.UnknownNameInExpression, n, n.Text+" is a text, and has quotes",
			"write "+strconv.Quote(n.Text))
	case !slices.Contains(callFields, name):
		hint := "the fields are ." + strings.Join(callFields, ", .")
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 { // .args.url
			hint = "write " + inputField + name[dot+1:]
		}
		c.unknown(code.UnknownNameInExpression, named, fmt.Sprintf("a call has no field %q", name), name,
			callFields, hint)
		return nil
	}
	k := kindString
	switch name {
	case "failed":
		k = kindTruth
	case "duration":
		k = kindDuration
	}
	return &typed{Expr: n, Type: k}
}

// mention returns what v is as a whole: a term.
func mention(v typed, t *term) *typed {
	if v.Term, v.Type = t, kindWhole; t.Bool {
		v.Type = kindTruth
	}
	return &v
}

// name checks the name of a fact.
func (c *checker) name(n *grammar.Name) *typed {
	ft, ok := c.schema.Lookup(n.Name)
	switch {
	case ok:
		t := &term{Text: ft.Name, Fact: ft, Reads: []fact.ID{ft.ID}}
		return &typed{Expr: n, Type: kind(ft.Type), Fact: ft, Term: t}
	case n.Name == "nil":
		return c.refuse(n, "nil", "an unknown fact makes the whole expression unknown")
	case strings.Contains(n.Name, ".") && !strings.HasPrefix(n.Name, "vars."):
		return c.refuse(n, "a field", dotHint)
	}
	c.noFactNamed(code.UnknownNameInExpression, n.Range, n.Name,
		fmt.Sprintf("if a text is meant, quote it: %q", n.Name))
	return nil
}

// quoteAll extends the fix of the last diagnostic to all bare words of a list, if the list holds nothing
// but words and texts.
func (c *checker) quoteAll(n *grammar.Array) {
	v, _ := asValue(n)
	words := make([]string, len(v.items))
	for i, item := range v.items {
		if words[i] = strconv.Quote(item.Text); item.Kind != word && item.Kind != grammar.String {
			return
		}
	}
	if len(words) > 1 && len(words) == len(n.Items) {
		at := grammar.Range{Start: v.items[0].Start, End: v.items[len(words)-1].End}
		c.diags[len(c.diags)-1].Fix = edit(at, strings.Join(words, ", "))
	}
}

func (c *checker) list(n *grammar.Array) *typed {
	if len(n.Items) == 0 {
		return c.wrong(code.NotAllowed, n, "an empty list is not allowed in a trigger",
			"write what may stand in it")
	}
	out := &typed{Expr: n, Op: listOp}
	for _, e := range n.Items {
		const holds = "a list holds quoted texts or numbers"
		v, ok := asValue(e)
		k := kindNumbers
		switch {
		case !ok || v.Kind != word && v.Kind != grammar.String && v.Kind > grammar.Percent:
			c.report(code.OperandType, e.Span(), holds, "")
			return nil
		case v.Kind == word:
			c.meant(code.OperandType, v.Range, holds, strconv.Quote(v.Text))
			c.quoteAll(n)
			return nil
		case v.Kind == grammar.String:
			k = kindStrings
		}
		if out.Type != 0 && k != out.Type {
			return c.wrong(code.OperandType, e, "a list holds texts or numbers, not both", "")
		}
		out.Type, out.Parts = k, append(out.Parts, c.walk(e))
	}
	return out
}

// listOp is the Op of a list.
const listOp = "["

func (c *checker) unary(n *grammar.Unary) *typed {
	parts := c.walkAll(n.X)
	if parts == nil {
		return nil
	}
	k, wants := parts[0].Type, "a number"
	if n.Op == "not" {
		wants = "a condition"
	}
	if n.Op == "not" && k == kindTruth || n.Op == "-" && k.Amount() {
		return &typed{Expr: n, Type: k, Op: string(n.Op), Parts: parts}
	}
	return c.wrong(code.OperandType, n, fmt.Sprintf("%s takes %s, not %s", n.Op, wants, k), "")
}

// binary checks an operation; one that is denied is the not of it.
func (c *checker) binary(n *grammar.Binary) *typed {
	op, denied := strings.CutPrefix(string(n.Op), "not ")
	v := c.operation(n, grammar.Op(op))
	if v == nil || !denied {
		return v
	}
	return &typed{Expr: n, Type: kindTruth, Op: "not", Parts: []*typed{v}}
}

func (c *checker) operation(n *grammar.Binary, op grammar.Op) *typed {
	if op == "matches" {
		return c.matches(n)
	}
	parts := c.walkAll(n.Left, n.Right)
	if parts == nil {
		return nil
	}
	v := typed{Expr: n, Op: string(op), Parts: parts}
	if t, is := c.setOperator(v); is {
		return t
	}
	l, r := beside(op, parts[0], parts[1].Type), beside(op, parts[1], parts[0].Type)
	v.Type = resultOf(op, l, r)
	switch {
	case op == "+" && l == kindString && r == kindString:
		return c.refuse(n, "joining texts with +", "compare them one by one")
	case op.Turned() != "" && (c.misfits(v.Type, parts[0], parts[1]) || c.misfits(v.Type, parts[1], parts[0])):
		return nil
	case v.Type == 0:
		c.wrong(code.OperandType, n, fmt.Sprintf("%s does not apply to %s and %s", op, l, r),
			operandHint(op, l, r))
		d := &c.diags[len(c.diags)-1]
		if parts[1].Type == kindString && parts[0].Fact.ID == fact.UserMessage {
			d.Hint, d.Fix = "the text of the message is prompt", edit(n.Left.Span(), "prompt")
		}
		if l == kindString && r == kindStrings && op.Turned() == "" { // FACT contains [A, B]
			var all []string
			for _, text := range parts[1].Parts {
				all = append(all, format(n.Left)+" "+string(n.Op)+" "+format(text.Expr))
			}
			join := map[bool]string{true: " or ", false: " and "}[op == n.Op]
			d.Hint = "write " + strings.Join(all, join)
			d.Fix = edit(n.Range, "("+strings.Join(all, join)+")")
		}
		return nil
	}
	return &v
}

// misfits reports v, where it is a literal that a number is never compared with, or a list with one, and
// whether it is. Beside anything but a fact that is so only if the comparison has no type, result.
func (c *checker) misfits(result kind, number, v *typed) bool {
	lit, ok := asValue(v.Expr)
	of, before := number.Fact, len(c.diags)
	n, folds := constant(v)
	if !ok && folds && result == 0 { // 60 * 5
		lit.Literal, ok = grammar.Literal{Range: v.Expr.Span(), Kind: grammar.Decimal, Number: n,
			Text: strconv.FormatFloat(n, 'f', -1, 64)}, true
		if n == math.Trunc(n) {
			lit.Kind = grammar.Int
		}
	}
	switch {
	case !ok || !number.Type.Amount() || result != 0 && of.Name == "" || result == 0 && lit.Kind == list:
		return false
	case of.Name == "":
		of = fact.Fact{Name: format(number.Expr), Type: fact.Type(number.Type)}
	}
	for _, one := range lit.each() {
		if _, constant := number.Literal(); !constant && one.Kind <= grammar.Bool {
			c.number(of, one)
		}
	}
	if len(c.diags) == before && folds && of.Type == fact.Ratio { // 3/4
		c.meant(code.TypeMismatch, lit.Range, of.Name+" is a ratio, not a number",
			strconv.FormatFloat(math.Round(1e4*n)/100, 'f', -1, 64)+"%")
	}
	return len(c.diags) > before
}

// constant returns the number that arithmetic of plain numbers comes to; ok is false for anything else.
func constant(v *typed) (n float64, ok bool) {
	if lit, is := v.Literal(); is {
		return lit.Number, lit.Kind == grammar.Int || lit.Kind == grammar.Decimal
	}
	if len(v.Parts) != 2 {
		return 0, false
	}
	l, okL := constant(v.Parts[0])
	r, okR := constant(v.Parts[1])
	switch v.Op {
	case "+":
		n = l + r
	case "-":
		n = l - r
	case "*":
		n = l * r
	case "/":
		n = l / r
	default:
		return 0, false
	}
	return n, okL && okR && math.Abs(n) <= fact.MaxInt
}

func (c *checker) matches(n *grammar.Binary) *typed {
	l := c.walk(n.Left)
	p, ok := n.Right.(*grammar.Literal)
	if !ok || p.Kind != grammar.String {
		return c.wrong(code.BadPattern, n.Right, "the pattern of matches is not a quoted text",
			`write it out, as in prompt matches "deploy|release"`)
	}
	if _, err := regexp.Compile(p.Text); err != nil { // RE2: linear in the text, whatever the pattern
		_, why, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		return c.wrong(code.BadPattern, p, "the pattern cannot be read: "+why, patternHint(p.Text))
	}
	if l == nil {
		return nil
	}
	v := typed{Expr: n, Type: kindTruth, Op: "matches", Parts: []*typed{l, {Expr: p, Type: kindString}}}
	if t, is := c.setOperator(v); is {
		return t
	}
	if l.Type == kindString {
		return &v
	}
	return c.wrong(code.OperandType, n, fmt.Sprintf("matches does not apply to %s", l.Type),
		operandHint("contains", l.Type, kindString))
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
// It reports false if v does something else, and returns nil after having reported a mistake.
func (c *checker) setOperator(v typed) (t *typed, is bool) {
	op, set, other := grammar.Op(v.Op), v.Parts[0], v.Parts[1]
	equal := op == grammar.Equal || op == grammar.NotEqual
	switch {
	case (equal || op == grammar.In) && other.Type == kindSet:
		if set, other = other, set; !equal {
			op, equal = grammar.Equal, true
		}
	case set.Type != kindSet:
		return nil, false
	case equal, op == grammar.In && other.Type == kindStrings:
		equal = true
	case other.Type == kindString && op.Opposite() != "" && op.Turned() == "":
	default:
		return nil, false
	}
	texts, quoted := quotedTexts(other.Expr)
	if set.Term == nil || !quoted {
		return nil, false
	}
	of := &condition.Leaf{Kind: condition.Members, Fact: set.Fact.ID, Word: v.Op,
		Names: []string{texts[0].Text}}
	if equal {
		of = c.texts(set.Fact, op, texts)
	}
	if of == nil {
		return nil, true
	}
	return mention(v, of.Of(canonical(&v), c.schema)), true
}

// quotedTexts returns the quoted texts that n is; ok is false if it is anything else.
func quotedTexts(n grammar.Expr) (all []value, ok bool) {
	v, ok := asValue(n)
	all = v.each()
	return all, ok && !slices.ContainsFunc(all, func(v value) bool { return v.Kind != grammar.String })
}
