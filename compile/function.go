package compile

import (
	"math"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/vocabulary"
)

// ask answers the question of a function about the run's own past; NaN is unknown.
type ask func(h fact.History) float64

// asks are the questions of the functions that take texts, and callAsks of those that take call patterns.
var (
	asks = map[string]func(arg string) ask{
		"output_tokens_since": outputTokensSince,
		"tool_chain_repeats":  chainRepeats,
		"turns_since":         turnsSince,
	}
	callAsks = map[string]func(ps []callPattern) ask{
		"called_since":     calledSince,
		"tool_count":       toolCount,
		"turns_since_tool": turnsSinceTool,
		"used":             used,
	}
)

// takes says for people which texts a function takes.
func takes(fn *vocabulary.Word) string {
	if fn.Texts == 2 {
		return "two call patterns, each quoted"
	}
	return "a quoted text, " + fn.Takes.String()
}

// termOf is the answer of a function for its texts, which are ps where they are call patterns.
func termOf(fn *vocabulary.Word, args []string, ps []callPattern) *term {
	var ask ask
	if fn.Takes == vocabulary.CallPattern {
		ask = callAsks[fn.Name](ps)
	} else {
		ask = asks[fn.Name](args[0])
	}
	t := &term{Text: callKey(fn.Name, args), Function: fn.Name, Argument: args[0], Bool: fn.Asks, Patterns: ps,
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
func findFunction(s *fact.Schema, name string) *vocabulary.Word {
	fn := vocabulary.Find(vocabulary.Functions(), name)
	if fn == nil || fn.Takes != vocabulary.Reminder && !s.Has(fact.ToolUsed) {
		return nil
	}
	return fn
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
