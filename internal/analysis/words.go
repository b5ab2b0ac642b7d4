package analysis

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// shown is how many bytes of a part of a trigger a message shows.
const shown = 70

// quoted is a part of a trigger as a message shows it.
func quoted(s string) string {
	if len(s) > shown {
		n := shown
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n] + "…"
	}
	return "`" + s + "`"
}

// list joins texts as people do.
func list(texts []string, last string) string {
	switch n := len(texts); n {
	case 0:
		return ""
	case 1:
		return texts[0]
	default:
		return strings.Join(texts[:n-1], ", ") + " " + last + " " + texts[n-1]
	}
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// name is what people call a variable.
func (s *system) name(v *variable) string {
	switch v.kind {
	case varSlot, varText, varMember:
		return s.schema.Fact(v.id).Name
	case varTerm:
		fn, arg, _ := strings.Cut(v.name, ":")
		if fn == "len" {
			return "len(" + s.schema.Fact(v.id).Name + ")"
		}
		return fmt.Sprintf("%s(%q)", fn, arg)
	case varSelf:
		return "the distance from the last firing"
	default:
		return v.name
	}
}

// bounds says why an atom comes out one way, whatever the turn.
func (s *system) bounds(a *atom, text string) string {
	v := &s.vars[a.v]
	name := s.name(v)
	switch {
	case a.kind == atomNumbers:
		return quoted(text) + " compares what is always so"
	case v.kind == varSelf:
		return "at least " + plainNumber(v.lo) + " lies between two turns"
	case v.kind == varSlot && s.schema.Fact(v.id).Type == fact.Bool:
		return name + " is either true or false"
	case v.kind == varSlot && s.schema.Fact(v.id).Type == fact.Ratio:
		return name + " is between 0% and 100%"
	case v.lo == 0 && a.c <= 0:
		return name + " is never negative"
	case a.c <= v.lo:
		return name + " is at least " + plainNumber(v.lo)
	case v.whole && a.c != math.Trunc(a.c):
		return name + " is a whole number"
	default:
		return name + " is at most " + plainNumber(v.hi)
	}
}

// value is a value of a variable as people write it.
func (s *system) value(v *variable, x float64) string {
	switch v.kind {
	case varSlot:
		switch s.schema.Fact(v.id).Type {
		case fact.Bool:
			return strconv.FormatBool(x == 1)
		case fact.Ratio:
			return fact.Percent(x)
		case fact.Duration:
			return grammar.FormatDuration(time.Duration(x))
		}
	case varText:
		return strconv.Quote(textValue(v, x))
	}
	return plainNumber(x)
}

// textValue is the string that a cell stands for.
func textValue(v *variable, x float64) string {
	if x >= 0 && int(x) < len(v.names) {
		return v.names[int(x)]
	}
	for _, other := range []string{"other", "another", "something else"} {
		if !slices.Contains(v.names, other) {
			return other
		}
	}
	return strings.Join(v.names, "") + "x"
}

// memberOf is the i-th member of an operand with a list, asked for by itself.
func memberOf(x grammar.Expr, i int) grammar.Expr {
	switch x := x.(type) {
	case *grammar.Shorthand:
		if i < len(x.Args) {
			one := *x
			one.Args, one.Range = x.Args[i:i+1], x.Args[i].Range
			return &one
		}
	case *grammar.Comparison:
		if i < len(x.Right.List) {
			one := *x
			one.Op, one.Right, one.Range = grammar.Equal, x.Right.List[i], x.Right.List[i].Range
			return &one
		}
	}
	return nil
}
