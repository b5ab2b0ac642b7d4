package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
)

// call checks the call of a function of ours; those of expr-lang are builtins.
func (a *exprChecker) call(n *ast.CallNode) kind {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return a.refuse(n, "a method", "")
	}
	fn := findFunction(a.schema, callee.Value)
	if fn == nil {
		return a.noFunction(n, callee)
	}
	if len(n.Arguments) != fn.args {
		return a.wrong(code.FunctionArguments, n,
			fmt.Sprintf("%s takes %s", fn.name, fn.takes()), "write "+fn.example())
	}
	var args []string
	var patterns []callPattern
	for _, x := range n.Arguments {
		arg, ok := x.(*ast.StringNode)
		if !ok {
			return a.unquotedArgument(fn, x)
		}
		p, ok := a.argument(fn, arg)
		if !ok {
			return kindWrong
		}
		args, patterns = append(args, arg.Value), append(patterns, p)
	}
	if fn.askCalls == nil {
		patterns = nil
	}
	t := fn.term(args, patterns)
	a.stand(n, input{key: t.text, term: t})
	if fn.bool {
		return kindTruth
	}
	return kindWhole
}

// noFunction reports the call of a function that there is not.
func (a *exprChecker) noFunction(n *ast.CallNode, callee *ast.IdentifierNode) kind {
	at, name := a.span(n.Location()), callee.Value
	if i := findShorthand(a.schema, name); i >= 0 {
		a.report(code.UnknownFunction, at, fmt.Sprintf("%q is a shorthand, not a function", name),
			"write "+shorthands[i].example)
		return kindWrong
	}
	if to := words.Of(words.Function, name); to != "" {
		a.mend(code.UnknownFunction, at, fmt.Sprintf("there is no function %q", name), "did you mean "+to+"?", to)
		if d := &a.diags[len(a.diags)-1]; d.Fix != nil {
			d.Fix.Range = a.span(callee.Location())
		}
		return kindWrong
	}
	names := allowedBuiltins()
	for i := range functions {
		names = append(names, functions[i].name)
	}
	a.unknown(code.UnknownFunction, at, fmt.Sprintf("there is no function %q", name), name, names,
		"there are "+strings.Join(names, ", "))
	return kindWrong
}

// unquotedArgument reports an argument that is not a quoted text.
func (a *exprChecker) unquotedArgument(fn *function, arg ast.Node) kind {
	at := a.span(arg.Location())
	a.report(code.FunctionArguments, at, fmt.Sprintf("%s takes %s", fn.name, fn.takes()),
		"write "+fn.example())
	if id, ok := arg.(*ast.IdentifierNode); ok && fn.args == 1 {
		d := &a.diags[len(a.diags)-1]
		d.Hint, d.Fix = fmt.Sprintf("write %s(%q)", fn.name, id.Value), edit(at, strconv.Quote(id.Value))
	}
	return kindWrong
}

// argument reads a text that a function takes, as a call pattern if it is one. It reports the mistake where
// ok is false.
func (a *exprChecker) argument(fn *function, arg *ast.StringNode) (p callPattern, ok bool) {
	at := a.span(arg.Location())
	switch fn.arg {
	case toolChain:
		return p, a.chain(at, arg.Value)
	case callArgument:
		return a.callPattern(at, arg.Value)
	}
	if !reminder.ValidID(arg.Value) {
		a.report(code.FunctionArguments, at, fmt.Sprintf("%q cannot be the id of a reminder", arg.Value),
			"letters, digits, . _ and -, as in "+fn.example())
		return p, false
	}
	a.ids = append(a.ids, ref{id: arg.Value, at: at})
	return p, true
}

// allowedBuiltins returns the functions of expr-lang that are allowed: first those that take a value, then
// those that take a set and a condition.
func allowedBuiltins() []string {
	return []string{"len", "lower", "upper", "any", "all", "none", "one", "count"}
}

// conditionBuiltins returns those of allowedBuiltins that take a set and a condition.
func conditionBuiltins() []string { return allowedBuiltins()[3:] }

// builtin checks the call of a function of expr-lang.
func (a *exprChecker) builtin(n *ast.BuiltinNode) kind {
	switch {
	case !slices.Contains(allowedBuiltins(), n.Name):
		return a.refuse(n, n.Name, "allowed are len, lower, upper, any, all, none, one and count")
	case slices.Contains(conditionBuiltins(), n.Name):
		return a.conditionBuiltin(n)
	default:
		return a.valueBuiltin(n)
	}
}

// valueBuiltin checks len, lower and upper.
func (a *exprChecker) valueBuiltin(n *ast.BuiltinNode) kind {
	if len(n.Arguments) != 1 {
		return a.wrong(code.FunctionArguments, n, n.Name+" takes one value", "")
	}
	k := a.walk(n.Arguments[0])
	switch {
	case k == kindWrong:
		return kindWrong
	case n.Name == "len" && (k == kindSet || k == kindCalls):
		if ft, ok := a.listFact(n.Arguments[0]); ok {
			t := lengthOf(ft)
			a.stand(n, input{key: t.text, term: t})
		}
		return kindWhole
	case n.Name == "len" && (k == kindString || k == kindStrings || k == kindNumbers):
		return kindWhole
	case n.Name != "len" && k == kindString:
		return kindString
	}
	wants := "a string"
	if n.Name == "len" {
		wants = "a string or a set"
	}
	return a.wrong(code.OperandType, n.Arguments[0], fmt.Sprintf("%s takes %s, not %s", n.Name, wants, k), "")
}

// conditionBuiltin checks any, all, none, one and count.
func (a *exprChecker) conditionBuiltin(n *ast.BuiltinNode) kind {
	example := "write " + n.Name + `(tool_used, # == "Bash")`
	if a.over != nil {
		return a.wrong(code.NotOverSet, n, n.Name+" stands inside another of its kind", "write one level alone")
	}
	if len(n.Arguments) != 2 {
		return a.wrong(code.FunctionArguments, n, n.Name+" takes a set and a condition", example)
	}
	over, ok := a.listFact(n.Arguments[0])
	if !ok {
		switch x := n.Arguments[0].(type) {
		case *ast.IdentifierNode, *ast.MemberNode:
			if k := a.walk(x); k != kindWrong {
				a.wrong(code.NotOverSet, x, fmt.Sprintf("%s goes over a set, not %s", n.Name, k), example)
			}
		default:
			a.wrong(code.NotOverSet, x, n.Name+" goes directly over a fact that is a set", example)
		}
		return kindWrong
	}
	p, ok := n.Arguments[1].(*ast.PredicateNode)
	if !ok {
		return a.wrong(code.FunctionArguments, n, n.Name+" takes a set and a condition", example)
	}
	a.over = &over
	k := a.walk(p.Node)
	a.over = nil
	switch {
	case k == kindWrong:
		return kindWrong
	case k != kindTruth:
		hint := `compare the member, as in # == "Bash"`
		if over.Type == fact.Calls {
			hint = `compare a field, as in .tool == "Bash"`
		}
		return a.wrong(code.OperandType, p.Node, fmt.Sprintf("%s takes a condition, not %s", n.Name, k), hint)
	}
	text := n.String()
	test, err := a.newMemberTest(p.Node)
	if err != nil { // never, since walk finds all mistakes
		return a.wrong(code.UnreadableExpression, p.Node, "the expression cannot be compiled",
			"write it with fields, literals and comparisons alone")
	}
	t := memberTerm(text, n.Name, over, test)
	a.stand(n, input{key: t.text, term: t})
	if n.Name == "count" {
		return kindWhole
	}
	return kindTruth
}

// listFact returns the set or the list of calls that n names; ok is false if it names none.
func (a *exprChecker) listFact(n ast.Node) (ft fact.Fact, ok bool) {
	name := ""
	switch n := n.(type) {
	case *ast.IdentifierNode:
		name = n.Value
	case *ast.MemberNode:
		name, _ = declaredName(n)
	}
	ft, ok = a.schema.Lookup(name)
	return ft, ok && (ft.Type == fact.Set || ft.Type == fact.Calls)
}

// declaredName returns the name of a declared fact, vars.NAME.
func declaredName(n *ast.MemberNode) (string, bool) {
	if v, ok := n.Node.(*ast.IdentifierNode); ok && v.Value == "vars" {
		if name, ok := n.Property.(*ast.StringNode); ok {
			return "vars." + name.Value, true
		}
	}
	return "", false
}

// unreadable reports that expr-lang cannot parse the text. The parser of expr-lang tells the kind of a
// mistake only by its words, so this is the one place that reads them; without a match the message is a
// general one.
func (a *exprChecker) unreadable(err error) {
	fe, ok := err.(*file.Error)
	if !ok {
		a.report(code.UnreadableExpression, a.span(file.Location{To: len(a.text)}),
			"the expression cannot be read", "")
		return
	}
	at := a.span(fe.Location)
	if n := len(a.text) - (at.Start.Offset - a.at.Offset); at.Start == at.End && n > 0 {
		at.End = advance(at.Start, a.text[len(a.text)-n:], 1)
	}
	tok := a.text[min(at.Start.Offset-a.at.Offset, len(a.text)):min(at.End.Offset-a.at.Offset, len(a.text))]
	switch {
	case tok == "" || strings.Contains(fe.Message, "EOF") || strings.Contains(fe.Message, "unexpected end"):
		a.report(code.UnreadableExpression, at, "the expression ends too early", "")
	case tok == "=":
		a.mend(code.UnreadableExpression, at, "= is not a comparison", "did you mean ==?", "==")
	case strings.Contains(fe.Message, "literal not terminated"):
		a.report(code.UnreadableExpression, at, "the text is not closed", "write the closing quote")
	case tok[0] == '#' && a.misspeltPredicate():
	case tok == ":" && at.Start.Offset > a.at.Offset && isDigit(a.text[at.Start.Offset-a.at.Offset-1]):
		a.report(code.UnreadableExpression, at, "a time of the day is not written in a trigger",
			"compare the hour, as in hour >= 22")
	case strings.Contains(fe.Message, "unexpected token"):
		a.report(code.UnreadableExpression, at, fmt.Sprintf("%q was not expected here", tok), unexpectedHint(tok))
	case tok == ")" && predicateCall().MatchString(a.text):
		a.report(code.UnreadableExpression, at, "a condition is missing before \")\"",
			`write one for the members, as in any(tool_used, # == "Bash")`)
	case strings.Contains(fe.Message, "unrecognized character"):
		a.report(code.UnreadableExpression, at, fmt.Sprintf("%q means nothing here", tok), "")
	default:
		a.report(code.UnreadableExpression, at, fmt.Sprintf("the expression cannot be read at %q", tok), "")
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// unexpectedHint suggests the likely meaning of a token that expr-lang did not expect.
func unexpectedHint(tok string) string {
	switch tok {
	case ":":
		return "a shorthand has no blank before its colon: write after_tool:Edit"
	case "contains", "startsWith", "endsWith", "matches":
		return fmt.Sprintf("it stands between its two sides: write prompt %s \"deploy\"", tok)
	case ".":
		return "a field stands inside any, all, none, one or count: any(calls, .tool == \"Bash\")"
	case "}":
		return "write parentheses, ( and ), around a condition"
	default:
		return ""
	}
}

// predicateCall is a question about the members of a set.
var predicateCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(any|all|none|one)\s*\(`)
})

// calledNames are the names in front of an opening parenthesis.
var calledNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z_]\w*\s*\(`) })

// misspeltPredicate reports Any(tool_used, # == "Bash"), of which expr-lang says only that # means nothing
// there.
func (a *exprChecker) misspeltPredicate() bool {
	predicates := conditionBuiltins()
	for _, at := range calledNames().FindAllStringIndex(a.text, -1) {
		name := strings.TrimRight(a.text[at[0]:at[1]-1], " \t\r\n")
		if slices.Contains(predicates, name) {
			continue
		}
		if near := near.Names(name, predicates); len(near) > 0 {
			r := grammar.Range{Start: advance(a.at, a.text, utf8.RuneCountInString(a.text[:at[0]]))}
			r.End = advance(r.Start, name, len(name))
			a.mend(code.UnknownFunction, r, fmt.Sprintf("there is no function %q", name), "did you mean "+near[0]+"?",
				near[0])
			return true
		}
	}
	return false
}
