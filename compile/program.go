package compile

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"

	"github.com/expr-lang/expr/ast"
	exprchecker "github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/aside-go/aside/compile/fact"
)

// input is something a general operand mentions: a fact, or the answer of a function. Of a field of a call,
// and of a member of a set, the program that reads it fills in the value.
type input struct {
	key    string // the name it has in the program
	fact   fact.Fact
	term   *term // nil for a fact
	member kind  // of a field or a member: its type; else kindWrong
}

// zero is a value of the input's type in a program.
func (in input) zero() any {
	switch {
	case in.member == kindTruth, in.term != nil && in.term.Bool:
		return false
	case in.member != kindWrong:
		return ""
	case in.term != nil:
		return 0
	}
	return [...]any{fact.Bool: false, fact.Int: 0, fact.Number: 0.0, fact.Ratio: 0.0, fact.Dollars: 0.0,
		fact.Duration: nil, fact.String: "", fact.Set: []string(nil)}[in.fact.Type]
}

// value returns the input's value as the program takes it; nil if it is unknown. Whole numbers are ints.
func (in input) value(f *fact.Frame) any {
	if in.term != nil {
		switch v := in.term.Num(f); {
		case v != v:
			return nil
		case in.term.Bool:
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

// program is an expression that was compiled.
type program struct {
	code    *vm.Program
	inputs  []input // facts and terms
	members []input // fields of the call, or the member, that is looked at
}

// The functions that newProgram writes into expressions. No name in a trigger can be one of them.
const (
	boundedFunction = " bounded" // what a pattern sees of a text
	finiteFunction  = " finite"  // a number, if it is finite
)

var errNotFinite = errors.New("the result is not a finite number")

var programFunctions = conf.FunctionsTable{
	boundedFunction: {
		Name:  boundedFunction,
		Func:  func(args ...any) (any, error) { return fact.CutOutput(args[0].(string)), nil },
		Types: []reflect.Type{reflect.TypeFor[func(string) string]()},
	},
	finiteFunction: {
		Name: finiteFunction,
		Func: func(args ...any) (any, error) {
			if v := args[0].(float64); !math.IsNaN(v) && !math.IsInf(v, 0) {
				return v, nil
			}
			return nil, errNotFinite
		},
		Types: []reflect.Type{reflect.TypeFor[func(float64) float64]()},
	},
}

// newProgram compiles an expression that rewrite has rewritten. inputs are all that it may mention.
func newProgram(n ast.Node, inputs map[string]input, as reflect.Kind) (p program, err error) {
	env := map[string]any{}
	ast.Walk(&n, visitor(func(n *ast.Node) {
		id, ok := (*n).(*ast.IdentifierNode)
		if !ok {
			return
		}
		in, ok := inputs[id.Value]
		if _, twice := env[in.key]; !ok || twice {
			return
		}
		env[in.key] = in.zero()
		if in.member != kindWrong {
			p.members = append(p.members, in)
		} else {
			p.inputs = append(p.inputs, in)
		}
	}))
	config := conf.New(env)
	config.Expect = as
	config.Functions = programFunctions
	tree := &parser.Tree{Node: n, Source: file.NewSource("")}
	if _, err := exprchecker.Check(tree, config); err != nil {
		return p, err
	}
	// Without the optimizer, which would compute some errors of the run time while it compiles.
	config.Optimize = false
	p.code, err = compiler.Compile(tree, config)
	return p, err
}

// visitor is a function as an ast.Visitor.
type visitor func(*ast.Node)

// Visit implements ast.Visitor.
func (v visitor) Visit(n *ast.Node) { v(n) }

// rewrite puts names of inputs in place of all that expr-lang does not know, bounds the texts that patterns
// see, and lets no number pass that is not finite.
func (a *exprChecker) rewrite(n ast.Node) ast.Node {
	wrap := func(function string, x ast.Node) ast.Node {
		return &ast.CallNode{Callee: &ast.IdentifierNode{Value: function}, Arguments: []ast.Node{x}}
	}
	ast.Walk(&n, visitor(func(n *ast.Node) {
		if key, ok := a.keys[*n]; ok {
			*n = &ast.IdentifierNode{Value: key}
			return
		}
		b, ok := (*n).(*ast.BinaryNode)
		switch {
		case !ok:
		case b.Operator == "matches":
			b.Left = wrap(boundedFunction, b.Left)
		case slices.Contains([]string{"+", "-", "*", "/", "**", "^"}, b.Operator) && a.fractions[b]:
			*n = wrap(finiteFunction, b)
		}
	}))
	return n
}

// machine holds the virtual machine and the facts of one run of a program. The facts stand in a map that
// each run refills.
type machine struct {
	vm  vm.VM
	env map[string]any
}

func newMachine() *machine { return &machine{env: map[string]any{}} }

// fill takes the values of inputs from a frame. It reports false if one is unknown.
func (m *machine) fill(inputs []input, f *fact.Frame) bool {
	for _, in := range inputs {
		v := in.value(f)
		if v == nil {
			return false
		}
		m.env[in.key] = v
	}
	return true
}

// truth runs a program whose result is a bool. The error says why it could not be computed.
func (m *machine) truth(p program) (fact.Truth, error) {
	out, err := m.vm.Run(p.code, m.env)
	if err != nil {
		return fact.Unknown, runError(err)
	}
	b, ok := out.(bool)
	if !ok {
		return fact.Unknown, fmt.Errorf("the result is neither true nor false")
	}
	return fact.Of(b), nil
}

// runError says an error of the run time in the words of the language. A division by zero is the only error
// of the Go runtime that an allowed expression can cause.
func runError(err error) error {
	if errors.Is(err, errNotFinite) {
		return errNotFinite
	}
	if e := runtime.Error(nil); errors.As(err, &e) {
		return errors.New("division by zero")
	}
	return errors.New("the expression cannot be computed")
}
