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

// input is something an expression mentions: a fact, or the answer of a function. The program that reads a
// field of a call, or a member of a set, fills in the value.
type input struct {
	*typed
	key  string // what people write
	name string // in the programs of a trigger
}

func idsOf(inputs []*input) (ids []fact.ID) {
	for _, in := range inputs {
		ids = append(ids, in.Term.Reads...)
	}
	return ids
}

// zeros are values of each kind in a program.
var zeros = [...]any{kindTruth: false, kindWhole: 0, kindFraction: 0.0, kindRatio: 0.0, kindDollars: 0.0,
	kindDuration: 0.0, kindString: "", kindSet: []string(nil)}

// value returns the input's value as the program takes it, and whether it is known. Whole numbers are ints. A
// text that is absent is nil.
func (in *input) value(f *fact.Frame) (v any, known bool) {
	if f.Absent()&in.Fact.ID.Arrives() != 0 {
		return nil, true
	}
	if in.Term.Num != nil {
		n := in.Term.Num(f)
		if in.Term.Bool {
			return n == 1, n == n
		}
		return int(n), n == n
	}
	switch v := f.Value(in.Fact.ID).(type) {
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
func (c *checker) newProgram(n *typed) (p program, ok bool) {
	w := programWriter{checker: c, env: map[string]any{}}
	source := w.source(n)
	// Without the optimizer, which would compute some errors of the run time while it compiles.
	options := append([]expr.Option{expr.Env(w.env), expr.AsBool(), expr.Optimize(false)}, programFunctions...)
	var err error
	if w.code, err = expr.Compile(source, options...); err != nil { // never: FuzzL4Compile checks that
		c.report(code.UnreadableExpression, n.Expr.Span(), "the expression cannot be compiled",
			"write it with facts, literals and comparisons alone")
	}
	return w.program, err == nil
}

// programWriter writes an expression as expr-lang reads it, and notes what it mentions.
type programWriter struct {
	*checker
	program
	env map[string]any
}

// arriving returns the text that v is, be it in other letters, if that is one that can be absent; nil for
// anything else.
func arriving(v *typed) *typed {
	if v.Op == "lower" || v.Op == "upper" {
		return arriving(v.Parts[0])
	}
	if v.Term != nil && v.Fact.ID.Arrives() != 0 {
		return v
	}
	return nil
}

// input returns the name that a fact, a term or a field has in the programs of a trigger.
func (w *programWriter) input(v *typed) string {
	key := format(v.Expr) // of a field
	if v.Term != nil {
		key = v.Term.Text
	}
	in := w.checker.inputs[key]
	if in == nil {
		in = &input{v, key, fmt.Sprintf("input%d", len(w.checker.inputs))}
		w.checker.inputs[key] = in
	}
	if _, ok := w.env[in.name]; !ok {
		w.env[in.name] = zeros[in.Type]
		list := &w.program.inputs
		if in.Term == nil {
			list = &w.members
		}
		*list = append(*list, in)
	}
	return in.name
}

// source writes every operation in parentheses. Percentages, amounts of money and durations are plain numbers
// there, as in a fact.Frame.
func (w *programWriter) source(v *typed) string {
	switch n := v.Expr.(type) {
	case *grammar.Field:
		return w.input(v)
	case *grammar.Literal:
		switch n.Kind {
		case grammar.Duration:
			return decimal(float64(n.Duration))
		case grammar.Decimal, grammar.Percent, grammar.Dollars:
			return decimal(n.Number)
		}
		return literalText(n)
	}
	switch {
	case v.Term != nil && v.Fact.ID.Arrives() != 0:
		return "(" + w.input(v) + ` ?? "")` // an absent text has no characters
	case v.Term != nil:
		return w.input(v)
	}
	parts := make([]string, len(v.Parts))
	for i, part := range v.Parts {
		parts[i] = w.source(part)
	}
	switch {
	case v.Op == listOp:
		return "[" + strings.Join(parts, ", ") + "]"
	case v.Op == "-" && len(parts) == 1, v.Op == "not":
		return "(" + v.Op + " " + parts[0] + ")"
	case len(parts) == 1: // len, lower, upper
		return v.Op + "(" + parts[0] + ")"
	case v.Op == "matches":
		parts[0] = "bounded(" + parts[0] + ")"
	case ignoresCase(v.Parts[0]) || ignoresCase(v.Parts[1]):
		parts[0], parts[1] = w.lowered(v.Parts[0]), w.lowered(v.Parts[1])
	}
	all := "(" + parts[0] + " " + v.Op + " " + parts[1] + ")"
	if isFraction(v) {
		return "finite(" + all + ")"
	}
	for _, part := range v.Parts {
		// an absent text equals nothing, and nothing is in it
		if text := arriving(part); text != nil {
			all = "(" + w.input(text) + " == nil ? " + strconv.FormatBool(v.Op == "!=") + " : " + all + ")"
		}
	}
	return all
}

// isFraction reports whether v is an operation whose result may be no whole number.
func isFraction(v *typed) bool { return len(v.Parts) == 2 && v.Type.Amount() && v.Type != kindWhole }

// ignoresCase reports whether v is a fact whose comparisons do so.
func ignoresCase(v *typed) bool { return v.Term != nil && v.Op == "" && v.Fact.ID.IgnoresCase() }

// lowered is source with all texts in small letters.
func (w *programWriter) lowered(v *typed) string {
	if v.Op != listOp {
		return "lower(" + w.source(v) + ")"
	}
	items := make([]string, len(v.Parts))
	for i, item := range v.Parts {
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
