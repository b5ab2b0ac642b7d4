package trigger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/vocabulary"
	"github.com/aside-go/aside/internal/words"
)

// call checks the call of a function.
func (a *exprChecker) call(n *grammar.Call) kind {
	switch {
	case strings.Contains(n.Name, "."):
		return a.refuse(n, "a method", "")
	case slices.Contains(conditionBuiltins(), n.Name):
		return a.conditionBuiltin(n)
	case slices.Contains(allowedBuiltins(), n.Name):
		return a.valueBuiltin(n)
	}
	fn := findFunction(a.schema, n.Name)
	if fn == nil {
		return a.noFunction(n)
	}
	if len(n.Args) != fn.Texts {
		return a.wrong(code.FunctionArguments, n,
			fmt.Sprintf("%s takes %s", fn.Name, takes(fn)), "write "+fn.Example)
	}
	var args []string
	var patterns []callPattern
	for _, x := range n.Args {
		arg, ok := x.(*grammar.Literal)
		if !ok || arg.Kind != grammar.String {
			return a.unquotedArgument(fn, x)
		}
		p, ok := a.argument(fn, arg)
		if !ok {
			return kindWrong
		}
		args, patterns = append(args, arg.Text), append(patterns, p)
	}
	if fn.Takes != vocabulary.CallPattern {
		patterns = nil
	}
	return a.mention(n, condition.Ask(fn, args, patterns))
}

// noFunction reports the call of a function that there is not.
func (a *exprChecker) noFunction(n *grammar.Call) kind {
	at, name := n.NameRange, n.Name
	if a.otherWord(code.UnknownFunction, at, name, "function") {
		return kindWrong
	}
	if to := words.Of(words.Function, name); to != "" {
		a.mend(code.UnknownFunction, at, fmt.Sprintf("there is no function %q", name), "did you mean "+to+"?", to)
		return kindWrong
	}
	names := allowedBuiltins()
	for _, fn := range vocabulary.Functions() {
		names = append(names, fn.Name)
	}
	a.unknown(code.UnknownFunction, at, fmt.Sprintf("there is no function %q", name), name, names,
		"there are "+strings.Join(names, ", "))
	return kindWrong
}

// unquotedArgument reports an argument that is not a quoted text.
func (a *exprChecker) unquotedArgument(fn *vocabulary.Word, arg grammar.Expr) kind {
	at := arg.Span()
	a.report(code.FunctionArguments, at, fmt.Sprintf("%s takes %s", fn.Name, takes(fn)), "write "+fn.Example)
	if id, ok := arg.(*grammar.Name); ok && fn.Texts == 1 {
		d := &a.diags[len(a.diags)-1]
		d.Hint, d.Fix = fmt.Sprintf("write %s(%q)", fn.Name, id.Name), edit(at, strconv.Quote(id.Name))
	}
	return kindWrong
}

// argument reads a text that a function takes, as a call pattern if it is one. It reports the mistake where
// ok is false.
func (a *exprChecker) argument(fn *vocabulary.Word, arg *grammar.Literal) (p callPattern, ok bool) {
	at := arg.Range
	switch fn.Takes {
	case vocabulary.Chain:
		return p, a.chain(at, arg.Text)
	case vocabulary.CallPattern:
		return a.callPattern(at, arg.Text)
	}
	if !reminder.ValidID(arg.Text) {
		a.report(code.FunctionArguments, at, fmt.Sprintf("%q cannot be the id of a reminder", arg.Text),
			"letters, digits, . _ and -, as in "+fn.Example)
		return p, false
	}
	return p, true
}

// valueBuiltin checks len, lower and upper.
func (a *exprChecker) valueBuiltin(n *grammar.Call) kind {
	if len(n.Args) != 1 {
		return a.wrong(code.FunctionArguments, n, n.Name+" takes one value", "")
	}
	k := a.walk(n.Args[0])
	switch {
	case k == kindWrong:
		return kindWrong
	case n.Name == "len" && (k == kindSet || k == kindCalls):
		ft, _ := a.listFact(n.Args[0])
		return a.mention(n, condition.Length(ft, a.schema))
	case n.Name == "len" && (k == kindString || k == kindStrings || k == kindNumbers):
		return kindWhole
	case n.Name != "len" && k == kindString:
		return kindString
	}
	wants := "a string"
	if n.Name == "len" {
		wants = "a string or a set"
	}
	return a.wrong(code.OperandType, n.Args[0], fmt.Sprintf("%s takes %s, not %s", n.Name, wants, k), "")
}

// conditionBuiltin checks any, all, none, one and count.
func (a *exprChecker) conditionBuiltin(n *grammar.Call) kind {
	example := "write " + n.Name + `(tool_used, # == "Bash")`
	if a.over != nil {
		return a.wrong(code.NotOverSet, n, n.Name+" stands inside another of its kind", "write one level alone")
	}
	if len(n.Args) != 2 {
		return a.wrong(code.FunctionArguments, n, n.Name+" takes a set and a condition", example)
	}
	over, ok := a.listFact(n.Args[0])
	if !ok {
		switch x := n.Args[0].(type) {
		case *grammar.Name:
			if k := a.walk(x); k != kindWrong {
				a.wrong(code.NotOverSet, x, fmt.Sprintf("%s goes over a set, not %s", n.Name, k), example)
			}
		default:
			a.wrong(code.NotOverSet, x, n.Name+" goes directly over a fact that is a set", example)
		}
		return kindWrong
	}
	p := n.Args[1]
	a.over = &over
	k := a.walk(p)
	a.over = nil
	switch {
	case k == kindWrong:
		return kindWrong
	case k != kindTruth:
		hint := `compare the member, as in # == "Bash"`
		if over.Type == fact.Calls {
			hint = `compare a field, as in .tool == "Bash"`
		}
		return a.wrong(code.OperandType, p, fmt.Sprintf("%s takes a condition, not %s", n.Name, k), hint)
	}
	if t := a.newTally(canonical(n), n.Name, over, p); t != nil {
		return a.mention(n, t)
	}
	return kindWrong
}

// listFact returns the set or the list of calls that n names; ok is false if it names none.
func (a *exprChecker) listFact(n grammar.Expr) (ft fact.Fact, ok bool) {
	name, ok := n.(*grammar.Name)
	if !ok {
		return ft, false
	}
	ft, ok = a.schema.Lookup(name.Name)
	return ft, ok && (ft.Type == fact.Set || ft.Type == fact.Calls)
}
