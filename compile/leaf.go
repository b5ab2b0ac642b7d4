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

// leaf is an operand of a trigger with its types checked. Its truth is Unknown as soon as anything it reads
// is.
type leaf interface {
	truth(f *fact.Frame) fact.Truth
	reads() []fact.ID
	value(f *fact.Frame) string // the values that it read, for people
}

// constant is always, never or manual.
type constant fact.Truth

func (l constant) truth(*fact.Frame) fact.Truth { return fact.Truth(l) }
func (l constant) reads() []fact.ID             { return nil }
func (l constant) value(*fact.Frame) string     { return fact.Truth(l).String() }

// number compares a slot with a constant.
type number struct {
	id fact.ID
	op grammar.Op
	c  float64
}

func (l number) truth(f *fact.Frame) fact.Truth { return condition.Compare(f.Num(l.id), l.op, l.c) }
func (l number) reads() []fact.ID               { return []fact.ID{l.id} }
func (l number) value(f *fact.Frame) string     { return describe(f, l.id) }

// numberIn asks whether a slot holds one of some constants, or none of them.
type numberIn struct {
	id  fact.ID
	cs  []float64
	not bool
}

func (l numberIn) truth(f *fact.Frame) fact.Truth {
	v := f.Num(l.id)
	if v != v {
		return fact.Unknown
	}
	return fact.Of(slices.Contains(l.cs, v) != l.not)
}
func (l numberIn) reads() []fact.ID           { return []fact.ID{l.id} }
func (l numberIn) value(f *fact.Frame) string { return describe(f, l.id) }

// numbers compares two slots.
type numbers struct {
	a, b fact.ID
	op   grammar.Op
}

func (l numbers) truth(f *fact.Frame) fact.Truth {
	return condition.Compare(f.Num(l.a), l.op, f.Num(l.b))
}
func (l numbers) reads() []fact.ID           { return []fact.ID{l.a, l.b} }
func (l numbers) value(f *fact.Frame) string { return describe(f, l.a, l.b) }

// boolean is a bool fact, or its opposite.
type boolean struct {
	id  fact.ID
	not bool
}

func (l boolean) truth(f *fact.Frame) fact.Truth {
	t := f.Truth(l.id)
	if l.not {
		return t.Not()
	}
	return t
}
func (l boolean) reads() []fact.ID           { return []fact.ID{l.id} }
func (l boolean) value(f *fact.Frame) string { return describe(f, l.id) }

// text asks whether a string fact is one of some strings, or none of them.
type text struct {
	id  fact.ID
	vs  []string
	not bool
}

func (l text) truth(f *fact.Frame) fact.Truth {
	s, ok := f.Text(l.id)
	if !ok {
		return fact.Unknown
	}
	return fact.Of(slices.Contains(l.vs, s) != l.not)
}
func (l text) reads() []fact.ID           { return []fact.ID{l.id} }
func (l text) value(f *fact.Frame) string { return describe(f, l.id) }

// members asks whether any member of a set is one of some strings, or none is.
type members struct {
	id  fact.ID
	ps  []*pattern
	not bool
}

func (l members) truth(f *fact.Frame) fact.Truth {
	set, ok := f.Set(l.id)
	switch {
	case anyOf(l.ps, set):
		return fact.Of(!l.not)
	case ok:
		return fact.Of(l.not)
	default: // a member that is not known may be one of them
		return fact.Unknown
	}
}
func (l members) reads() []fact.ID           { return []fact.ID{l.id} }
func (l members) value(f *fact.Frame) string { return describe(f, l.id) }

// memberOf asks whether a string fact is a member of a set fact, or is not.
type memberOf struct {
	text, set fact.ID
	not       bool
}

func (l memberOf) truth(f *fact.Frame) fact.Truth {
	s, ok := f.Text(l.text)
	set, known := f.Set(l.set)
	switch {
	case !ok:
		return fact.Unknown
	case slices.Contains(set, s):
		return fact.Of(!l.not)
	case known:
		return fact.Of(l.not)
	default:
		return fact.Unknown
	}
}
func (l memberOf) reads() []fact.ID           { return []fact.ID{l.text, l.set} }
func (l memberOf) value(f *fact.Frame) string { return describe(f, l.text, l.set) }

// memberLike asks whether a member of a set contains, begins with, ends with or matches a text.
type memberLike struct {
	id   fact.ID
	op   string
	text string
	is   func(member string) bool
}

func newMemberLike(id fact.ID, op, text string) (l memberLike, err error) {
	l = memberLike{id: id, op: op, text: text}
	switch op {
	case "contains":
		l.is = func(s string) bool { return strings.Contains(s, text) }
	case "startsWith":
		l.is = func(s string) bool { return strings.HasPrefix(s, text) }
	case "endsWith":
		l.is = func(s string) bool { return strings.HasSuffix(s, text) }
	default: // matches
		var re *regexp.Regexp
		if re, err = regexp.Compile(text); err == nil {
			l.is = func(s string) bool { return re.MatchString(fact.CutOutput(s)) }
		}
	}
	return l, err
}

func (l memberLike) truth(f *fact.Frame) fact.Truth {
	set, ok := f.Set(l.id)
	switch {
	case slices.ContainsFunc(set, l.is):
		return fact.True
	case ok:
		return fact.False
	default:
		return fact.Unknown
	}
}
func (l memberLike) reads() []fact.ID           { return []fact.ID{l.id} }
func (l memberLike) value(f *fact.Frame) string { return describe(f, l.id) }

// reading compares a number that is asked of the run's history or of a set with a constant. It is Unknown
// when the number is.
type reading struct {
	t      *term
	op     grammar.Op
	c      float64
	source string // of an expression in one of its spellings; "" of a shorthand
}

func (l reading) truth(f *fact.Frame) fact.Truth { return condition.Compare(l.t.num(f), l.op, l.c) }
func (l reading) reads() []fact.ID               { return l.t.ids }
func (l reading) value(f *fact.Frame) string {
	v := l.t.num(f)
	if math.IsNaN(v) {
		if err := leafError(l, f); err != nil {
			return l.t.text + ": " + err.Error()
		}
		return l.t.text + " is unknown"
	}
	if l.t.bool {
		return l.t.text + " is " + fact.Of(v == 1).String()
	}
	return l.t.text + " is " + wholeText(v)
}

// pattern is the name of a tool, in which * stands for any characters.
type pattern struct {
	text  string
	wild  bool // there is a * in it
	match func(tool string) bool
}

func newPattern(text string) *pattern {
	return &pattern{text, strings.Contains(text, "*"), callpattern.Wild(text)}
}

// anyOf reports whether any of the tools is accepted by any of the patterns.
func anyOf(ps []*pattern, tools []string) bool {
	for _, tool := range tools {
		for _, p := range ps {
			if !p.wild && p.text == tool || p.wild && p.match(tool) {
				return true
			}
		}
	}
	return false
}
