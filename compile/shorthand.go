package compile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// shorthands are those of LANGUAGE.md §2, sorted.
var shorthands = [...]struct {
	name, example string
	check         func(*checker, *grammar.Shorthand) leaf
}{
	{"after_tool", "after_tool:Edit,Write", func(c *checker, x *grammar.Shorthand) leaf {
		if ps := c.patterns(x.Args); ps != nil {
			return members{id: fact.ToolUsed, ps: ps}
		}
		return nil
	}},
	{"repeated_tool_chain", "repeated_tool_chain:Read>Edit|3", (*checker).repeatedChain},
	{"thread", "thread:plan,learn", func(c *checker, x *grammar.Shorthand) leaf {
		if names := c.words(x.Args); names != nil {
			return text{id: fact.ThreadType, vs: names}
		}
		return nil
	}},
	{"tool_failed", "tool_failed:Bash", func(c *checker, x *grammar.Shorthand) leaf {
		if ps := c.patterns(x.Args); ps != nil {
			return failed{ps: ps}
		}
		return nil
	}},
	{"turn_gt", "turn_gt:20", func(c *checker, x *grammar.Shorthand) leaf { return c.above(x, fact.TurnCount) }},
	{"user_turn_gt", "user_turn_gt:5", func(c *checker, x *grammar.Shorthand) leaf { return c.above(x, fact.UserTurnCount) }},
}

func shorthandNames() []string {
	names := make([]string, len(shorthands))
	for i := range shorthands {
		names[i] = shorthands[i].name
	}
	return names
}

func (c *checker) shorthand(x *grammar.Shorthand) leaf {
	for i := range shorthands {
		if shorthands[i].name == x.Name {
			return shorthands[i].check(c, x)
		}
	}
	message := fmt.Sprintf("there is no shorthand %q", x.Name)
	if ft, ok := c.schema.Lookup(x.Name); ok {
		c.report(code.UnknownShorthand, x.NameRange, fmt.Sprintf("%s is a fact, not a shorthand", x.Name), "compare it, as in "+example(ft))
		if d := &c.diags[len(c.diags)-1]; len(x.Args) == 1 && (ft.Type == fact.String || ft.Type == fact.Set) {
			to := x.Range
			to.End = x.Args[0].Start
			d.Fix = edit(to, x.Name+" == ")
		}
		return nil
	}
	if fn := findFunction(x.Name); fn != nil {
		c.report(code.UnknownShorthand, x.NameRange, fmt.Sprintf("%q is a function, not a shorthand", x.Name), "write "+fn.example())
		return nil
	}
	c.unknown(code.UnknownShorthand, x.NameRange, message, x.Name, shorthandNames(), "there are "+strings.Join(shorthandNames(), ", "))
	return nil
}

// argText is an argument, its quotes taken off.
func argText(a grammar.Arg) string {
	if len(a.Text) >= 2 && a.Text[0] == '"' {
		if s, err := strconv.Unquote(a.Text); err == nil {
			return s
		}
	}
	return a.Text
}

// patterns returns the tools that the arguments name; nil if any names none.
func (c *checker) patterns(args []grammar.Arg) []*pattern {
	ps := make([]*pattern, 0, len(args))
	for _, a := range args {
		if name := argText(a); c.tool(a.Range, name) {
			ps = append(ps, newPattern(name))
		}
	}
	if len(ps) < len(args) {
		return nil
	}
	return ps
}

// words returns the arguments as texts; nil if any is empty.
func (c *checker) words(args []grammar.Arg) []string {
	names := make([]string, 0, len(args))
	for _, a := range args {
		name := argText(a)
		if name == "" {
			c.report(code.ShorthandArgument, a.Range, "the name is empty", "write a name, as in thread:plan,learn")
			return nil
		}
		if strings.Contains(name, "*") {
			c.warn(code.UselessWildcard, a.Range, "* is no wildcard here, since thread_type names no tools", "wildcards are for tools alone", "")
		}
		names = append(names, name)
	}
	return names
}

// above checks turn_gt:N and user_turn_gt:N.
func (c *checker) above(x *grammar.Shorthand, id fact.ID) leaf {
	if len(x.Args) > 1 {
		at := x.Args[1].Range
		at.End = x.Args[len(x.Args)-1].End
		c.report(code.ShorthandArgument, at, x.Name+" takes one number", "write "+x.Name+":20")
		return nil
	}
	n, ok := c.count(x.Args[0].Range, x.Args[0].Text, x.Name+" takes a whole number", 0)
	if !ok {
		return nil
	}
	return number{id: id, op: grammar.Greater, c: n}
}

// count reads a whole number, with k or M behind it or without; least is what is told to who wrote one below zero.
func (c *checker) count(at grammar.Range, s, wants string, least int) (float64, bool) {
	digits, unit := s, 1.0
	switch {
	case strings.HasSuffix(s, "k"):
		digits, unit = s[:len(s)-1], 1e3
	case strings.HasSuffix(s, "M"):
		digits, unit = s[:len(s)-1], 1e6
	}
	if isWhole(digits) {
		n, err := strconv.ParseFloat(digits, 64)
		if err == nil && n*unit <= fact.MaxInt {
			return n * unit, true
		}
	}
	switch f, err := strconv.ParseFloat(s, 64); {
	case err == nil && f < 0:
		c.report(code.NegativeNumber, at, fmt.Sprintf("%s, and %q is negative", wants, s), fmt.Sprintf("write %d or more", least))
	case strings.Trim(digits, "0123456789") == "" && digits != "":
		c.report(code.LargeNumber, at, "the number is too large", fmt.Sprintf("at most %d", int64(fact.MaxInt)))
	default:
		c.report(code.ShorthandArgument, at, fmt.Sprintf("%s, not %q", wants, s), "write a whole number, as in 20")
	}
	return 0, false
}

// repeatedChain checks repeated_tool_chain:CHAIN|N.
func (c *checker) repeatedChain(x *grammar.Shorthand) leaf {
	const wants = "write repeated_tool_chain:Read>Edit|3"
	if len(x.Args) > 1 {
		at := x.Args[1].Range
		at.End = x.Args[len(x.Args)-1].End
		c.report(code.ShorthandArgument, at, "repeated_tool_chain takes one chain", wants)
		return nil
	}
	a := x.Args[0]
	chain, times, ok := cutLast(a.Text, "|")
	if !ok {
		c.report(code.ShorthandArgument, a.Range, "repeated_tool_chain wants a number of times behind the chain", wants)
		return nil
	}
	chain, times = argText(grammar.Arg{Text: strings.TrimSpace(chain)}), strings.TrimSpace(times)
	if strings.Contains(chain, "|") {
		c.report(code.ShorthandArgument, a.Range, "repeated_tool_chain takes one number behind one chain", wants)
		return nil
	}
	n, okN := c.count(a.Range, times, "repeated_tool_chain takes a whole number behind |", 1)
	if okN && n < 1 {
		c.report(code.ShorthandArgument, a.Range, "a chain is repeated at least once", "write 1 or more behind |")
		okN = false
	}
	if !c.chain(a.Range, chain) || !okN || !c.remembered(a.Range, chain, n) {
		return nil
	}
	return reading{t: &term{text: callKey("tool_chain_repeats", chain), name: "tool_chain_repeats", arg: chain, num: chainRepeats(chain)}, op: grammar.GreaterEqual, c: n}
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// chain reports whether text is a chain of tools.
func (c *checker) chain(at grammar.Range, text string) bool {
	for link := range strings.SplitSeq(text, ">") {
		if !c.tool(at, strings.TrimSpace(link)) {
			return false
		}
	}
	return c.remembered(at, text, 1)
}

// remembered reports whether n repeats of a chain fit into what a run remembers.
func (c *checker) remembered(at grammar.Range, chain string, n float64) bool {
	if need := n * float64(strings.Count(chain, ">")+1); need > fact.ChainMemory {
		c.report(code.LongChain, at, fmt.Sprintf("%s times this chain is %s, and a run remembers %d", wholeText(n), plural(int(min(need, fact.MaxInt)), "call"), fact.ChainMemory),
			"shorten the chain or lower the number")
		return false
	}
	return true
}
