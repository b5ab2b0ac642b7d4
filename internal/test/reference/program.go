package reference

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// Program is a trigger as an expr-lang program. It is immutable.
type Program struct {
	source  string
	program *vm.Program
	schema  *fact.Schema
	written string        // the trigger
	texts   []string      // string literals, s0, s1, … in the source
	general []*vm.Program // general operands, by number
}

// New turns a trigger into a program; a nil schema stands for the built-in facts.
func New(t *grammar.Trigger, schema *fact.Schema) (*Program, error) {
	if schema == nil {
		schema = fact.Builtin()
	}
	w := writer{p: &Program{schema: schema, written: t.Source}}
	w.p.source = w.expr(t.Root)
	if w.err != nil {
		return nil, w.err
	}
	var err error
	w.p.program, err = expr.Compile(w.p.source, expr.AsInt(), expr.Optimize(false), expr.MaxNodes(0))
	return w.p, err
}

// String returns the program's source.
func (p *Program) String() string { return p.source }

// Eval returns the trigger's truth on the turn that f holds.
func (p *Program) Eval(f *fact.Frame) (fact.Truth, error) {
	env := environment(p, f)
	out, err := vm.Run(p.program, env)
	if err != nil {
		return fact.Unknown, err
	}
	n, ok := out.(int)
	if !ok || n < 0 || n > 2 {
		return fact.Unknown, fmt.Errorf("the program of %q came to %v", p.source, out)
	}
	return fact.Truth(n), nil
}

// writer writes the source.
type writer struct {
	p   *Program
	err error
}

func (w *writer) fail(format string, args ...any) string {
	w.err = errors.Join(w.err, fmt.Errorf(format, args...))
	return "1"
}

func (w *writer) expr(x grammar.Expr) string {
	switch x := x.(type) {
	case *grammar.Or:
		return w.fold("max", x.Terms)
	case *grammar.And:
		return w.fold("min", x.Terms)
	case *grammar.Not:
		return "(2 - " + w.expr(x.X) + ")"
	case *grammar.Constant:
		if x.Name == "always" {
			return "2"
		}
		return "0"
	case *grammar.Name:
		return leaf(name(x.Name), known(x.Name))
	case *grammar.Shorthand:
		return w.shorthand(x)
	case *grammar.Cadence:
		return cadence(x)
	case *grammar.Binary:
		if isValue(x.Left) && isValue(x.Right) && (isWord(x.Left) || isWord(x.Right)) &&
			strings.Contains("|==|!=|<|<=|>|>=|in|not in|", "|"+string(x.Op)+"|") {
			return w.comparison(x)
		}
	case *grammar.Call, *grammar.Unary, *grammar.Literal:
	default:
		return w.fail("a tree with %T in it", x)
	}
	return w.other(w.p.written[x.Span().Start.Offset:x.Span().End.Offset])
}

// isValue reports whether x is a word, a literal, or a list of these.
func isValue(x grammar.Expr) bool {
	switch x := x.(type) {
	case *grammar.Literal, *grammar.Name:
		return true
	case *grammar.Array:
		return !slices.ContainsFunc(x.Items, func(item grammar.Expr) bool { return !isValue(item) })
	}
	return false
}

func isWord(x grammar.Expr) bool {
	_, is := x.(*grammar.Name)
	return is
}

// textOf is a word, or what a literal has between its quotes.
func textOf(x grammar.Expr) string {
	if word, is := x.(*grammar.Name); is {
		return word.Name
	}
	return x.(*grammar.Literal).Text
}

func (w *writer) fold(function string, terms []grammar.Expr) string {
	s := make([]string, len(terms))
	for i, t := range terms {
		s[i] = w.expr(t)
	}
	return function + "(" + strings.Join(s, ", ") + ")"
}

// leaf is the truth of a condition that is asked only if all else holds.
func leaf(condition string, known ...string) string {
	if len(known) == 0 {
		known = []string{"true"}
	}
	return "(" + strings.Join(known, " && ") + " ? ((" + condition + ") ? 2 : 0) : 1)"
}

func known(fact string) string { return "known(" + strconv.Quote(fact) + ")" }

// name is how the program reads a fact.
func name(fact string) string { return "(" + fact + ")" }

// text is how the program reads a string literal, which may hold anything.
func (w *writer) text(s string) string {
	i := slices.Index(w.p.texts, s)
	if i < 0 {
		i = len(w.p.texts)
		w.p.texts = append(w.p.texts, s)
	}
	return "s" + strconv.Itoa(i)
}

func cadence(x *grammar.Cadence) string {
	passed, n := "turns", int64(x.N)
	switch x.Unit {
	case grammar.UserTurns:
		passed = "user_turns"
	case grammar.Elapsed:
		passed, n = "passed", int64(x.Duration)
	}
	return fmt.Sprintf("(between ? 0 : %[1]s == nil ? 1 : (%[1]s >= %[2]d ? 2 : 0))", passed, n)
}

func (w *writer) shorthand(x *grammar.Shorthand) string {
	args := make([]string, len(x.Args))
	for i, a := range x.Args {
		args[i] = a.Text
		if len(a.Text) > 1 && a.Text[0] == '"' {
			if s, err := strconv.Unquote(a.Text); err == nil {
				args[i] = s
			}
		}
	}
	switch x.Name {
	case "after_tool":
		return leaf("any(tool_used, "+w.tools(args)+")", known("tool_used"))
	case "tool_failed":
		return fmt.Sprintf(`(told ? (any(failed, %[1]s) ? 2 : 0)`+
			` : (known("last_tool_call_failed") && !last_tool_call_failed) ? 0 : !known("tool_used") ? 1`+
			` : none(tool_used, %[1]s) ? 0`+
			` : (known("last_tool_call_failed") && all(tool_used, %[1]s)) ? 2 : 1)`, w.tools(args))
	case "thread":
		parts := make([]string, len(args))
		for i, a := range args {
			parts[i] = "thread_type == " + w.text(a)
		}
		return leaf(strings.Join(parts, " || "), known("thread_type"))
	case "turn_gt":
		return leaf("turn_count > "+w.count(args[0]), known("turn_count"))
	case "user_turn_gt":
		return leaf("user_turn_count > "+w.count(args[0]), known("user_turn_count"))
	case "repeated_tool_chain":
		i := strings.LastIndexByte(args[0], '|')
		if i < 0 {
			return w.fail("a chain without a number: %q", args[0])
		}
		chain := strings.TrimSpace(args[0][:i])
		if s, err := strconv.Unquote(chain); err == nil && chain[0] == '"' {
			chain = s
		}
		asked := "tool_chain_repeats(" + w.text(chain) + ")"
		return leaf(asked+" >= "+w.count(strings.TrimSpace(args[0][i+1:])), asked+" != nil")
	}
	return w.fail("a shorthand %q", x.Name)
}

// tools is the condition that the tool that is looked at is one of some.
func (w *writer) tools(patterns []string) string {
	parts := make([]string, len(patterns))
	for i, p := range patterns {
		parts[i] = "tool(#, " + w.text(p) + ")"
	}
	return "(" + strings.Join(parts, " || ") + ")"
}

func (w *writer) count(s string) string {
	digits, unit := s, int64(1)
	if head, ok := strings.CutSuffix(s, "k"); ok {
		digits, unit = head, 1000
	} else if head, ok := strings.CutSuffix(s, "M"); ok {
		digits, unit = head, 1_000_000
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return w.fail("a count %q", s)
	}
	return strconv.FormatInt(n*unit, 10)
}

// other returns the source of a general operand: if everything that it mentions is known, the truth that
// expr-lang computes for its text.
func (w *writer) other(text string) string {
	text = plainNumbers(text)
	tree, err := parser.Parse(text)
	if err != nil {
		return w.fail("a general operand that cannot be parsed: %w", err)
	}
	m := &mentions{}
	ast.Walk(&tree.Node, m)
	program, err := expr.Compile(text, expr.AsBool(), expr.Optimize(false), expr.Patch(finite{}),
		expr.Function("finite", func(args ...any) (any, error) {
			if v, ok := args[0].(float64); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
				return nil, errors.New("not a finite number")
			}
			return args[0], nil
		}))
	if err != nil {
		return w.fail("a general operand that cannot be compiled: %w", err)
	}
	w.p.general = append(w.p.general, program)
	run := "general(" + strconv.Itoa(len(w.p.general)-1) + ")"
	if len(m.known) == 0 {
		return run
	}
	return "(" + strings.Join(m.known, " && ") + " ? " + run + " : 1)"
}

// unit is a text in quotes, or a number with a unit.
var unit = regexp.MustCompile(`"(?:\\.|[^"])*"|\$([\d.]+)|\b([\d.]+)([%kM]|(?:h|ms|m|s|d)[\dhmsd.]*)`)

// plainNumbers writes an expression without units: 75% as 0.75, 5m in nanoseconds.
func plainNumbers(text string) string {
	return unit.ReplaceAllStringFunc(text, func(s string) string {
		m := unit.FindStringSubmatch(s)
		v, _ := strconv.ParseFloat(m[2], 64)
		switch {
		case s[0] == '"':
			return s
		case m[1] != "":
			return m[1]
		case m[3] == "%":
			v /= 100
		case m[3] == "k":
			v *= 1e3
		case m[3] == "M":
			v *= 1e6
		default:
			d, _ := time.ParseDuration(s)
			v = float64(d)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	})
}

// finite is a patch that lets no result of an operation pass that is not finite.
type finite struct{}

// Visit implements ast.Visitor.
func (finite) Visit(n *ast.Node) {
	if b, ok := (*n).(*ast.BinaryNode); ok && slices.Contains([]string{"+", "-", "*", "/", "**", "^"},
		b.Operator) {
		ast.Patch(n, &ast.CallNode{Callee: &ast.IdentifierNode{Value: "finite"}, Arguments: []ast.Node{b}})
	}
}

// mentions collects conditions that everything in an expression is known.
type mentions struct {
	known []string
}

// Visit implements ast.Visitor.
func (m *mentions) Visit(n *ast.Node) {
	add := func(s string) {
		if !slices.Contains(m.known, s) {
			m.known = append(m.known, s)
		}
	}
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		switch n.Value {
		case "vars", "tool_count", "turns_since_tool", "used", "turns_since", "output_tokens_since",
			"tool_chain_repeats":
		default:
			add(known(n.Value))
		}
	case *ast.MemberNode:
		if p, ok := n.Property.(*ast.StringNode); ok {
			add(known("vars." + p.Value))
		}
	case *ast.CallNode:
		f, ok := n.Callee.(*ast.IdentifierNode)
		if !ok || len(n.Arguments) != 1 {
			return
		}
		if arg, ok := n.Arguments[0].(*ast.StringNode); ok {
			add(fmt.Sprintf("answered(%q, %s)", f.Value, strconv.Quote(arg.Value)))
		}
	}
}

// comparison returns the source of a comparison: expr-lang's own operator, except for names of tools.
func (w *writer) comparison(x *grammar.Binary) string {
	left, isLeft := w.fact(x.Left)
	right, isRight := w.fact(x.Right)
	if isLeft && (left.Type == fact.String || left.Type == fact.Set) && x.Op != grammar.In &&
		x.Op != grammar.NotIn {
		isRight = false // a word beside a text is a text
	}
	switch {
	case isLeft && isRight && (x.Op == grammar.In || x.Op == grammar.NotIn):
		return leaf(name(left.Name)+" "+x.Op.String()+" "+name(right.Name), known(left.Name), known(right.Name))
	case isLeft && isRight:
		return leaf(name(left.Name)+" "+x.Op.String()+" "+name(right.Name), known(left.Name), known(right.Name))
	case isLeft:
		return w.against(left, x.Op.String(), x.Right)
	case !isRight:
		return w.fail("a comparison without a fact")
	case right.Type == fact.Set:
		op := "=="
		if x.Op == grammar.NotEqual || x.Op == grammar.NotIn {
			op = "!="
		}
		return w.against(right, op, x.Left)
	}
	return leaf(w.literal(right, x.Left)+" "+x.Op.String()+" "+name(right.Name), known(right.Name))
}

func (w *writer) fact(x grammar.Expr) (fact.Fact, bool) {
	if !isWord(x) {
		return fact.Fact{}, false
	}
	return w.p.schema.Lookup(textOf(x))
}

// against compares a fact with a literal to its right.
func (w *writer) against(ft fact.Fact, op string, o grammar.Expr) string {
	items := []grammar.Expr{o}
	if list, is := o.(*grammar.Array); is {
		items = list.Items
	}
	if ft.Type != fact.Set {
		if op != "in" && op != "not in" {
			return leaf(name(ft.Name)+" "+op+" "+w.literal(ft, o), known(ft.Name))
		}
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = name(ft.Name) + " == " + w.literal(ft, item)
		}
		if op == "not in" {
			return leaf("!("+strings.Join(parts, " || ")+")", known(ft.Name))
		}
		return leaf(strings.Join(parts, " || "), known(ft.Name))
	}
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = "# == " + w.text(textOf(item))
		if ft.ID == fact.ToolUsed {
			parts[i] = "tool(#, " + w.text(textOf(item)) + ")"
		}
	}
	cond := "any(" + name(ft.Name) + ", " + strings.Join(parts, " || ") + ")"
	if op == "!=" || op == "not in" {
		cond = "!" + cond
	}
	return leaf(cond, known(ft.Name))
}

// literal is a value of a fact's type.
func (w *writer) literal(ft fact.Fact, x grammar.Expr) string {
	o, _ := x.(*grammar.Literal)
	switch ft.Type {
	case fact.Bool:
		return o.Text
	case fact.String:
		return w.text(textOf(x))
	case fact.Duration:
		return "(" + strconv.FormatFloat(float64(o.Duration), 'e', -1, 64) + ")"
	case fact.Int:
		return "(" + strconv.FormatInt(int64(o.Number), 10) + ")"
	default:
		return "(" + strconv.FormatFloat(o.Number, 'e', -1, 64) + ")"
	}
}
