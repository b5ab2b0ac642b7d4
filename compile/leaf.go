package compile

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/condition"
)

// The typed tree of a trigger, of which package condition says what each kind of leaf asks.
type (
	leaf        = *condition.Leaf
	node        = condition.Node
	term        = condition.Term
	callPattern = condition.Pattern
)

func numberLeaf(id fact.ID, op grammar.Op, c float64) leaf {
	return &condition.Leaf{Kind: condition.Number, Fact: id, Op: op, Numbers: []float64{c}, Reads: []fact.ID{id}}
}

func numbersLeaf(id fact.ID, op grammar.Op, cs []float64) leaf {
	return &condition.Leaf{Kind: condition.NumberIn, Fact: id, Numbers: cs, Not: op == grammar.NotIn,
		Reads: []fact.ID{id}}
}

func textLeaf(id fact.ID, names []string, not bool) leaf {
	return &condition.Leaf{Kind: condition.Text, Fact: id, Names: names, Not: not, Reads: []fact.ID{id}}
}

// memberLike asks whether a member of a set contains, begins with, ends with or matches a text.
func memberLike(id fact.ID, word, text string) (leaf, error) {
	_, err := regexp.Compile(text)
	if word != "matches" {
		err = nil
	}
	return &condition.Leaf{Kind: condition.MemberLike, Fact: id, Word: word, Names: []string{text},
		Reads: []fact.ID{id}}, err
}

// patternLeaf is a leaf of a kind that asks about call patterns.
func patternLeaf(kind condition.Kind, ps []callPattern, not bool, reads ...fact.ID) leaf {
	l := &condition.Leaf{Kind: kind, Not: not, Patterns: ps, Reads: reads, Names: make([]string, len(ps))}
	for i := range ps {
		l.Names[i] = ps[i].String()
	}
	return l
}

// named reports whether none of the patterns looks at anything but the name of a tool.
func named(ps []callPattern) bool {
	return !slices.ContainsFunc(ps, func(p callPattern) bool { return p.Name == "" })
}

// calledOf asks whether a call of the previous turn matches one of the patterns. Patterns of names alone are
// members of tool_used.
func calledOf(ps []callPattern, not bool) leaf {
	l := patternLeaf(condition.Called, ps, not, fact.ToolUsed)
	if named(ps) {
		l.Kind, l.Fact = condition.Members, fact.ToolUsed
	}
	return l
}

// failedOf asks whether a call of the previous turn that matches one of the patterns failed.
func failedOf(ps []callPattern) leaf {
	l := patternLeaf(condition.FailedCall, ps, false, fact.ToolUsed, fact.LastToolCallFailed)
	if named(ps) {
		l.Kind = condition.Failed
	}
	return l
}

// reading compares a number that is asked of the run's history or of a set with a constant. It is Unknown
// when the number is.
func reading(t *term, op grammar.Op, c float64) leaf {
	l := patternLeaf(condition.Function, t.Patterns, false, t.Reads...)
	l.Op, l.Numbers, l.Function, l.Argument, l.Terms = op, []float64{c}, t.Function, t.Argument, []*term{t}
	if len(t.Reads) > 0 {
		l.Fact = t.Reads[0]
	}
	switch {
	case t.Tally:
		l.Kind = condition.Tally
	case len(t.Patterns) > 1 || !named(t.Patterns):
		l.Kind = condition.CallFunction
	}
	return l
}

// nth asks for the i-th member of a leaf's list alone.
func nth(l leaf, i int) leaf {
	switch l.Kind {
	case condition.Failed, condition.FailedCall:
		return failedOf(l.Patterns[i : i+1])
	case condition.Text, condition.Members, condition.Called, condition.Before, condition.NumberIn:
	default:
		return l
	}
	one := *l
	one.Names, one.Patterns, one.Numbers = part(l.Names, i), part(l.Patterns, i), part(l.Numbers, i)
	return &one
}

// member is nth and its function.
func member(l leaf, i int) (leaf, func(*fact.Frame) fact.Truth) {
	one := nth(l, i)
	return one, native(one)
}

func part[T any](list []T, i int) []T {
	if i < len(list) {
		return list[i : i+1]
	}
	return list
}

// native returns the function of a leaf: a closure made for its shape.
func native(l leaf) func(*fact.Frame) fact.Truth {
	id, other, op, not := l.Fact, l.Other, l.Op, l.Not
	switch l.Kind {
	case condition.Constant:
		t := l.Truth
		return func(*fact.Frame) fact.Truth { return t }
	case condition.Number:
		return nativeNumber(l)
	case condition.NumberIn:
		return func(f *fact.Frame) fact.Truth {
			v := f.Num(id)
			if v != v {
				return fact.Unknown
			}
			return fact.Of(slices.Contains(l.Numbers, v) != not)
		}
	case condition.Facts:
		return func(f *fact.Frame) fact.Truth { return condition.Compare(f.Num(id), op, f.Num(other)) }
	case condition.Text:
		names := l.Names
		return func(f *fact.Frame) fact.Truth {
			s, ok := f.Text(id)
			if !ok {
				return fact.Unknown
			}
			return fact.Of(slices.Contains(names, s) != not)
		}
	case condition.Members:
		if len(l.Names) == 1 && !not && (len(l.Patterns) == 0 || !strings.Contains(l.Names[0], "*")) {
			return nativeMember(id, l.Names[0])
		}
		any := anyOf(l.Names, len(l.Patterns) > 0)
		return memberTruth(id, not, any)
	case condition.MemberOf:
		return func(f *fact.Frame) fact.Truth {
			s, ok := f.Text(id)
			set, known := f.Set(other)
			switch {
			case !ok:
				return fact.Unknown
			case slices.Contains(set, s):
				return fact.Of(!not)
			case known:
				return fact.Of(not)
			default:
				return fact.Unknown
			}
		}
	case condition.MemberLike:
		is := like(l.Word, l.Names[0])
		return memberTruth(id, false, func(set []string) bool { return slices.ContainsFunc(set, is) })
	case condition.Called:
		return func(f *fact.Frame) fact.Truth { return called(l, f) }
	case condition.Failed:
		any := anyOf(l.Names, true)
		return func(f *fact.Frame) fact.Truth { return failed(l, any, f) }
	case condition.FailedCall:
		return func(f *fact.Frame) fact.Truth { return failed(l, nil, f) }
	case condition.Before:
		return func(f *fact.Frame) fact.Truth { return before(l, f) }
	case condition.Stopping:
		return stopping
	case condition.Cadence:
		return func(f *fact.Frame) fact.Truth { return cadence(l, f) }
	case condition.General:
		return func(f *fact.Frame) fact.Truth {
			t, _ := l.Run(f)
			return t
		}
	default: // a function or a tally
		num, c := l.Terms[0].Num, l.Numbers[0]
		return func(f *fact.Frame) fact.Truth { return condition.Compare(num(f), op, c) }
	}
}

// memberTruth asks whether any holds for a set, or does not. A member that is not known may be one of those
// asked for.
func memberTruth(id fact.ID, not bool, any func(set []string) bool) func(*fact.Frame) fact.Truth {
	return func(f *fact.Frame) fact.Truth {
		set, ok := f.Set(id)
		switch {
		case any(set):
			return fact.Of(!not)
		case ok:
			return fact.Of(not)
		default:
			return fact.Unknown
		}
	}
}

// like returns the question that a word asks of a text.
func like(word, text string) func(string) bool {
	switch word {
	case "contains":
		return func(s string) bool { return strings.Contains(s, text) }
	case "startsWith":
		return func(s string) bool { return strings.HasPrefix(s, text) }
	case "endsWith":
		return func(s string) bool { return strings.HasSuffix(s, text) }
	default: // matches
		re := regexp.MustCompile(text)
		return func(s string) bool { return re.MatchString(fact.CutOutput(s)) }
	}
}

// anyOf returns whether any of some texts is one of names. If wild is set, * stands in a name for any
// characters.
func anyOf(names []string, wild bool) func(texts []string) bool {
	if !wild || !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "*") }) {
		return func(texts []string) bool {
			return slices.ContainsFunc(texts, func(s string) bool { return slices.Contains(names, s) })
		}
	}
	matches := make([]func(string) bool, len(names))
	for i, name := range names {
		matches[i] = callpattern.Wild(name)
	}
	return func(texts []string) bool {
		for _, s := range texts {
			for _, is := range matches {
				if is(s) {
					return true
				}
			}
		}
		return false
	}
}

// valueOf returns the values that a leaf read, for people.
func valueOf(l leaf, f *fact.Frame) string {
	switch l.Kind {
	case condition.Constant:
		return l.Truth.String()
	case condition.Failed, condition.FailedCall:
		if names, ok := f.Failed(); ok {
			return "failed tools: [" + strings.Join(names, ", ") + "]"
		}
	case condition.Before:
		m, call := f.Moment()
		if m != fact.BeforeTool || call == nil {
			return "no call is about to be executed"
		}
		return call.Tool + " is about to be executed"
	case condition.Stopping:
		if stopping(f) == fact.True {
			return "the agent is about to end its work"
		}
		return "the agent is not about to end its work"
	case condition.Cadence:
		return cadenceValue(l, f)
	case condition.General, condition.Tally, condition.Function, condition.CallFunction:
		var parts []string
		for _, t := range l.Terms {
			parts = append(parts, termValue(t, f))
		}
		if l.Run != nil {
			if _, err := l.Run(f); err != nil {
				parts = append(parts, err.Error())
			}
		}
		return strings.Join(parts, ", ")
	}
	return describe(f, l.Reads...) // of a call the tools alone: what they were called with is never shown
}

// termValue returns the value of a part of an expression, for people.
func termValue(t *term, f *fact.Frame) string {
	if t.Num == nil {
		return describe(f, t.Reads...)
	}
	v := t.Num(f)
	switch err := termError(t, f); {
	case math.IsNaN(v) && err != nil:
		return t.Text + ": " + err.Error()
	case math.IsNaN(v):
		return t.Text + " is unknown"
	case t.Bool:
		return t.Text + " is " + fact.Of(v == 1).String()
	}
	return t.Text + " is " + wholeText(v)
}
