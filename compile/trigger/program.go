package trigger

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// input is something a general operand mentions: a fact, or the answer of a function. Of a field of a call,
// and of a member of a set, the program that reads it fills in the value.
type input struct {
	key  string // what people write
	name string // in the programs of a trigger
	kind kind
	fact fact.Fact
	term *term // nil for a field or a member
}

func idsOf(inputs []*input) (ids []fact.ID) {
	for _, in := range inputs {
		ids = append(ids, in.term.Reads...)
	}
	return ids
}

// zeros are values of each kind in a program.
var zeros = [...]any{kindTruth: false, kindWhole: 0, kindFraction: 0.0, kindRatio: 0.0, kindDollars: 0.0,
	kindDuration: 0.0, kindString: "", kindSet: []string(nil)}

// value returns the input's value as the program takes it, and whether it is known. Whole numbers are ints. A
// text that is absent is nil.
func (in *input) value(f *fact.Frame) (v any, known bool) {
	if f.Absent()&in.fact.ID.Arrives() != 0 {
		return nil, true
	}
	if in.term.Num != nil {
		n := in.term.Num(f)
		if in.term.Bool {
			return n == 1, n == n
		}
		return int(n), n == n
	}
	switch v := f.Value(in.fact.ID).(type) {
	case int64:
		return int(v), true
	case time.Duration:
		return float64(v), true
	default:
		return v, v != nil
	}
}

// program is an expression that was compiled.
type program struct {
	code    *vm.Program
	inputs  []*input // facts and terms
	members []*input // fields of the call, or the member, that is looked at
}

var errNotFinite = errors.New("the result is not a finite number")

// The functions that the source of a program calls beside those of expr-lang.
var programFunctions = []expr.Option{
	expr.Function("bounded", // what a pattern sees of a text
		func(args ...any) (any, error) { return fact.CutOutput(args[0].(string)), nil }, new(func(string) string)),
	expr.Function("finite", // a number, if it is finite
		func(args ...any) (any, error) {
			if v := args[0].(float64); !math.IsNaN(v) && !math.IsInf(v, 0) {
				return v, nil
			}
			return nil, errNotFinite
		}, new(func(float64) float64)),
}

// newProgram compiles an expression that was found to be allowed, and whose result is a truth. ok is false
// after it has reported a mistake.
func (a *exprChecker) newProgram(n grammar.Expr) (p program, ok bool) {
	w := programWriter{exprChecker: a, env: map[string]any{}}
	source := w.source(n)
	// Without the optimizer, which would compute some errors of the run time while it compiles.
	options := append([]expr.Option{expr.Env(w.env), expr.AsBool(), expr.Optimize(false)}, programFunctions...)
	var err error
	if w.code, err = expr.Compile(source, options...); err != nil { // never: FuzzL4Compile checks that
		a.report(code.UnreadableExpression, n.Span(), "the expression cannot be compiled",
			"write it with facts, literals and comparisons alone")
	}
	return w.program, err == nil
}

// programWriter writes an expression as expr-lang reads it, and notes what it mentions.
type programWriter struct {
	*exprChecker
	program
	env map[string]any
}

// arriving returns the input that n is, be it in other letters, if that is a text that can be absent; nil for
// anything else.
func (w *programWriter) arriving(n grammar.Expr) *input {
	if call, ok := n.(*grammar.Call); ok && call.Name != "len" && len(call.Args) == 1 {
		return w.arriving(call.Args[0])
	}
	if in := w.exprChecker.inputs[n]; in != nil && in.fact.ID.Arrives() != 0 {
		return in
	}
	return nil
}

// input returns the name that an input has in programs.
func (w *programWriter) input(in *input) string {
	if _, ok := w.env[in.name]; !ok {
		w.env[in.name] = zeros[in.kind]
		list := &w.program.inputs
		if in.term == nil {
			list = &w.members
		}
		*list = append(*list, in)
	}
	return in.name
}

// source writes every operation in parentheses. Percentages, amounts of money and durations are plain numbers
// there, as in a fact.Frame.
func (w *programWriter) source(n grammar.Expr) string {
	if in := w.exprChecker.inputs[n]; in != nil {
		if in.fact.ID.Arrives() != 0 {
			return "(" + w.input(in) + ` ?? "")` // an absent text has no characters
		}
		return w.input(in)
	}
	switch n := n.(type) {
	case *grammar.Literal:
		switch n.Kind {
		case grammar.Duration:
			return decimal(float64(n.Duration))
		case grammar.Decimal, grammar.Percent, grammar.Dollars:
			return decimal(n.Number)
		}
		return spelling{}.of(n)
	case *grammar.Array:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			items[i] = w.source(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *grammar.Call: // len, lower, upper
		return n.Name + "(" + w.source(n.Args[0]) + ")"
	case *grammar.Unary:
		return "(" + n.Op + " " + w.source(n.X) + ")"
	}
	b := n.(*grammar.Binary)
	left, right := w.source(b.Left), w.source(b.Right)
	switch {
	case b.Op == "matches":
		left = "bounded(" + left + ")"
	case w.ignoresCase(b.Left) || w.ignoresCase(b.Right):
		left, right = w.lowered(b.Left), w.lowered(b.Right)
	}
	all := "(" + left + " " + b.Op + " " + right + ")"
	if w.fractions[b] {
		return "finite(" + all + ")"
	}
	for _, side := range []grammar.Expr{b.Left, b.Right} {
		// an absent text equals nothing, and nothing is in it
		if in := w.arriving(side); in != nil {
			all = "(" + w.input(in) + " == nil ? " + strconv.FormatBool(b.Op == "!=") + " : " + all + ")"
		}
	}
	return all
}

// ignoresCase reports whether n is a fact whose comparisons do so.
func (w *programWriter) ignoresCase(n grammar.Expr) bool {
	in := w.exprChecker.inputs[n]
	return in != nil && in.fact.ID.IgnoresCase()
}

// lowered is source with all texts in small letters.
func (w *programWriter) lowered(n grammar.Expr) string {
	list, ok := n.(*grammar.Array)
	if !ok {
		return "lower(" + w.source(n) + ")"
	}
	items := make([]string, len(list.Items))
	for i, item := range list.Items {
		items[i] = w.lowered(item)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// decimal writes a number so that expr-lang takes it for a float.
func decimal(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// machine holds the virtual machine and the facts of one run of a program. The facts stand in a map that
// each run refills.
type machine struct {
	vm  vm.VM
	env map[string]any
}

// runner returns a function that calls do with a machine that holds the values of inputs, unless one of them
// is unknown.
func runner(inputs []*input) func(f *fact.Frame, do func(*machine)) (known bool) {
	spare := sync.Pool{New: func() any { return &machine{env: map[string]any{}} }}
	return func(f *fact.Frame, do func(*machine)) bool {
		m := spare.Get().(*machine)
		defer func() {
			clear(m.env) // keeps no prompt alive
			spare.Put(m)
		}()
		for _, in := range inputs {
			v, known := in.value(f)
			if !known {
				return false
			}
			m.env[in.name] = v
		}
		do(m)
		return true
	}
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
