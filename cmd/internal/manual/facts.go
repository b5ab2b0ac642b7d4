package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/vocabulary"
)

// tables returns the tables that stand for their names in pages.
var tables = map[string]func() [][]string{"facts": factRows, "functions": functionRows, "silent": silentRows}

// factRows returns the built-in facts.
func factRows() [][]string {
	list := [][]string{{"fact", "meaning"}}
	s := fact.Builtin()
	for i := range s.Len() {
		f := s.Fact(fact.ID(i))
		list = append(list, []string{f.Name, fmt.Sprintf("%s, %s: %s", f.Type, f.Kind, f.Doc)})
	}
	return list
}

// functionRows returns the functions over the history of a run.
func functionRows() [][]string {
	list := [][]string{{"function", "meaning"}}
	for _, fn := range vocabulary.Functions() {
		typ := "int"
		if fn.Asks {
			typ = "bool"
		}
		list = append(list, []string{"`" + fn.Example + "`", typ + ": " + fn.Help})
	}
	return list
}

// silentRows returns the facts that some agents never report, each with the agents.
func silentRows() [][]string {
	list := [][]string{{"fact", "agents"}}
	s, agents := fact.Builtin(), agent.WithHooks()
	for i := range s.Len() {
		f := s.Fact(fact.ID(i))
		var names []string
		for _, a := range agents {
			if slices.Contains(a.Never, f.ID) {
				names = append(names, a.Name)
			}
		}
		switch {
		case len(names) == len(agents):
			list = append(list, []string{f.Name, "every agent"})
		case names != nil:
			list = append(list, []string{f.Name, strings.Join(names, ", ")})
		}
	}
	return list
}
