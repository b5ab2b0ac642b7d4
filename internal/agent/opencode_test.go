package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) {
	code := m.Run()
	testkit.RemoveScratch()
	os.Exit(code)
}

// node is the JavaScript engine.
func node(t *testing.T) string {
	t.Helper()
	return testkit.Program(t, "node")
}

// opencoder is an opencode with the plugin, on an empty machine.
type opencoder struct {
	t       *testing.T
	dir     string
	parents map[string]any
	hang    bool
	command []string
}

func newOpencode(t *testing.T) *opencoder {
	o := &opencoder{t: t, dir: t.TempDir(), parents: map[string]any{"ses_1": nil}}
	o.command = []string{testkit.Built(t, "aside-hook"), "--agent", "opencode", "--timeout", "60s"}
	return o
}

func (o *opencoder) rule(id, head, text string) {
	o.t.Helper()
	o.write(filepath.Join("home", ".aside", "reminders", id+".md"), "---\n"+head+"\n---\n"+text+"\n")
}

func (o *opencoder) write(name, content string) string {
	o.t.Helper()
	path := filepath.Join(o.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		o.t.Fatal(err)
	}
	return path
}

type (
	step struct {
		Hook   string `json:"hook"`
		Input  any    `json:"input,omitempty"`
		Output any    `json:"output,omitempty"`
	}
	result struct {
		Output         json.RawMessage
		Same, Returned bool
		MS             int
	}
	message struct {
		Info  map[string]any   `json:"info"`
		Parts []map[string]any `json:"parts"`
	}
	list struct {
		Messages []message `json:"messages"`
	}
)

// transform is a request with messages; without any it is one of none.
func transform(messages ...any) step {
	return step{Hook: "experimental.chat.messages.transform", Output: map[string]any{"messages": append([]any{},
		messages...)}}
}

func user(id, text string) map[string]any {
	return map[string]any{
		"info": map[string]any{"id": id, "sessionID": "ses_1", "role": "user", "agent": "build",
			"model": map[string]any{"providerID": "anthropic", "modelID": "claude-opus-5"}},
		"parts": []any{map[string]any{"id": "prt_" + id, "sessionID": "ses_1", "messageID": id, "type": "text",
			"text": text}},
	}
}

// assistant is an answer that calls a tool.
func assistant(id, tool, status string, exit int) map[string]any {
	return map[string]any{
		"info": map[string]any{"id": id, "sessionID": "ses_1", "role": "assistant", "agent": "build",
			"tokens": map[string]any{"input": 100, "output": 7, "reasoning": 3, "cache": map[string]any{"read": 800,
				"write": 100}}},
		"parts": []any{map[string]any{"type": "tool", "tool": tool, "callID": "call_" + id,
			"state": map[string]any{"status": status, "metadata": map[string]any{"exit": exit}}}},
	}
}

// plugin is the plugin that is installed into opencode.
func plugin(t *testing.T) *agent.Plugin {
	t.Helper()
	a, _ := agent.Named("opencode")
	if p := a.Config.Files[0].Plugin; p != nil {
		return p
	}
	t.Fatal("the first file of opencode's configuration is no plugin")
	return nil
}

// play runs the steps. Whatever happens, the plugin gives back the list that it got, and nothing else.
func (o *opencoder) play(steps ...step) []result {
	o.t.Helper()
	words, err := json.Marshal(o.command)
	if err != nil {
		o.t.Fatal(err)
	}
	p := plugin(o.t)
	source := strings.Replace(p.Source, p.Command, string(words), 1)
	if source == p.Source {
		o.t.Fatal("the plugin does not hold its command as Command says")
	}
	path := o.write(filepath.Join("plugins", "aside.mjs"), source)
	in, err := json.Marshal(map[string]any{"plugin": path, "parents": o.parents, "hang": o.hang, "steps": steps})
	if err != nil {
		o.t.Fatal(err)
	}
	driver, err := filepath.Abs(filepath.Join("testdata", "drive.mjs"))
	if err != nil {
		o.t.Fatal(err)
	}
	cmd := exec.Command(node(o.t), driver)
	cmd.Dir, cmd.Stdin = o.dir, bytes.NewReader(in)
	cmd.Env = []string{"HOME=" + filepath.Join(o.dir, "home"), "PATH=/usr/bin:/bin", "TMPDIR=" + o.t.TempDir(),
		"GORACE=atexit_sleep_ms=0"}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		o.t.Fatalf("%v: %s", err, errs.String())
	}
	var results []result
	if err := json.Unmarshal(out, &results); err != nil {
		o.t.Fatalf("%v: %.300s", err, out)
	}
	for i, r := range results {
		if !r.Same || !r.Returned {
			o.t.Errorf("step %d: the list is another one, or something was returned", i)
		}
	}
	return results
}

// added returns the texts that came behind the messages of a step. Those must be as they were.
func added(t *testing.T, s step, r result) string {
	t.Helper()
	var before, after list
	raw, err := json.Marshal(s.Output)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(json.Unmarshal(raw, &before), json.Unmarshal(r.Output, &after)); err != nil {
		t.Fatalf("%v: %.300s", err, r.Output)
	}
	n := len(before.Messages)
	if len(after.Messages) < n || len(after.Messages) > n+1 {
		t.Fatalf("of %d messages came %d", n, len(after.Messages))
	}
	if diff := cmp.Diff(before.Messages, after.Messages[:n]); diff != "" {
		t.Errorf("what stood before is another: %s", diff)
	}
	if len(after.Messages) == n {
		return ""
	}
	m := after.Messages[n]
	if m.Info["role"] != "user" || m.Info["sessionID"] != before.Messages[n-1].Info["sessionID"] {
		t.Errorf("it is not a message of the user in this session: %v", m.Info)
	}
	var texts []string
	for _, p := range m.Parts {
		if p["synthetic"] != true || p["messageID"] != m.Info["id"] { // or else a title would be made of it
			t.Errorf("part %v of %v", p, m.Info)
		}
		texts = append(texts, p["text"].(string))
	}
	return strings.Join(texts, "|")
}

func tagged(text string) string { return "<system-reminder>\n" + text + "\n</system-reminder>" }

func TestOpencodeFixtures(t *testing.T) {
	t.Parallel()
	var before, after list
	var request map[string]any
	for name, v := range map[string]any{"messages-transform.before.json": &before,
		"messages-transform.after.json": &after, "shim-request.json": &request} {
		b, err := os.ReadFile(testkit.Data(t, "hook-fixtures", "opencode", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, v); err != nil {
			t.Fatal(err)
		}
	}
	o := newOpencode(t)
	// The model reads the same texts in the same order: the fixture has the text as a part of the prompt,
	// which would break the cache.
	var want []string
	for _, m := range after.Messages {
		for _, p := range m.Parts {
			want = append(want, p["text"].(string))
		}
	}
	o.rule("run-tests", "while: always", strings.TrimSuffix(strings.TrimPrefix(want[1], "<system-reminder>\n"),
		"\n</system-reminder>"))
	s := step{Hook: "experimental.chat.messages.transform", Output: before}
	if got := added(t, s, o.play(s)[0]); got != want[1] || len(want) != 2 {
		t.Errorf("got %q, want %q", got, want)
	}

	raw, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := agent.Named("opencode")
	e := d.Decode(agent.Input{Stdin: raw})
	if e.Kind != agent.ModelRequest || e.Session != "ses_1" || e.Model != "claude-opus-5" || len(e.Calls) != 1 ||
		*e.ContextTokens != 27321 || *e.ContextWindow != 200000 || *e.ResponseTokens != 220 || *e.UserTurns != 3 {
		t.Errorf("%+v", e)
	}
}

// TestOpencodeSession is a session: what is due, in which request, and what it is told of.
func TestOpencodeSession(t *testing.T) {
	t.Parallel()
	o := newOpencode(t)
	o.rule("a-user", "when: user_message\nkeep: 1 turn",
		"User {{.user_turn_count}} {{.thread_type}} {{.model}} {{.prompt}}.")
	o.rule("b-failed", "when: last_tool_call_failed\nkeep: 1 turn", "Failed.")
	o.rule("c-usage", "when: context_usage > 1%\nkeep: 1 turn",
		"Used {{.context_tokens}} of {{.context_window}}, {{.last_response_tokens}}.")
	o.rule("d-compacted", "when: compacted\nkeep: 1 turn", "Compacted.")
	o.rule("e-asked", "when: manual\nkeep: 1 turn", "Asked.")
	go1, a1, a2, a3 := user("msg_1", "Go."), assistant("msg_2", "bash", "completed", 0), assistant("msg_3",
		"bash", "completed", 3), assistant("msg_4", "read", "error", 0)
	remind := user("msg_5", agent.RemindBody+`e-asked".`)
	steps := []step{
		transform(go1),
		{Hook: "chat.params", Input: map[string]any{"sessionID": "ses_1", "agent": "title",
			"model": map[string]any{"providerID": "anthropic", "id": "claude-opus-5",
				"limit": map[string]any{"context": 50000}}}},
		transform(go1, a1),
		transform(go1, a1, a2),
		transform(go1, a1, a2, a3),
		{Hook: "experimental.session.compacting", Input: map[string]any{"sessionID": "ses_1"},
			Output: map[string]any{"context": []any{}}},
		transform(go1, a1), // is summed up
		transform(go1, a1, a2, a3),
		transform(go1, a1, a2, a3, remind),
		transform(go1, a1, a2, a3, remind),
	}
	want := map[int]string{
		0: tagged("User 1 root claude-opus-5 Go.."),
		2: tagged("Used 1000 of 50000, 10."),
		3: tagged("Failed."),
		4: tagged("Failed."),
		7: tagged("Compacted."),
		8: tagged("User 2 root claude-opus-5 " + agent.RemindBody + "e-asked\"..\n\nAsked."),
	}
	for i, r := range o.play(steps...) {
		if steps[i].Hook != "experimental.chat.messages.transform" {
			continue
		}
		if got := added(t, steps[i], r); got != want[i] {
			t.Errorf("step %d: %q, want %q", i, got, want[i])
		}
	}
	if log, err := os.ReadFile(filepath.Join(o.dir, "home", ".local", "state", "aside",
		"hook.log")); err == nil {
		t.Errorf("%s", log)
	}
}

// TestOpencodeUsageAfterACompaction: what answers from before it tell of the context is stale, and so is
// what the summary took.
func TestOpencodeUsageAfterACompaction(t *testing.T) {
	t.Parallel()
	o := newOpencode(t)
	o.rule("used", "while: always", `{{if known "context_tokens"}}{{.context_tokens}}{{else}}?{{end}}`)
	summary, kept := assistant("msg_5", "read", "completed", 0), assistant("msg_4", "read", "completed", 0)
	summary["info"].(map[string]any)["summary"] = true
	steps := []step{transform(user("msg_1", "Go."), summary, kept), transform(user("msg_1", "Go."), summary,
		kept, assistant("msg_6", "read", "completed", 0))}
	r := o.play(steps...)
	for i, want := range []string{"?", "1000"} {
		if got := added(t, steps[i], r[i]); got != tagged(want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestOpencodeSubagents: a subagent is a session of its own, and its task is no prompt of a person's.
func TestOpencodeSubagents(t *testing.T) {
	t.Parallel()
	o := newOpencode(t)
	o.parents["ses_2"] = "ses_1"
	o.rule("who", "while: always", "{{.thread_type}} {{.user_message}} {{.turn_count}}")
	task := user("msg_7", "/remind who")
	task["info"].(map[string]any)["sessionID"], task["info"].(map[string]any)["agent"] = "ses_2", "general"
	steps := []step{transform(user("msg_1", "Go.")), transform(task)}
	r := o.play(steps...)
	for i, want := range []string{"root true 1", "general false 1"} {
		if got := added(t, steps[i], r[i]); got != tagged(want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestOpencodeWaitsAsOthers: the plugin has as long for a hook as other agents are told to have.
func TestOpencodeWaitsAsOthers(t *testing.T) {
	t.Parallel()
	plugin, err := os.ReadFile("agents/opencode.js")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("\nconst patience = %d ", agent.Patience*1000)
	if !strings.Contains(string(plugin), want) {
		t.Errorf("no %q in opencode.js", want)
	}
}

// TestOpencodeIsNeverBroken: whatever goes wrong, the list stays as it is, and soon.
func TestOpencodeIsNeverBroken(t *testing.T) {
	t.Parallel()
	script := func(lines string) func(*opencoder) {
		return func(o *opencoder) { o.command = []string{o.write("wrong.sh", "#!/bin/sh\n"+lines+"\n")} }
	}
	for name, wrong := range map[string]func(*opencoder){
		"no program":      func(o *opencoder) { o.command = []string{"/nonexistent/aside-hook"} },
		"hangs":           script("exec sleep 60"),
		"reads nothing":   script("exec 0<&-; exit 0"),
		"garbage":         script("echo garbage"),
		"another answer":  script(`echo '{"protocol":"aside-shim/9","reminders":[{"text":"x"}]}'`),
		"null":            script("echo null"),
		"no list":         script(`echo '{"protocol":"aside-shim/1","reminders":7}'`),
		"null in it":      script(`echo '{"protocol":"aside-shim/1","reminders":[null]}'`),
		"an exit code":    script(`echo '{"protocol":"aside-shim/1","reminders":[{"text":"x"}]}'; exit 3`),
		"killed":          script(`kill -9 $$`),
		"a state of none": func(o *opencoder) { o.write(filepath.Join("home", ".local"), "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOpencode(t)
			wrong(o)
			s := transform(user("msg_1", strings.Repeat("Go. ", 100_000)))
			r := o.play(s)[0]
			if got := added(t, s, r); got != "" {
				t.Errorf("it added %q", got)
			}
			if r.MS > 20_000 {
				t.Errorf("it took %d ms", r.MS)
			}
		})
	}
}

// TestOpencodeOddLists: lists as no opencode of today has them.
func TestOpencodeOddLists(t *testing.T) {
	t.Parallel()
	o := newOpencode(t)
	o.hang = true // and a server that does not answer
	o.rule("r", "while: always", "Said.")
	only := assistant("msg_1", "read", "running", 0)
	steps := []step{
		transform(), transform(nil), transform(map[string]any{}), transform(map[string]any{
			"info": map[string]any{}}), transform(only),
		{Hook: "experimental.chat.messages.transform", Output: map[string]any{}},
		{Hook: "chat.params"},
		{Hook: "experimental.session.compacting", Input: map[string]any{
			"sessionID": "ses_1"}}, transform(), // nothing to sum up
		transform(user("msg_2", "Go.")),
	}
	r := o.play(steps...)
	for i := range steps[:len(steps)-1] {
		if m, ok := steps[i].Output.(map[string]any); ok {
			want, _ := json.Marshal(m)
			var a, b any
			if json.Unmarshal(want, &a) != nil || json.Unmarshal(r[i].Output, &b) != nil || !cmp.Equal(a, b) {
				t.Errorf("step %d: %s", i, r[i].Output)
			}
		}
	}
	i := len(steps) - 1
	if got := added(t, steps[i], r[i]); got != tagged("Said.") {
		t.Errorf("%q", got)
	}
}
