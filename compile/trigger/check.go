package trigger

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
)

// leaf returns the checked leaf that x is, nil if it is none.
func (c *checker) leaf(x grammar.Expr) leaf {
	switch x := x.(type) {
	case *grammar.Constant:
		return c.constant(x)
	case *grammar.Shorthand:
		return c.shorthand(x)
	case *grammar.Cadence:
		return &condition.Leaf{Kind: condition.Cadence, Unit: x.Unit, N: x.N, Every: x.Duration}
	case *grammar.Name:
		return c.bare(x)
	case *grammar.Bad: // the parser has said why
		return nil
	case *grammar.Binary:
		if left, right, ok := values(x); ok {
			return c.comparison(x, left, right)
		}
	}
	return c.general(x)
}

// value is what a fact is compared with: a literal, a word, which has no quotes, or a list of these.
type value struct {
	grammar.Literal
	items []value
}

// each returns the values of a list, or v itself.
func (v value) each() []value {
	if v.Kind == list {
		return v.items
	}
	return []value{v}
}

// The kinds of values that are no literals.
const (
	word = grammar.Bool + 1 + iota
	list
)

// asValue returns the value that x is; ok is false if it is none.
func asValue(x grammar.Expr) (v value, ok bool) {
	switch x := x.(type) {
	case *grammar.Literal:
		v.Literal = *x
	case *grammar.Name:
		v.Literal = grammar.Literal{Range: x.Range, Kind: word, Text: x.Name}
	case *grammar.Array:
		v.Literal = grammar.Literal{Range: x.Range, Kind: list}
		for _, item := range x.Items {
			one, ok := asValue(item)
			if !ok || one.Kind == list {
				return v, false
			}
			v.items = append(v.items, one)
		}
	default:
		return v, false
	}
	return v, true
}

// values returns the sides of a comparison of words with values; ok is false if x is anything else.
func values(x *grammar.Binary) (left, right value, ok bool) {
	if x.Op.Turned() == "" {
		return left, right, false
	}
	left, okL := asValue(x.Left)
	right, okR := asValue(x.Right)
	return left, right, okL && okR && (left.Kind == word || right.Kind == word)
}

func (c *checker) constant(x *grammar.Constant) leaf {
	switch x.Name {
	case "always":
		return &condition.Leaf{Kind: condition.Constant, Truth: fact.True}
	case "never", "manual":
		return &condition.Leaf{Kind: condition.Constant, Truth: fact.False}
	}
	return c.unknownWord(x.Range, x.Name)
}

func (c *checker) bare(x *grammar.Name) leaf {
	if x.Name == stoppingWord {
		return &condition.Leaf{Kind: condition.Stopping}
	}
	ft, ok := c.schema.Lookup(x.Name)
	switch {
	case !ok:
		return c.unknownWord(x.Range, x.Name)
	case ft.Type != fact.Bool:
		return c.report(code.FactAsCondition, x.Range,
			fmt.Sprintf("%s is %s, not a condition", ft.Name, kindOf(ft.Type)), "compare it, as in "+example(ft))
	}
	return condition.Slot(ft).Compared(grammar.Equal, 1)
}

// unknownWord reports a word that stands for a condition and is none.
func (c *checker) unknownWord(at grammar.Range, name string) leaf {
	for wrong, right := range map[string]string{"true": "always", "false": "never"} {
		if strings.EqualFold(name, wrong) {
			return c.meant(code.UnknownName, at, fmt.Sprintf("%q is a value, not a condition", name), right)
		}
	}
	if w := findShorthand(c.schema, name); w != nil {
		return c.report(code.UnknownName, at, fmt.Sprintf("%q wants something behind it", name), "write "+w.Example)
	}
	if c.otherWord(code.UnknownName, at, name, "") {
		return nil
	}
	if strings.HasPrefix(name, "vars.") {
		return c.undeclared(code.UnknownName, at, name)
	}
	candidates := slices.Concat(constants, []string{stoppingWord}, c.schema.Names(), shorthandNames(c.schema))
	if c.before != "" && len(near.Names(name, candidates)) == 0 {
		return c.report(code.UnknownName, at, fmt.Sprintf("there is no fact %q", name),
			ifText+c.before+name+strings.Repeat(`"`, strings.Count(c.before, `"`))+
				strings.Repeat("]", strings.Count(c.before, "[")))
	}
	return c.unknown(code.UnknownName, at, fmt.Sprintf("there is no fact %q", name), name, candidates, "")
}

// comparison checks a comparison of words with values, l with r.
func (c *checker) comparison(x *grammar.Binary, l, r value) leaf {
	left, isLeft := c.factOf(l)
	right, isRight := c.factOf(r)
	for _, side := range []struct {
		ft fact.Fact
		o  value
	}{{left, l}, {right, r}} {
		if side.ft.Type == fact.Calls {
			return c.report(code.FactAsCondition, side.o.Range, side.ft.Name+" is a list of calls, not a value",
				"look at the calls one by one, as in "+example(side.ft))
		}
	}
	switch {
	case isLeft && isRight && !textual(left, x):
		return c.facts(left, right, x, r.Range)
	case isLeft:
		if isRight && right.Type != fact.Set {
			c.warn(code.FactNameAsText, r.Range, fmt.Sprintf(
				"%q is the name of a fact, but here it is a text", right.Name),
				fmt.Sprintf("did you mean %q?", right.Name), strconv.Quote(right.Name))
		}
		return c.factValue(left, x.Op, x.OpRange, r)
	case isRight:
		return c.valueFact(x, l, right)
	}
	return c.noFact(x, l, r)
}

// factOf returns the fact that an operand names.
func (c *checker) factOf(o value) (fact.Fact, bool) {
	if o.Kind != word {
		return fact.Fact{}, false
	}
	return c.schema.Lookup(o.Text)
}

// textual reports whether the word to the right of x is a text though a fact has that name: a string or a
// set stands to its left.
func textual(left fact.Fact, x *grammar.Binary) bool {
	return (left.Type == fact.String || left.Type == fact.Set) && !x.Op.Membership()
}

// noFact reports a comparison neither side of which is a fact, at the side that looks most like one.
func (c *checker) noFact(x *grammar.Binary, at, other value) leaf {
	if at.Kind != word || other.Kind == word && len(near.Names(at.Text, c.schema.Names())) == 0 &&
		len(near.Names(other.Text, c.schema.Names())) > 0 {
		at, other = other, at
	}
	if words.Of(words.Agent, other.Text) != "" {
		return c.report(code.UnknownName, at.Range, fmt.Sprintf("there is no fact %q", at.Text),
			"no fact says which agent it is: a rule holds for every agent")
	}
	if w := findShorthand(c.schema, at.Text); w != nil {
		v := strings.NewReplacer("[", "", "]", "", `"`, "").Replace(c.source(other))
		line := w.Name + ":" + cmp.Or(words.Of(words.ValueOf(w.Name), v), v)
		hint := "as in " + w.Example
		// turn_gt > 20, but not tool_failed > 3
		counts := unicode.IsDigit(rune(w.Example[len(w.Name)+1])) || !strings.ContainsAny(x.Op.String(), "<>")
		if m := (meaning{schema: c.schema}); counts && m.sound(line) {
			if hint = "write " + line; x.Op == grammar.NotEqual || x.Op == grammar.NotIn {
				hint = "write not " + line
			}
		}
		return c.report(code.UnknownName, at.Range, fmt.Sprintf("%q is a shorthand, not a fact", at.Text), hint)
	}
	return c.unknownFact(at.Range, at.Text)
}

func (c *checker) unknownFact(at grammar.Range, name string) leaf {
	return c.noFactNamed(code.UnknownName, at, name, "")
}

// noFactNamed reports a name that stands for a fact and is none; hint is the one where nothing better is
// known.
func (c *checker) noFactNamed(id grammar.Code, at grammar.Range, name, hint string) leaf {
	head, _, dotted := strings.Cut(name, ".")
	ft, ok := c.schema.Lookup(head)
	switch {
	case slices.Contains(constants, name) || name == stoppingWord:
		return c.report(id, at, name+" is a whole condition", "join it to others with and, or, not")
	case c.otherWord(id, at, name, "fact"):
		return nil
	case name == "vars":
		return c.report(id, at, "vars alone is not a fact", "a declared fact is written vars.NAME")
	case head == "vars":
		return c.undeclared(id, at, name)
	case ok && dotted:
		field := name[len(head)+1:]
		return c.report(id, at, head+" has no fields", cmp.Or(words.Of(words.Unseen, field),
			"write it alone, as in "+example(ft)))
	}
	return c.unknown(id, at, fmt.Sprintf("there is no fact %q", name), name, c.schema.Names(), hint)
}

// facts compares two facts with each other.
func (c *checker) facts(a, b fact.Fact, x *grammar.Binary, at grammar.Range) leaf {
	if x.Op.Membership() {
		if a.Type == fact.String && b.Type == fact.Set {
			return &condition.Leaf{Kind: condition.MemberOf, Fact: a.ID, Other: b.ID, Not: x.Op == grammar.NotIn}
		}
		return c.report(code.InWithoutList, at,
			fmt.Sprintf("%s is %s, in wants a list", b.Name, kindOf(b.Type)), "write a list, as in "+listExample(a))
	}
	if !c.operator(a, x.Op, x.OpRange) {
		return nil
	}
	if a.Type != b.Type {
		return c.report(code.TypeMismatch, at,
			fmt.Sprintf("%s is %s, %s is %s", a.Name, kindOf(a.Type), b.Name, kindOf(b.Type)),
			"compare "+a.Name+" with "+kindOf(a.Type))
	}
	return &condition.Leaf{Kind: condition.Comparison, Fact: a.ID, Other: b.ID, Op: x.Op,
		Terms: []*term{condition.Slot(a), condition.Slot(b)}, Reads: []fact.ID{a.ID, b.ID}}
}

// operator reports whether op applies to a fact, and says so if it does not.
func (c *checker) operator(ft fact.Fact, op grammar.Op, at grammar.Range) bool {
	if ft.Type.Numeric() || op == grammar.Equal || op == grammar.NotEqual || op.Membership() {
		return true
	}
	hint := "use ==, != or in"
	if ft.Type == fact.Set {
		hint = fmt.Sprintf("use ==, != or in; for how many there are: len(%s) %s 1", ft.Name, op)
	}
	if ft.Type == fact.Bool {
		hint = "write " + ft.Name + " or not " + ft.Name
	}
	written := op.String()
	if s, e := at.Start.Offset, at.End.Offset; s < e && e <= len(c.src) {
		written = c.src[s:e] // the parser may have turned it round
	}
	c.report(code.OperatorMismatch, at,
		fmt.Sprintf("%s does not apply to %s, which is a %s", written, ft.Name, ft.Type), hint)
	return false
}

// factValue checks fact op literal.
func (c *checker) factValue(ft fact.Fact, op grammar.Op, at grammar.Range, v value) leaf {
	if !c.operator(ft, op, at) {
		return nil
	}
	if op.Membership() && v.Kind != list {
		long := func(m words.Meaning) bool { // as prompt contains "deploy", not branch == main
			return m.Kind == words.Fact && m.Name() == ft.Name && strings.Contains(m.Text, ` "`)
		}
		// a list would hold the whole
		if text := strings.Trim(v.Text, "*"); slices.ContainsFunc(words.All(), long) {
			not := map[bool]string{true: "not "}[op == grammar.NotIn]
			c.report(code.InWithoutList, v.Range, "in wants a list",
				fmt.Sprintf("write %s %scontains %q", ft.Name, not, text))
		} else if ft.Type == fact.String || ft.Type == fact.Set || v.Kind != word {
			c.mend(code.InWithoutList, v.Range, "in wants a list", "did you mean ["+v.Text+"]?", "["+c.source(v)+"]")
		} else {
			c.report(code.InWithoutList, v.Range, "in wants a list", "write a list, as in "+listExample(ft))
		}
		return nil
	}
	if !op.Membership() && v.Kind == list {
		message := fmt.Sprintf("%s does not apply to a list", op)
		if right := map[grammar.Op]string{grammar.Equal: "in", grammar.NotEqual: "not in"}[op]; right != "" {
			c.meant(code.OperatorMismatch, at, message, right)
		} else {
			c.report(code.OperatorMismatch, at, message, "compare one value; each other one is a reminder of its own")
		}
		return nil
	}
	vs := v.each()
	if len(vs) == 0 {
		return c.report(code.InWithoutList, v.Range, "the list is empty",
			"write what may stand in it, as in "+listExample(ft))
	}
	switch ft.Type {
	case fact.String, fact.Set:
		return c.texts(ft, op, vs)
	case fact.Bool:
		return c.booleans(ft, op, vs)
	}
	cs := make([]float64, 0, len(vs))
	for _, v := range vs {
		if n, ok := c.number(ft, v); ok {
			cs = append(cs, n)
		}
	}
	switch {
	case len(cs) < len(vs):
		return nil
	case op.Membership():
		return &condition.Leaf{Kind: condition.NumberIn, Fact: ft.ID, Numbers: cs, Not: op == grammar.NotIn}
	}
	return condition.Slot(ft).Compared(op, cs[0])
}

// valueFact checks literal op fact.
func (c *checker) valueFact(x *grammar.Binary, v value, ft fact.Fact) leaf {
	switch {
	case !x.Op.Membership():
		// Only a word is left standing on the left of an order, and no word is a number: factValue reports the
		// mistake.
		return c.factValue(ft, x.Op, x.OpRange, v)
	case ft.Type == fact.Set && v.Kind != list:
		return c.texts(ft, x.Op, []value{v})
	case ft.Type == fact.Set:
		c.report(code.TypeMismatch, v.Range, "a list is not a member of "+ft.Name,
			"write "+ft.Name+" "+x.Op.String()+" "+c.source(v))
	case ft.Type == fact.String:
		contains := " contains "
		if x.Op == grammar.NotIn {
			contains = " not contains "
		}
		c.report(code.InWithoutList, x.Right.Span(), fmt.Sprintf("%s is a string, in wants a list", ft.Name),
			"write "+ft.Name+contains+"\"…\"")
		if v.Kind == grammar.String || v.Kind == word {
			line, d := ft.Name+contains+strconv.Quote(v.Text), &c.diags[len(c.diags)-1]
			d.Hint, d.Fix = "write "+line, edit(x.Range, line)
		}
	default:
		c.report(code.InWithoutList, x.Right.Span(),
			fmt.Sprintf("%s is %s, in wants a list", ft.Name, kindOf(ft.Type)), "write "+listExample(ft))
	}
	return nil
}
