package agent

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
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
	for _, a := range agents {
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

// Use is a use of a tool, as call patterns see it.
type Use struct {
	Tool     string
	Class    Class
	Subjects []string // more than one only of Shell, Edit, Read and Search; none of Todo
	Known    bool     // Subjects are known
}

// Use returns a use of a tool, of the agent's own or of any other, given the input as JSON. Edit has the
// files of a patch in the form of apply_patch. The subject of a tool without class is the input as compact
// JSON with sorted keys.
func (a *Agent) Use(tool string, input []byte) Use {
	u := Use{Tool: tool}
	i := slices.IndexFunc(a.Tools, func(t Tools) bool { return slices.Contains(strings.Fields(t.Names), tool) })
	if i >= 0 {
		u.Class = a.Tools[i].Class
	}
	switch u.Class {
	case NoClass:
		if text, ok := compact(input); ok {
			u.Subjects = []string{text}
		}
	case Todo:
		u.Known = true
		return u
	default:
		u.Subjects = subjects(input, a.Tools[i])
	}
	u.Known = len(u.Subjects) > 0
	return u
}

// subjects returns the subjects of a call; none where its input does not tell them.
func subjects(input []byte, t Tools) (all []string) {
	member, words := strings.CutSuffix(t.Subject, " as words")
	var value []byte
	if o, ok := readObject(input); ok {
		value = o.find([]string{member}, aString+aList)
	} else if len(input) > 0 && input[0] == '"' && json.Valid(input) { // of a tool that takes a text
		value = input
	}
	if len(value) > 0 && value[0] == '"' {
		all = []string{stringOf(value)}
		if t.Class == Edit && strings.HasPrefix(all[0], patchBegin) {
			return patched(all[0])
		}
		return all
	}
	for _, raw := range jsonscan.Elements(value) {
		if raw[0] != '"' {
			return nil
		}
		all = append(all, stringOf(raw))
	}
	if words && len(all) > 0 {
		for i, w := range all {
			if strings.ContainsFunc(w, special) || w == "" {
				all[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
			}
		}
		return []string{strings.Join(all, " ")}
	}
	return all
}

// special reports whether a shell may take a character for more than itself.
func special(r rune) bool {
	return r > '~' || r <= ' ' || strings.ContainsRune("\"'`\\$&|;<>()[]{}*?!#~", r)
}

const patchBegin = "*** Begin Patch"

// patched returns the files that a patch in the form of apply_patch names, in their order.
func patched(patch string) (files []string) {
	for line := range strings.Lines(patch) {
		for _, header := range [...]string{"Add File: ", "Update File: ", "Delete File: ", "Move to: "} {
			if file, ok := strings.CutPrefix(line, "*** "+header); ok {
				files = append(files, strings.TrimSpace(file))
			}
		}
	}
	return files
}

// compact returns JSON without blanks and with sorted keys, false where raw is no JSON.
func compact(raw []byte) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // so that numbers stay as they are
	var v any
	if d.Decode(&v) != nil || d.More() {
		return "", false
	}
	return string(encode(v)), true
}
