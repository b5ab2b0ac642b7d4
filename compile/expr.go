package compile

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// general is an operand that only expr-lang can read, compiled to a program of its own. It is strict: unless
// everything it mentions is known, it is Unknown, however the expression would have come out.
//
// In an expression a ratio is a number from 0 to 1 and percentages do not exist; a duration cannot be
// mentioned at all, since no unit of it would be obvious, and stands in a comparison by itself; * in a tool's
// name is a plain character.
type general struct {
	program *vm.Program
	inputs  []input
	ids     []fact.ID
	spare   sync.Pool // of *machine
}

// input is something a general operand mentions: a fact, or the answer of a function.
type input struct {
	key  string // the name it has in the program
	fact fact.Fact
	term *term // nil for a fact
}

// machine holds the virtual machine and the facts of one run of a program. The facts stand in a map that
// each run refills.
type machine struct {
	vm  vm.VM
	env map[string]any
}

// compileGeneral compiles text, which was found to be allowed and to mention nothing but inputs.
func compileGeneral(text string, inputs []input) (*general, error) {
	g := &general{inputs: inputs}
	env := make(map[string]any, len(inputs))
	for _, in := range inputs {
		env[in.key] = in.zero()
		if in.term == nil {
			g.ids = append(g.ids, in.fact.ID)
		} else {
			g.ids = append(g.ids, in.term.ids...)
		}
	}
	var err error
	// Without the optimizer, which would compute some errors of the run time while it compiles.
	g.program, err = expr.Compile(text, expr.Env(env), expr.AsBool(), expr.Optimize(false),
		expr.Patch(renamer{}))
	if err != nil {
		return nil, err
	}
	g.spare.New = func() any { return &machine{env: make(map[string]any, len(inputs))} }
	return g, nil
}

// renamer replaces inputs that are not single words, vars.NAME and calls of functions, by the key under
// which the program finds them.
type renamer struct{}

func (renamer) Visit(n *ast.Node) {
	if key, ok := inputKey(*n); ok {
		ast.Patch(n, &ast.IdentifierNode{Value: key})
	}
}

// inputKey returns the key of the input that n is, unless it is a plain word.
func inputKey(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.MemberNode:
		if v, ok := n.Node.(*ast.IdentifierNode); ok && v.Value == "vars" {
			if name, ok := n.Property.(*ast.StringNode); ok {
				return "vars." + name.Value, true
			}
		}
	case *ast.CallNode:
		callee, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			return "", false
		}
		args := make([]string, len(n.Arguments))
		for i, x := range n.Arguments {
			arg, ok := x.(*ast.StringNode)
			if !ok {
				return "", false
			}
			args[i] = arg.Value
		}
		return callKey(callee.Value, args), true
	}
	return "", false
}

func callKey(function string, args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = strconv.Quote(arg)
	}
	return function + "(" + strings.Join(quoted, ", ") + ")"
}

// zero is a value of the input's type in a program.
func (in input) zero() any {
	if in.term != nil {
		if in.term.bool {
			return false
		}
		return 0
	}
	return [...]any{fact.Bool: false, fact.Int: 0, fact.Number: 0.0, fact.Ratio: 0.0, fact.Dollars: 0.0,
		fact.Duration: nil, fact.String: "", fact.Set: []string(nil)}[in.fact.Type]
}

// value returns the input's value as the program takes it; nil if it is unknown. Whole numbers are ints.
func (in input) value(f *fact.Frame) any {
	if in.term != nil {
		switch v := in.term.num(f); {
		case v != v:
			return nil
		case in.term.bool:
			return v == 1
		default:
			return int(v)
		}
	}
	v := f.Value(in.fact.ID)
	if n, ok := v.(int64); ok {
		return int(n)
	}
	return v
}

func (g *general) truth(f *fact.Frame) fact.Truth {
	t, _ := g.run(f)
	return t
}

// run returns the operand's truth, and why it could not be computed where that is the reason for Unknown.
func (g *general) run(f *fact.Frame) (fact.Truth, error) {
	m := g.spare.Get().(*machine)
	defer func() {
		clear(m.env) // keeps no prompt alive
		g.spare.Put(m)
	}()
	for _, in := range g.inputs {
		v := in.value(f)
		if v == nil {
			return fact.Unknown, nil
		}
		m.env[in.key] = v
	}
	out, err := m.vm.Run(g.program, m.env)
	if err != nil {
		return fact.Unknown, runError(err)
	}
	b, ok := out.(bool)
	if !ok {
		return fact.Unknown, errors.New("the result is neither true nor false")
	}
	return fact.Of(b), nil
}

// runError says an error of the run time in the words of the language. A division by zero is the only error
// of the Go runtime that an allowed expression can cause.
func runError(err error) error {
	if e := runtime.Error(nil); errors.As(err, &e) {
		return errors.New("division by zero")
	}
	return errors.New("the expression cannot be computed")
}

func (g *general) reads() []fact.ID { return g.ids }

func (g *general) value(f *fact.Frame) string {
	var parts []string
	for _, in := range g.inputs {
		if in.term == nil {
			parts = append(parts, describe(f, in.fact.ID))
		} else {
			parts = append(parts, reading{t: in.term}.value(f))
		}
	}
	if _, err := g.run(f); err != nil {
		parts = append(parts, err.Error())
	}
	return strings.Join(parts, ", ")
}

// reading recognises the expressions that need no expr-lang program: a function or the length of a set
// compared with a number, and a function that is a condition by itself. It reports false for all others. The
// leaf is nil if the expression is wrong.
func (a *exprChecker) reading(n ast.Node) (leaf, bool) {
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

// termAndNumber returns x as a term and y as a constant; ok is false if they are not.
func (a *exprChecker) termAndNumber(x, y ast.Node) (*term, float64, bool) {
	t := a.term(x)
	if t == nil || t.bool {
		return nil, 0, false
	}
	c, ok := constantOf(y)
	return t, c, ok
}

// constantOf returns the number that n is, perhaps with a minus; ok is false if it is none.
func constantOf(n ast.Node) (c float64, ok bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		v := int64(n.Value)
		return float64(v), v >= -fact.MaxInt && v <= fact.MaxInt
	case *ast.FloatNode:
		return n.Value, true
	case *ast.UnaryNode:
		if c, ok := constantOf(n.Node); ok && n.Operator == "-" {
			return 0 - c, true // no -0
		}
	}
	return 0, false
}

// term returns the function, or the length of a set, that n asks for; nil if it is neither.
func (a *exprChecker) term(n ast.Node) *term {
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
