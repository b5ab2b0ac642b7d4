package analysis

import (
	"math"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/condition"
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

func plainNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// reason says why a condition has the same truth on every turn.
func (m *model) reason(l *leaf, text string) string {
	v := &m.vars[l.vars[0]]
	if v.kind == varMoment && l.any[0][oddRatio] == maskU {
		return "the call at hand has no result yet"
	} else if v.kind == varMoment && l.Kind != condition.Before {
		return "the calls are the one at hand"
	}
	if len(l.lin) != 1 || len(l.vars) != 1 || l.Kind == condition.General {
		if l.Function != "len" || len(l.Numbers) != 1 {
			return quoted(text) + " compares what is always so"
		}
		return "len(" + m.schema.Fact(l.Fact).Name + ") is never negative"
	}
	name, c := m.name(v), -l.lin[0].c
	switch {
	case v.kind == varPace && m.moment != fact.Turn:
		return "a cadence is of turns, not of such a moment"
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
