package condition

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
)

// Evaluator returns the function of l: a closure made for its shape.
func (l *Leaf) Evaluator() func(*fact.Frame) fact.Truth {
	id, other, not := l.Fact, l.Other, l.Not
	switch l.Kind {
	case Constant:
		t := l.Truth
		return func(*fact.Frame) fact.Truth { return t }
	case Comparison:
		return l.comparison()
	case NumberIn:
		return func(f *fact.Frame) fact.Truth {
			v := f.Num(id)
			if v != v {
				return fact.Unknown
			}
			return fact.Of(slices.Contains(l.Numbers, v) != not)
		}
	case Text:
		names, fold := l.Names, id.IgnoresCase()
		return func(f *fact.Frame) fact.Truth {
			s, ok := f.Text(id)
			if !ok {
				return textless(f, id, not)
			}
			return fact.Of((slices.Contains(names, s) || fold && hasFold(names, s)) != not)
		}
	case Members:
		any := anyOf(l.Names, len(l.Patterns) > 0)
		if l.Word != "" {
			is := like(l.Word, l.Names[0])
			any = func(set []string) bool { return slices.ContainsFunc(set, is) }
		}
		return memberTruth(id, not, any)
	case MemberOf:
		return func(f *fact.Frame) fact.Truth {
			s, ok := f.Text(id)
			set, known := f.Set(other)
			switch {
			case !ok:
				return textless(f, id, not)
			case slices.Contains(set, s), id.IgnoresCase() && hasFold(set, s):
				return fact.Of(!not)
			case known:
				return fact.Of(not)
			default:
				return fact.Unknown
			}
		}
	case Called:
		return l.called
	case Failed:
		var named func([]string) bool
		if l.ByName() {
			named = anyOf(l.Names, true)
		}
		return func(f *fact.Frame) fact.Truth { return l.failed(named, f) }
	case Before:
		return l.before
	case Stopping:
		return stopping
	case Cadence:
		return l.cadence
	default: // General
		return func(f *fact.Frame) fact.Truth {
			t, _ := l.Run(f)
			return t
		}
	}
}

// textless is the truth of a comparison with a text that f does not hold: an absent one equals nothing.
func textless(f *fact.Frame, id fact.ID, not bool) fact.Truth {
	if f.Absent()&id.Arrives() != 0 {
		return fact.Of(not)
	}
	return fact.Unknown
}

// hasFold reports whether a text is one of a list, whatever the case of letters.
func hasFold(list []string, s string) bool {
	return slices.ContainsFunc(list, func(member string) bool { return strings.EqualFold(member, s) })
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
	is := func(s string) bool { return slices.Contains(names, s) }
	switch {
	case wild && slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "*") }):
		matches := make([]func(string) bool, len(names))
		for i, name := range names {
			matches[i] = callpattern.Wild(name)
		}
		is = func(s string) bool {
			return slices.ContainsFunc(matches, func(match func(string) bool) bool { return match(s) })
		}
	case len(names) == 1:
		return func(texts []string) bool { return slices.Contains(texts, names[0]) }
	}
	return func(texts []string) bool { return slices.ContainsFunc(texts, is) }
}

// comparison returns the function of a Comparison.
func (l *Leaf) comparison() func(*fact.Frame) fact.Truth {
	num, op := l.Terms[0].Num, l.Op
	if len(l.Terms) > 1 {
		other := l.Terms[1].Num
		return func(f *fact.Frame) fact.Truth { return Compare(num(f), op, other(f)) }
	}
	if b, ok := boundOf(l); ok {
		return func(f *fact.Frame) fact.Truth {
			v := f.Num(b.id) * b.sign
			if v > b.c {
				return fact.True
			}
			if v <= b.c {
				return fact.False
			}
			return fact.Unknown
		}
	}
	c := l.Numbers[0]
	return func(f *fact.Frame) fact.Truth { return Compare(num(f), op, c) }
}

// bound is a comparison of order: the fact times sign, which is 1 or -1, is above c. v >= c is v > the number
// just before c, and v < c is -v > -c. A NaN is neither above nor below c, so that an unknown fact gives
// Unknown.
type bound struct {
	id      fact.ID
	sign, c float64
}

func boundOf(l *Leaf) (bound, bool) {
	if l == nil {
		return bound{}, false
	}
	id, ok := l.OfFact()
	if !ok || l.Terms[0].Memory != nil {
		return bound{}, false
	}
	c := l.Numbers[0]
	switch l.Op {
	case grammar.Greater:
		return bound{id, 1, c}, true
	case grammar.GreaterEqual:
		return bound{id, 1, math.Nextafter(c, math.Inf(-1))}, true
	case grammar.Less:
		return bound{id, -1, -c}, true
	case grammar.LessEqual:
		return bound{id, -1, -math.Nextafter(c, math.Inf(1))}, true
	default:
		return bound{}, false
	}
}

// Compare returns the truth of a op b, as triggers compare numbers: Unknown if either is NaN. op must not be
// grammar.In or grammar.NotIn.
func Compare(a float64, op grammar.Op, b float64) fact.Truth {
	if a != a || b != b {
		return fact.Unknown
	}
	switch op {
	case grammar.Equal:
		return fact.Of(a == b)
	case grammar.NotEqual:
		return fact.Of(a != b)
	case grammar.Less:
		return fact.Of(a < b)
	case grammar.LessEqual:
		return fact.Of(a <= b)
	case grammar.Greater:
		return fact.Of(a > b)
	default:
		return fact.Of(a >= b)
	}
}
