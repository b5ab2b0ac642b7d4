package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/api"
)

// hookRules are in the home of every agent that is run with hooks. A reminder that is never due must never be
// seen.
var hookRules = map[string]string{
	"user":   "when: user_message",
	"tool":   "when: after_tool:*",
	"failed": "when: last_tool_call_failed",
	"manual": "when: manual",
	"never":  "when: after_tool:nothing_has_this_name",
}

// hookCase is an agent with hooks. It works, is resumed and makes a call, is resumed and asked for a reminder
// by its name.
type hookCase struct {
	agent  string
	scope  string            // of the installation
	mode   string            // of the installation
	flags  []string          // of run.sh
	again  []string          // flags of the agent's that resume, with a prompt where it wants one
	remind []string          // the same for /remind manual
	typed  string            // the prompt of that, where it is not /remind manual
	tagged bool              // texts have a tag, since they go into a message that no host has words for
	shows  bool              // it prints the texts for the person, too
	left   string            // the text that the agent itself writes into a file that install makes
	sees   map[string]string // how often a text stands in each request, where that is not as stored says
}

// stored is how often each text stands in the requests of the three sessions, where the host keeps it: once
// for each time that it was due, from the request on before which it came.
var stored = map[string]string{
	"user":   "1111 22 3",
	"tool":   "0123 34 4", // each round of calls, however many there are in it
	"failed": "0001 11 1",
	"manual": "0000 00 1",
	"never":  "0000 00 0",
}

func hookCases() []hookCase {
	// Where nothing is stored each request is given the texts that were due in its user turn.
	unstored := map[string]string{"user": "1111 11 1", "tool": "0111 01 0", "failed": "0001 00 0"}
	return []hookCase{
		{agent: "claude-code", scope: "user", again: []string{"-c"}, remind: []string{"-c"}},
		{agent: "claude-code", scope: "project", flags: []string{"--model", "claude-haiku-4-5"},
			again: []string{"-c"}, remind: []string{"-c"}},
		{agent: "codex", scope: "user", again: []string{"resume", "--last", "again"}, remind: []string{"resume",
			"--last", "/remind manual"}},
		{agent: "copilot", scope: "user", again: []string{"--continue"}, remind: []string{"--continue"},
			// it does not store what goes out with a failed call
			sees: map[string]string{"failed": "0001 00 0", "tool": "0123 23 3"}},
		{agent: "gemini", scope: "project", again: []string{"--resume", "latest"},
			remind: []string{"--resume", "latest"}},
		{agent: "gemini", scope: "project", mode: "before-model", again: []string{"--resume", "latest"},
			remind: []string{"--resume", "latest"}, tagged: true, sees: unstored},
		{agent: "opencode", scope: "user", again: []string{"-c"}, remind: []string{"-c", "--command", "remind"},
			typed: "manual", tagged: true, sees: unstored},
		{agent: "kilo", scope: "user", again: []string{"-c"}, remind: []string{"-c", "--command", "remind"},
			typed: "manual", tagged: true, sees: unstored},
		{agent: "pi", scope: "user", again: []string{"-c"}, remind: []string{"-c"}, tagged: true, sees: unstored},
		// what is due at a prompt goes out with the first result behind it
		{agent: "grok", scope: "user", again: []string{"-c"}, remind: []string{"-c"}, sees: map[string]string{
			"user": "0111 12 2", "manual": "0000 00 0", "tool": "0123 34 4"}},
		{agent: "qwen", scope: "project", again: []string{"-c"}, remind: []string{"-c"}, left: `{"$version":4}`},
		// its texts wait for the next prompt, and show in its terminal
		{agent: "kimi-code", scope: "user", again: []string{"-c"}, remind: []string{"-c"}, shows: true,
			sees: map[string]string{"tool": "0000 11 2", "failed": "0000 11 1"}},
		// its command line tells no prompt, and resumes no session without a terminal
		{agent: "cline", scope: "user", sees: map[string]string{"user": "0000 0000 0000", "tool": "0123 0123 0123",
			"failed": "0001 0001 0001", "manual": "0000 0000 0000", "never": "0000 0000 0000"}},
	}
}

// TestAgentsHook runs coding agents, as people install them, with the hooks that "aside install" registers,
// against a fake of their model's API. What is due stands in the requests as often as it was due and nothing
// else of ours does; what the agent says and returns is what it says and returns without hooks; nothing went
// wrong; "aside uninstall" leaves nothing.
//
// ASIDE_AGENTS says which, as for TestAgents. ASIDE_AGENTS_KEEP names a directory where all stays, for
// looking at.
func TestAgentsHook(t *testing.T) {
	// It runs before all tests that are parallel: a hook that has no time is silent.
	sh, bin, asked := realAgents(t)
	few := make(chan struct{}, 2) // they are heavy
	var mu sync.Mutex
	var table []string
	t.Cleanup(func() {
		slices.Sort(table)
		t.Logf("\n| agent | scope | sessions | requests | how often each text stands in the requests | result "+
			"|\n|---|---|---|---|---|---|\n%s", strings.Join(table, "\n"))
	})
	for _, c := range hookCases() {
		if !asked(c.agent) {
			continue
		}
		t.Run(strings.Join(slices.Concat(strings.Fields(c.agent+" "+c.scope+" "+c.mode), c.flags), "-"),
			func(t *testing.T) {
				t.Parallel()
				few <- struct{}{}
				defer func() { <-few }()
				row := c.run(t, sh, bin)
				mu.Lock()
				defer mu.Unlock()
				table = append(table, row)
			})
	}
}

// turnsAmong counts the turns among requests.
func turnsAmong(hops []hop) (n int) {
	for _, h := range hops {
		if asks(h) {
			n++
		}
	}
	return n
}

// run runs the sessions with hooks and without, and returns a row of the table.
func (c hookCase) run(t *testing.T, sh, bin string) string {
	dir := t.TempDir()
	if keep := os.Getenv("ASIDE_AGENTS_KEEP"); keep != "" {
		dir = filepath.Join(keep, strings.ReplaceAll(t.Name(), "/", "_"))
	}
	with, bare := filepath.Join(dir, "with"), filepath.Join(dir, "bare")
	for _, d := range []string{filepath.Join(with, "home"), filepath.Join(with, "project"), bare} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for id, when := range hookRules {
		process.Put(t, with, "home/.aside/reminders/"+id+".md",
			"---\n"+when+"\n---\n"+probe+id+": a fact about the project.\n")
	}
	installed := c.aside(t, bin, with, "install", "--mode", c.mode)
	s := work(c.agent)
	if c.agent == "gemini" { // which puts no text to the result of a call that it calls failed itself
		s.Turns[2] = []item{toolsOf(c.agent).shell(4, "echo oops >&2; exit 3")}
	}
	sessions := []session{
		{prompt: "go", script: s}, {prompt: "again", script: s, more: c.again},
		{prompt: cmp.Or(c.typed, "/remind manual"), script: s, more: c.remind},
	}
	got := map[string][]string{}
	requests, without := 0, 0
	var version string
	for i, ss := range sessions {
		o := ss.run(t, sh, c.agent, with, address{}, append([]string{"--env", "PATH=" + bin + ":" +
			os.Getenv("PATH")},
			c.flags...))
		if i == 2 && c.typed != "" { // a command that is not there without us
			ss.more = c.again
		}
		alone := ss.run(t, sh, c.agent, bare, address{}, c.flags)
		if o.code != alone.code || shown(o.out) != shown(alone.out) && !c.shows {
			t.Errorf("session %d: exit code %d and %q, without hooks %d and %q\n%s", i+1, o.code, o.out, alone.code,
				alone.out, o.stderr)
		}
		for _, word := range []string{"hookSpecificOutput", "additionalContext", "<system-reminder mark",
			"aside-shim"} {
			if a, b := mentions(o.got, word), mentions(alone.got, word); a != b {
				t.Errorf("session %d: %q stands in its requests %d times, without hooks %d times", i+1, word, a, b)
			}
		}
		requests, without = requests+turnsAmong(o.got), without+turnsAmong(alone.got)
		for id, counts := range c.counts(t, o.got) {
			got[id] = append(got[id], counts)
		}
		version, _, _ = strings.Cut(o.stderr, ":")
		if is, want := c.states(t, bin, with), !slices.Contains(endless, c.agent); !is["ended"] == want {
			t.Errorf("session %d: the states of its runs are %v", i+1, is)
		}
	}
	if requests != without { // a session that ends may leave its title out
		t.Errorf("%d turns, without hooks %d", requests, without)
	}
	want := maps.Clone(stored)
	maps.Copy(want, c.sees)
	for id := range hookRules {
		if is := strings.Join(got[id], " "); is != want[id] {
			t.Errorf("%q stands in the requests %q times, want %q", id, is, want[id])
		}
	}
	for _, log := range []string{".local/state/aside/hook.log", ".cache/aside/hook.log"} {
		if b, err := os.ReadFile(filepath.Join(with, "home", log)); err == nil && len(b) > 0 {
			t.Errorf("%s says:\n%s", log, b)
		}
	}
	c.aside(t, bin, with, "uninstall")
	for _, f := range installed {
		// nothing was there
		b, err := os.ReadFile(f.Path)
		b = fakeLines.ReplaceAll(b, nil)
		if err == nil && strings.Join(strings.Fields(string(b)), "") != c.left {
			t.Errorf("%s is still there after uninstall:\n%s", filepath.Base(f.Path), b)
		}
	}
	var texts []string
	for _, id := range slices.Sorted(maps.Keys(hookRules)) {
		texts = append(texts, fmt.Sprintf("%s %s", id, strings.Join(got[id], " ")))
	}
	result := "ok"
	if t.Failed() {
		result = "FAIL"
	}
	version = strings.Join(slices.Concat([]string{version}, c.flags), " ")
	return fmt.Sprintf("| %s | %s | %d | %d | %s | %s |", version, strings.TrimSpace(c.scope+" "+c.mode),
		len(sessions), requests, strings.Join(texts, ", "), result)
}

// fakeLines are those of run.sh in the configuration of Kimi Code.
var fakeLines = regexp.MustCompile(`(?s)# fake: begin\n.*# fake: end\n`)

// aside runs a command on the agent's configuration, and returns the files that it is about.
func (c hookCase) aside(t *testing.T, bin, work, verb string, flags ...string) []install.File {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "aside"), append([]string{verb, c.agent, "--scope", c.scope,
		"--json"}, flags...)...)
	cmd.Dir = filepath.Join(work, "project")
	cmd.Env = []string{"HOME=" + filepath.Join(work, "home"), "PATH=" + bin + ":" + os.Getenv("PATH")}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var all setup.Installed
	if err != nil || json.Unmarshal(out, &all) != nil || !all.Changed {
		t.Fatalf("aside %s %s: %v\n%s%s", verb, c.agent, err, out, &errs)
	}
	return all.Files
}

// endless are the agents of which no event tells that a session without a terminal is over.
var endless = []string{"opencode", "kilo", "qwen", "kimi-code", "cline"}

// states returns the states of the agent's runs.
func (c hookCase) states(t *testing.T, bin, work string) map[string]bool {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "aside"), "runs", "--all", "--json")
	cmd.Dir = filepath.Join(work, "project")
	cmd.Env = []string{"HOME=" + filepath.Join(work, "home"), "PATH=" + bin + ":" + os.Getenv("PATH")}
	out, err := cmd.Output()
	var all []struct{ State string }
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	if err != nil {
		t.Errorf("aside runs: %v\n%s", err, out)
	}
	states := map[string]bool{}
	for _, run := range all {
		states[run.State] = true
	}
	return states
}

// counts tells how often each text stands in each request of a session in which the agent's model could call
// a tool: a digit for each. In others, such as for a title, there must be none.
func (c hookCase) counts(t *testing.T, got []hop) map[string]string {
	t.Helper()
	counts := map[string]string{}
	for _, h := range got {
		if h.method != "POST" || api.EndpointOf(h.path).API == "" {
			continue
		}
		var b struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(h.body, &b); err != nil {
			t.Fatal(err)
		}
		// Qwen asks a model what to remember of the session
		if bytes.Contains(h.body, []byte("Managed memory has TWO directories")) {
			continue
		}
		if len(b.Tools) == 0 {
			if bytes.Contains(h.body, []byte(probe)) {
				t.Errorf("a request to %s without tools holds a text of ours", h.path)
			}
			continue
		}
		body := distinct(t, h.body)
		tagged := bytes.Contains(body, []byte("system-reminder>\\n"+probe))
		if tagged != c.tagged && bytes.Contains(body, []byte(probe)) {
			t.Errorf("a text of ours with a tag: %t", tagged)
		}
		for id := range hookRules {
			counts[id] += fmt.Sprint(bytes.Count(body, []byte(probe+id+": a fact")))
		}
	}
	return counts
}

// distinct is a request whose results of calls are there once: Gemini CLI repeats them where it resumes a
// session.
func distinct(t *testing.T, body []byte) []byte {
	t.Helper()
	var b map[string]any
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	contents, _ := b["contents"].([]any)
	for _, c := range contents {
		m, _ := c.(map[string]any)
		seen := map[string]bool{}
		parts, _ := m["parts"].([]any)
		for i, p := range parts {
			one := fmt.Sprint(p)
			if seen[one] && strings.Contains(one, "functionResponse") {
				parts[i] = nil
			}
			seen[one] = true
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(b); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// shown is the output of an agent, without the parts that vary. Copilot counts our lines among those of the
// tool's.
func shown(out string) string { return strings.ReplaceAll(varying(out), " lines…", " line…") }

// mentions counts a word in the messages of requests.
func mentions(got []hop, word string) (n int) {
	for _, h := range got {
		n += bytes.Count(h.body, []byte(word)) + bytes.Count(h.body,
			[]byte(strings.ReplaceAll(word, "<", "\\u003c")))
	}
	return n
}
