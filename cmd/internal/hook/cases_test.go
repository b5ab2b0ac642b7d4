package hook_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/test/testkit"
)

// fixture is a case of the hook fixtures, whose README has the format.
type fixture struct {
	Name, Agent, Mode string
	Args              []string
	Env               map[string]string
	Stdin             json.RawMessage
	StdinFile         string `json:"stdin_file"`
	Normalized        map[string]any
	Reminder          *string
	Fired             json.RawMessage `json:"stdout_when_fired"`
	Also              json.RawMessage `json:"stdout_also_accepted"`
	Quiet             json.RawMessage `json:"stdout_when_quiet"`
	ExitCode          int             `json:"exit_code"`

	path string
}

func (f *fixture) stdin(t *testing.T) []byte {
	t.Helper()
	if f.StdinFile == "" {
		return f.Stdin
	}
	b, err := os.ReadFile(filepath.Join(filepath.Dir(f.path), f.StdinFile))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (f *fixture) input(t *testing.T) agent.Input {
	in := agent.Input{Mode: f.Mode, Stdin: f.stdin(t), Env: func(name string) string { return f.Env[name] }}
	for i, a := range f.Args {
		if a == "--event" {
			in.Event = f.Args[i+1]
		}
	}
	return in
}

// agent is whom the hook was installed for.
func (f *fixture) agent() string {
	return f.Args[slices.Index(f.Args, "--agent")+1]
}

// eachCase runs a test for the cases of this package, and for those of the repository's test data: for one of
// so many where a person waits.
func eachCase(t *testing.T, of int, test func(t *testing.T, f *fixture)) {
	own, err := filepath.Glob(filepath.Join("testdata", "cases", "*", "*.json"))
	if err != nil || len(own) == 0 {
		t.Fatal("no cases", err)
	}
	t.Run("own", func(t *testing.T) { runCases(t, own, of, test) })
	t.Run("shared", func(t *testing.T) {
		paths, err := filepath.Glob(filepath.Join(testkit.Data(t, "hook-fixtures"), "*", "*.json"))
		if err != nil || len(paths) == 0 {
			t.Fatal("no cases", err)
		}
		runCases(t, paths, of, test)
	})
}

func runCases(t *testing.T, paths []string, of int, test func(t *testing.T, f *fixture)) {
	for i, p := range paths {
		if i%testkit.Repeat(of, 1) > 0 {
			continue
		}
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture{path: p}
		if err := json.Unmarshal(b, f); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if f.Normalized == nil || !slices.Contains(f.Args, "--agent") {
			continue // no case
		}
		if _, ok := agent.Named(f.agent()); !ok {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(p))+"/"+strings.TrimSuffix(filepath.Base(p), ".json"), func(t *testing.T) {
			t.Parallel()
			test(t, f)
		})
	}
}

// normalized is an event as the cases write it.
func normalized(e agent.Event) map[string]any {
	m := map[string]any{
		"kind": string(e.Kind), "session": e.Session, "agent_key": e.Agent, "can_inject": e.CanInject,
		"ephemeral":  e.Ephemeral,
		"human_turn": e.Human == fact.True, "turn_key": e.TurnKey, "prompt": e.Prompt,
		"prompt_class":    e.PromptClass,
		"manual":          e.Manual,
		"arms_next_event": e.Arms, "model": e.Model, "subagent_type": e.SubagentType, "internal": e.Internal,
		"reset":  e.Reset,
		"source": e.Source, "trigger": e.Trigger, "last_assistant_message_len": len(
			e.Message), "last_tool_call_failed": truth(e.Failed),
		"context_tokens": e.ContextTokens, "context_window": e.ContextWindow, "context_usage": e.ContextUsage,
		"last_response_tokens": e.ResponseTokens, "iteration": e.Iteration,
	}
	var tools []any
	for _, u := range e.Calls {
		var id any
		if u.ID != "" {
			id = u.ID
		}
		tools = append(tools, map[string]any{"name": u.Name, "id": id, "failed": truth(u.Failed)})
	}
	m["tools"] = tools
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	m = nil
	if err := json.Unmarshal(b, &m); err != nil {
		panic(err)
	}
	return m
}

func truth(t fact.Truth) any {
	if t == fact.Unknown {
		return nil
	}
	return t == fact.True
}

func TestDecode(t *testing.T) {
	t.Parallel()
	eachCase(t, 1, func(t *testing.T, f *fixture) {
		d, _ := agent.Named(f.agent())
		got := normalized(d.Decode(f.input(t)))
		maps.DeleteFunc(got, func(k string, _ any) bool { _, ok := f.Normalized[k]; return !ok })
		if diff := cmp.Diff(f.Normalized, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestEncode(t *testing.T) {
	t.Parallel()
	eachCase(t, 1, func(t *testing.T, f *fixture) {
		if f.Reminder == nil {
			return
		}
		d, _ := agent.Named(f.agent())
		e := d.Decode(f.input(t))
		text := *f.Reminder
		if e.Arms {
			text = fmt.Sprintf("Reminder %q is armed for the next step.", e.Manual)
		}
		if e.Wraps {
			text = "<system-reminder>\n" + text + "\n</system-reminder>"
		}
		f.compare(t, f.Fired, string(d.Encode(e, text)))
	})
}

// compare compares what was printed with what the case wants.
func (f *fixture) compare(t *testing.T, want json.RawMessage, got string) {
	t.Helper()
	if string(want) == "null" || len(want) == 0 {
		if got != "" {
			t.Errorf("printed %q where nothing can be", got)
		}
		return
	}
	var text string
	if json.Unmarshal(want, &text) == nil {
		if got != text {
			t.Errorf("got %q, want %q", got, text)
		}
		return
	}
	if diff := cmp.Diff(decoded(t, string(want)), decoded(t, got)); diff != "" {
		if f.Also != nil && cmp.Equal(decoded(t, string(f.Also)), decoded(t, got)) {
			return
		}
		t.Errorf("-want +got:\n%s", diff)
	}
}

func decoded(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return v
}

// TestCases runs the program itself: with the reminder due, and with nothing due.
func TestCases(t *testing.T) {
	t.Parallel()
	eachCase(t, 11, func(t *testing.T, f *fixture) {
		for _, head := range []string{"while: always", "when: turn_count > 1000"} {
			m := newMachine(t)
			for k, v := range f.Env {
				m.env = append(m.env, k+"="+v)
			}
			text := "Never said."
			if f.Reminder != nil {
				text = *f.Reminder
			}
			m.rule("run-tests", head, text)
			args := append([]string{}, f.Args...)
			if f.Mode != "" {
				args = append(args, "--mode", f.Mode)
			}
			const failed = `"PostToolUseFailure"`
			if stdin := string(f.stdin(t)); f.agent() == "claude-code" && strings.Contains(stdin, failed) {
				// which speaks where results were told one by one before
				m.run(strings.NewReplacer(failed, `"PostToolUse"`, "toolu_", "before_").Replace(stdin), args...)
			}
			r := m.run(string(f.stdin(t)), args...)
			if r.code != f.ExitCode || r.stderr != "" {
				t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
			}
			d, _ := agent.Named(f.agent())
			e := d.Decode(f.input(t))
			switch {
			case head == "while: always":
				if f.compare(t, f.Fired, r.stdout); !e.CanInject && !e.Arms && e.Kind != agent.Invalid && r.stdout != "" {
					f.compare(t, f.Quiet, r.stdout)
				}
			case f.Normalized["manual"] == nil:
				f.compare(t, f.Quiet, r.stdout)
			}
		}
	})
}

// TestEachAgentHasCases: each agent with hooks has cases, in the repository's test data or in this package's
// own.
func TestEachAgentHasCases(t *testing.T) {
	t.Parallel()
	for _, a := range agent.WithHooks() {
		own, _ := filepath.Glob(filepath.Join("testdata", "cases", a.Name, "*.json"))
		shared, _ := filepath.Glob(filepath.Join(testkit.Data(t, "hook-fixtures"), a.Name, "*.json"))
		if len(own)+len(shared) == 0 {
			t.Errorf("%s has no cases in testdata/hook-fixtures/%s", a.Name, a.Name)
		}
	}
}
