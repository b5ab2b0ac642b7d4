package compile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/vocabulary"
	"github.com/aside-go/aside/internal/words"
)

// number returns the slot value that v stands for where a fact of ft's type is compared, in the units of
// fact.Frame.
func (c *checker) number(ft fact.Fact, v grammar.Operand) (float64, bool) {
	switch ft.Type {
	case fact.Int:
		return c.whole(ft, v)
	case fact.Ratio:
		return c.ratio(ft, v)
	case fact.Number:
		return c.anyNumber(ft, v)
	case fact.Dollars:
		return c.dollars(ft, v)
	default:
		return c.duration(ft, v)
	}
}

func (c *checker) whole(ft fact.Fact, v grammar.Operand) (float64, bool) {
	wants := ft.Name + " is a whole number"
	switch {
	case v.Kind == grammar.Decimal && v.Number == math.Trunc(v.Number) && math.Abs(v.Number) <= fact.MaxInt:
		n := strconv.FormatInt(int64(v.Number), 10)
		c.mend(code.NotWhole, v.Range, wants, "did you mean "+n+"?", n)
	case v.Kind == grammar.Decimal:
		c.report(code.NotWhole, v.Range, wants,
			"write a whole number, as in "+strconv.Itoa(int(max(-1e9, min(v.Number, 1e9)))))
	case v.Kind == grammar.Percent:
		c.report(code.TypeMismatch, v.Range, wants+", not a ratio", "write a whole number, as in "+example(ft))
	case v.Kind == grammar.Duration && ft.Unit == "tokens" && strings.Count(v.Text, "m") == 1 &&
		strings.Trim(v.Text, "0123456789.m") == "":
		millions := strings.TrimSuffix(v.Text, "m") + "M"
		c.mend(code.TypeMismatch, v.Range, wants+", not a duration", "did you mean "+millions+"?", millions)
	case v.Kind == grammar.Duration:
		c.report(code.TypeMismatch, v.Range, wants+", not a duration", "write a whole number, as in "+example(ft))
	case v.Kind == grammar.String && isWhole(v.Text):
		c.mend(code.TypeMismatch, v.Range, wants+", not a string", "leave the quotes out", v.Text)
	case v.Kind != grammar.Int:
		c.misfit(wants, v, "write a whole number, as in "+example(ft))
	case math.Abs(v.Number) > fact.MaxInt:
		c.report(code.LargeNumber, v.Range, "the number is too large",
			fmt.Sprintf("at most %d", int64(fact.MaxInt)))
	case v.Number < 0 && !declared(ft):
		c.report(code.NegativeNumber, v.Range, ft.Name+" is never negative", "write 0 or more")
	case v.Number > 23 && ft.ID == fact.Hour:
		c.report(code.LargeNumber, v.Range, "an hour is 0 to 23", "write one of these, as in hour >= 22")
	default:
		return v.Number, true
	}
	return 0, false
}

// declared reports whether the host has declared ft: such a number, or duration, may be below zero.
func declared(ft fact.Fact) bool { return strings.HasPrefix(ft.Name, "vars.") }

func (c *checker) ratio(ft fact.Fact, v grammar.Operand) (float64, bool) {
	wants := ft.Name + " is a ratio"
	switch v.Kind {
	case grammar.Int, grammar.Decimal, grammar.Percent:
	default:
		c.misfit(wants, v, "write a percentage, as in "+example(ft))
		return 0, false
	}
	switch {
	case v.Number < 0:
		c.report(code.NegativeNumber, v.Range, "a ratio is never negative", "write 0% to 100%")
		return 0, false
	case v.Number <= 1:
		return v.Number, true
	case v.Kind != grammar.Percent && v.Number <= 100 && !strings.ContainsAny(v.Text, "kM"):
		c.mend(code.RatioAboveOne, v.Range, "a ratio cannot be above 100%", "did you mean "+v.Text+"%?", v.Text+"%")
		return 0, false
	}
	c.report(code.RatioAboveOne, v.Range, "a ratio cannot be above 100%", "write 0% to 100%")
	return 0, false
}

// anyNumber is for a fact that is any number.
func (c *checker) anyNumber(ft fact.Fact, v grammar.Operand) (float64, bool) {
	switch v.Kind {
	case grammar.Int, grammar.Decimal:
		return v.Number, true
	case grammar.Dollars:
		plain := strings.Replace(v.Text, "$", "", 1)
		c.mend(code.TypeMismatch, v.Range, ft.Name+" is a number, not dollars", "did you mean "+plain+"?", plain)
	default:
		c.misfit(ft.Name+" is a number", v, "write a number, as in "+example(ft))
	}
	return 0, false
}

// dollars is for a fact that is an amount of money.
func (c *checker) dollars(ft fact.Fact, v grammar.Operand) (float64, bool) {
	wants := ft.Name + " is in dollars"
	switch {
	case v.Kind == grammar.Dollars && v.Number < 0 && !declared(ft):
		c.report(code.NegativeNumber, v.Range, ft.Name+" is never negative", "write $0 or more")
	case v.Kind == grammar.Dollars:
		return v.Number, true
	case (v.Kind == grammar.Int || v.Kind == grammar.Decimal) && v.Number >= 0:
		right := "$" + amount(v.Number)
		c.mend(code.DollarsWithoutSign, v.Range, wants, "did you mean "+right+"?", right)
	case v.Kind == grammar.String && isWhole(v.Text):
		c.mend(code.DollarsWithoutSign, v.Range, wants+", not a string", "did you mean $"+v.Text+"?", "$"+v.Text)
	default:
		c.misfit(wants, v, "write an amount, as in "+example(ft))
	}
	return 0, false
}

// amount writes a number of dollars: 5, 0.50, 0.125.
func amount(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if i := strings.IndexByte(s, '.'); i >= 0 && i == len(s)-2 {
		s += "0"
	}
	return s
}

func (c *checker) duration(ft fact.Fact, v grammar.Operand) (float64, bool) {
	wants := ft.Name + " is a duration"
	switch {
	case (v.Kind == grammar.Int || v.Kind == grammar.Decimal) && strings.HasSuffix(v.Text, "M"):
		minutes := strings.TrimSuffix(v.Text, "M") + "m"
		c.mend(code.TimeWithoutUnit, v.Range, "a duration needs a unit, and M is a million",
			"did you mean "+minutes+"?", minutes)
	case v.Kind == grammar.Int && !strings.HasSuffix(v.Text, "k"):
		c.mend(code.TimeWithoutUnit, v.Range, "a duration needs a unit", "did you mean "+v.Text+"s?", v.Text+"s")
	case v.Kind == grammar.Decimal, v.Kind == grammar.Int:
		c.report(code.TimeWithoutUnit, v.Range, "a duration needs a unit", "write a unit, as in "+example(ft))
	case v.Kind != grammar.Duration:
		c.misfit(wants, v, "write a duration, as in "+example(ft))
	case v.Duration < 0 && !declared(ft):
		c.report(code.NegativeNumber, v.Range, "a duration is never negative", "write 0s or more")
	default:
		return float64(v.Duration), true
	}
	return 0, false
}

// misfit reports a value of another type.
func (c *checker) misfit(wants string, v grammar.Operand, hint string) {
	is := ""
	switch v.Kind {
	case grammar.Word:
		is = fmt.Sprintf(", not %q", v.Text)
	case grammar.Percent:
		is = ", not a ratio"
	case grammar.Int, grammar.Decimal:
		is = ", not a number"
	case grammar.Duration:
		is = ", not a duration"
	case grammar.String:
		is = ", not a string"
	case grammar.Bool:
		is = ", not " + v.Text
	case grammar.List:
		is = ", not a list"
	case grammar.Dollars:
		is = ", not dollars"
	}
	c.report(code.TypeMismatch, v.Range, wants+is, hint)
}

func isWhole(s string) bool {
	return s != "" && len(s) < 16 && strings.Trim(s, "0123456789") == ""
}

func (c *checker) booleans(ft fact.Fact, op grammar.Op, vs []grammar.Operand) leaf {
	cs := make([]float64, 0, len(vs))
	for _, v := range vs {
		switch {
		case v.Kind == grammar.Bool && v.Text == "true":
			cs = append(cs, 1)
		case v.Kind == grammar.Bool:
			cs = append(cs, 0)
		case v.Kind == grammar.Word && (strings.EqualFold(v.Text, "true") || strings.EqualFold(v.Text, "false")):
			right := strings.ToLower(v.Text)
			c.mend(code.TypeMismatch, v.Range, fmt.Sprintf("%s is true or false, not %q", ft.Name, v.Text),
				"did you mean "+right+"?", right)
		case words.Of(words.Truth, v.Text) != "":
			right := words.Of(words.Truth, v.Text)
			c.misfit(ft.Name+" is true or false", v, "did you mean "+right+"?")
			c.diags[len(c.diags)-1].Fix = edit(v.Range, right)
		default:
			c.misfit(ft.Name+" is true or false", v, "write true or false")
		}
	}
	switch {
	case len(cs) < len(vs):
		return nil
	case op == grammar.In || op == grammar.NotIn:
		return numbersLeaf(ft.ID, op, cs)
	}
	if op == grammar.NotEqual {
		cs[0] = 1 - cs[0]
	}
	return numberLeaf(ft.ID, grammar.Equal, cs[0])
}

func (c *checker) texts(ft fact.Fact, op grammar.Op, vs []grammar.Operand) leaf {
	names := make([]string, 0, len(vs))
	for _, v := range vs {
		switch v.Kind {
		case grammar.String, grammar.Word:
			if ft.ID == fact.Weekday && !c.weekday(v) {
				continue
			}
			names = append(names, v.Text)
			c.name(ft, v.Range, v.Text)
		case grammar.List:
			c.misfit(ft.Name+" is "+kindOf(ft.Type), v, "write the texts in one list")
		default:
			if ft.ID == fact.Weekday {
				c.weekday(v)
				continue
			}
			q := strconv.Quote(c.source(v))
			c.mend(code.TypeMismatch, v.Range,
				fmt.Sprintf("%s is %s, and %s is not a string", ft.Name, kindOf(ft.Type), c.source(v)),
				"did you mean "+q+"?", q)
		}
	}
	if len(names) < len(vs) {
		return nil
	}
	not := op == grammar.NotEqual || op == grammar.NotIn
	switch {
	case ft.Type == fact.String:
		return textLeaf(ft.ID, names, not)
	case ft.ID == fact.ToolUsed:
		ps := make([]callPattern, len(vs))
		for i, v := range vs {
			var ok bool
			if ps[i], ok = c.callPattern(v.Range, names[i]); !ok {
				return nil
			}
		}
		return calledOf(ps, not)
	}
	return &condition.Leaf{Kind: condition.Members, Fact: ft.ID, Names: names, Not: not,
		Reads: []fact.ID{ft.ID}}
}

// weekday reports whether v is a day of the week, as the fact has it.
func (c *checker) weekday(v grammar.Operand) bool {
	days := fact.Weekdays()
	if slices.Contains(days, v.Text) {
		return true
	}
	message := fmt.Sprintf("weekday is never %q", strings.Trim(c.source(v), `"'`))
	if len(v.Text) >= 3 {
		if day := strings.ToLower(v.Text[:3]); slices.Contains(days, day) {
			c.mend(code.TypeMismatch, v.Range, message, "did you mean "+day+"?", day)
			return false
		}
	}
	c.report(code.TypeMismatch, v.Range, message, "write one of "+strings.Join(days, ", "))
	return false
}

// name looks at a text that a fact is compared with: a tool that nobody has, a wildcard that is none.
func (c *checker) name(ft fact.Fact, at grammar.Range, name string) {
	if ft.ID == fact.ToolUsed {
		return // callPattern looks at it
	}
	if strings.Contains(name, "*") {
		hint := "wildcards are for tools alone"
		switch plain := strings.Trim(name, "*"); {
		case strings.Contains(plain, "*") || plain == "":
		case name[0] != '*':
			hint = fmt.Sprintf("write %s startsWith %q", ft.Name, plain)
		case strings.HasSuffix(name, "*"):
			hint = fmt.Sprintf("write %s contains %q", ft.Name, plain)
		default:
			hint = fmt.Sprintf("write %s endsWith %q", ft.Name, plain)
		}
		c.warn(code.UselessWildcard, at,
			fmt.Sprintf("* is no wildcard here, since %s names no tools", ft.Name), hint, "")
	}
}

// tool looks at the name of a tool and reports whether it can be one.
func (c *checker) tool(at grammar.Range, name string) bool {
	if strings.TrimSpace(name) == "" {
		c.report(code.EmptyToolName, at, "the name of the tool is empty", "write a name, or * for any tool")
		return false
	}
	if len(c.tools) > 0 && !slices.ContainsFunc(c.tools, callpattern.Wild(name)) {
		n := len(c.diags)
		c.unknown(code.UnknownTool, at, fmt.Sprintf("there is no tool %q", name), name, c.tools, "")
		for i := range c.diags[n:] {
			c.diags[n+i].Severity, c.diags[n+i].Fix = grammar.Warning, c.diags[n+i].Fix.Doubtful()
		}
	}
	return true
}

// shorthands lower the shorthands of the language.
var shorthands = map[string]struct {
	fact  fact.ID // without it the schema has no such shorthand
	check func(*checker, *grammar.Shorthand) leaf
}{
	"after_tool": {fact.ToolUsed, ofPatterns(func(ps []callPattern) leaf { return calledOf(ps, false) })},
	"before_tool": {fact.ToolUsed, ofPatterns(func(ps []callPattern) leaf {
		return patternLeaf(condition.Before, ps, false)
	})},
	"repeated_tool_chain": {fact.ToolUsed, (*checker).repeatedChain},
	"thread": {fact.ThreadType, func(c *checker, x *grammar.Shorthand) leaf {
		if names := c.words(x.Args); names != nil {
			return textLeaf(fact.ThreadType, names, false)
		}
		return nil
	}},
	"tool_failed": {fact.ToolUsed, ofPatterns(failedOf)},
	"turn_gt": {fact.TurnCount, func(c *checker, x *grammar.Shorthand) leaf {
		return c.above(x, fact.TurnCount)
	}},
	"user_turn_gt": {fact.UserTurnCount, func(c *checker, x *grammar.Shorthand) leaf {
		return c.above(x, fact.UserTurnCount)
	}},
}

// ofPatterns lowers a shorthand with call patterns.
func ofPatterns(of func([]callPattern) leaf) func(*checker, *grammar.Shorthand) leaf {
	return func(c *checker, x *grammar.Shorthand) leaf {
		if ps := c.patterns(x.Args); ps != nil {
			return of(ps)
		}
		return nil
	}
}

// shorthandNames returns the names of the shorthands that a schema has. findShorthand returns one by its
// name, nil for none.
func shorthandNames(s *fact.Schema) (names []string) {
	for _, w := range vocabulary.Shorthands() {
		if s.Has(shorthands[w.Name].fact) {
			names = append(names, w.Name)
		}
	}
	return names
}

func findShorthand(s *fact.Schema, name string) *vocabulary.Word {
	w := vocabulary.Find(vocabulary.Shorthands(), name)
	if w == nil || !s.Has(shorthands[name].fact) {
		return nil
	}
	return w
}

func (c *checker) shorthand(x *grammar.Shorthand) leaf {
	if findShorthand(c.schema, x.Name) != nil {
		return shorthands[x.Name].check(c, x)
	}
	message := fmt.Sprintf("there is no shorthand %q", x.Name)
	for end, op := range map[string]string{"_lt": "<", "_le": "<=", "_lte": "<=", "_ge": ">=", "_gte": ">=",
		"_eq": "=="} {
		if stem, ok := strings.CutSuffix(x.Name, end); ok && (stem == "turn" || stem == "user_turn") {
			right := stem + "_count " + op + " " + argText(x.Args[0])
			c.mend(code.UnknownShorthand, x.Range, message, "write "+right, right)
			return nil
		}
	}
	if ft, ok := c.schema.Lookup(x.Name); ok {
		c.report(code.UnknownShorthand, x.NameRange, fmt.Sprintf("%s is a fact, not a shorthand", x.Name),
			"compare it, as in "+example(ft))
		if d := &c.diags[len(c.diags)-1]; len(x.Args) == 1 && (ft.Type == fact.String || ft.Type == fact.Set) {
			to := x.Range
			to.End = x.Args[0].Start
			d.Fix = edit(to, x.Name+" == ")
		}
		return nil
	}
	if fn := findFunction(c.schema, x.Name); fn != nil {
		c.report(code.UnknownShorthand, x.NameRange, fmt.Sprintf("%q is a function, not a shorthand", x.Name),
			"write "+fn.Example)
		return nil
	}
	names := shorthandNames(c.schema)
	c.unknown(code.UnknownShorthand, x.NameRange, message, x.Name, names, "there are "+strings.Join(names, ", "))
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

// patterns returns the call patterns that the arguments are; nil if any is none.
func (c *checker) patterns(args []grammar.Arg) []callPattern {
	ps := make([]callPattern, 0, len(args))
	for _, a := range args {
		if p, ok := c.callPattern(a.Range, argText(a)); ok {
			ps = append(ps, p)
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
			c.warn(code.UselessWildcard, a.Range, "* is no wildcard here, since thread_type names no tools",
				"wildcards are for tools alone", "")
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
	return numberLeaf(id, grammar.Greater, n)
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
	if len(x.Args) > 1 {
		at := x.Args[1].Range
		at.End = x.Args[len(x.Args)-1].End
		c.report(code.ShorthandArgument, at, "repeated_tool_chain takes one chain", wants)
		return nil
	}
	a := x.Args[0]
	chain, times, ok := cutLast(a.Text, "|")
	if !ok {
		c.report(code.ShorthandArgument, a.Range,
			"repeated_tool_chain wants a number of times behind the chain", wants)
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
	return reading(termOf(findFunction(c.schema, "tool_chain_repeats"), []string{chain}, nil),
		grammar.GreaterEqual, n)
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
	if strings.Contains(text, ",") {
		chain := strings.ReplaceAll(strings.ReplaceAll(text, ", ", ","), ",", ">")
		d := c.badPattern(at, text, &callpattern.Mistake{Length: len(text), Replace: true, Fix: chain,
			Message: "the tools of a chain are joined by >", Hint: "write " + chain})
		c.add(d)
		return false
	}
	for link := range strings.SplitSeq(text, ">") {
		link = strings.TrimSpace(link)
		if strings.HasPrefix(link, "@") || strings.ContainsAny(link, "()") {
			c.report(code.BadCallPattern, at, fmt.Sprintf("a chain takes names of tools, not %q", link),
				"write names, perhaps with *, as in Read>Edit")
			return false
		}
		if !c.tool(at, link) {
			return false
		}
	}
	return c.remembered(at, text, 1)
}

// remembered reports whether n repeats of a chain fit into the calls that a run remembers.
func (c *checker) remembered(at grammar.Range, chain string, n float64) bool {
	if need := n * float64(strings.Count(chain, ">")+1); need > fact.ChainMemory {
		c.report(code.LongChain, at, fmt.Sprintf("%s times this chain is %s, and a run remembers %d", wholeText(n),
			plural(int(min(need, fact.MaxInt)), "call"), fact.ChainMemory),
			"shorten the chain or lower the number")
		return false
	}
	return true
}
