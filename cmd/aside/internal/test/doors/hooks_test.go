package doors_test

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/state/filestore"
)

// byHooks tells a session by the payloads that Claude Code hands to its hooks, and but for bare by the
// session's file as it is then. A prompt comes after the session's start, or after the end of the work before
// it; calls come as PreToolUse, PostToolUseFailure and PostToolBatch. What fires at several events before one
// model call fires on one turn. Due is not told: the agent keeps the texts.
func byHooks(t *rapid.T, dir string, d door, c conversation, rules []rule) (ds []decision) {
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	put := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	now := begin
	h := hook.Host{Clock: func() time.Time { return now }, Home: home,
		Session: func(ctx context.Context, f session.File) (session.Facts, error) { return session.Read(ctx, f) },
		Env: func(name string) string {
			return map[string]string{"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": project}[name]
		}}
	how := hook.Call{Agent: "claude-code", Rules: []string{put("rules.yaml", source(rules))},
		State: filepath.Join(dir, "state"), Limit: time.Hour}
	tell := func(members map[string]any) []byte {
		all := map[string]any{"session_id": "s1", "transcript_path": filepath.Join(dir, "s1.jsonl"), "cwd": project}
		for k, v := range members {
			all[k] = v
		}
		out, err := h.Run(t.Context(), how, encoded(all))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	// in another session the agent has shown that it sends events for batches
	tell(map[string]any{"session_id": "s0", "hook_event_name": "PostToolBatch", "tool_calls": []any{}})
	for i, s := range c {
		now = s.At
		var out []byte
		if i == 0 {
			out = tell(map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
		}
		if d == hooks {
			put("s1.jsonl", c.lines(i))
		}
		switch {
		case s.Prompt != "":
			if i > 0 {
				tell(map[string]any{"hook_event_name": "Stop"})
			}
			if s.Compacted {
				tell(map[string]any{"hook_event_name": "PostCompact", "trigger": "auto"})
			}
			out = append(out, tell(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": s.Prompt,
				"prompt_id": "p" + callID(i)})...)
		default:
			var calls []any
			for _, k := range s.Calls {
				id := k.ID
				tell(map[string]any{"hook_event_name": "PreToolUse", "tool_name": k.Tool, "tool_use_id": id,
					"tool_input": k.Input})
				if k.Failed {
					tell(map[string]any{"hook_event_name": "PostToolUseFailure", "tool_name": k.Tool, "tool_use_id": id,
						"tool_input": k.Input, "error": k.Output})
				}
				calls = append(calls, map[string]any{"tool_name": k.Tool, "tool_use_id": id, "tool_input": k.Input,
					"tool_response": k.Output})
			}
			out = tell(map[string]any{"hook_event_name": "PostToolBatch", "tool_calls": calls})
		}
		ds = append(ds, decision{Fired: found(out), said: out})
	}
	store, err := filestore.Open(how.State, filestore.Options{Durability: filestore.Process})
	if err != nil {
		t.Fatal(err)
	}
	ds[len(ds)-1].records = recorded(t, store)
	return ds
}
