package hook_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/test/testkit"
)

// goose is an event of Goose's.
func goose(name string, pairs ...any) string {
	return event(append([]any{"event", name}, pairs...)...)
}

// TestGooseFile: what is due stands in the file until the model has read it.
func TestGooseFile(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(testkit.Data(t, "hook-fixtures", "goose", "moim-file.expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t)
	path := m.path("moim.txt")
	m.env = append(m.env, "GOOSE_MOIM_MESSAGE_FILE="+path)
	m.rule("run-tests", "when: after_tool:edit\nkeep: 1 turn", strings.TrimSpace(string(want)))
	m.rule("shell", "when: after_tool:shell\nkeep: 1 turn", "A shell.")
	holds := func(what, text string) {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if string(b) != text {
			t.Errorf("%s: the file holds %q, want %q", what, b, text)
		}
	}
	later := func() { // as if the model had answered
		t.Helper()
		if err := os.Chtimes(path, time.Now(), time.Now().Add(-time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	step := func(stdin string) { t.Helper(); m.run(stdin, "--agent", "goose").quiet(t) }

	step(goose("UserPromptSubmit", "message", "Go."))
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file, and nothing to put into it")
	}
	edit := goose("PostToolUse", "tool_name", "edit", "tool_call_id", "c1")
	step(edit)
	holds("a reminder is due", string(want))
	step(goose("PostToolUse", "tool_name", "tree", "tool_call_id", "c2"))
	holds("a call beside it has ended", string(want))
	step(goose("PostToolUse", "tool_name", "shell", "tool_call_id", "c3"))
	holds("a reminder of a call beside it", string(want)+"\nA shell.\n")
	later()
	step(edit)
	holds("an event that comes twice", string(want)+"\nA shell.\n")
	step(goose("PostToolUse", "tool_name", "tree", "tool_call_id", "c4"))
	holds("the next step", "")
	step(goose("PostToolUse", "tool_name", "edit", "tool_call_id", "c5"))
	holds("the next edit", string(want))
	step(goose("Stop"))
	holds("the turn is over", "")

	m.rule("stays", "when: after_tool:stay", "It stays.\n\nIt does.")
	for _, id := range []string{"c6", "c7"} {
		step(goose("PostToolUse", "tool_name", "stay", "tool_call_id", id))
		holds("a text that is kept", "It stays.\n\nIt does.\n")
	}
	later()
	step(goose("PostToolUse", "tool_name", "tree", "tool_call_id", "c8"))
	holds("a text that is kept, in the next step", "It stays.\n\nIt does.\n")
	if log := m.log(); log != nil {
		t.Error(log)
	}
}

// TestGooseForeignFile: a text that somebody else has put into the file stays, and the log says what to do.
func TestGooseForeignFile(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	path := m.path("moim.txt")
	m.env = append(m.env, "GOOSE_MOIM_MESSAGE_FILE="+path)
	m.rule("run-tests", "while: always", "It is so.")
	step := func(name, id string) {
		t.Helper()
		m.run(goose(name, "tool_name", "edit", "tool_call_id", id), "--agent", "goose").quiet(t)
	}
	for i, text := range []string{"My own notes.\n", strings.Repeat("long ", 20_000)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		step("PostToolUse", fmt.Sprint("c", i))
		step("Stop", "")
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("the file holds %.40q, %v", b, err)
		}
	}
	if log := m.log(); len(log) != 4 || !strings.Contains(log[0], "aside did not write") ||
		strings.Contains(log[0], "My own") {
		t.Errorf("%q", log)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	step("PostToolUse", "c9")
	if b, err := os.ReadFile(path); err != nil || string(b) != "It is so.\n" {
		t.Errorf("emptied, the file holds %q, %v", b, err)
	}
	if err := os.WriteFile(path, []byte("It is so.\nAnd mine.\n"), 0o600); err != nil { // added to by hand
		t.Fatal(err)
	}
	step("PostToolUse", "c10")
	if b, err := os.ReadFile(path); err != nil || string(b) != "It is so.\nAnd mine.\n" {
		t.Errorf("added to, the file holds %q, %v", b, err)
	}
}

// TestRemindWaits: "/remind NAME" on an event that cannot carry text is answered by the next that can, once.
func TestRemindWaits(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"run-tests": "Run them.",
		"run-test": `There is no reminder named "run-test". The nearest names are: run-tests.`} {
		m := newMachine(t)
		m.rule("run-tests", "when: manual", "Run them.")
		vscode := func(name string, more ...any) string { // a name in another spelling would be Copilot's
			return fmt.Sprintf(`{"sessionId":"c","hookEventName":%q,%s`, name, event(more...)[1:])
		}
		for range 2 { // two configurations
			m.run(vscode("UserPromptSubmit", "prompt", "/remind "+name), "--agent", "vscode").quiet(t)
		}
		tool := func(id string) string {
			return vscode("PostToolUse", "tool_name", "read_file", "tool_use_id", id)
		}
		if r := m.run(tool("t1"), "--agent", "vscode"); !strings.Contains(strings.ReplaceAll(r.stdout, `\"`,
			`"`), want) {
			t.Errorf("%s: %+v", name, r)
		}
		m.run(tool("t2"), "--agent", "vscode").quiet(t)
		if log := m.log(); log != nil {
			t.Error(log)
		}
	}
}

// TestUsageBeforeACompaction: figures from right before a compaction are told once, with it.
func TestUsageBeforeACompaction(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("full", "while: context_usage > 80%", "It was nearly full.")
	m.rule("compacted", "when: compacted", "It was compacted.")
	m.run(event("conversation_id", "c", "hook_event_name", "preCompact", "trigger", "auto", "context_tokens",
		120000, "context_window_size", 128000), "--agent", "cursor").quiet(t)
	tool := event("conversation_id", "c", "hook_event_name", "postToolUse", "tool_name", "Read")
	if r := m.run(tool, "--agent", "cursor"); !strings.Contains(r.stdout, "nearly full") ||
		!strings.Contains(r.stdout, "was compacted") {
		t.Errorf("%+v", r)
	}
	m.run(tool, "--agent", "cursor").quiet(t)
}

// TestNeverToldIsUnknown: an agent that can never say whether a session was resumed or compacted leaves both
// unknown, and does not say that they were not.
func TestNeverToldIsUnknown(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("known", "while: always",
		`{{if known "resumed"}}resumed {{end}}{{if known "compacted"}}compacted{{end}}.`)
	for name, want := range map[string]string{"claude-code": "resumed compacted.", "gemini": "resumed .",
		"cursor": "compacted.", "vscode": "compacted.", "cline": "resumed .", "crush": "."} {
		stdin := event("hook_event_name", map[string]string{"cursor": "postToolUse", "cline": "tool_result",
			"gemini": "AfterTool", "crush": "PreToolUse"}[name], "event", "PreToolUse", "tool_name", "Read",
			"conversation_id", "c", "task_id", "c", "hookName", "tool_result", "taskId", "c")
		if name == "claude-code" || name == "vscode" {
			stdin = event("hook_event_name", "PostToolUse", "tool_name", "Read", "tool_use_id", "t")
		}
		if r := m.run(stdin, "--agent", name); !strings.Contains(r.stdout, `"`+want) {
			t.Errorf("%s: %+v, want %q", name, r, want)
		}
	}
}

// TestKimiBraces: a text that looks like JSON is said as the message that it is.
func TestKimiBraces(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("json", "while: always", `{"message":"no"}`)
	if r := m.run(event("hook_event_name", "UserPromptSubmit", "prompt", "Go."), "--agent",
		"kimi-code"); r.stdout != `{"message":"{\"message\":\"no\"}"}` {
		t.Errorf("%+v", r)
	}
}

// TestRemindLists: "/remind" without a name says which reminders there are to be asked for, and what each
// says.
func TestRemindLists(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("by-hand", "when: manual", "By\n\nhand.")
	m.rule("told", "when: manual\ndescription: what it is for", "Told.")
	m.rule("auto", "when: turn_count > 1000", "Auto.")
	const want = "These reminders are there to be asked for:\n- /remind by-hand: By hand.\n" +
		"- /remind told: what it is for\n/remind also fires these at once: auto."
	if got := said(t, m.run(prompt("s1", "p1", "/remind"), claude...)); got != want {
		t.Errorf("got %q", got)
	}
	zero := append([]string{"--mode", agent.ModeZeroTurn}, claude...)
	if r := m.run(prompt("s2", "p1", "/remind "), zero...); !strings.Contains(r.stdout, `"decision":"block"`) ||
		!strings.Contains(r.stdout, "- /remind by-hand: By hand.") {
		t.Errorf("got %s", r.stdout)
	}
	if got := said(t, m.run(prompt("s1", "p2", "/remind by-hand"), claude...)); got != "By\n\nhand." {
		t.Errorf("got %q", got)
	}
}
