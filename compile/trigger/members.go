package trigger

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/condition"
)

// The members of a set, and the calls, are looked at one by one: an unknown one, or an unknown field of one,
// makes the result unknown only if no other member decides (LANGUAGE.md §2, §5).

// callFields are the fields of a call in expressions.
var callFields = []string{"tool", "class", "command", "path", "written", "output", "failed",
	"duration", "input.NAME"}

// inputField begins the field of a member of the call's input.
const inputField = ".input."

// memberKey is the name that a member of a set has in a program. A field of a call has its name with a dot.
const memberKey = "#"

// fields is a member of a set or a call, as programs read it: ok is false for a field that is unknown.
type fields func(key string) (v any, ok bool)

// memberTest is the condition behind any, all, none, one and count, for one member. The error says why a part
// of it could not be computed, if the truth is Unknown for that.
type memberTest func(m *machine, of fields) (fact.Truth, error)

// newMemberTest compiles a condition that was found to be allowed: a program, or an and, or or not of such.
// It adds to all what the programs mention. The test is nil after it has reported a mistake.
func (c *checker) newMemberTest(n *typed, all *program) memberTest {
	op, parts := n.Op, n.Parts
	if op != "and" && op != "or" && op != "not" {
		p, ok := c.newProgram(n)
		if !ok {
			return nil
		}
		all.inputs, all.members = append(all.inputs, p.inputs...), append(all.members, p.members...)
		return func(m *machine, of fields) (fact.Truth, error) {
			for _, in := range p.members {
				v, ok := of(in.key)
				if !ok {
					return fact.Unknown, nil
				}
				m.env[in.name] = v
			}
			return m.truth(p)
		}
	}
	tests := make([]memberTest, len(parts))
	for i, part := range parts {
		if tests[i] = c.newMemberTest(part, all); tests[i] == nil {
			return nil
		}
	}
	return func(m *machine, of fields) (fact.Truth, error) {
		truth, why := tests[0](m, of)
		if op == "not" {
			return truth.Not(), why
		}
		second, also := tests[1](m, of)
		if op == "and" {
			truth = truth.And(second)
		} else {
			truth = truth.Or(second)
		}
		if truth != fact.Unknown {
			return truth, nil
		}
		return truth, cmp.Or(why, also)
	}
}

// newTally is the answer of any, all, none, one or count for the members of a fact: how many of them satisfy
// the condition n. It is nil after a mistake was reported.
func (c *checker) newTally(text, function string, ft fact.Fact, n *typed) *term {
	var all program
	test := c.newMemberTest(n, &all)
	if test == nil {
		return nil
	}
	t := &term{Text: text, Function: function, Bool: function != "count", Tally: true,
		Reads: append([]fact.ID{ft.ID}, idsOf(all.inputs)...)}
	t.History = slices.ContainsFunc(all.inputs, func(in *input) bool { return in.Term.History })
	each := eachMember
	if ft.Type == fact.Calls {
		reads := func(key string) bool {
			return slices.ContainsFunc(all.members, func(in *input) bool { return in.key == key })
		}
		paths, texts := reads(".path"), reads(".written")
		t.Times = reads(".duration")
		each = func(f *fact.Frame, _ fact.ID, visit func(fields)) bool { return eachCall(f, paths, texts, visit) }
	}
	run := runner(all.inputs)
	look := func(f *fact.Frame, function string) (n float64, err error) {
		n = math.NaN()
		run(f, func(m *machine) {
			var c tally
			if !each(f, ft.ID, func(of fields) {
				truth, why := test(m, of)
				c[truth]++
				err = cmp.Or(err, why)
			}) {
				c[fact.Unknown]++
			}
			n = c.result(function)
		})
		return n, err
	}
	t.Num = func(f *fact.Frame) float64 {
		n, _ := look(f, function)
		return n
	}
	t.Err = func(f *fact.Frame) error {
		if n, err := look(f, function); n != n {
			return err
		}
		return nil
	}
	return t.Remember(c.schema, func(f *fact.Frame) float64 {
		n, _ := look(f, "count")
		return n
	})
}

// eachMember visits the known members of a set. It reports whether they are all.
func eachMember(f *fact.Frame, id fact.ID, visit func(fields)) bool {
	set, all := f.Set(id)
	for _, s := range set {
		visit(func(string) (any, bool) { return s, true })
	}
	return all
}

// eachCall visits the calls of the previous turn: once for each file that a call names if paths is set, once
// for each text that it writes if texts is. It reports whether the calls are known.
func eachCall(f *fact.Frame, paths, texts bool, visit func(fields)) bool {
	calls, known := condition.Calls(f)
	for i := range calls {
		c := &calls[i]
		for p := range several(paths, c.Paths, c.Unsaid) {
			for w := range several(texts, c.Written, !writtenTold(c)) {
				visit(func(key string) (any, bool) { return callField(c, key, p, w) })
			}
		}
	}
	return known
}

// several is how often a call is visited for the members of a list, of which more may be untold.
func several(each bool, list []string, more bool) int {
	switch n := len(list); {
	case !each:
		return 1
	case more:
		return n + 1
	default:
		return max(1, n)
	}
}

// writtenTold reports whether the host has told every text that a call puts into files.
func writtenTold(c *fact.Call) bool { return c.WrittenTold || c.Class != fact.Edit && !c.Edits }

// callField returns a field of a call, of several files and texts those at path and text. A field that the
// call has not is empty.
func callField(c *fact.Call, key string, path, text int) (any, bool) {
	switch key {
	case ".tool":
		return c.Tool, true
	case ".class":
		return string(c.Class), true
	case ".command":
		return c.Command, c.Told || c.Class != fact.Shell
	case ".path":
		if path >= len(c.Paths) {
			return "", !c.Unsaid && (c.Told || c.Class != fact.Edit && c.Class != fact.Read)
		}
		return c.Paths[path], true
	case ".written":
		if text >= len(c.Written) {
			return "", writtenTold(c)
		}
		return c.Written[text], true
	case ".output":
		return c.Output, c.OutputTold
	case ".failed":
		return c.Failed == fact.True, c.Failed != fact.Unknown
	case ".duration":
		return float64(c.Duration), c.DurationTold
	default:
		return boundedMember(c, strings.TrimPrefix(key, inputField))
	}
}

// boundedMember returns a member of a call's input, as much of it as of an output.
func boundedMember(c *fact.Call, name string) (any, bool) {
	text, known := c.Member(name)
	return fact.CutOutput(text), known
}

// tally counts the members of which a condition has each truth.
type tally [fact.True + 1]int

// result is the answer of one of the functions.
func (c *tally) result(function string) float64 {
	yes, no := c[fact.True], c[fact.False]
	most := yes + c[fact.Unknown] // of those that satisfy it, if all do of which it is unknown
	switch function {
	case "any":
		return between(yes > 0, most > 0)
	case "none":
		return between(most == 0, yes == 0)
	case "all":
		return between(no == 0 && most == yes, no == 0)
	case "one":
		return between(yes == 1 && most == 1, yes <= 1 && most >= 1)
	}
	if most > yes {
		return math.NaN()
	}
	return float64(yes)
}

// between is 1 for what surely is, 0 for what cannot be, NaN for what may be.
func between(is, may bool) float64 {
	switch {
	case is:
		return 1
	case may:
		return math.NaN()
	}
	return 0
}
