package compile

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

// function is a question about the run's own past. All of them take quoted texts.
type function struct {
	name string
	arg  argument
	args int // how many texts it takes
	bool bool
	// the question, of texts or of call patterns
	ask      func(arg string) ask
	askCalls func(ps []callPattern) ask
}

// ask answers a function's question; NaN is unknown.
type ask func(h fact.History) float64

// argument is the meaning of the text that a function takes.
type argument uint8

const (
	callArgument argument = iota
	toolChain
	reminderID
)

// String describes the argument, for people.
func (a argument) String() string {
	return [...]string{"a call pattern", "a chain such as \"Read>Edit\"", "the id of a reminder"}[a]
}

// functions are those of LANGUAGE.md §1, sorted.
var functions = [...]function{
	{name: "called_since", arg: callArgument, args: 2, bool: true, askCalls: calledSince},
	{name: "output_tokens_since", arg: reminderID, args: 1, ask: outputTokensSince},
	{name: "tool_chain_repeats", arg: toolChain, args: 1, ask: chainRepeats},
	{name: "tool_count", arg: callArgument, args: 1, askCalls: toolCount},
	{name: "turns_since", arg: reminderID, args: 1, ask: turnsSince},
	{name: "turns_since_tool", arg: callArgument, args: 1, askCalls: turnsSinceTool},
	{name: "used", arg: callArgument, args: 1, bool: true, askCalls: used},
}

// takes says for people which texts the function takes.
func (f *function) takes() string {
	if f.args == 2 {
		return "two call patterns, each quoted"
	}
	return "a quoted text, " + f.arg.String()
}

// example is how the function is used.
func (f *function) example() string {
	if f.args == 2 {
		return f.name + `("Bash(go test*)", "@edit")`
	}
	s := f.name + [...]string{`("Bash")`, `("Read>Edit")`, `("my-reminder")`}[f.arg]
	if !f.bool {
		s += " >= 3"
	}
	return s
}

// term is the function's answer for its texts, which are ps where they are call patterns.
func (f *function) term(args []string, ps []callPattern) *term {
	var ask ask
	if f.askCalls != nil {
		ask = f.askCalls(ps)
	} else {
		ask = f.ask(args[0])
	}
	t := &term{Text: callKey(f.name, args), Function: f.name, Argument: args[0], Bool: f.bool, Patterns: ps,
		History: true}
	t.Num = func(fr *fact.Frame) float64 {
		if h := fr.History(); h != nil {
			return ask(h)
		}
		return math.NaN()
	}
	return t
}

// callKey is the call of a function as people write it.
func callKey(function string, args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = strconv.Quote(arg)
	}
	return function + "(" + strings.Join(quoted, ", ") + ")"
}

// findFunction returns the function of that name, nil if a schema has none: without tool_used nobody tells of
// calls.
func findFunction(s *fact.Schema, name string) *function {
	i := slices.IndexFunc(functions[:], func(f function) bool { return f.name == name })
	if i < 0 || functions[i].arg != reminderID && !s.Has(fact.ToolUsed) {
		return nil
	}
	return &functions[i]
}

func toolCount(ps []callPattern) ask {
	p := ps[0].Pattern
	return func(h fact.History) float64 {
		if n, ok := h.CallCount(p); ok {
			return float64(n)
		}
		return math.NaN()
	}
}

func used(ps []callPattern) ask {
	p := ps[0].Pattern
	return func(h fact.History) float64 {
		n, ok := h.CallCount(p)
		switch {
		case n > 0:
			return 1
		case ok:
			return 0
		default:
			return math.NaN()
		}
	}
}

func turnsSinceTool(ps []callPattern) ask {
	p := ps[0].Pattern
	return func(h fact.History) float64 {
		if n, ok := h.TurnsSinceCall(p); ok {
			return float64(n)
		}
		return math.NaN()
	}
}

func calledSince(ps []callPattern) ask {
	a, b := ps[0].Pattern, ps[1].Pattern
	return func(h fact.History) float64 { return numberOf(h.CalledSince(a, b)) }
}

// numberOf is a truth as a number: 1, 0, or NaN where it is unknown.
func numberOf(t fact.Truth) float64 {
	switch t {
	case fact.True:
		return 1
	case fact.False:
		return 0
	default:
		return math.NaN()
	}
}

func turnsSince(arg string) ask {
	return func(h fact.History) float64 {
		if last, ok := h.LastFire(arg); ok {
			return float64(h.Now().Turn - last.Turn)
		}
		return math.NaN()
	}
}

func outputTokensSince(arg string) ask {
	return func(h fact.History) float64 {
		last, ok := h.LastFire(arg)
		if now := h.Now(); ok && now.OutputOK && last.OutputOK {
			return float64(max(now.OutputTokens-last.OutputTokens, 0)) // a host that counts may begin again
		}
		return math.NaN()
	}
}

func chainRepeats(arg string) ask {
	chain := chainOf(arg)
	return func(h fact.History) float64 {
		if n, ok := h.ChainRepeats(chain); ok {
			return float64(n)
		}
		return math.NaN()
	}
}

// chainOf returns the matchers of a chain A>B>C, blanks around its links left out.
func chainOf(text string) []func(tool string) bool {
	var chain []func(string) bool
	for link := range strings.SplitSeq(text, ">") {
		chain = append(chain, callpattern.Wild(strings.TrimSpace(link)))
	}
	return chain
}
