package compile

import (
	"math"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// function is a question about the run's own past. All of them take one quoted text.
type function struct {
	name string
	arg  argument
	bool bool
	ask  func(arg string) ask
	// the answer where there is no history: 0 of a count, NaN (which is unknown) of a distance
	without float64
}

// ask answers a function's question; NaN is unknown.
type ask func(h fact.History) float64

// argument is the meaning of the text that a function takes.
type argument uint8

const (
	toolName argument = iota
	toolChain
	reminderID
)

// String describes the argument, for people.
func (a argument) String() string {
	return [...]string{"the name of a tool", "a chain such as \"Read>Edit\"", "the id of a reminder"}[a]
}

// functions are those of LANGUAGE.md §1, sorted.
var functions = [...]function{
	{name: "output_tokens_since", arg: reminderID, ask: outputTokensSince, without: math.NaN()},
	{name: "tool_chain_repeats", arg: toolChain, ask: chainRepeats},
	{name: "tool_count", arg: toolName, ask: toolCount},
	{name: "turns_since", arg: reminderID, ask: turnsSince, without: math.NaN()},
	{name: "turns_since_tool", arg: toolName, ask: turnsSinceTool, without: math.NaN()},
	{name: "used", arg: toolName, bool: true, ask: used},
}

// example is how the function is used.
func (f *function) example() string {
	s := f.name + [...]string{`("Bash")`, `("Read>Edit")`, `("my-reminder")`}[f.arg]
	if !f.bool {
		s += " >= 3"
	}
	return s
}

// term is the function's answer for one text.
func (f *function) term(arg string) *term {
	ask := f.ask(arg)
	t := &term{text: callKey(f.name, arg), name: f.name, arg: arg, bool: f.bool}
	t.num = func(fr *fact.Frame) float64 {
		if h := fr.History(); h != nil {
			return ask(h)
		}
		return f.without
	}
	if f.arg == toolChain {
		t.chain = arg
	}
	return t
}

func findFunction(name string) *function {
	i := slices.IndexFunc(functions[:], func(f function) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &functions[i]
}

// term is a number of a turn that is no slot: the answer of a function, or the length of a set.
type term struct {
	text  string // as people write it
	name  string // of the function
	arg   string
	bool  bool
	chain string // of tool_chain_repeats
	num   func(*fact.Frame) float64
	ids   []fact.ID
}

func toolCount(arg string) ask {
	match := newPattern(arg).match
	return func(h fact.History) float64 { return float64(h.ToolCount(match)) }
}

func used(arg string) ask {
	match := newPattern(arg).match
	return func(h fact.History) float64 { return float64(min(h.ToolCount(match), 1)) }
}

func turnsSinceTool(arg string) ask {
	match := newPattern(arg).match
	return func(h fact.History) float64 {
		if n, ok := h.TurnsSinceTool(match); ok {
			return float64(n)
		}
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
	return func(h fact.History) float64 { return float64(h.ChainRepeats(chain)) }
}

// chainOf returns the matchers of a chain A>B>C, blanks around its links left out.
func chainOf(text string) []func(tool string) bool {
	var chain []func(string) bool
	for link := range strings.SplitSeq(text, ">") {
		chain = append(chain, newPattern(strings.TrimSpace(link)).match)
	}
	return chain
}

// lengthOf is the number of members of a set fact.
func lengthOf(ft fact.Fact) *term {
	id := ft.ID
	return &term{text: "len(" + ft.Name + ")", name: "len", ids: []fact.ID{id},
		num: func(f *fact.Frame) float64 {
			set, ok := f.Set(id)
			if !ok {
				return math.NaN()
			}
			return float64(len(set))
		}}
}
