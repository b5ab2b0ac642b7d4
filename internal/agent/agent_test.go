package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// lacks says of each part that an agent has not why it has not.
var lacks = map[string]map[string]string{
	"cline": {
		"requests": "no request of Cline was recorded",
	},
	"crush": {
		"words in a person's place": "Crush is not known to write in a person's place",
		"session files":             "it keeps sessions in a database",
	},
	"cursor": {
		"words in a person's place": "Cursor is not known to write in a person's place",
		"requests":                  "no request of Cursor was recorded",
		"session files":             "the form of its transcripts is not documented",
	},
	"droid": {
		"words in a person's place": "Factory Droid is not known to write in a person's place",
		"requests":                  "no request of Factory Droid was recorded",
		"session files":             "the form of its transcripts is not documented",
	},
	"goose": {
		"words in a person's place": "Goose is not known to write in a person's place",
		"requests":                  "no request of Goose was recorded",
		"session files":             "its hooks name no session file",
	},
	"kimi-code": {
		"requests":              "no request of Kimi Code was recorded",
		"binary":                "its program is not known to tell its version",
		"project configuration": "it reads no configuration from a project",
	},
	"kilo": {
		"words in a person's place": "Kilo CLI is not known to write in a person's place",
		"session files":             "it keeps sessions in a database",
	},
	"opencode": {},
	"pi":       {"words in a person's place": "pi is not known to write in a person's place"},
	"grok": {
		"words in a person's place": "its own words and a person's stand in one list of messages, in tags",
		"session files":             "its hooks are told what matters; replay does not read its files yet",
	},
	"qoder": {
		"words in a person's place": "Qoder CLI is not known to write in a person's place",
		"requests":                  "no request of Qoder CLI was recorded",
		"session files":             "the form of its transcripts is not documented",
	},
	"amp": {
		"words in a person's place": "Amp is not known to write in a person's place",
		"session files":             "its service keeps sessions",
		"tools":                     "which members the inputs of its tools have is not documented",
	},
	"antigravity": {
		"words in a person's place": "its hooks tell no prompt",
		"requests":                  "no request of Antigravity CLI was recorded",
		"session files":             "the form of its transcripts is not documented",
		"tools":                     "its hooks tell no tool in all versions",
	},
	"auggie": {
		"words in a person's place": "Auggie is not known to write in a person's place",
		"requests":                  "its requests go to its makers' service alone",
		"session files":             "its events name no session file",
	},
	"kiro": {
		"words in a person's place": "Kiro CLI is not known to write in a person's place",
		"requests":                  "its requests go to its makers' service alone",
		"session files":             "its events name no session file",
		"project configuration":     "nothing is installed",
	},
	"qwen": {},
	"vscode": {
		"words in a person's place": "VS Code is not known to write in a person's place",
		"requests":                  "no request of VS Code was recorded",
		"session files":             "the form of its transcripts is not documented",
	},
	"windsurf": {
		"words in a person's place": "Windsurf is not known to write in a person's place",
		"requests":                  "no request of Windsurf was recorded",
		"binary":                    "an editor, whose program tells no version",
		"tools":                     "its events name kinds of actions, not tools",
		"session files":             "its hooks name no session file",
		"project configuration":     "nothing is installed",
	},
}

// TestParts asks each agent that can be reached for all of its parts: each is there, or lacks says why it is
// not.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		if got, ok := agent.Named(a.Name); a.Title == "" || !ok || got != a {
			t.Errorf("%q, titled %q, is not found by its name", a.Name, a.Title)
		}
		if a.Says == nil && a.Config.Why != "" {
			continue // it cannot be reached
		}
		parts := map[string]bool{
			"binary":                      a.Binary != "",
			"hooks":                       a.Says != nil,
			"configuration":               a.Config.Why != "" || len(a.Config.Files) > 0 && len(a.Config.After) > 0,
			"project configuration":       a.Config.Project != "",
			"session files":               a.Session != nil,
			"tools":                       len(a.Tools) > 0,
			"facts that it never reports": len(a.Never) > 0,
			"words in a person's place":   len(a.Tags)+len(a.Notes) > 0,
			"requests":                    a.Identify != nil || len(a.Signs)+len(a.Openings) > 0,
		}
		for part, there := range parts {
			if why := lacks[a.Name][part]; there == (why != "") {
				t.Errorf("%s: %s: there: %v; lacking because %q", a.Name, part, there, why)
			}
		}
		for part := range lacks[a.Name] {
			if _, known := parts[part]; !known {
				t.Errorf("%s lacks %q, which no agent has", a.Name, part)
			}
		}
	}
	for name := range lacks {
		if _, ok := agent.Named(name); !ok {
			t.Errorf("%s is no agent", name)
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

// TestDescriptions goes through the descriptions: each is read to its last member, is of an agent in the list
// or a family, says where its facts are from, and says what the agent's events and answers are in words that
// are known.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("agents/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	kinds := []agent.Kind{agent.SessionStart, agent.SessionEnd, agent.UserPrompt, agent.PromptExpansion,
		agent.PromptTransform, agent.TurnStart, agent.ModelRequest, agent.ModelResponse, agent.ToolCall,
		agent.ToolResult, agent.ToolFailed, agent.ToolBatch, agent.SubagentStart, agent.SubagentStop,
		agent.PreCompact, agent.PostCompact, agent.Stop, agent.StatusLine}
	parents := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		a, err := agent.ReadDescription(name)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		parents[a.Parent] = true
		if len(a.Remarks) == 0 {
			t.Errorf("%s has no remark that says where its facts are from", file)
		}
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		a, listed := agent.Named(name)
		if !listed {
			if !parents[name] {
				t.Errorf("%s is not in the list of names, and nothing inherits from it", file)
			}
			continue
		}
		if a.Name != name {
			t.Errorf("%s describes %q", file, a.Name)
		}
		for event, kind := range a.Names {
			if !slices.Contains(kinds, kind) {
				t.Errorf("%s: the event %s is of no known kind: %q", name, event, kind)
			}
		}
		for _, kind := range append(a.Only, a.Carries...) {
			if !slices.Contains(kinds, kind) {
				t.Errorf("%s: there is no kind %q", name, kind)
			}
		}
		for i, answer := range [][]byte{a.Encode(agent.Event{CanInject: true, Name: "E", Notice: "n"}, `a "text"`),
			a.Hold(agent.Event{Moment: fact.Stopping}, "why"), a.Hold(agent.Event{Moment: fact.BeforeTool}, "why")} {
			if plain := i == 0 && string(a.Says["*"]) > `"` && a.Says["*"][0] == '"'; len(answer) > 0 && !plain &&
				!json.Valid(answer) {
				t.Errorf("%s: answer %d is no JSON: %s", name, i, answer)
			}
		}
		for _, remind := range a.Config.Files {
			if strings.Contains(remind.Path, "commands/remind") && !strings.Contains(remind.Text, agent.RemindBody) &&
				name != "cursor" { // whose commands take no arguments
				t.Errorf("%s: %s does not expand to what hooks know", name, remind.Path)
			}
		}
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
