package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/test/testkit"
)

// lspProject is a project with two rules, of which one has a mistake.
func lspProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rules := filepath.Join(dir, ".aside", "reminders")
	if err := os.MkdirAll(rules, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"full.md": "---\ndescription: the window 🪟 is full\nwhen: context_usage > 75 && " +
			"turn_count>3\ncooldown: 3 " +
			"turns\n---\nfull {{.context_usage | percent}}\n",
		"more.yaml": "id: more\nmax_fires: 1\nwhile: turns_since(\"full\") > 8\ncontent: still full\n",
	} {
		if err := os.WriteFile(filepath.Join(rules, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// npmCI copies a folder with its package-lock.json, installs what that names, and returns the copy.
func npmCI(t *testing.T, folder string) (dir string) {
	t.Helper()
	npm := testkit.Program(t, "npm")
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--engine-strict=false", "--no-audit",
		"--no-fund", "--prefer-offline", "--loglevel=error", "--fetch-retry-mintimeout=1000",
		"--fetch-retry-maxtimeout=5000")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		testkit.Absent(t, "%s is not tried: npm ci: %v\n%s", folder, err, out)
	}
	return dir
}

// TestLSPEditor: an editor by Microsoft's own library for the protocol works with the server that `aside lsp`
// starts.
func TestLSPEditor(t *testing.T) {
	t.Parallel()
	testkit.Program(t, "node")
	dir := npmCI(t, "testdata/lsp")
	aside, err := exec.LookPath("aside")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "node", "editor.mjs", lspProject(t), aside, "lsp", "--stdio")
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME=")
	var trouble bytes.Buffer
	c.Stderr = &trouble
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, trouble.Bytes())
	}
	var got map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	place := func(line, from, to float64) map[string]any {
		return map[string]any{"start": map[string]any{"line": line, "character": from},
			"end": map[string]any{"line": line, "character": to}}
	}
	type list = []any
	want := map[string]any{
		"server": "aside", "encoding": "utf-16",
		"first": list{map[string]any{"code": "R0204", "severity": 1.0, "range": place(2, 22, 24),
			"source": "aside"}},
		"actions": list{list{"quickfix", true}, list{"source.fixAll.aside", false}}, "editVersion": 1.0,
		"fixed": list{},
		"hover": "`context_usage`: ratio, gauge",
		"completion": list{list{"context_usage", place(2, 6, 13)}, list{"context_tokens", place(2, 6, 13)},
			list{"context_window", place(2, 6, 13)}},
		"format":     list{list{place(2, 26, 40), "and turn_count > "}},
		"symbols":    list{list{"full", "when: context_usage > 75% && turn_count>3"}},
		"definition": list{".aside/reminders/full.md"},
		"unknown":    -32601.0, "exit": 0.0,
		"registered": list{"workspace/didChangeWatchedFiles"}, "logged": list{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s\n%s", diff, trouble.Bytes())
	}
	if trouble.Len() > 0 {
		t.Errorf("on stderr: %s", trouble.Bytes())
	}
}

// TestLSPProcess: the process speaks on stdin and stdout, and its exit code is the protocol's.
func TestLSPProcess(t *testing.T) {
	t.Parallel()
	frame := func(s string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(s), s) }
	hello := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)
	bye := frame(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	for name, c := range map[string]struct {
		send string
		hold bool // stdin stays open
		code int
	}{
		"as the protocol says":  {hello + bye + frame(`{"jsonrpc":"2.0","method":"exit"}`), true, 0},
		"exit alone":            {hello + frame(`{"jsonrpc":"2.0","method":"exit"}`), true, 1},
		"the pipe ends":         {hello, false, 1},
		"nothing was ever said": {"", false, 1},
		"the editor is gone": {
			frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":%d,"capabilities":{}}}`, gonePID(t))), true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "aside", "lsp", "--clientProcessId=1")
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME=")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(in, c.send)
			if !c.hold {
				_ = in.Close()
			}
			_ = cmd.Wait()
			_ = in.Close()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if name != "the editor is gone" && strings.Contains(c.send, "initialize") &&
				!strings.Contains(out.String(), `"capabilities"`) {
				t.Errorf("got %q", out.String())
			}
		})
	}
}

// gonePID is the number of a process that has ended.
func gonePID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("aside", "version")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}
