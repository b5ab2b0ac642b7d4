package trigger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/vocabulary"
	"github.com/aside-go/aside/internal/words"
)

// call checks the call of a function.
func (c *checker) call(n *grammar.Call) *typed {
	switch {
	case strings.Contains(n.Name, "."):
		return c.method(n)
	case slices.Contains(conditionBuiltins(), n.Name):
		return c.conditionBuiltin(n)
	case slices.Contains(allowedBuiltins(), n.Name):
		return c.valueBuiltin(n)
	}
	fn := findFunction(c.schema, n.Name)
	if fn == nil {
		return c.noFunction(n)
	}
	if len(n.Args) != fn.Texts {
		c.wrong(code.FunctionArguments, n, fmt.Sprintf("%s takes %s", fn.Name, takes(fn)), "as in "+fn.Example)
		if joined := joinedArguments(fn, n.Args); joined != "" {
			c.diags[len(c.diags)-1].Hint = "write " + joined
		}
		return nil
	}
	var args []string
	var patterns []callPattern
	for _, x := range n.Args {
		arg, ok := x.(*grammar.Literal)
		if !ok || arg.Kind != grammar.String {
			return c.unquotedArgument(fn, n)
		}
		p, ok := c.argument(fn, arg)
		if !ok {
			return nil
		}
		args, patterns = append(args, arg.Text), append(patterns, p)
	}
	if fn.Takes != vocabulary.CallPattern {
		patterns = nil
	}
	return mention(typed{Expr: n, Op: n.Name, Parts: c.walkAll(n.Args...)}, condition.Ask(fn, args, patterns))
}

// method reports the call of a method, with the operator or the function that does the same.
func (c *checker) method(n *grammar.Call) *typed {
	dot := strings.LastIndexByte(n.Name, '.')
	of, name, line := n.Name[:dot], n.Name[dot+1:], ""
	fn := words.Of(words.Function, name)
	if ft, _ := c.schema.Lookup(of); ft.Type == fact.Calls && slices.Contains(conditionBuiltins(), fn) {
		return c.refuse(n, "a method", "write "+fn+`(calls, .tool == "Bash")`)
	} else if fn != "" && len(n.Args) == 0 {
		line = fn + "(" + of + ")"
	} else if op := words.Of(words.Operator, name); op != "" && len(n.Args) == 1 {
		line = of + " " + op + " " + format(n.Args[0])
	}
	if of == "" || line == "" {
		return c.refuse(n, "a method", methodHint)
	}
	c.mend(code.NotAllowed, n.Range, "a method is not allowed in a trigger", "write "+line, line)
	return nil
}

// noFunction reports the call of a function that there is not.
func (c *checker) noFunction(n *grammar.Call) *typed {
	at, name := n.NameRange, n.Name
	if words.Of(words.Function, name) == "" && c.otherWord(code.UnknownFunction, at, name, "function") {
		if texts := textsOf(n.Args); texts != nil {
			line := name + ":" + strings.Join(texts, ",")
			d := &c.diags[len(c.diags)-1]
			d.Hint, d.Fix = "write "+line, edit(n.Range, line)
		}
		return nil
	}
	if slices.Contains(constants, name) && len(n.Args) == 0 {
		c.mend(code.UnknownFunction, n.Range, name+" is a condition, not a function", "write "+name, name)
		return nil
	}
	if to := words.Of(words.Function, name); to != "" {
		c.meant(code.UnknownFunction, at, fmt.Sprintf("there is no function %q", name), to)
		return nil
	}
	names := allowedBuiltins()
	for _, fn := range vocabulary.Functions() {
		names = append(names, fn.Name)
	}
	c.unknown(code.UnknownFunction, at, fmt.Sprintf("there is no function %q", name), name, names,
		"there are "+strings.Join(names, ", "))
	return nil
}

// textsOf returns some expressions as texts; nil if one is neither a quoted text nor a word.
func textsOf(xs []grammar.Expr) (texts []string) {
	for _, x := range xs {
		v, ok := asValue(x)
		if !ok || v.Kind != word && v.Kind != grammar.String {
			return nil
		}
		texts = append(texts, v.Text)
	}
	return texts
}

// unquotedArgument reports arguments that are no quoted texts.
func (c *checker) unquotedArgument(fn *vocabulary.Word, n *grammar.Call) *typed {
	at := grammar.Range{Start: n.Args[0].Span().Start, End: n.Args[len(n.Args)-1].Span().End}
	c.report(code.FunctionArguments, at, fmt.Sprintf("%s takes %s", fn.Name, takes(fn)), "as in "+fn.Example)
	texts := textsOf(n.Args)
	for i, text := range texts {
		texts[i] = strconv.Quote(text)
	}
	if d := &c.diags[len(c.diags)-1]; texts != nil {
		quoted := strings.Join(texts, ", ")
		d.Hint, d.Fix = fmt.Sprintf("write %s(%s)", fn.Name, quoted), edit(at, quoted)
	}
	return nil
}

// joinedArguments is the call of a function of one text that several were given, "" if it is anything else.
func joinedArguments(fn *vocabulary.Word, args []grammar.Expr) string {
	between := map[vocabulary.Argument]string{vocabulary.Chain: ">", vocabulary.CallPattern: ","}[fn.Takes]
	texts := textsOf(args)
	if fn.Texts != 1 || len(texts) < 2 || between == "" {
		return ""
	}
	return fmt.Sprintf("%s(%q)", fn.Name, strings.Join(texts, between))
}

// argument reads a text that a function takes, as a call pattern if it is one. It reports the mistake where
// ok is false.
func (c *checker) argument(fn *vocabulary.Word, arg *grammar.Literal) (p callPattern, ok bool) {
	at := arg.Range
	switch fn.Takes {
	case vocabulary.Chain:
		return p, c.chain(at, arg.Text)
	case vocabulary.CallPattern:
		return c.callPattern(at, arg.Text, callpattern.ParseList)
	}
	if !reminder.ValidID(arg.Text) {
		c.report(code.FunctionArguments, at, fmt.Sprintf("%q cannot be the id of a reminder", arg.Text),
			"letters, digits, . _ and -, as in "+fn.Example)
		return p, false
	}
	return p, true
}

// valueBuiltin checks len, lower and upper.
func (c *checker) valueBuiltin(n *grammar.Call) *typed {
	if len(n.Args) != 1 {
		return c.wrong(code.FunctionArguments, n, n.Name+" takes one value", "")
	}
	parts := c.walkAll(n.Args...)
	if parts == nil {
		return nil
	}
	v, k := typed{Expr: n, Type: kindString, Op: n.Name, Parts: parts}, parts[0].Type
	switch {
	case n.Name == "len" && (k == kindSet || k == kindCalls):
		return mention(v, condition.Length(parts[0].Fact, c.schema))
	case n.Name == "len" && (k == kindString || k == kindStrings || k == kindNumbers):
		v.Type = kindWhole
		return &v
	case n.Name != "len" && k == kindString:
		return &v
	}
	wants := "a string"
	if n.Name == "len" {
		wants = "a string or a set"
	}
	return c.wrong(code.OperandType, n.Args[0], fmt.Sprintf("%s takes %s, not %s", n.Name, wants, k), "")
}

// typeOf returns the type of the fact whose name x is, or begins with; 0 where it is anything else.
func (c *checker) typeOf(x grammar.Expr) fact.Type {
	head, _, _ := strings.Cut(format(x), ".")
	ft, _ := c.schema.Lookup(head)
	return ft.Type
}

// conditionBuiltin checks any, all, none, one and count.
func (c *checker) conditionBuiltin(n *grammar.Call) *typed {
	example := "write " + n.Name + `(tool_used, # == "Bash")`
	if len(n.Args) > 0 && c.typeOf(n.Args[0]) == fact.Calls {
		example = "write " + n.Name + `(calls, .tool == "Bash")`
	}
	if c.over != nil {
		return c.wrong(code.NotOverSet, n, n.Name+" stands inside another of its kind", "write one level alone")
	}
	if len(n.Args) != 2 {
		c.wrong(code.FunctionArguments, n, n.Name+" takes a set and a condition", example)
		if len(n.Args) == 0 {
			return nil
		}
		d, x := &c.diags[len(c.diags)-1], n.Args[0]
		compared, compares := x.(*grammar.Binary)
		switch of := c.typeOf(x); {
		case len(n.Args) > 1:
		case n.Name == "count" && (of == fact.Set || of == fact.Calls):
			d.Hint, d.Fix = "write len("+format(x)+")", edit(n.NameRange, "len")
		case n.Name == "any" && compares && c.typeOf(compared.Left) == fact.Set: // one of a set is enough
			d.Hint, d.Fix = "write "+format(x), edit(n.Range, format(x))
		}
		return nil
	}
	name, named := n.Args[0].(*grammar.Name)
	if !named {
		return c.wrong(code.NotOverSet, n.Args[0], n.Name+" goes directly over a fact that is a set", example)
	}
	over := c.walk(name)
	switch {
	case over == nil:
		return nil
	case over.Type != kindSet && over.Type != kindCalls:
		return c.wrong(code.NotOverSet, name, fmt.Sprintf("%s goes over a set, not %s", n.Name, over.Type), example)
	}
	c.over = &over.Fact
	p := c.walk(n.Args[1])
	c.over = nil
	switch {
	case p == nil:
		return nil
	case p.Type != kindTruth:
		hint := `compare the member, as in # == "Bash"`
		if over.Type == kindCalls {
			hint = `compare a field, as in .tool == "Bash"`
		}
		return c.wrong(code.OperandType, n.Args[1], fmt.Sprintf("%s takes a condition, not %s", n.Name, p.Type),
			hint)
	}
	v := typed{Expr: n, Op: n.Name, Parts: []*typed{over, p}}
	if t := c.newTally(canonical(&v), n.Name, over.Fact, p); t != nil {
		return mention(v, t)
	}
	return nil
}
