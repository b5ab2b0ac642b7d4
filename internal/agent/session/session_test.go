package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/test/testkit"
)

// expectation is what a file must tell. A member that is null must not be known; one that is absent may be
// anything.
type expectation struct {
	path string
	want map[string]any
}

// expectations are those of the repository's own files, or of those beside it.
func expectations(t *testing.T, paths []string) (all []expectation) {
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		e := expectation{path: strings.TrimSuffix(p, ".expect.json") + ".jsonl"}
		if err := json.Unmarshal(b, &e.want); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if f, ok := e.want["file"].(string); ok {
			e.path = filepath.Join(filepath.Dir(p), f)
		}
		// the calls are those of turns, which package transcript tests
		for _, k := range []string{"why", "file", "agent_type", "tool_calls", "last_tool"} {
			delete(e.want, k)
		}
		all = append(all, e)
	}
	return all
}

// told is a file's past in the words of the expectations.
func told(t *testing.T, path string, r session.Facts) map[string]any {
	source := "usage"
	if r.Compacted {
		source = "compactMetadata.postTokens"
	}
	delivered, err := session.Delivered(path)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]any{
		"context_tokens": r.ContextTokens, "context_window": r.ContextWindow,
		"last_response_tokens": r.ResponseTokens, "response": r.Response, "model": r.Model,
		"human_turns": r.UserTurns, "failed": append([]string{}, r.Failed...),
		"last_tool_call_failed": len(r.Failed) > 0, "stored_reminders": delivered,
		"compacted": r.Compacted, "context_tokens_source": source,
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	m = nil
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func check(t *testing.T, paths []string) {
	for _, e := range expectations(t, paths) {
		t.Run(filepath.Base(filepath.Dir(e.path))+"/"+filepath.Base(e.path), func(t *testing.T) {
			t.Parallel()
			whole, err := session.ReadFile(t.Context(), e.path, true)
			if err != nil {
				t.Fatal(err)
			}
			got := told(t, e.path, whole)
			for k, want := range e.want {
				if diff := cmp.Diff(want, got[k]); diff != "" {
					t.Errorf("%s: -want +got:\n%s", k, diff)
				}
			}
			end, err := session.ReadFile(t.Context(), e.path, false)
			if err != nil {
				t.Fatal(err)
			}
			if end.UserTurns != nil {
				t.Error("turns were counted in a part of a file")
			}
			end.UserTurns = whole.UserTurns
			if diff := cmp.Diff(whole, end); diff != "" {
				t.Errorf("the end of the file tells something else: -whole +end:\n%s", diff)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	own, err := filepath.Glob(filepath.Join("testdata", "*", "*.expect.json"))
	if err != nil || len(own) < 15 {
		t.Fatal("files are missing", len(own), err)
	}
	check(t, own)
}

func TestSharedFiles(t *testing.T) {
	t.Parallel()
	check(t, testkit.DataGlob(t, "hook-fixtures", "claude-code", "transcripts", "*.expect.json"))
	check(t, testkit.DataGlob(t, "hook-fixtures", "codex", "rollout", "*.expect.json"))
}

// TestTurnKey: the prompt that a turn has just begun with may stand in the file already, and does not count
// then.
func TestTurnKey(t *testing.T) {
	t.Parallel()
	r, err := session.Read(t.Context(), session.File{
		Agent: "claude-code", Path: filepath.Join("testdata", "claude-code",
			"persons.jsonl"), First: true, TurnKey: "p2",
	})
	if err != nil || r.UserTurns == nil || *r.UserTurns != 3 {
		t.Error(r.UserTurns, err)
	}
}

// TestFormats: each form of file is an agent's, and each agent with session files has a form.
func TestFormats(t *testing.T) {
	t.Parallel()
	var want []string
	for _, a := range agent.All() {
		if a.Session != nil {
			want = append(want, a.Session.Format)
		}
	}
	got := session.Formats()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-agents +formats:\n%s", diff)
	}
}
