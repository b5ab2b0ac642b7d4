package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/agent"
)

// TestTools: each tool has a name of its own, and a subject where its class has one.
func TestTools(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		seen := map[string]bool{}
		for _, kind := range a.Tools {
			names := strings.Fields(kind.Names)
			if len(names) == 0 {
				t.Errorf("%s: a row of class %q without names", a.Name, kind.Class)
			}
			for _, name := range names {
				if seen[name] {
					t.Errorf("%s: %s stands twice", a.Name, name)
				}
				seen[name] = true
			}
			if none := kind.Class == agent.NoClass || kind.Class == agent.Todo; none != (kind.Subject == "") {
				t.Errorf("%s: %s of class %q has the subject %q", a.Name, names, kind.Class, kind.Subject)
			}
		}
	}
}

func TestUse(t *testing.T) {
	t.Parallel()
	one := func(s string) []string { return []string{s} }
	for _, c := range []struct {
		agent, tool, input string
		class              agent.Class
		subjects           []string // nil: unknown
	}{
		{"claude-code", "Bash", `{"command":"go test ./...","description":"x"}`, agent.Shell, one("go test ./...")},
		{"claude-code", "Edit", `{"file_path":"/a/b.go","old_string":"x"}`, agent.Edit, one("/a/b.go")},
		{"claude-code", "WebSearch", `{"query":"go"}`, agent.Web, one("go")},
		{"claude-code", "Task", `{"subagent_type":"Explore"}`, agent.Task, one("Explore")},
		{"claude-code", "Bash", `{"cmd":"ls"}`, agent.Shell, nil},
		{"claude-code", "Bash", `{"command":7}`, agent.Shell, nil},
		{"claude-code", "Bash", `{"command":"ls"`, agent.Shell, nil},
		{"claude-code", "Bash", "", agent.Shell, nil},
		{"opencode", "edit", `{"filePath":"a.go"}`, agent.Edit, one("a.go")},
		{"opencode", "bash", `{"command":"ls"}`, agent.Shell, one("ls")},
		{"codex", "shell", `{"command":["bash","-lc","git push -f && echo 'a'"]}`, agent.Shell,
			one(`bash -lc 'git push -f && echo '\''a'\'''`)},
		{"codex", "shell", `{"command":[]}`, agent.Shell, nil},
		{"codex", "apply_patch", `{"command":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n+x\n` +
			`*** Delete File: c.go\n*** End Patch"}`, agent.Edit, []string{"a.go", "b.go", "c.go"}},
		{"codex", "apply_patch", `{"command":"*** Begin Patch\n"}`, agent.Edit, nil},
		{"cline", "run_commands", `{"commands":["ls -l","make"]}`, agent.Shell, []string{"ls -l", "make"}},
		{"gemini", "read_many_files", `{"include":["a","b"]}`, agent.Read, []string{"a", "b"}},
		{"gemini", "read_many_files", `{"include":["a",1]}`, agent.Read, nil},
		{"claude-code", "mcp__x__y", `{"b":{"z":1,"a":"<&"}, "a": 1.50}`, agent.NoClass,
			one(`{"a":1.50,"b":{"a":"<&","z":1}}`)},
		{"claude-code", "Skill", `{}`, agent.NoClass, one("{}")},
		{"claude-code", "mcp__x__y", `{} {}`, agent.NoClass, nil},
	} {
		a, ok := agent.Named(c.agent)
		if !ok {
			t.Fatal(c.agent)
		}
		want := agent.Use{Tool: c.tool, Class: c.class, Subjects: c.subjects, Known: c.subjects != nil}
		if diff := cmp.Diff(want, a.Use(c.tool, []byte(c.input))); diff != "" {
			t.Errorf("%s %s %s: -want +got:\n%s", c.agent, c.tool, c.input, diff)
		}
	}
	a, _ := agent.Named("claude-code")
	want := agent.Use{Tool: "TodoWrite", Class: agent.Todo, Known: true}
	if diff := cmp.Diff(want, a.Use("TodoWrite", []byte(`{"todos":[]}`))); diff != "" {
		t.Errorf("a list of things to do: -want +got:\n%s", diff)
	}
}
