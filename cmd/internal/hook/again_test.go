package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
)

// TestOfferedAgain: a text that was committed by a hook that was killed before it ended is offered again,
// once, unless the session's file shows that it has arrived.
func TestOfferedAgain(t *testing.T) {
	t.Parallel()
	const text = "Run \"the\" tests\nin <a> directory."
	for _, c := range []struct {
		name, before, after string
		again               bool
	}{
		{"not in the file", "{}", "", true},
		{"in the file", "{}", `{"content":["Run \"the\" tests\nin <a> directory."]}`, false},
		{"in the file before", `{"content":["Run \"the\" tests\nin <a> directory."]}`, `{"a":1}`, true},
	} {
		dir := t.TempDir()
		write := func(name, text string) {
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(text); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
		write("r.md", "---\nwhen: user_message\nmax_fires: 1\n---\n"+text+"\n")
		write("s.jsonl", c.before+"\n")
		call := Call{Agent: "claude-code", Rules: []string{filepath.Join(dir, "r.md")},
			State: filepath.Join(dir, "state")}
		host := func() *Host {
			return &Host{Env: func(string) string { return "" }, Clock: time.Now, Session: session.Read}
		}
		event := func(name, more string) []byte {
			return fmt.Appendf(nil, `{"session_id":"s","hook_event_name":%q,"prompt_id":"p","transcript_path":%q,%s}`,
				name, filepath.Join(dir, "s.jsonl"), more)
		}
		batch := func(n int) []byte {
			return event("PostToolBatch", fmt.Sprintf(`"tool_calls":[{"tool_name":"Read","tool_use_id":"c%d"}]`, n))
		}
		killed := host()
		out, err := killed.answer(t.Context(), call, event("UserPromptSubmit", `"prompt":"Go on."`))
		if err != nil || !strings.Contains(string(out), "Run ") {
			t.Fatal(string(out), err)
		}
		// two hooks at a time, while the first is alive
		if out, err := host().Run(t.Context(), call, batch(0)); err != nil || out != nil {
			t.Errorf("%s: beside a hook that is alive: %s, %v", c.name, out, err)
		}
		if err := killed.event.Load().left.end(false); err != nil { // as the kernel does
			t.Fatal(err)
		}
		write("s.jsonl", c.after+"\n")
		for n, again := range []bool{c.again, false} {
			out, err := host().Run(t.Context(), call, batch(n+1))
			if err != nil || strings.Contains(string(out), "Run ") != again {
				t.Errorf("%s, event %d: %s, %v", c.name, n, out, err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "state", "spool", "*")); len(left) > 0 {
			t.Errorf("%s: records stay: %q", c.name, left)
		}
	}
}

// TestRecordIsShort: of an event with very many calls no record tells.
func TestRecordIsShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		calls int
		told  bool
	}{{200, true}, {5000, false}} {
		rec := &record{dir: t.TempDir()}
		event := &agent.Event{Calls: make([]agent.Call, c.calls)}
		for i := range event.Calls {
			event.Calls[i].ID = fmt.Sprint("a call with a long id ", i)
		}
		if err := rec.begin("r", time.Now(), event); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(rec.file.Name())
		if err != nil || len(b) > maxBytes || (string(b) != "null\n") != c.told {
			t.Errorf("%d calls: %d bytes, %v", c.calls, len(b), err)
		}
		if err := rec.end(true); err != nil {
			t.Error(err)
		}
	}
}
