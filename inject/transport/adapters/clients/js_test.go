// Package clients_test runs clients of model APIs, unmodified, through "aside serve" against the strict
// fakes.
package clients_test

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/testkit"
	"github.com/aside-go/aside/internal/wiretest"
)

// prompts are what the person says.
var prompts = []string{"Why do the tests fail?", "Mend it.", "Now deploy it."}

// replies are what the model says: calls side by side, of which one fails, calls one by one, and a text at
// the end of each user turn.
var replies = []wiretest.Reply{
	says("", "Read a.go", "Bash test.bad"),
	says("I look at it.", "Edit a.go"),
	says("", "Bash test"),
	says("The name is wrong."),
	says("", "Edit b.go", "Read c.go"),
	says("", "Read b.go"),
	says("Now the other one.", "Edit c.bad"),
	says("It is mended."),
	says("", "Bash push", "Bash push.bad"),
	says("", "Read log"),
	says("", "Edit deploy.yaml"),
	says("It is deployed."),
}

// ends are what the client is told at the end of each user turn.
var ends = []string{"The name is wrong.", "It is mended.", "It is deployed."}

// says returns a reply with a text and calls, each a tool and its path.
func says(text string, calls ...string) wiretest.Reply {
	r := wiretest.Reply{Parts: []wiretest.Part{{Thinking: "I think about " + text + strings.Join(calls,
		", ") + "."}}}
	if text != "" {
		r.Parts = append(r.Parts, wiretest.Part{Text: text})
	}
	for i, c := range calls {
		name, path, _ := strings.Cut(c, " ")
		id := regexp.MustCompile(`\W`).ReplaceAllString(c, "_")
		r.Parts = append(r.Parts, wiretest.Use("call_"+id+"_"+string(rune('a'+i)), name, `{"path":"`+path+`"}`))
	}
	return r
}

//go:embed js
var scripts embed.FS

// install puts the scripts and the packages that they use into a folder, once.
var install = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(scratch, "js")
	if err := os.CopyFS(scratch, scripts); err != nil {
		return "", err
	}
	c := exec.Command("npm", "ci", "--ignore-scripts", "--engine-strict=false", "--no-audit", "--no-fund",
		"--prefer-offline", "--loglevel=error", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return string(out), err
	}
	return dir, nil
})

// TestJS: each client for Node gets through a session of three user turns, and the API sees what it should.
func TestJS(t *testing.T) {
	t.Parallel()
	testkit.Program(t, "node")
	testkit.Program(t, "npm")
	dir, err := install()
	if err != nil {
		testkit.Absent(t, "the clients for Node are not tried: npm ci: %v\n%s", err, dir)
	}
	for _, c := range []struct {
		script, model string
		forms         []string
	}{
		{"ai", "claude-opus-5-5", []string{"anthropic", "anthropic stream"}},
		{"ai", "claude-sonnet-4-5", []string{"anthropic"}},
		{"ai", "gpt-4.1", []string{"chat", "chat stream"}},
		{"ai", "gemini-3-pro", []string{"gemini", "gemini stream"}},
		{"langgraph", "claude-haiku-4-5", []string{"anthropic", "anthropic stream"}},
		{"langgraph", "gpt-4.1", []string{"chat"}},
		{"langgraph", "gpt-5.6", []string{"responses"}},
		{"langgraph", "gemini-3-pro", []string{"gemini"}},
		{"agents", "gpt-5.6", []string{"history", "history stream"}},
		{"genai", "gemini-3-pro", []string{"whole", "stream"}},
		{"openai", "gpt-4.1", []string{"whole", "stream"}},
		{"anthropic", "claude-opus-5-5", []string{"whole", "stream"}},
	} {
		for _, form := range c.forms {
			t.Run(c.script+"/"+c.model+"/"+strings.ReplaceAll(form, " ", "_"), func(t *testing.T) {
				t.Parallel()
				w := open(t, wiretest.Options{Script: wiretest.Turns(replies...)})
				played(t, node(t, dir, c.script+".mjs", w.url, c.model, form))
				w.check(t)
			})
		}
	}
}

// node runs a script and returns what it writes.
func node(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "node", args...)
	said, err := json.Marshal(prompts)
	if err != nil {
		t.Fatal(err)
	}
	c.Dir, c.Env = dir, append(environment(dir), "PROMPTS="+string(said))
	var trouble bytes.Buffer
	c.Stderr = &trouble
	out, err := c.Output()
	if err != nil {
		t.Errorf("%v\n%s", err, trouble.Bytes())
	}
	return out
}

// environment has nothing that leads a client elsewhere.
func environment(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANGSMITH_TRACING=false",
		"OPENAI_AGENTS_DISABLE_TRACING=1", "AI_SDK_LOG_WARNINGS=false"}
}

// played: the client was told what the model has said.
func played(t *testing.T, out []byte) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n")) // some clients write warnings first
	out = lines[len(lines)-1]
	var got []string
	if err := json.Unmarshal(out, &got); err != nil || !slices.Equal(got, ends) {
		t.Errorf("the client was told %q (%v), want %q", out, err, ends)
	}
}
