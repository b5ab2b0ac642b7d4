package trigger

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
)

// The members of a set, and the calls, are looked at one by one: an unknown one, or an unknown field of one,
// makes the result unknown only if no other member decides (LANGUAGE.md §2, §5).

// callFields are the fields of a call in expressions.
var callFields = []string{"tool", "class", "command", "path", "output", "failed"}

// memberKey is the name that a member of a set has in a program. A field of a call has its name with a dot.
const memberKey = "#"

// memberTest is the condition behind any, all, none, one and count: a program, or an and, or or not of such.
type memberTest struct {
	op   string // "and", "or", "not"; "" for a program
	kids []*memberTest
	program
}

// newMemberTest compiles a condition that was found to be allowed.
func (a *exprChecker) newMemberTest(n grammar.Expr) (*memberTest, error) {
	t := &memberTest{}
	var parts []grammar.Expr
	switch n := n.(type) {
	case *grammar.Binary:
		if n.Op == "and" || n.Op == "or" {
			t.op, parts = n.Op, []grammar.Expr{n.Left, n.Right}
		}
	case *grammar.Unary:
		if n.Op == "not" {
			t.op, parts = n.Op, []grammar.Expr{n.X}
		}
	}
	if t.op == "" {
		var err error
		t.program, err = a.newProgram(n)
		return t, err
	}
	for _, part := range parts {
		kid, err := a.newMemberTest(part)
		if err != nil {
			return nil, err
		}
		t.kids = append(t.kids, kid)
		t.inputs = append(t.inputs, kid.inputs...)
		t.members = append(t.members, kid.members...)
	}
	return t, nil
}

// fields is a member of a set or a call, as programs read it: ok is false for a field that is unknown.
type fields func(key string) (v any, ok bool)

// truth is that of the condition for one member. The error says why a part of it could not be computed, if
// the truth is Unknown for that.
func (t *memberTest) truth(m *machine, of fields) (fact.Truth, error) {
	if t.op == "" {
		for _, in := range t.members {
			v, ok := of(in.key)
			if !ok {
				return fact.Unknown, nil
			}
			m.env[in.name] = v
		}
		return m.truth(t.program)
	}
	truth, err := t.kids[0].truth(m, of)
	if t.op == "not" {
		return truth.Not(), err
	}
	second, why := t.kids[1].truth(m, of)
	if t.op == "and" {
		truth = truth.And(second)
	} else {
		truth = truth.Or(second)
	}
	if truth != fact.Unknown {
		return truth, nil
	}
	return truth, cmp.Or(err, why)
}

// memberTerm is the answer of any, all, none, one or count for the members of a fact.
func memberTerm(text, function string, ft fact.Fact, test *memberTest) *term {
	t := &term{Text: text, Function: function, Bool: function != "count", Tally: true}
	t.History = slices.ContainsFunc(test.inputs, func(in input) bool {
		return in.term != nil && in.term.History
	})
	t.Reads = append([]fact.ID{ft.ID}, idsOf(test.inputs)...)
	spare := sync.Pool{New: func() any { return newMachine() }}
	each := eachMember
	if ft.Type == fact.Calls {
		paths := slices.ContainsFunc(test.members, func(in input) bool { return in.key == ".path" })
		each = func(f *fact.Frame, id fact.ID, visit func(fields)) bool { return eachCall(f, paths, visit) }
	}
	look := func(f *fact.Frame) (n float64, err error) {
		m := spare.Get().(*machine)
		defer func() {
			clear(m.env)
			spare.Put(m)
		}()
		if !m.fill(test.inputs, f) {
			return math.NaN(), nil
		}
		var c tally
		if !each(f, ft.ID, func(of fields) {
			truth, why := test.truth(m, of)
			c.add(truth)
			err = cmp.Or(err, why)
		}) {
			c.unknown++
		}
		return c.result(function), err
	}
	t.Num = func(f *fact.Frame) float64 {
		n, _ := look(f)
		return n
	}
	t.Err = func(f *fact.Frame) error {
		if n, err := look(f); n != n {
			return err
		}
		return nil
	}
	return t
}

// eachMember visits the known members of a set. It reports whether they are all.
func eachMember(f *fact.Frame, id fact.ID, visit func(fields)) bool {
	set, all := f.Set(id)
	for _, s := range set {
		visit(func(string) (any, bool) { return s, true })
	}
	return all
}

// eachCall visits the calls of the previous turn, one that names several files once for each of them if
// paths is set. It reports whether the calls are known.
func eachCall(f *fact.Frame, paths bool, visit func(fields)) bool {
	calls, known := condition.Calls(f)
	for i := range calls {
		c := &calls[i]
		if !paths || len(c.Paths) < 2 {
			visit(func(key string) (any, bool) { return callField(c, key) })
			continue
		}
		for _, path := range c.Paths {
			visit(func(key string) (any, bool) {
				if key == ".path" {
					return path, true
				}
				return callField(c, key)
			})
		}
	}
	return known
}

// callField returns a field of a call. A field that the call has not is empty.
func callField(c *fact.Call, key string) (any, bool) {
	switch key {
	case ".tool":
		return c.Tool, true
	case ".class":
		return string(c.Class), true
	case ".command":
		return c.Command, c.Told || c.Class != fact.Shell
	case ".path":
		if len(c.Paths) == 0 {
			return "", c.Told || c.Class != fact.Edit && c.Class != fact.Read
		}
		return c.Paths[0], true
	case ".output":
		return c.Output, c.OutputTold
	default: // .failed
		return c.Failed == fact.True, c.Failed != fact.Unknown
	}
}

// tally counts the members that satisfy a condition, and those that do not.
type tally struct{ yes, no, unknown int }

func (c *tally) add(t fact.Truth) {
	switch t {
	case fact.True:
		c.yes++
	case fact.False:
		c.no++
	default:
		c.unknown++
	}
}

// result is the answer of one of the functions.
func (c *tally) result(function string) float64 {
	switch {
	case function == "any" && c.yes > 0, function == "none" && c.yes == 0 && c.unknown == 0,
		function == "all" && c.no == 0 && c.unknown == 0, function == "one" && c.yes == 1 && c.unknown == 0:
		return 1
	case function == "count" && c.unknown == 0:
		return float64(c.yes)
	case function == "all" && c.no > 0, function == "none" && c.yes > 0, function == "one" && c.yes > 1:
		return 0
	case c.unknown > 0:
		return math.NaN()
	default:
		return 0
	}
}
