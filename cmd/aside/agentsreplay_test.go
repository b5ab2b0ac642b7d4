package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestAgentsReplay: the files that real agents leave behind can be replayed. Their session files and the
// requests that they sent come to the turns that were asked for: a call, two side by side, one that fails, an
// answer; and, resumed, a call and an answer.
func TestAgentsReplay(t *testing.T) {
	sh, _, asked := realAgents(t)
	for _, c := range []struct {
		agent, files string
		resume       []string
	}{
		{"claude-code", ".claude/projects", []string{"-c"}},
		{"codex", ".codex/sessions", []string{"resume", "--last", "again"}},
		{"gemini", ".gemini/tmp", []string{"--resume", "latest"}},
	} {
		if !asked(c.agent) {
			continue
		}
		t.Run(c.agent, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "work")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			process.Put(t, dir, "rules.md", "---\nwhile: always\n---\nx\n")
			var log []byte
			for _, s := range []session{{prompt: "go", script: work(c.agent)}, {prompt: "again", script: work(c.agent),
				more: c.resume}} {
				if o := s.run(t, sh, c.agent, dir, address{}, nil); o.code != 0 {
					t.Fatalf("exit code %d: %s", o.code, o.stderr)
				}
				b, err := os.ReadFile(filepath.Join(dir, "out", "requests.jsonl"))
				if err != nil {
					t.Fatal(err)
				}
				log = append(log, b...)
			}
			process.Put(t, dir, "requests.jsonl", string(log))
			for _, path := range []string{"home/" + c.files, "requests.jsonl"} {
				want := []string{"user 0", "1", "2", "1 failed", "user 0", "1"}
				if path == "requests.jsonl" && c.agent == "codex" { // whose requests say of no call how it went
					want[3] = "1"
				}
				if diff := cmp.Diff(want, replayed(t, dir, path)); diff != "" {
					t.Errorf("%s: %s", path, diff)
				}
			}
		})
	}
}

// replayed says of each turn whether a person wrote, how many calls were made in the one before, and whether
// one failed.
func replayed(t *testing.T, dir, path string) (turns []string) {
	t.Helper()
	r := exe.Invoke(t, dir, nil, "replay", "--json", "--rules", "rules.md", path)
	if r.Code != 0 {
		t.Fatalf("exit code %d: %s", r.Code, r.Err)
	}
	lines := strings.Split(strings.TrimSpace(r.Out), "\n")
	for _, line := range lines[:len(lines)-1] {
		var turn struct {
			Facts struct {
				User   bool     `json:"user_message"`
				Tools  []string `json:"tool_used"`
				Failed bool     `json:"last_tool_call_failed"`
			}
		}
		if err := json.Unmarshal([]byte(line), &turn); err != nil {
			t.Fatal(err)
		}
		s := fmt.Sprint(len(turn.Facts.Tools))
		if turn.Facts.User {
			s = "user " + s
		}
		if turn.Facts.Failed {
			s += " failed"
		}
		turns = append(turns, s)
	}
	return turns
}
