package trigger

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/words"
)

// numbers says of each type of number what a fact of it is, which literals are of it, and which to write.
var numbers = [...]struct {
	is, write string
	takes     []grammar.LiteralKind
}{
	fact.Int:    {"a whole number", "a whole number", []grammar.LiteralKind{grammar.Int}},
	fact.Number: {"a number", "a number", []grammar.LiteralKind{grammar.Int, grammar.Decimal}},
	fact.Ratio: {"a ratio", "a percentage",
		[]grammar.LiteralKind{grammar.Int, grammar.Decimal, grammar.Percent}},
	fact.Dollars:  {"in dollars", "an amount", []grammar.LiteralKind{grammar.Dollars}},
	fact.Duration: {"a duration", "a duration", []grammar.LiteralKind{grammar.Duration}},
}

// number returns the slot value that v stands for where a fact of ft's type is compared, in the units of
// fact.Frame.
func (c *checker) number(ft fact.Fact, v value) (n float64, ok bool) {
	of, before := numbers[ft.Type], len(c.diags)
	if n = v.Number; v.Kind == grammar.Duration {
		n = float64(v.Duration)
	}
	if slices.Contains(of.takes, v.Kind) {
		c.inRange(ft, v, n)
	} else {
		c.otherUnit(ft, v, ft.Name+" is "+of.is, "write "+of.write+", as in "+example(ft))
	}
	return n, len(c.diags) == before
}

// inRange reports a number that a fact never is.
func (c *checker) inRange(ft fact.Fact, v value, n float64) {
	ratio := ft.Type == fact.Ratio
	switch {
	case ft.Type == fact.Int && math.Abs(n) > fact.MaxInt:
		c.report(code.LargeNumber, v.Range, "the number is too large",
			fmt.Sprintf("at most %d", int64(fact.MaxInt)))
	case ratio && n < 0:
		c.report(code.NegativeNumber, v.Range, "a ratio is never negative", "write 0% to 100%")
	case n < 0 && ft.Type != fact.Number && !declared(ft):
		name, least := ft.Name, "0"
		if ft.Type == fact.Dollars {
			least = "$0"
		} else if ft.Type == fact.Duration {
			name, least = "a duration", "0s"
		}
		c.report(code.NegativeNumber, v.Range, name+" is never negative", "write "+least+" or more")
	case n > 23 && ft.ID == fact.Hour:
		c.report(code.LargeNumber, v.Range, "an hour is 0 to 23", "write one of these, as in hour >= 22")
	case ratio && n > 1 && v.Kind != grammar.Percent && n <= 100 && !strings.ContainsAny(v.Text, "kM"):
		c.meant(code.RatioAboveOne, v.Range, "a ratio cannot be above 100%", v.Text+"%")
	case ratio && n > 1:
		c.report(code.RatioAboveOne, v.Range, "a ratio cannot be above 100%", "write 0% to 100%")
	}
}

// declared reports whether the host has declared ft: such a number, or duration, may be below zero.
func declared(ft fact.Fact) bool { return strings.HasPrefix(ft.Name, "vars.") }

// otherUnit reports a value that is no number of ft's type, with the one that is probably meant.
func (c *checker) otherUnit(ft fact.Fact, v value, wants, hint string) {
	plain := v.Kind == grammar.Int || v.Kind == grammar.Decimal
	whole, broken := ft.Type == fact.Int, ft.Type == fact.Int && v.Kind == grammar.Decimal
	span := ft.Type == fact.Duration && plain
	head, last, _ := strings.Cut(v.Text, ".")
	millions, isMillions := strings.CutSuffix(v.Text, "M")
	const noUnit = "a duration needs a unit"
	behind, _, _ := strings.Cut(strings.TrimSpace(c.src[v.Range.End.Offset:]), " ")
	written := behind != "" && unicode.IsLetter(rune(behind[0])) && words.Of(words.Join, behind) == ""
	switch {
	case broken && len(last) == 3 && len(head) <= 3: // as half of the world writes a thousand
		c.meant(code.NotWhole, v.Range, wants, head+last)
	case broken && v.Number == math.Trunc(v.Number) && math.Abs(v.Number) <= fact.MaxInt:
		c.meant(code.NotWhole, v.Range, wants, strconv.FormatInt(int64(v.Number), 10))
	case broken:
		c.report(code.NotWhole, v.Range, wants,
			"write a whole number, as in "+strconv.Itoa(int(max(-1e9, min(v.Number, 1e9)))))
	case whole && v.Kind == grammar.Duration && ft.Unit == "tokens" && strings.Count(v.Text, "m") == 1 &&
		strings.Trim(v.Text, "0123456789.m") == "":
		c.meant(code.TypeMismatch, v.Range, wants+", not a duration", strings.TrimSuffix(v.Text, "m")+"M")
	case whole && v.Kind == grammar.String && isWhole(v.Text):
		c.mend(code.TypeMismatch, v.Range, wants+", not a string", "leave the quotes out", v.Text)
	case ft.Type == fact.Number && v.Kind == grammar.Dollars:
		c.meant(code.TypeMismatch, v.Range, wants+", not dollars", strings.Replace(v.Text, "$", "", 1))
	case ft.Type == fact.Dollars && plain && v.Number >= 0:
		c.meant(code.DollarsWithoutSign, v.Range, wants, "$"+amount(v.Number))
	case ft.Type == fact.Dollars && v.Kind == grammar.String && isWhole(v.Text):
		c.meant(code.DollarsWithoutSign, v.Range, wants+", not a string", "$"+v.Text)
	case span && isMillions:
		c.meant(code.TimeWithoutUnit, v.Range, noUnit+", and M is a million", millions+"m")
	case span && written: // 2 Stunden
		c.report(code.TimeWithoutUnit, v.Range, noUnit,
			strings.ReplaceAll("write {n}s, {n}m, {n}h or {n}d", "{n}", v.Text))
	case span && v.Kind == grammar.Int && !strings.HasSuffix(v.Text, "k"):
		c.meant(code.TimeWithoutUnit, v.Range, noUnit, v.Text+"s")
	case span:
		c.report(code.TimeWithoutUnit, v.Range, noUnit, "write a unit, as in "+example(ft))
	default:
		c.misfit(wants, v, hint)
	}
}

// amount writes a number of dollars: 5, 0.50, 0.125.
func amount(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if i := strings.IndexByte(s, '.'); i >= 0 && i == len(s)-2 {
		s += "0"
	}
	return s
}

// misfit reports a value of another type.
func (c *checker) misfit(wants string, v value, hint string) {
	if v.Kind == word && strings.HasPrefix(v.Text, "vars.") {
		c.undeclared(code.UnknownName, v.Range, v.Text)
		return
	}
	is := map[grammar.LiteralKind]string{word: strconv.Quote(v.Text), grammar.Bool: v.Text,
		grammar.Percent: "a ratio", grammar.Int: "a number", grammar.Decimal: "a number",
		grammar.Duration: "a duration", grammar.String: "a string", list: "a list", grammar.Dollars: "dollars"}
	c.report(code.TypeMismatch, v.Range, wants+", not "+is[v.Kind], hint)
}

func (c *checker) booleans(ft fact.Fact, op grammar.Op, vs []value) leaf {
	cs := make([]float64, 0, len(vs))
	for _, v := range vs {
		switch {
		case ft.ID == fact.UserMessage && v.Kind == grammar.String:
			c.misfit(ft.Name+" is true or false", v,
				fmt.Sprintf("the text of the message is prompt: write prompt %s %q", op, v.Text))
		case v.Kind == grammar.Bool && v.Text == "true":
			cs = append(cs, 1)
		case v.Kind == grammar.Bool:
			cs = append(cs, 0)
		case v.Kind == word && (strings.EqualFold(v.Text, "true") || strings.EqualFold(v.Text, "false")):
			c.meant(code.TypeMismatch, v.Range, fmt.Sprintf("%s is true or false, not %q", ft.Name, v.Text),
				strings.ToLower(v.Text))
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
	return condition.Slot(ft).Compared(grammar.Equal, cs[0])
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
		case list:
			c.misfit(ft.Name+" is "+kindOf(ft.Type), v, "write the texts in one list")
		default:
			if ft.ID == fact.Weekday {
				c.weekday(v)
				continue
			}
			c.meant(code.TypeMismatch, v.Range, fmt.Sprintf("%s is %s, and %s is not a string", ft.Name,
				kindOf(ft.Type), c.source(v)), strconv.Quote(c.source(v)))
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
			if ps[i], ok = c.callPattern(v.Range, names[i], callpattern.Parse); !ok {
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
	if short := day(v.Text); slices.Contains(days, short) {
		c.meant(code.TypeMismatch, v.Range, message, short)
		return false
	}
	c.report(code.TypeMismatch, v.Range, message, "write one of "+strings.Join(days, ", "))
	return false
}

// day is the name of a day of the week in short.
func day(name string) string { return strings.ToLower(name[:min(3, len(name))]) }
