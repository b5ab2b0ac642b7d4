package trigger

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// shorthand lowers a shorthand of the language.
func (c *checker) shorthand(x *grammar.Shorthand) leaf {
	if findShorthand(c.schema, x.Name) == nil {
		return c.noShorthand(x)
	}
	switch x.Name {
	case "after_tool":
		return c.ofPatterns(&condition.Leaf{Kind: condition.Called, After: true}, x.Args)
	case "before_tool":
		return c.ofPatterns(&condition.Leaf{Kind: condition.Before}, x.Args)
	case "tool_failed":
		return c.ofPatterns(&condition.Leaf{Kind: condition.Failed, After: true}, x.Args)
	case "repeated_tool_chain":
		return c.repeatedChain(x)
	case "thread":
		if names := c.words(x.Args); names != nil {
			return &condition.Leaf{Kind: condition.Text, Fact: fact.ThreadType, Names: names}
		}
		return nil
	default: // turn_gt, user_turn_gt
		return c.above(x, shorthandFact(x.Name))
	}
}

// noShorthand reports a shorthand that there is not.
func (c *checker) noShorthand(x *grammar.Shorthand) leaf {
	message := fmt.Sprintf("there is no shorthand %q", x.Name)
	for end, op := range map[string]string{"_lt": "<", "_le": "<=", "_lte": "<=", "_ge": ">=", "_gte": ">=",
		"_eq": "=="} {
		if stem, ok := strings.CutSuffix(x.Name, end); ok && (stem == "turn" || stem == "user_turn") {
			right := stem + "_count " + op + " " + argText(x.Args[0])
			return c.mend(code.UnknownShorthand, x.Range, message, "write "+right, right)
		}
	}
	if ft, ok := c.schema.Lookup(x.Name); ok {
		message, line := fmt.Sprintf("%s is a fact, not a shorthand", x.Name),
			strings.Replace(example(ft), "!=", "==", 1)
		texts := make([]string, len(x.Args))
		for i, a := range x.Args {
			texts[i] = argText(a)
		}
		own := line[:strings.LastIndexByte(line, ' ')+1] + texts[0]
		if strings.HasSuffix(line, `"`) {
			own = line[:strings.IndexByte(line, '"')] + strconv.Quote(texts[0])
		} else if left, list := strings.CutSuffix(own, " == "+texts[0]); list && len(texts) > 1 {
			own, texts = left+" in ["+strings.Join(texts, ", ")+"]", texts[:1]
		}
		if len(texts) == 1 && !strings.Contains(own, "*") && (&meaning{schema: c.schema}).compiles(own) {
			return c.mend(code.UnknownShorthand, x.Range, message, "write "+own, own)
		}
		return c.report(code.UnknownShorthand, x.NameRange, message, "compare it, as in "+line)
	}
	if c.otherWord(code.UnknownShorthand, x.NameRange, x.Name, "shorthand") {
		return nil
	}
	names := shorthandNames(c.schema)
	return c.unknown(code.UnknownShorthand, x.NameRange, message, x.Name, names,
		"there are "+strings.Join(names, ", "))
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

// ofPatterns returns the condition l on call patterns, which are the arguments; nil if any is none.
func (c *checker) ofPatterns(l leaf, args []grammar.Arg) leaf {
	for _, a := range args {
		if p, ok := c.callPattern(a.Range, argText(a), callpattern.Parse); ok {
			l.Patterns = append(l.Patterns, p)
		}
	}
	if len(l.Patterns) < len(args) {
		return nil
	}
	return l
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
		if other, not := strings.CutPrefix(name, "!"); not {
			c.report(code.ShorthandArgument, a.Range, "no thread has ! in its name", "write not thread:"+other)
			return nil
		}
		names = append(names, name)
	}
	return names
}

// alone reports whether x has one argument.
func (c *checker) alone(x *grammar.Shorthand, message, hint string) bool {
	if len(x.Args) > 1 {
		at := grammar.Range{Start: x.Args[1].Start, End: x.Args[len(x.Args)-1].End}
		c.report(code.ShorthandArgument, at, message, hint)
	}
	return len(x.Args) == 1
}

// above checks turn_gt:N and user_turn_gt:N.
func (c *checker) above(x *grammar.Shorthand, id fact.ID) leaf {
	if !c.alone(x, x.Name+" takes one number", "write "+x.Name+":20") {
		return nil
	}
	if n, ok := c.count(x.Args[0].Range, x.Args[0].Text, x.Name+" takes a whole number", 0); ok {
		return condition.Slot(c.schema.Fact(id)).Compared(grammar.Greater, n)
	}
	return nil
}

// count reads a whole number, with or without k or M. least is the smallest number that the hint names to
// the author of a negative one.
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
		c.report(code.NegativeNumber, at, fmt.Sprintf("%s, and %q is negative", wants, s),
			fmt.Sprintf("write %d or more", least))
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
	if !c.alone(x, "repeated_tool_chain takes one chain", wants) {
		return nil
	}
	a := x.Args[0]
	cut := strings.LastIndex(a.Text, "|")
	if cut < 0 {
		return c.report(code.ShorthandArgument, a.Range,
			"repeated_tool_chain wants a number of times behind the chain", wants)
	}
	chain := argText(grammar.Arg{Text: strings.TrimSpace(a.Text[:cut])})
	times := strings.TrimSpace(a.Text[cut+1:])
	if strings.Contains(chain, "|") {
		return c.report(code.ShorthandArgument, a.Range,
			"repeated_tool_chain takes one number behind one chain", wants)
	}
	n, okN := c.count(a.Range, times, "repeated_tool_chain takes a whole number behind |", 1)
	if okN && n < 1 {
		c.report(code.ShorthandArgument, a.Range, "a chain is repeated at least once", "write 1 or more behind |")
		okN = false
	}
	if !c.chain(a.Range, chain) || !okN || !c.remembered(a.Range, chain, n) {
		return nil
	}
	return condition.Ask(findFunction(c.schema, "tool_chain_repeats"), []string{chain}, nil).
		Compared(grammar.GreaterEqual, n)
}
