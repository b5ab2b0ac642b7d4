package trigger

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/words"
)

// number returns the slot value that v stands for where a fact of ft's type is compared, in the units of
// fact.Frame.
func (c *checker) number(ft fact.Fact, v value) (float64, bool) {
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

func (c *checker) whole(ft fact.Fact, v value) (float64, bool) {
	wants := ft.Name + " is a whole number"
	if head, thousand, ok := strings.Cut(v.Text, "."); ok && v.Kind == grammar.Decimal && len(thousand) == 3 &&
		len(head) <= 3 { // as half of the world writes it
		c.mend(code.NotWhole, v.Range, wants, "did you mean "+head+thousand+"?", head+thousand)
		return 0, false
	}
	switch {
	case v.Kind == grammar.Decimal && v.Number == math.Trunc(v.Number) && math.Abs(v.Number) <= fact.MaxInt:
		n := strconv.FormatInt(int64(v.Number), 10)
		c.mend(code.NotWhole, v.Range, wants, "did you mean "+n+"?", n)
	case v.Kind == grammar.Decimal:
		c.report(code.NotWhole, v.Range, wants,
			"write a whole number, as in "+strconv.Itoa(int(max(-1e9, min(v.Number, 1e9)))))
	case v.Kind == grammar.Duration && ft.Unit == "tokens" && strings.Count(v.Text, "m") == 1 &&
		strings.Trim(v.Text, "0123456789.m") == "":
		millions := strings.TrimSuffix(v.Text, "m") + "M"
		c.mend(code.TypeMismatch, v.Range, wants+", not a duration", "did you mean "+millions+"?", millions)
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

func (c *checker) ratio(ft fact.Fact, v value) (float64, bool) {
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
func (c *checker) anyNumber(ft fact.Fact, v value) (float64, bool) {
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
func (c *checker) dollars(ft fact.Fact, v value) (float64, bool) {
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

func (c *checker) duration(ft fact.Fact, v value) (float64, bool) {
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
func (c *checker) misfit(wants string, v value, hint string) {
	is := map[grammar.LiteralKind]string{word: strconv.Quote(v.Text), grammar.Bool: v.Text,
		grammar.Percent: "a ratio", grammar.Int: "a number", grammar.Decimal: "a number",
		grammar.Duration: "a duration", grammar.String: "a string", list: "a list", grammar.Dollars: "dollars"}
	c.report(code.TypeMismatch, v.Range, wants+", not "+is[v.Kind], hint)
}

func (c *checker) booleans(ft fact.Fact, op grammar.Op, vs []value) leaf {
	cs := make([]float64, 0, len(vs))
	for _, v := range vs {
		switch {
		case v.Kind == grammar.Bool && v.Text == "true":
			cs = append(cs, 1)
		case v.Kind == grammar.Bool:
			cs = append(cs, 0)
		case v.Kind == word && (strings.EqualFold(v.Text, "true") || strings.EqualFold(v.Text, "false")):
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
		return &condition.Leaf{Kind: condition.NumberIn, Fact: ft.ID, Numbers: cs, Not: op == grammar.NotIn}
	}
	if op == grammar.NotEqual {
		cs[0] = 1 - cs[0]
	}
	return numberLeaf(ft.ID, grammar.Equal, cs[0])
}

func (c *checker) texts(ft fact.Fact, op grammar.Op, vs []value) leaf {
	names := make([]string, 0, len(vs))
	for _, v := range vs {
		switch v.Kind {
		case grammar.String, word:
			if ft.ID == fact.Weekday && !c.weekday(v) {
				continue
			}
			names = append(names, v.Text)
			c.doubtful(ft, v.Range, v.Text)
		case list:
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
		return &condition.Leaf{Kind: condition.Text, Fact: ft.ID, Names: names, Not: not}
	case ft.ID == fact.ToolUsed:
		ps := make([]callPattern, len(vs))
		for i, v := range vs {
			var ok bool
			if ps[i], ok = c.callPattern(v.Range, names[i]); !ok {
				return nil
			}
		}
		return &condition.Leaf{Kind: condition.Called, Patterns: ps, Not: not}
	}
	return &condition.Leaf{Kind: condition.Members, Fact: ft.ID, Names: names, Not: not}
}

// weekday reports whether v is a day of the week, as the fact has it.
func (c *checker) weekday(v value) bool {
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

// doubtful looks at a text that a fact is compared with: a tool that nobody has, a wildcard that is none.
func (c *checker) doubtful(ft fact.Fact, at grammar.Range, name string) {
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
			fmt.Sprintf("* is not a wildcard here, since %s names no tools", ft.Name), hint, "")
	}
}
