package analysis

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// A past answers conditions on the history of a run by the values of a model's variables.
type past struct {
	m      *model
	values []*value // by variable; nil for those that are not set
	leaf   *leaf    // the condition that is evaluated
}

// long is a number of turns before which there is room for everything.
const long = math.MaxInt >> 11

// number is the value of a variable, unknown if it is not set.
func (p *past) number(kind varKind, name string) float64 {
	if i := p.m.find(key{kind: kind, name: name}); i >= 0 && p.values[i] != nil {
		return p.values[i].num
	}
	return unknown
}

// Now implements fact.History.
func (p *past) Now() fact.Mark {
	return fact.Mark{Turn: long, UserTurn: long, UserTurnOK: true, OutputTokens: long, OutputOK: true,
		At: time.Unix(1e9, 0)}
}

// Begin implements fact.History.
func (p *past) Begin() fact.Mark { return fact.Mark{UserTurnOK: true} }

// CallCount implements fact.History.
func (p *past) CallCount(of fact.Pattern) (n int, ok bool) {
	switch x := p.number(varCount, of.String()); {
	case x != x:
		return 0, false
	case math.IsInf(x, 1):
		return 1, false
	default:
		return int(x), true
	}
}

// TurnsSinceCall implements fact.History.
func (p *past) TurnsSinceCall(of fact.Pattern) (turns int, ok bool) {
	x := p.number(varLatest, of.String())
	return atLeast0(x), x == x
}

// CalledSince implements fact.History.
func (p *past) CalledSince(a, b fact.Pattern) fact.Truth {
	if a.String() == b.String() { // it is true as long as there was none
		n, ok := p.CallCount(a)
		if !ok {
			return fact.Unknown
		}
		return fact.Of(n == 0)
	}
	x := p.number(varSince, a.String()+", "+b.String())
	if x != x {
		return fact.Unknown
	}
	return fact.Of(x == 1)
}

// ChainRepeats implements fact.History. The chain is that of the condition that is evaluated, else the one
// that such calls make.
func (p *past) ChainRepeats(chain []func(tool string) bool) (n int, ok bool) {
	for i, v := range p.values {
		if v == nil || p.m.vars[i].kind != varChain || p.leaf != nil && !slices.Contains(p.leaf.vars, i) {
			continue
		}
		links := strings.Split(strings.ReplaceAll(p.m.vars[i].name, "*", "x"), ">")
		if slices.EqualFunc(chain, links, func(is func(string) bool, s string) bool {
			return is(strings.TrimSpace(s))
		}) {
			return atLeast0(v.num), v.num == v.num
		}
	}
	return 0, false
}

// LastFire implements fact.History.
func (p *past) LastFire(id string) (at fact.Mark, ok bool) {
	at = p.Now()
	at.Turn, at.OutputOK = long-1, false // at least a turn lies between two turns
	if x := p.number(varFired, id); x == x {
		at.Turn, ok = long-atLeast0(x), true
	}
	if x := p.number(varTokens, id); x == x {
		at.OutputTokens, at.OutputOK, ok = long-int64(x), true, true
	}
	for unit := grammar.Turns; unit <= grammar.Elapsed; unit++ {
		i := p.m.find(key{varPace, fact.ID(unit), id})
		if i < 0 || p.values[i] == nil {
			continue
		}
		ok = true
		switch x := p.values[i].num; unit {
		case grammar.Turns:
			at.Turn = long - atLeast0(x)
		case grammar.UserTurns:
			at.UserTurn, at.UserTurnOK = long-atLeast0(x), x == x
		default:
			at.At = at.At.Add(-time.Duration(x))
		}
	}
	return at, ok
}

// atLeast0 is a number that is 0 where it is unknown.
func atLeast0(x float64) int {
	if x != x {
		return 0
	}
	return int(x)
}
