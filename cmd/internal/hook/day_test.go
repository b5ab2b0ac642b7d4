package hook_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state/filestore"
)

// dayRules are the rules of the day: their text is their id.
var dayRules = map[string]string{
	"style":     "when: user_message",
	"edited":    "when: after_tool:Edit",
	"failing":   "when: last_tool_call_failed",
	"scout":     "when: thread_type == Explore",
	"recap":     "when: compacted",
	"back":      "when: resumed",
	"run-tests": "when: turn_count > 1000",
	"third":     "when: user_turn_count >= 6",
}

const daySession = "5b0c2f6e-8a41-4c1d-9d5e-2f60c1a7e901"

// TestDayInTheLife plays testdata/day.txt.
func TestDayInTheLife(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env = append(m.env, "CLAUDECODE=1")
	for id, when := range dayRules {
		m.rule(id, when, "Text of "+id+".")
	}
	f, err := os.Open("testdata/day.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	calls := 0
	var together sync.WaitGroup
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "hand "):
			byHand(t, m, "claude-code:"+daySession, strings.TrimPrefix(line, "hand "))
			continue
		}
		more := strings.HasPrefix(line, "+ ")
		line = strings.TrimPrefix(line, "+ ")
		call, want, _ := strings.Cut(line, "=>")
		together.Go(func() {
			stdin, event := dayEvent(t, strings.TrimSpace(call))
			r := m.run(stdin, claude...)
			if got := daySaid(strings.Fields(want), event); r.stdout != got || r.code != 0 || r.stderr != "" {
				t.Errorf("%s: it ended with %d, stderr %q, and printed\n%s\nwant\n%s", line, r.code, r.stderr,
					r.stdout, got)
			}
		})
		if calls++; !more {
			together.Wait()
		}
	}
	if calls < 60 {
		t.Errorf("a day of %d calls", calls)
	}
	if log := m.log(); len(log) > 0 {
		t.Errorf("the log: %q", log)
	}
}

// daySaid is what is printed with these reminders due.
func daySaid(ids []string, event string) string {
	if slices.Equal(ids, []string{"-"}) {
		return ""
	}
	var texts []string
	notice := "" // which the person is shown, too
	for _, id := range ids {
		if name, ok := strings.CutPrefix(id, "?"); ok {
			wrong := fmt.Sprintf("There is no reminder named %q. The nearest names are: run-tests.", name)
			quoted, _ := json.Marshal(wrong) // a string always can be
			texts, notice = append(texts, wrong), `,"systemMessage":`+string(quoted)
			continue
		}
		texts = append(texts, "Text of "+id+".")
	}
	text, err := json.Marshal(strings.Join(texts, "\n\n"))
	if err != nil {
		panic(err)
	}
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":` + string(text) + `}` + notice +
		`}`
}

// byHand is what "aside remind" does.
func byHand(t *testing.T, m *machine, run, id string) {
	t.Helper()
	store, err := filestore.Open(m.path("state", "aside"), filestore.Options{Durability: filestore.Process})
	if err != nil {
		t.Fatal(err)
	}
	s, rev, err := store.Load(context.Background(), run)
	if err == nil {
		_, err = store.Save(context.Background(), run, rev, firing.Remind(s, id))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// dayEvent is what Claude Code writes for a line of the day.
func dayEvent(t *testing.T, call string) (stdin, name string) {
	t.Helper()
	words := strings.Fields(call)
	e := map[string]any{"session_id": daySession, "transcript_path": "/nonexistent/" + daySession + ".jsonl",
		"cwd": "/nonexistent", "permission_mode": "default"}
	if who, ok := strings.CutPrefix(words[0], "@"); ok {
		e["agent_id"], e["agent_type"], _ = strings.Cut(who, ":")
		words = words[1:]
	}
	what, words := words[0], words[1:]
	if what == "start" || what == "end" {
		delete(e, "permission_mode")
	} else if len(words) > 0 {
		e["prompt_id"], words = words[0], words[1:]
	}
	tools := func() (all []map[string]any) {
		for _, w := range strings.Split(words[0], ",") {
			id, unknown := strings.CutSuffix(w, "!")
			tool, id, _ := strings.Cut(id, ":")
			response := "ok"
			if unknown {
				response = "<tool_use_error>Error: No such tool available: " + tool + "</tool_use_error>"
			}
			all = append(all, map[string]any{"tool_name": tool, "tool_use_id": id, "tool_input": map[string]any{},
				"tool_response": response})
		}
		return all
	}
	switch what {
	case "start":
		name, e["source"] = "SessionStart", words[0]
		if len(words) > 1 {
			e["prompt_id"] = words[1]
		}
	case "prompt":
		name, e["prompt"] = "UserPromptSubmit", strings.Join(words, " ")
	case "expand":
		name, e["expansion_type"], e["command_name"] = "UserPromptExpansion", "slash_command", "remind"
		e["command_args"], e["prompt"] = words[0], "/remind "+words[0]
	case "batch":
		name, e["tool_calls"] = "PostToolBatch", tools()
	case "fail":
		name = "PostToolUseFailure"
		tool := tools()[0]
		e["tool_name"], e["tool_use_id"], e["error"] = tool["tool_name"], tool["tool_use_id"], "Exit code 1"
	case "substart":
		name = "SubagentStart"
	case "substop":
		name = "SubagentStop"
	case "stop":
		name, e["last_assistant_message"] = "Stop", "Done."
	case "precompact":
		name, e["trigger"] = "PreCompact", "auto"
	case "postcompact":
		name, e["trigger"], e["compact_summary"] = "PostCompact", "auto", "What was done."
	case "end":
		name, e["reason"] = "SessionEnd", "other"
	case "cursor":
		name, e["cursor_version"], e["conversation_id"] = "UserPromptSubmit", "2026.09.18", "conv-1"
	case "unknown":
		name = "MindRead"
	default:
		t.Fatalf("no event: %s", call)
	}
	e["hook_event_name"] = name
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n", name
}
