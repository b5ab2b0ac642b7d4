package reference

import (
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
)

// comparison is written with the operator of expr-lang, but for what names tools.
func (w *writer) comparison(x *grammar.Comparison) string {
	left, isLeft := w.fact(x.Left)
	right, isRight := w.fact(x.Right)
	if isLeft && (left.Type == fact.String || left.Type == fact.Set) && x.Op != grammar.In {
		isRight = false // a word beside a text is a text
	}
	switch {
	case isLeft && isRight && x.Op == grammar.In:
		return leaf(name(left.Name)+" in "+name(right.Name), known(left.Name), known(right.Name))
	case isLeft && isRight:
		return leaf(name(left.Name)+" "+x.Op.String()+" "+name(right.Name), known(left.Name), known(right.Name))
	case isLeft:
		return w.against(left, x.Op.String(), x.Right)
	case !isRight:
		return w.fail("a comparison without a fact")
	case right.Type == fact.Set:
		op := "=="
		if x.Op == grammar.NotEqual {
			op = "!="
		}
		return w.against(right, op, x.Left)
	}
	return leaf(w.literal(right, x.Left)+" "+x.Op.String()+" "+name(right.Name), known(right.Name))
}

func (w *writer) fact(o grammar.Operand) (fact.Fact, bool) {
	if o.Kind != grammar.Word {
		return fact.Fact{}, false
	}
	return w.p.schema.Lookup(o.Text)
}

// against compares a fact with a literal to its right.
func (w *writer) against(ft fact.Fact, op string, o grammar.Operand) string {
	var items []grammar.Operand
	if o.Kind == grammar.List {
		items = o.List
	} else {
		items = []grammar.Operand{o}
	}
	if ft.Type != fact.Set {
		if op != "in" {
			return leaf(name(ft.Name)+" "+op+" "+w.literal(ft, o), known(ft.Name))
		}
		parts := make([]string, len(items))
		for i, item := range items {
			parts[i] = name(ft.Name) + " == " + w.literal(ft, item)
		}
		return leaf(strings.Join(parts, " || "), known(ft.Name))
	}
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = "# == " + w.text(item.Text)
		if ft.ID == fact.ToolUsed {
			parts[i] = "tool(#, " + w.text(item.Text) + ")"
		}
	}
	cond := "any(" + name(ft.Name) + ", " + strings.Join(parts, " || ") + ")"
	if op == "!=" {
		cond = "!" + cond
	}
	return leaf(cond, known(ft.Name))
}

// literal is a value of a fact's type.
func (w *writer) literal(ft fact.Fact, o grammar.Operand) string {
	switch ft.Type {
	case fact.Bool:
		return o.Text
	case fact.String:
		return w.text(o.Text)
	case fact.Duration:
		return "(" + strconv.FormatFloat(float64(o.Duration), 'e', -1, 64) + ")"
	case fact.Int:
		return "(" + strconv.FormatInt(int64(o.Number), 10) + ")"
	default:
		return "(" + strconv.FormatFloat(o.Number, 'e', -1, 64) + ")"
	}
}
