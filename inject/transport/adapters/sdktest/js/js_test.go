package js_test

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/test/scene"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

//go:embed testdata
var scripts embed.FS

// unpack puts the scripts into a folder, once.
var unpack = sync.OnceValue(func() error { return os.CopyFS(testkit.Scratch(), scripts) })

// installed are the folders that install is done with. installing is held while it works.
var (
	installed  = map[string]bool{}
	installing sync.Mutex
)

// install installs the packages that the scripts of a folder use, by "npm ci" or "npm install", and returns
// where that is.
func install(t *testing.T, folder, command string) (dir string) {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	testkit.Program(t, "node")
	testkit.Program(t, "npm")
	if err := unpack(); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "npm", command, "--ignore-scripts", "--engine-strict=false",
		"--no-audit",
		"--no-fund", "--prefer-offline", "--loglevel=error", "--fetch-retry-mintimeout=1000",
		"--fetch-retry-maxtimeout=5000")
	if c.Dir = filepath.Join(testkit.Scratch(), "testdata", folder); installed[c.Dir] {
		return c.Dir
	}
	if out, err := c.CombinedOutput(); err != nil {
		testkit.Absent(t, "the clients for Node are not tried: npm %s: %v\n%s", command, err, out)
	}
	installed[c.Dir] = true
	return c.Dir
}

// TestJS: each client for Node gets through a session of three user turns, and the API sees what it should.
func TestJS(t *testing.T) {
	t.Parallel()
	dir := install(t, "js", "ci")
	for _, c := range []struct {
		script, model string
		forms         []string
	}{
		{"ai", "claude-opus-5-5", []string{"anthropic", "anthropic stream"}},
		{"ai", "claude-sonnet-4-5", []string{"anthropic"}},
		{"ai", "gpt-4.1", []string{"chat", "chat stream"}},
		{"ai", "gpt-5.6", []string{"responses", "responses stream"}},
		{"ai", "gemini-3-pro", []string{"gemini", "gemini stream"}},
		{"langgraph", "claude-haiku-4-5", []string{"anthropic", "anthropic stream"}},
		{"langgraph", "gpt-4.1", []string{"chat"}},
		{"langgraph", "gpt-5.6", []string{"responses"}},
		{"langgraph", "gemini-3-pro", []string{"gemini"}},
		{"agents", "gpt-5.6", []string{"history", "history stream", "chained", "chained stream"}},
		{"genai", "gemini-3-pro", []string{"whole", "stream"}},
		{"llamaindex", "gpt-4.1", []string{"agent"}},
		{"openai", "gpt-4.1", []string{"whole", "stream"}},
		{"anthropic", "claude-opus-5-5", []string{"whole", "stream"}},
	} {
		for _, form := range c.forms {
			t.Run(c.script+"/"+c.model+"/"+strings.ReplaceAll(form, " ", "_"), func(t *testing.T) {
				t.Parallel()
				w := scene.Serve(t, scene.Options{Retries: true})
				session(t, len(scene.Prompts), dir, c.script+".mjs", w.URL, c.model, form)
				w.Check(t, false)
			})
		}
	}
}

// TestClientJS: the adapters of the client for TypeScript put the texts in, and leave the framework's own
// history as it is.
func TestClientJS(t *testing.T) {
	t.Parallel()
	dir := install(t, "js", "ci")
	client := os.DirFS(filepath.Join("..", "..", "..", "..", "..", "cmd", "aside", "client", "typescript"))
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "@aside", "client"), client); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		script, model string
		forms         []string
	}{
		{"middleware", "claude-sonnet-4-5", []string{"anthropic", "anthropic stream"}},
		{"middleware", "gpt-4.1", []string{"chat", "chat stream"}},
		{"langchain", "claude-sonnet-4-5", []string{"anthropic"}},
		{"langchain", "gpt-4.1", []string{"chat", "chat graph"}},
		{"agents", "gpt-5.6", []string{"history", "history stream"}},
	} {
		for _, form := range c.forms {
			t.Run(c.script+"/"+c.model+"/"+strings.ReplaceAll(form, " ", "_"), func(t *testing.T) {
				t.Parallel()
				w, env := scene.Inside(t, scene.Options{Retries: true})
				said := sessionWith(t, len(scene.Prompts), dir, env, c.script+".mjs", w.URL, c.model, form)
				w.Check(t, c.script != "agents") // which the API does not tell of failures
				_, history, _ := strings.Cut(said, "HISTORY ")
				if len(history) < 200 || strings.Contains(history, "system-reminder") {
					t.Errorf("the history: %s", history)
				}
			})
		}
	}
}

// TestSiblingsJS: five clients that begin alike, beside each other, get through two processes that share a
// store as each of them does alone.
func TestSiblingsJS(t *testing.T) {
	t.Parallel()
	dir := install(t, "js", "ci")
	for _, c := range []struct{ script, model, form string }{
		{"ai", "claude-opus-5-5", "anthropic stream"},
		{"anthropic", "claude-opus-5-5", "whole"},
		{"ai", "gpt-5.6", "responses"},
		{"agents", "gpt-5.6", "chained"},
	} {
		t.Run(c.script+"/"+c.model, func(t *testing.T) {
			t.Parallel()
			const n = 5
			w := scene.Serve(t, scene.Options{Retries: true, Siblings: n})
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() {
					session(t, len(scene.Prompts), dir, c.script+".mjs", fmt.Sprintf("%s/%d", w.URL, i), c.model, c.form)
				})
			}
			all.Wait()
			w.Check(t, false)
		})
	}
}

// TestKeptJS: clients whose conversations the server keeps get through the session.
func TestKeptJS(t *testing.T) {
	t.Parallel()
	dir := install(t, "kept", "ci")
	for _, c := range []struct {
		script, model string
		forms         []string
	}{
		{"interactions", "gemini-3-pro", []string{"kept", "kept stream", "in full", "in full stream"}},
		{"adk", "gemini-3-pro", []string{"interactions", "interactions stream", "contents"}},
		{"threads", "claude-opus-5", []string{"whole", "stream"}},
		{"threads", "claude-opus-5-5", []string{"whole", "stream"}},
		{"threads", "claude-sonnet-4-6", []string{"stream"}},
	} {
		for _, form := range c.forms {
			t.Run(c.script+"/"+c.model+"/"+strings.ReplaceAll(form, " ", "_"), func(t *testing.T) {
				t.Parallel()
				w := scene.Serve(t, scene.Options{})
				session(t, len(scene.Prompts), dir, c.script+".mjs", w.URL, c.model, form)
				w.Check(t, false)
			})
		}
	}
}

// TestManagersJS: clients that keep a part of their histories alone get each text once, at its turn, and each
// text stays with its message as long as that is sent.
func TestManagersJS(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder, script, model string
		forms                 []string
	}{
		{"js", "windows", "claude-sonnet-4-6", []string{"langchain trims", "langchain clears", "langchain sums"}},
		{"js", "windows", "gpt-4.1", []string{"langchain trims chat", "langchain sums chat", "ai prunes chat"}},
		{"js", "windows", "gpt-5.6", []string{"agents session", "agents session window", "agents compaction input",
			"agents compaction previous_response_id"}},
		{"js", "windows", "claude-opus-5", []string{"ai prunes"}},
		{"managers", "strands", "claude-sonnet-4-6", []string{"anthropic"}},
		{"managers", "strands", "gpt-5.6", []string{"responses"}},
		{"managers", "tanstack", "claude-sonnet-4-6", []string{"anthropic"}},
		{"managers", "tanstack", "gpt-5.6", []string{"responses"}},
		{"managers", "mastra", "claude-sonnet-4-6", []string{"anthropic"}},
		{"managers", "mastra", "gpt-5.6", []string{"responses"}},
		{"managers", "cline", "claude-sonnet-4-6", []string{"anthropic"}},
	} {
		for _, form := range c.forms {
			t.Run(c.script+"/"+c.model+"/"+strings.ReplaceAll(form, " ", "_"), func(t *testing.T) {
				t.Parallel()
				if c.folder == "managers" && os.Getenv("ASIDE_AGENTS") != "all" {
					t.Skip("ASIDE_AGENTS=all tries clients that take 460 MB")
				}
				dir := install(t, c.folder, "ci")
				w := scene.Serve(t, scene.Options{Cuts: true})
				session(t, len(scene.Prompts), dir, c.script+".mjs", w.URL, c.model, form)
				w.Check(t, false)
			})
		}
	}
}

// TestMoreJS does the same for clients that take long to install, or that run programs.
func TestMoreJS(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASIDE_AGENTS") != "all" {
		t.Skip("ASIDE_AGENTS=all tries clients that take 1.2 GB")
	}
	// the registries lack Cline's packages for some platforms, and ci wants all
	dir := install(t, "more", "install")
	lower := map[string]string{"Read": "read", "Edit": "edit", "Bash": "bash"}
	for _, c := range []struct {
		script, model, form string
		scene               scene.Options
	}{
		{"pi", "claude-opus-5", "anthropic", scene.Options{Retries: true, Names: lower, Args: piArgs}},
		{"pi", "gpt-4.1", "chat", scene.Options{Retries: true, Names: lower, Args: piArgs}},
		{"cline", "gpt-4.1", "chat", scene.Options{Names: map[string]string{"Read": "read_files",
			"Edit": "apply_patch", "Bash": "run_commands"}, Args: clineArgs}},
		{"claude", "claude-opus-5", "sdk", scene.Options{Args: claudeArgs}},
		{"claude", "claude-haiku-4-5", "sdk", scene.Options{Args: claudeArgs}},
	} {
		t.Run(c.script+"/"+c.model, func(t *testing.T) {
			t.Parallel()
			w := scene.Serve(t, c.scene)
			n := len(scene.Prompts)
			if c.script == "cline" {
				n = 1 // it takes no further prompt without a terminal
			}
			session(t, n, dir, c.script+".mjs", w.URL, c.model, c.form)
			w.Check(t, false)
		})
	}
}

// piArgs are arguments of pi's tools. Those that fail do so in both.
func piArgs(name, path string) map[string]any {
	switch name {
	case "Bash":
		return map[string]any{"command": "echo " + path}
	case "Edit":
		return map[string]any{"path": path, "edits": []any{map[string]any{"oldText": "a", "newText": "b"}}}
	}
	return map[string]any{"path": path}
}

// clineArgs are arguments of Cline's tools.
func clineArgs(name, path string) map[string]any {
	switch name {
	case "Bash":
		return map[string]any{"commands": []string{"echo " + path}}
	case "Edit":
		return map[string]any{"input": "*** Begin Patch\n*** Add File: " + path + "\n+a\n*** End Patch"}
	}
	return map[string]any{"files": []any{map[string]any{"path": "/nowhere/" + path}}}
}

// claudeArgs are arguments of Claude Code's tools.
func claudeArgs(name, path string) map[string]any {
	switch name {
	case "Bash":
		return map[string]any{"command": "echo " + path, "description": "echo"}
	case "Edit":
		return map[string]any{"file_path": "/nowhere/" + path, "old_string": "a", "new_string": "b"}
	}
	return map[string]any{"file_path": "/nowhere/" + path}
}

// session runs a script, which says the first n prompts, and holds that the client was told what the model
// has said.
func session(t *testing.T, n int, dir string, args ...string) {
	t.Helper()
	sessionWith(t, n, dir, nil, args...)
}

// sessionWith is session with more variables in the environment. It returns what the script wrote to standard
// error.
func sessionWith(t *testing.T, n int, dir string, env []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "node", args...)
	said, err := json.Marshal(scene.Prompts[:n])
	if err != nil {
		t.Fatal(err)
	}
	c.Dir, c.Env = dir, append(append(environment(dir), "PROMPTS="+string(said)), env...)
	var trouble bytes.Buffer
	c.Stderr = &trouble
	out, err := c.Output()
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n")) // some clients write warnings first
	var got []string
	if no := json.Unmarshal(lines[len(lines)-1], &got); no != nil || err != nil ||
		!slices.Equal(got, scene.Ends[:n]) {
		t.Errorf("the client was told %q (%v, %v), want %q\n%s", out, no, err, scene.Ends[:n], trouble.Bytes())
	}
	return trouble.String()
}

// environment has nothing that leads a client elsewhere.
func environment(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANGSMITH_TRACING=false",
		"OPENAI_AGENTS_DISABLE_TRACING=1", "AI_SDK_LOG_WARNINGS=false"}
}
