package transcript_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/agent/session"
)

// TestLikeHooks: what a session file tells a replay is what it tells a hook, which reads it from its end.
func TestLikeHooks(t *testing.T) {
	t.Parallel()
	for agent, samples := range map[string]string{"claude-code": "no", "codex": "codex-*.jsonl",
		"gemini": "gemini-*.jsonl", "qwen": "qwen/chats/*.jsonl", "kimi-code": "kimi/*/agents/main/*.jsonl"} {
		files, _ := filepath.Glob(filepath.Join("..", "..", "..", "internal", "agent", "session",
			"testdata", agent, "*.jsonl"))
		more, _ := filepath.Glob(filepath.Join("testdata", filepath.FromSlash(samples)))
		if files = append(files, more...); len(files) == 0 {
			t.Fatalf("no files of %s", agent)
		}
		for _, path := range files {
			t.Run(agent+"/"+filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				rec, err := session.Read(t.Context(), session.File{Agent: agent, Path: path, First: true})
				if err != nil {
					t.Fatal(err)
				}
				turns, r := all(t, find(t, path)[0])
				next := r.Pending()
				if next == nil {
					next = &session.Turn{}
				}
				same := func(what string, hook *int64, got session.Count) {
					if (hook != nil) != got.Known || hook != nil && *hook != got.N {
						h := "unknown"
						if hook != nil {
							h = strconv.FormatInt(*hook, 10)
						}
						t.Errorf("%s: a hook reads %s, a replay %+v", what, h, got)
					}
				}
				// a hook counts what is still there
				if name := filepath.Base(path); name == "rewound.jsonl" || name == "replaced.jsonl" {
					return
				}
				same("context", rec.ContextTokens, next.ContextTokens)
				same("response", rec.ResponseTokens, next.ResponseTokens)
				prompts := len(next.Prompts)
				for _, turn := range turns {
					prompts += len(turn.Prompts)
				}
				if rec.UserTurns != nil && *rec.UserTurns != int64(prompts) && !strings.Contains(path, "subagent") {
					t.Errorf("a hook counts %d prompts, a replay %d", *rec.UserTurns, prompts)
				}
				if len(turns) > 0 && rec.Model != "" && turns[len(turns)-1].Model != rec.Model {
					t.Errorf("a hook reads model %q, a replay %q", rec.Model, turns[len(turns)-1].Model)
				}
			})
		}
	}
}
