package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/test/testkit"
)

// step is an answer of the model's, and the ids of the rules whose texts the next request is the first to
// hold.
type step struct {
	answer item
	fires  string
}

// TestAgentsSessions runs Claude Code, as people install it, with the twenty rules of
// testdata/ruletests/sessions_test.yaml and the hooks that "aside install" registers. Its model does what the
// rules are about, and the next request holds their texts.
//
// ASIDE_AGENTS says whether it runs, as for TestAgents.
func TestAgentsSessions(t *testing.T) {
	sh, bin, asked := realAgents(t)
	if !asked("claude-code") {
		t.Skip("ASIDE_AGENTS does not name claude-code")
	}
	dir := t.TempDir()
	if keep := os.Getenv("ASIDE_AGENTS_KEEP"); keep != "" {
		dir = filepath.Join(keep, t.Name())
	}
	b, err := os.ReadFile(testkit.Data(t, "ruletests", "sessions_test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var tests struct{ Tests []struct{ Reminders []any } }
	if err := yaml.Unmarshal(b, &tests); err != nil {
		t.Fatal(err)
	}
	var file struct{ Reminders []any }
	for _, test := range tests.Tests {
		file.Reminders = append(file.Reminders, test.Reminders...)
	}
	rules, err := yaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	process.Put(t, dir, "home/.aside/reminders/sessions.yaml", string(rules))
	process.Put(t, dir, "project/large.txt", strings.Repeat("a line of a large file\n", 20000))
	process.Put(t, dir, "project/notes.txt", "notes\n")
	process.Put(t, dir, "project/test.sh", "test -e ran || { touch ran; exit 1; }\n")
	repository := exec.Command("sh", "-c", `git init -q . && git remote add origin /nowhere &&
		git -c user.name=A -c user.email=a@b.c commit -q --allow-empty -m first &&
		printf '#!/bin/sh\nexit 1\n' >.git/hooks/pre-commit && chmod +x .git/hooks/pre-commit`)
	repository.Dir = filepath.Join(dir, "project")
	if out, err := repository.CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	c := hookCase{agent: "claude-code", scope: "user"}
	c.aside(t, bin, dir, "install")
	all, _ := document.Read("sessions.yaml", rules)
	heard := map[string]bool{}

	calls := 0
	tool := func(name string, args map[string]any) item {
		calls++
		return call(callID("toolu_", calls), name, args)
	}
	bash := func(command string) item {
		return tool("Bash", map[string]any{"command": command, "description": "a step"})
	}
	at := func(path string) string { return filepath.Join(dir, "project", path) }
	write := func(path, text string) item {
		return tool("Write", map[string]any{"file_path": at(path), "content": text})
	}
	read := func(path string) item { return tool("Read", map[string]any{"file_path": at(path)}) }
	edit := func(n int) item {
		return tool("Edit", map[string]any{"file_path": at("test/a_test.exs"), "old_string": fmt.Sprint("line ", n),
			"new_string": fmt.Sprint("line ", n+1)})
	}
	play := func(prompt, fires string, more []string, steps ...step) {
		t.Helper()
		s := session{prompt: prompt, more: more}
		want := map[string]int{}
		for _, id := range strings.Fields(fires) {
			want[id] = 0
		}
		for i, st := range steps {
			s.script.Turns = append(s.script.Turns, []item{st.answer})
			for _, id := range strings.Fields(st.fires) {
				want[id] = i + 1
			}
		}
		o := s.run(t, sh, c.agent, dir, address{}, []string{"--env", "PATH=" + bin + ":" + os.Getenv("PATH")})
		got, n := map[string]int{}, 0
		for _, h := range o.got {
			var b struct{ Tools []json.RawMessage }
			if h.method != "POST" || json.Unmarshal(h.body, &b) != nil || len(b.Tools) == 0 {
				continue
			}
			for _, r := range all {
				if _, known := got[r.ID]; !known && bytes.Contains(h.body, []byte(r.Text)) {
					got[r.ID], heard[r.ID] = n, true
				}
			}
			n++
		}
		if !maps.Equal(got, want) || o.code != 0 {
			t.Errorf("%s: the first requests with a text are %v, want %v\nexit code %d\n%s%s", prompt, got, want,
				o.code, o.out, o.stderr)
		}
	}

	play("continue", "continued", nil,
		step{write("lib/a.ex", `key: "AKIAABCDEFGHIJKLMNOP"`), "secret-written"},
		step{read("notes.txt"), ""}, step{read("notes.txt"), ""}, step{read("notes.txt"), "read-again"},
		step{read("large.txt"), "file-too-large"},
		step{bash("timeout 4 tail -f /dev/null; true"), "slow-command"},
		step{tool("Agent", map[string]any{"description": "a subtask", "prompt": "Implement it.",
			"subagent_type": "general-purpose"}), "work-delegated"},
		step{write("test/a_test.exs", "@tag :skip\nline 1\n"), "test-skipped"},
		step{bash("git commit -q --allow-empty -m x"), "commit-unformatted commit-refused"},
		step{bash("git push"), "no-upstream"},
		step{bash("git add -f large.txt"), "ignored-added"},
		step{edit(1), ""}, step{edit(2), ""}, step{edit(3), ""}, step{edit(4), ""}, step{edit(5), "edit-by-edit"},
		step{bash("bd close a.1"), "closed-untested"},
		step{bash("mix test 2>&1 | tail -5"), "output-cut"},
		step{bash("npm install left-pad"), "package-added"},
		step{write("config/test.exs", "import Config\n"), "test-settings"},
		step{bash("grep -rn line test"), "search-by-shell"},
		step{say("It is done."), "uncommitted"})
	play("test it", "", nil, step{bash("sh test.sh"), ""}, step{bash("sh test.sh"), ""},
		step{say("It passes."), "passed-by-chance"})
	play("plan it", "", []string{"--permission-mode", "plan"},
		step{write("lib/b.ex", "x\n"), "plan-only"}, step{say("Here is the plan."), "uncommitted"})
	if len(heard) != len(all) || len(all) != 20 {
		t.Errorf("%d of %d rules were heard: %v", len(heard), len(all), heard)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "home/.local/state/aside/hook.log")); err == nil && len(b) > 0 {
		t.Errorf("the log says:\n%s", b)
	}
}
