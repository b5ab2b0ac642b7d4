package analysis

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/duration"
)

// name returns the name of a variable for people.
func (m *model) name(v *variable) string {
	functions := map[varKind]string{varCount: "tool_count", varLatest: "turns_since_tool",
		varSince: "called_since", varChain: "tool_chain_repeats", varFired: "turns_since",
		varTokens: "output_tokens_since"}
	switch fn := functions[v.kind]; {
	case v.kind == varPace:
		return "the distance from the last firing"
	case v.kind == varCalls:
		return "tool_used"
	case fn != "":
		return fn + `("` + strings.ReplaceAll(v.key.name, ", ", `", "`) + `")`
	default:
		return m.schema.Fact(v.id).Name
	}
}

// number is a value of a variable as people write it.
func (m *model) number(v *variable, x float64) string {
	if v.kind == varFact {
		switch m.schema.Fact(v.id).Type {
		case fact.Bool:
			return strconv.FormatBool(x == 1)
		case fact.Ratio:
			return fact.Percent(x)
		case fact.Dollars:
			return "$" + plainNumber(x)
		case fact.Duration:
			return duration.Format(time.Duration(x))
		}
	}
	return plainNumber(x)
}

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// say says in words what a value is; nothing of a fact that is unknown.
func (m *model) say(v *variable, x *value) []string {
	name := ""
	if v.kind < varMoment {
		name = m.name(v)
	}
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	switch v.kind {
	case varPace:
		switch grammar.CadenceUnit(v.id) {
		case grammar.Turns:
			return one("it last fired %s ago", plural(x.num, "turn"))
		case grammar.UserTurns:
			return one("it last fired %s ago", plural(x.num, "user turn"))
		}
		return one("it last fired %s ago", duration.Format(time.Duration(x.num)))
	case varText:
		if len(x.texts) > 0 {
			return one("%s is %q", name, x.texts[0])
		}
	case varSet:
		switch {
		case x.part:
			return one("%s has [%s] and more", name, strings.Join(x.texts, ", "))
		case x.num == x.num:
			return one("%s is %s", name, listed(x.texts))
		}
	case varCalls:
		return x.say()
	case varMoment:
		if len(x.batch) > 0 {
			return one("a call of %s is about to be executed", called(&x.batch[0]))
		} else if x.num == 1 {
			return one("the agent is about to end its work")
		}
	case varFree:
		if l := m.leafOf(v); l.call() != nil && x.truth[0] == fact.True {
			return one("%s is true", quoted(l.text))
		}
	default:
		switch {
		case math.IsInf(x.num, 1):
			return one("%s is at least 1", name)
		case x.num == x.num:
			return one("%s is %s", name, m.number(v, x.num))
		case v.kind != varFact:
			return one("%s is unknown", name)
		}
	}
	return nil
}

// say says which calls were made.
func (x *value) say() (words []string) {
	var calls, failed []string
	for i := range x.batch {
		c := &x.batch[i]
		calls = append(calls, called(c))
		if c.Failed == fact.True && x.told != toldTools {
			failed = append(failed, called(c))
		}
	}
	if x.told != toldNone {
		words = append(words, "tool_used is "+listed(calls))
	}
	if len(failed) > 0 {
		return append(words, list(failed)+" failed")
	}
	if x.last != fact.Unknown && (x.told != toldWhole || len(calls) > 0) {
		words = append(words, fmt.Sprintf("last_tool_call_failed is %v", x.last == fact.True))
	}
	return words
}

// called is a pattern that a call matches, else its class or its tool.
func called(c *fact.Call) string {
	for _, p := range slices.Sorted(maps.Keys(c.Matches)) {
		if c.Matches[p] == fact.True {
			return p
		}
	}
	if c.Class != fact.NoClass {
		return "@" + string(c.Class)
	}
	return c.Tool
}

func listed(texts []string) string {
	if len(texts) == 0 {
		return "empty"
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func plural(n float64, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return plainNumber(n) + " " + unit
}

// reason says why a condition has the same truth on every turn.
func (m *model) reason(l *leaf, text string) string {
	v := &m.vars[l.vars[0]]
	if m.onlyEvents(l) {
		return fmt.Sprintf("no event holds at %s", m.moment)
	}
	if len(l.lin) != 1 || len(l.vars) != 1 || l.Kind == condition.General {
		if l.Function != "len" || len(l.Numbers) != 1 {
			return quoted(text) + " compares what is always so"
		}
		return "len(" + m.schema.Fact(l.Fact).Name + ") is never negative"
	}
	name, c := m.name(v), -l.lin[0].c
	switch {
	case v.kind == varPace:
		return "at least " + plainNumber(v.lo) + " lies between two turns"
	case v.kind == varFact && m.schema.Fact(v.id).Type == fact.Bool:
		return name + " is either true or false"
	case v.kind == varFact && m.schema.Fact(v.id).Type == fact.Ratio:
		return name + " is between 0% and 100%"
	case v.lo == 0 && c <= 0:
		return name + " is never negative"
	case c <= v.lo:
		return name + " is at least " + plainNumber(v.lo)
	case v.whole && c != math.Trunc(c):
		return name + " is a whole number"
	default:
		return name + " is at most " + plainNumber(v.hi)
	}
}
