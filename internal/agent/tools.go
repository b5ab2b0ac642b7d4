package agent

import (
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/fact"
)

// Class is a kind of tools that agents call by different names (LANGUAGE.md §2, call patterns).
type Class = fact.Class

// The classes of tools, with the subject of a call of each.
const (
	NoClass = fact.NoClass
	Shell   = fact.Shell
	Edit    = fact.Edit
	Read    = fact.Read
	Search  = fact.Search
	Web     = fact.Web
	Todo    = fact.Todo
	Task    = fact.Task
)

// classes are the classes of all agents' tools, by the tool's name. TestClassOf holds that no two agents
// mean different classes by one name.
var classes = sync.OnceValue(func() map[string]Class {
	all := map[string]Class{}
	for _, a := range All() {
		for _, t := range a.Tools {
			for _, name := range strings.Fields(t.Names) {
				all[name] = t.Class
			}
		}
	}
	return all
})

// ClassOf returns the class of a tool by its name alone, for a host that does not say which agent it is.
// NoClass is also the answer to a name that no agent has.
func ClassOf(tool string) Class { return classes()[tool] }

// Tools are tools of an agent that are called alike.
type Tools struct {
	Class Class
	// Subject is the member of a call's input that holds the subject: a string, or a list of strings, each of
	// them a subject. "MEMBER as words" says that such a list is the words of one command line. It is "" for
	// NoClass and Todo.
	Subject string
	Names   string // separated by blanks
}

// ToolNames returns the names of an agent's own tools, nil where not all are known.
func (a *Agent) ToolNames() (names []string) {
	if a.AllTools {
		for _, t := range a.Tools {
			names = append(names, strings.Fields(t.Names)...)
		}
	}
	return names
}

// table returns the row of a tool, the zero Tools for one that is not the agent's own.
func (a *Agent) table(tool string) Tools {
	for _, t := range a.Tools {
		for name := range strings.FieldsSeq(t.Names) {
			if name == tool {
				return t
			}
		}
	}
	return Tools{}
}

// ClassOf returns the class of a tool of the agent's own, NoClass for any other.
func (a *Agent) ClassOf(tool string) Class { return a.table(tool).Class }
