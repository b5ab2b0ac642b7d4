package agent

import (
	"slices"
	"sync"

	"github.com/aside-go/aside/compile/fact"
)

// Class is a kind of tools that agents call by different names (LANGUAGE.md §2, call patterns).
type Class = fact.Class

// The classes of tools, as package fact has them.
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

// Tool is one of an agent's own tools.
type Tool struct {
	Name  string
	Class Class
	// Subject is the member of a call's input that holds its subject: a string, or a list of strings, each
	// of them a subject. After a colon comes the member of each element, where the list is of objects.
	Subject string
	// Patch says that the subject is a patch in the form of apply_patch: the subjects are the files that
	// its headers name.
	Patch bool
}

// classes are the classes of all agents' tools, by the tool's name. TestClassOf holds that no two agents
// mean different classes by one name.
var classes = sync.OnceValue(func() map[string]Class {
	all := map[string]Class{}
	for _, a := range agents {
		for _, t := range a.Tools {
			all[t.Name] = t.Class
		}
	}
	return all
})

// ClassOf returns the class of a tool by its name alone, for a host that does not say which agent it is.
// NoClass is also the answer to a name that no agent has.
func ClassOf(tool string) Class { return classes()[tool] }

// ToolNames returns the names of an agent's own tools, nil where not all are known.
func (a *Agent) ToolNames() (names []string) {
	if !a.AllTools {
		return nil
	}
	for _, t := range a.Tools {
		names = append(names, t.Name)
	}
	return names
}

// noHook are the facts that no hook tells: no agent hands the messages or its answer to one, or says who
// makes its model.
var noHook = []fact.ID{fact.MessageCount, fact.Response, fact.Provider}

var (
	usage    = []fact.ID{fact.ContextUsage, fact.ContextTokens, fact.ContextWindow}
	answers  = []fact.ID{fact.LastResponseTokens, fact.OutputTokens}
	failures = []fact.ID{fact.LastToolCallFailed, fact.FailuresInRow}
)

// never returns the facts that an agent never tells: noHook and these.
func never(more ...[]fact.ID) []fact.ID {
	return slices.Concat(append([][]fact.ID{noHook}, more...)...)
}

// Advice says what to use in place of a fact that the agent never tells.
func (a *Agent) Advice(f fact.ID) string {
	if a.Instead != nil {
		if s := a.Instead(f); s != "" {
			return s
		}
	}
	switch f {
	case fact.ContextUsage, fact.ContextTokens, fact.ContextWindow:
		return "count turns instead, as in turn_count > 40, or run the agent through aside serve"
	case fact.LastToolCallFailed, fact.FailuresInRow:
		return "run the agent through aside serve, or leave this part out"
	case fact.MessageCount:
		return "use turn_count, or run the agent through aside serve"
	case fact.OutputTokens, fact.LastResponseTokens, fact.Response, fact.Provider:
		return "run the agent through aside serve, or leave this part out"
	}
	return "leave this part out"
}
