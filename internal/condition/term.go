package condition

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/vocabulary"
)

// Term is a value that an expression mentions: a fact, the answer of a function, the length of a set, how
// many members of a set or a list satisfy a condition, or a condition.
type Term struct {
	Text     string    // as people write it
	Fact     fact.Fact // that it is; the zero Fact for anything else
	Function string    // "" for a fact or a condition
	Argument string    // the first one of the function
	Bool     bool
	Tally    bool // it looks at the members of a set or a list one by one
	Times    bool // it asks how long calls took
	History  bool // it depends on the run's past
	Patterns []Pattern
	Leaf     *Leaf // of a condition; nil else
	Memory   *Remembered
	Reads    []fact.ID
	// a bool is 1 or 0, NaN is unknown; nil for a fact that a program reads itself
	Num func(*fact.Frame) float64
	Err func(*fact.Frame) error // why Num cannot be computed; nil where that never happens
}

// Slot returns a fact that is a number, or true or false.
func Slot(ft fact.Fact) *Term {
	id := ft.ID
	return &Term{Text: ft.Name, Fact: ft, Bool: ft.Type == fact.Bool, Reads: []fact.ID{id},
		Num: func(f *fact.Frame) float64 { return f.Num(id) }}
}

// PastCalls reports whether t asks for the run's past calls.
func (t *Term) PastCalls() bool { return t.History && !OfFiring(t.Function) }

// OfFiring reports whether a function asks when a reminder last fired.
func OfFiring(function string) bool {
	fn := vocabulary.Find(vocabulary.Functions(), function)
	return fn != nil && fn.Takes == vocabulary.Reminder
}

// Ask returns the answer of a function for its texts, which are ps where they are call patterns.
func Ask(fn *vocabulary.Word, args []string, ps []Pattern) *Term {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = strconv.Quote(arg)
	}
	answer := answerOf(fn.Name, args[0], ps)
	return &Term{Text: fn.Name + "(" + strings.Join(quoted, ", ") + ")", Function: fn.Name, Argument: args[0],
		Bool: fn.Asks, Patterns: ps, History: true,
		Num: func(f *fact.Frame) float64 {
			if h := f.History(); h != nil {
				return answer(h)
			}
			return math.NaN()
		}}
}

// answerOf returns the question of a function about the run's own past; NaN is unknown.
func answerOf(function, arg string, ps []Pattern) func(h fact.History) float64 {
	switch function {
	case "called_since":
		return func(h fact.History) float64 { return NumberOf(h.CalledSince(ps[0].Pattern, ps[1].Pattern)) }
	case "tool_count":
		return func(h fact.History) float64 { return known(h.CallCount(ps[0].Pattern)) }
	case "used":
		return func(h fact.History) float64 {
			n, ok := h.CallCount(ps[0].Pattern)
			return known(min(n, 1), ok || n > 0)
		}
	case "turns_since_tool":
		return func(h fact.History) float64 { return known(h.TurnsSinceCall(ps[0].Pattern)) }
	case "turns_since":
		return func(h fact.History) float64 {
			last, ok := h.LastFire(arg)
			return known(h.Now().Turn-last.Turn, ok)
		}
	case "tool_chain_repeats":
		var chain []func(tool string) bool
		for link := range strings.SplitSeq(arg, ">") {
			chain = append(chain, callpattern.Wild(strings.TrimSpace(link)))
		}
		return func(h fact.History) float64 { return known(h.ChainRepeats(chain)) }
	default: // output_tokens_since
		return func(h fact.History) float64 {
			last, ok := h.LastFire(arg)
			now := h.Now() // a host that counts may begin again
			return known(max(now.OutputTokens-last.OutputTokens, 0), ok && now.OutputOK && last.OutputOK)
		}
	}
}

// known is a count as a number; NaN where it is not known.
func known[N int | int64](n N, ok bool) float64 {
	if ok {
		return float64(n)
	}
	return math.NaN()
}

// Of returns the value of a condition that is a part of an expression.
func (l *Leaf) Of(text string, s *fact.Schema) *Term {
	l.complete()
	l.remember(s)
	truth := l.recalled()
	return &Term{Text: text, Bool: true, Leaf: l, Reads: l.Reads, Err: l.Err, Memory: l.Memory,
		Num: func(f *fact.Frame) float64 { return NumberOf(truth(f)) }}
}

// Length returns the number of members of a set fact, or of calls.
func Length(ft fact.Fact, s *fact.Schema) *Term {
	t := &Term{Text: fmt.Sprintf("len(%s)", ft.Name), Function: "len", Reads: []fact.ID{ft.ID},
		Num: func(f *fact.Frame) float64 {
			set, told := f.Set(ft.ID)
			n := len(set)
			if ft.Type == fact.Calls {
				var calls []fact.Call
				calls, told = Calls(f)
				n = len(calls)
			}
			return known(n, told)
		}}
	return t.Remember(s, nil)
}

// NumberOf returns a truth as a number: 1, 0, or NaN where it is unknown.
func NumberOf(t fact.Truth) float64 {
	if t == fact.Unknown {
		return math.NaN()
	}
	return float64(t / fact.True)
}
