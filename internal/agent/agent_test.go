package agent_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/agent"
)

// TestParts asks each agent for all of its parts: each is there, or Lacks says why it is not.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		parts := map[agent.Part]bool{
			agent.PartBinary:   a.Binary != "",
			agent.PartHooks:    a.Encode != nil,
			agent.PartConfig:   a.Config.Why != "" || len(a.Config.Files) > 0 && len(a.Config.After) > 0,
			agent.PartProject:  a.Config.Project != "",
			agent.PartSession:  a.Session != nil,
			agent.PartTools:    len(a.Tools) > 0,
			agent.PartNever:    len(a.Never) > 0,
			agent.PartWords:    len(a.Tags)+len(a.Notes) > 0,
			agent.PartRequests: a.Identify != nil || len(a.Signs)+len(a.Openings) > 0,
		}
		for part, there := range parts {
			if why := a.Lacks[part]; there == (why != "") {
				t.Errorf("%s: %s: there: %v; lacking because %q", a.Name, part, there, why)
			}
		}
		for part := range a.Lacks {
			if _, known := parts[part]; !known {
				t.Errorf("%s lacks %q, which no agent has", a.Name, part)
			}
		}
		if got, ok := agent.Named(a.Name); a.Title == "" || !ok || got != a {
			t.Errorf("%q, titled %q, is not found by its name", a.Name, a.Title)
		}
	}
}

// TestWroteNote: the words of notes are found in a JSON string as it is written, without decoding and
// without memory.
func TestWroteNote(t *testing.T) {
	for _, a := range agent.All() {
		for _, n := range a.Notes {
			if yes, summary := agent.WroteNote([]byte("  " + n.Words)); !yes || summary != n.Summary ||
				agent.Wrote(n.Words) == "" {
				t.Errorf("%s: %q is not known", a.Name, n.Words)
			}
			for _, c := range n.Words {
				if c == '"' || c == '\\' || c == '<' || c == '&' || c < ' ' || c > '~' || len(n.Words) > 256 {
					t.Errorf("%s: %q: %q may be written otherwise in JSON", a.Name, n.Words, c)
				}
			}
		}
	}
	text := []byte("Write a function that adds two numbers.")
	if n := testing.AllocsPerRun(10, func() { agent.WroteNote(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestList: each agent that a file declares is in the list.
func TestList(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	name := regexp.MustCompile(`(?m)^var \w+ = Agent\{\n?\s*Name: +"([^"]*)"`)
	declared := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllStringSubmatch(string(src), -1) {
			declared++
			_, listed := agent.Named(m[1])
			if _, host := agent.Host(m[1]); !listed && !host {
				t.Errorf("%s: %s is not in the list agents in agent.go", file, m[1])
			}
		}
	}
	if want := len(agent.All()) + 1; declared != want { // and serve
		t.Errorf("%d agents are declared, and %d are in the list", declared, want)
	}
}

// TestRegistered: each event that an installation registers is one that the agent decodes.
func TestRegistered(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		for _, f := range a.Config.Files {
			var events []agent.Registration
			switch {
			case f.JSON != nil:
				events = f.JSON.Events
			case f.TOML != nil:
				events = f.TOML.Events
			case f.Script != nil:
				events = []agent.Registration{{Event: f.Script.Event}}
			case f.Plugin != nil:
				continue // it sends events of its own
			case f.Text == "":
				t.Errorf("%s: %s is empty", a.Name, f.Path)
			}
			for _, e := range events {
				in := agent.Input{Event: e.Event, Stdin: []byte(`{"session_id":"s","hook_event_name":"` + e.Event + `"}`)}
				if kind := a.Decode(in).Kind; kind == agent.Unknown || kind == agent.Invalid {
					t.Errorf("%s: %s is registered, and decoded as %s", a.Name, e.Event, kind)
				}
				if e.Mode != "" && !slices.Contains(a.Modes, e.Mode) {
					t.Errorf("%s: %s is registered in the mode %q, which is none of its modes", a.Name, e.Event, e.Mode)
				}
			}
		}
		for _, other := range a.Config.Reads {
			if _, ok := agent.Named(other); !ok {
				t.Errorf("%s reads the configuration of %q, which is no agent", a.Name, other)
			}
		}
	}
}

// TestClassOf: a name means one class, whichever agent has the tool.
func TestClassOf(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		for _, tools := range a.Tools {
			for _, name := range strings.Fields(tools.Names) {
				if got := agent.ClassOf(name); got != tools.Class {
					t.Errorf("%s: %s is of class %q, and of class %q to another agent", a.Name, name, tools.Class, got)
				}
			}
		}
	}
	for name, want := range map[string]agent.Class{"Bash": agent.Shell, "apply_patch": agent.Edit,
		"TodoWrite": agent.Todo, "Skill": agent.NoClass, "edit_": agent.NoClass, "": agent.NoClass} {
		if got := agent.ClassOf(name); got != want {
			t.Errorf("%q is of class %q, want %q", name, got, want)
		}
	}
}

// TestPage: HOOKS.md says something of each agent with hooks.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("HOOKS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range agent.WithHooks() {
		if name := strings.TrimPrefix(a.Title, "Charm "); !strings.Contains(string(page), name) {
			t.Errorf("HOOKS.md has no word of %s", a.Title)
		}
	}
}
