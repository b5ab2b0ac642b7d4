package manual

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/vocabulary"
)

// kindWords explain the kinds of facts.
var kindWords = rows{
	{fact.Gauge.String(), "goes up and down"},
	{fact.Counter.String(), "only rises during a run"},
	{fact.Attribute.String(), "describes, and seldom changes"},
	{fact.Event.String(), "happens at a turn and is over before the next one: each occurrence fires"},
}

// typeWords explain the types of facts, each with a condition over a fact of the type. TestFacts checks that
// none is missing, and that the conditions compile.
var typeWords = rows{
	{"bool", "true or false: vars.x"},
	{"int", "a whole number; k and M stand for thousands and millions: vars.x > 20k"},
	{"number", "any number: vars.x > 0.5"},
	{"ratio", "a share of a whole, from 0 to 1, which is written in percent: vars.x > 75%"},
	{"dollars", "an amount of money: vars.x > $2.50"},
	{"duration", "a span of time: vars.x > 1h30m"},
	{"string", `a text: vars.x contains "deploy"`},
	{"set", `names, of which each is there or not: vars.x contains "Edit"`},
}

// historyForms returns the functions over the history of a run.
func historyForms() (list rows) {
	for _, fn := range vocabulary.Functions() {
		answer := "int: "
		if fn.Asks {
			answer = "bool: "
		}
		list = append(list, [2]string{fn.Example, answer + fn.Help})
	}
	return list
}

// facts prints the page about facts. bold styles a heading.
func facts(w io.Writer, bold func(string) string) error {
	fmt.Fprint(w, "A fact is a named value that triggers read. One that the host does not tell is unknown: a "+
		"trigger that is\nunknown neither fires nor re-arms.\n")
	err := tables(w, bold, part{"Facts", factRows()}, part{"Types", typeWords},
		part{"Kinds", kindWords}, part{"Functions over the history of the run", historyForms()},
		part{"Facts that an agent never tells its hooks", silent()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(w, `
Another fact may be unknown on a turn as well. aside check --agent NAME names the facts of a rule that this
agent never tells, and what to use in their place. aside serve tells nearly all of them for any agent.

vars.NAME is a fact of your own. A rule test declares it under vars:, a command with --var NAME:TYPE, and the
host tells it.
`)
	return err
}

// factRows returns the built-in facts, each with its type, its kind and its documentation.
func factRows() rows {
	s := fact.Builtin()
	list := make(rows, s.Len())
	for i := range list {
		f := s.Fact(fact.ID(i))
		list[i] = [2]string{f.Name, fmt.Sprintf("%s, %s: %s", f.Type, f.Kind, f.Doc)}
	}
	return list
}

// silent returns the facts that some agents never tell, each with the agents.
func silent() rows {
	s := fact.Builtin()
	var list rows
	for i := range s.Len() {
		f := s.Fact(fact.ID(i))
		var names []string
		agents := agent.WithHooks()
		for _, a := range agents {
			if slices.Contains(a.Never, f.ID) {
				names = append(names, a.Name)
			}
		}
		switch {
		case len(names) == len(agents):
			list = append(list, [2]string{f.Name, "every agent"})
		case names != nil:
			list = append(list, [2]string{f.Name, strings.Join(names, ", ")})
		}
	}
	return list
}
