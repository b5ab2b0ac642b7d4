// Package facts checks the facts of a turn that a host or a rule test writes down, in JSON or in YAML. It
// owns the checks and their messages, so that a value is good or bad in the same way at every door: "aside
// eval", the proxy's /aside/eval, rule tests. Its callers own the syntax and say where in their text a
// problem is.
//
// A Reader is for one goroutine at a time.
package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/near"
)

// The keys that stand for facts without being facts.
const (
	Tools  = "tools"  // the tools that were called in the previous turn; it stands for tool_used
	Failed = "failed" // those of them that failed; last_tool_call_failed follows from it
	vars   = "vars"   // an object with the declared facts
)

// Percent is a ratio that was written with a percent sign.
type Percent float64

// Other is a value that no fact has, such as "a mapping". Messages show it.
type Other string

// Problem is a value that is wrong.
type Problem struct {
	Name    string // the key of the value, as Put got it
	Unknown bool   // there is no fact of that name
	Item    int    // the index of the wrong item in a list; -1: the value as a whole is wrong
	Message string
	Hint    string // what to do, or ""
}

// String returns the message and the hint on one line.
func (p Problem) String() string {
	if p.Hint == "" {
		return p.Message
	}
	return p.Message + "; " + p.Hint
}

// Reader collects the facts of one turn. Create one with New.
type Reader struct {
	schema   *fact.Schema
	check    *fact.Frame // the values that were good
	values   map[string]any
	problems []Problem

	lists  map[string][]string // the values of Tools and Failed, where they are known
	hidden bool                // it is said to be unknown whether a tool failed
}

// New returns a Reader without facts.
func New(schema *fact.Schema) *Reader {
	return &Reader{schema: schema, check: schema.NewFrame(), values: map[string]any{},
		lists: map[string][]string{}}
}

func (r *Reader) fail(p Problem) { r.problems = append(r.problems, p) }

// Put adds the value of a fact, in a form that fact.Frame.SetValue takes; Percent and Other are two more
// forms. nil says that the fact is unknown. The name may be Tools or Failed as well, with a []string or
// nil.
func (r *Reader) Put(name string, v any) {
	if name == Tools || name == Failed {
		list, known := v.([]string)
		if known {
			r.lists[name] = list
		}
		r.hidden = r.hidden || name == Failed && !known
		return
	}
	ft, ok := r.schema.Lookup(name)
	if !ok {
		names := append(r.schema.Names(), Tools, Failed)
		if !strings.HasPrefix(name, vars+".") {
			names = append(names, vars)
		}
		r.fail(Problem{name, true, -1, (&fact.UnknownError{Name: name}).Error(), near.Hint("", name, names)})
		return
	}
	if v == nil {
		r.hidden = r.hidden || ft.ID == fact.LastToolCallFailed
		return
	}
	if r.check.Known(ft.ID) {
		r.fail(Problem{name, false, -1, name + " is given twice", ""})
		return
	}
	p, percent := v.(Percent)
	if percent {
		v = float64(p)
	}
	if err := r.check.SetValue(name, v); err != nil {
		r.fail(Problem{name, false, -1, err.Error(), typeHint(ft.Type, v)})
		return
	}
	if p, bad := outOfRange(ft, r.check, percent); bad {
		r.fail(p)
		return
	}
	r.values[name] = r.check.Value(ft.ID)
}

// typeHint returns the hint for a value of a wrong type.
func typeHint(t fact.Type, v any) string {
	_, other := v.(Other)
	switch {
	case t == fact.Bool:
		return "true, false or unknown"
	case other:
		return "write unknown for a fact that is not known"
	}
	return ""
}

// farAbove is the number from which a ratio is taken for a percentage whose sign was forgotten. A little
// more than 1 may be right: agents go beyond the window they believe in.
const farAbove = 2

// outOfRange returns the problem of a number that no host can mean.
func outOfRange(ft fact.Fact, f *fact.Frame, percent bool) (p Problem, bad bool) {
	n := f.Num(ft.ID)
	p = Problem{Name: ft.Name, Item: -1}
	switch {
	case ft.Type == fact.Ratio && n >= farAbove && !percent:
		p.Message, p.Hint = ft.Name+" is a ratio, from 0 to 1", "0.8 and 80% are the same"
		if n <= 100 {
			p.Hint = "did you mean " + strconv.FormatFloat(n/100, 'f', -1, 64) + ", which is " +
				fact.Percent(n/100) + "?"
		}
	case ft.Type == fact.Int && n < 0 && !strings.HasPrefix(ft.Name, vars+"."):
		p.Message = fmt.Sprintf("%s counts %s and cannot be %v", ft.Name, ft.Unit, f.Value(ft.ID))
		p.Hint = "leave out a fact that is not known"
	}
	return p, p.Message != ""
}

// Done returns the facts, in the form that eval.Turn takes, and all problems. Where there are problems the
// facts are not complete.
func (r *Reader) Done() (map[string]any, []Problem) {
	tools, given := r.lists[Tools]
	used, _ := r.values["tool_used"].([]string)
	switch {
	case given && used != nil:
		r.fail(Problem{Tools, false, -1, "tools beside tool_used", "leave one of them out"})
	case given:
		used = append([]string{}, tools...)
		r.values["tool_used"] = used
	}
	failed, known := r.lists[Failed]
	for i, name := range failed {
		if !slices.Contains(used, name) {
			message := fmt.Sprintf("%q failed but is not among the tools", name)
			r.fail(Problem{Failed, false, i, message, near.Hint("", name, used)})
		}
	}
	said, direct := r.values["last_tool_call_failed"]
	switch {
	case known && direct && said != (len(failed) > 0):
		message := "failed beside last_tool_call_failed, which says something else"
		r.fail(Problem{Failed, false, -1, message, "leave one of them out"})
	case known || given && !direct && !r.hidden: // tools alone say that none of them failed
		r.values["last_tool_call_failed"] = len(failed) > 0
		r.values[fact.FailedTools] = append([]string{}, failed...)
	}
	return r.values, r.problems
}
