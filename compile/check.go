package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/near"
)

// checker gives the leaves of one trigger their types. It goes on after each error, so that one run finds them all.
type checker struct {
	schema *fact.Schema
	tools  []string // names known to exist; empty means any
	src    string
	ids    []ref // reminders that the trigger asks about
	diags  grammar.Diagnostics
	before string // FACT OP that a word which is no condition was meant to go on with, "" if none
}

// ref is the mention of a reminder in a trigger.
type ref struct {
	id string
	at grammar.Range
}

// report adds an error.
func (c *checker) report(id grammar.Code, at grammar.Range, message, hint string) {
	c.add(grammar.Diagnostic{Code: id, Range: at, Message: message, Hint: hint})
}

// mend adds an error whose hint can be followed by replacing what is wrong.
func (c *checker) mend(id grammar.Code, at grammar.Range, message, hint, text string) {
	c.add(grammar.Diagnostic{Code: id, Range: at, Message: message, Hint: hint, Fix: &grammar.Edit{Range: at, Text: text}})
}

// warn adds a warning; text is what to write instead, "" where a person has to choose.
func (c *checker) warn(id grammar.Code, at grammar.Range, message, hint, text string) {
	d := grammar.Diagnostic{Code: id, Severity: grammar.Warning, Range: at, Message: message, Hint: hint}
	if text != "" {
		d.Fix = &grammar.Edit{Range: at, Text: text}
	}
	c.add(d)
}

// add adds a diagnostic, unless the parser has already said that something is wrong with these very characters.
func (c *checker) add(d grammar.Diagnostic) {
	if !slices.ContainsFunc(c.diags, func(o grammar.Diagnostic) bool {
		return o.Range == d.Range && o.Severity == grammar.Error && strings.HasPrefix(string(o.Code), "R01")
	}) {
		c.diags = append(c.diags, d)
	}
}

// leaf returns the checked leaf that x is, nil if it is none.
func (c *checker) leaf(x grammar.Expr) leaf {
	switch x := x.(type) {
	case *grammar.Constant:
		return c.constant(x)
	case *grammar.Shorthand:
		return c.shorthand(x)
	case *grammar.Cadence:
		return cadence{unit: x.Unit, n: x.N, d: x.Duration}
	case *grammar.Comparison:
		return c.comparison(x)
	case *grammar.Bare:
		return c.bare(x)
	case *grammar.General:
		return c.general(x)
	default: // *grammar.Bad: the parser has said why
		return nil
	}
}

func (c *checker) constant(x *grammar.Constant) leaf {
	switch x.Name {
	case "always":
		return constant(fact.True)
	case "never", "manual":
		return constant(fact.False)
	}
	c.unknownWord(x.Range, x.Name)
	return nil
}

func (c *checker) bare(x *grammar.Bare) leaf {
	ft, ok := c.schema.Lookup(x.Name)
	switch {
	case !ok:
		c.unknownWord(x.Range, x.Name)
		return nil
	case ft.Type != fact.Bool:
		c.report(code.FactAsCondition, x.Range, fmt.Sprintf("%s is %s, not a condition", ft.Name, kindOf(ft.Type)),
			"compare it, as in "+example(ft))
		return nil
	}
	return boolean{id: ft.ID}
}

var constants = []string{"always", "never", "manual"}

// unknownWord reports a word that stands for a condition and is none.
func (c *checker) unknownWord(at grammar.Range, name string) {
	for wrong, right := range map[string]string{"true": "always", "false": "never"} {
		if strings.EqualFold(name, wrong) {
			c.mend(code.UnknownName, at, fmt.Sprintf("%q is a value, not a condition", name), "did you mean "+right+"?", right)
			return
		}
	}
	if i := slices.Index(shorthandNames(), name); i >= 0 {
		c.report(code.UnknownName, at, fmt.Sprintf("%q wants something behind it", name), "write "+shorthands[i].example)
		return
	}
	if fn := findFunction(name); fn != nil {
		c.report(code.UnknownName, at, fmt.Sprintf("%q is a function", name), "write "+fn.example())
		return
	}
	candidates := slices.Concat(constants, c.schema.Names(), shorthandNames())
	if c.before != "" && len(near.Names(name, candidates)) == 0 {
		c.report(code.UnknownName, at, fmt.Sprintf("there is no fact %q", name), "if a text is meant, write "+c.before+name)
		return
	}
	c.unknown(code.UnknownName, at, fmt.Sprintf("there is no fact %q", name), name, candidates, "")
}

// unknown reports a name that does not exist, with the nearest that does, or a hint where nothing is near.
func (c *checker) unknown(id grammar.Code, at grammar.Range, message, name string, candidates []string, hint string) {
	if found := near.Names(name, candidates); len(found) > 0 {
		c.mend(id, at, message, near.Question(found), found[0])
		return
	}
	cut := near.Parts(name, candidates)
	if one, plural := strings.CutSuffix(name, "s"); plural && len(cut) == 0 {
		cut = near.Parts(one, candidates)
	}
	if hint == "" && len(cut) > 0 { // too far a guess to be a fix
		hint = near.Question(cut)
	}
	c.report(id, at, message, hint)
}

// kindOf is a type with its article.
func kindOf(t fact.Type) string {
	return [...]string{"true or false", "a whole number", "a ratio", "a duration", "a string", "a set of string"}[t]
}

// example is a comparison in which a fact of that type may stand.
func example(ft fact.Fact) string {
	return ft.Name + [...]string{" == true", " > 10", " > 75%", " > 5m", " == plan", " == Bash"}[ft.Type]
}
