package transcript_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/test/testkit"
)

// tally is what a session file holds, counted by decoding every line whole: none of the reader's code takes
// part.
type tally struct {
	Turns       []string            // message ids in order
	Tools       map[string][]string // by message, in order
	Context     map[string]int64
	Failed      int
	Prompts     int
	Compactions int
}

type object = map[string]any

func count(t *testing.T, path string, sidechain bool) tally {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := tally{Tools: map[string][]string{}, Context: map[string]int64{}}
	called := map[any]bool{}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<28)
	for sc.Scan() {
		var o object
		if json.Unmarshal(sc.Bytes(), &o) != nil || (o["isSidechain"] == true) != sidechain {
			continue
		}
		if o["subtype"] == "compact_boundary" {
			out.Compactions++
		}
		m, _ := o["message"].(object)
		if m == nil || (o["type"] != "user" && o["type"] != "assistant") {
			continue
		}
		if s, ok := m["content"].(string); ok && !sidechain && o["isMeta"] != true &&
			o["isCompactSummary"] != true && !strings.HasPrefix(s, "<") {
			out.Prompts++
		}
		blocks, _ := m["content"].([]any)
		for _, b := range blocks {
			b := b.(object)
			switch {
			case b["type"] == "tool_use":
				called[b["id"]] = true
				id := m["id"].(string)
				out.Tools[id] = append(out.Tools[id], b["name"].(string))
			case b["type"] == "tool_result" && b["is_error"] == true && called[b["tool_use_id"]]:
				out.Failed++
			}
		}
		if o["type"] == "assistant" && m["model"] != "<synthetic>" {
			id := m["id"].(string)
			if !slices.Contains(out.Turns, id) {
				out.Turns = append(out.Turns, id)
			}
			u := m["usage"].(object)
			sum := int64(0)
			for _, k := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
				n, _ := u[k].(float64)
				sum += int64(n)
			}
			out.Context[id] = sum
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAgainstPlainCounting compares the reader with the count above on each session file there is.
func TestAgainstPlainCounting(t *testing.T) {
	t.Parallel()
	// The turns of each file, counted by other means, so that both counts cannot be wrong together.
	want := map[string]int{
		"4d5611e5-241a-462a-8d15-5122611a9569.jsonl": 139,
		"8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl": 143,
		"agent-a2898e3.jsonl":                        12,
		"agent-a7be2f0.jsonl":                        13,
		"short.jsonl":                                1,
		"tool_heavy.jsonl":                           4,
	}
	begun := map[string]int{
		"8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl": 11,
		"agent-a7be2f0.jsonl":                        13,
		"short.jsonl":                                1,
		"tool_heavy.jsonl":                           4,
	}
	t.Run("short", func(t *testing.T) {
		plainCounting(t, testkit.Data(t, "transcripts", "claude-code"), begun)
	})
	t.Run("long", func(t *testing.T) {
		plainCounting(t, testkit.Beside(t, "transcripts", "claude-code"), want)
	})
}

func plainCounting(t *testing.T, dir string, want map[string]int) {
	files := find(t, dir)
	if len(files) != len(want) {
		t.Errorf("%d files found, want %d: the requests that summarise are no runs", len(files), len(want))
	}
	for _, f := range files {
		t.Run(filepath.Base(f.Path), func(t *testing.T) {
			t.Parallel()
			sub := strings.Contains(f.Path, "subagents")
			plain := count(t, f.Path, sub)
			if n := want[filepath.Base(f.Path)]; len(plain.Turns) != n {
				t.Errorf("%d turns counted, want %d", len(plain.Turns), n)
			}
			turns, r := all(t, f)
			got := tally{Tools: map[string][]string{}, Context: map[string]int64{}}
			for i, turn := range append(turns, r.Pending()) {
				if turn.N != i+1 {
					t.Errorf("turn %d has the number %d", i+1, turn.N)
				}
				got.Prompts += len(turn.Prompts)
				if turn.Compacted {
					got.Compactions++
				}
				if i > 0 { // what stands before a turn is of the turn before
					before := turns[i-1].Key
					for _, c := range turn.Calls {
						got.Tools[before] = append(got.Tools[before], c.Name)
						if c.Failed == fact.True {
							got.Failed++
						}
					}
					if turn.ContextTokens.Known {
						got.Context[before] = turn.ContextTokens.N
					} else if !turn.Compacted {
						t.Errorf("turn %d: the usage of the turn before is lost", turn.N)
					}
					if turn.ResponseTokens.Known {
						t.Errorf("turn %d: these files have no stop_reason, so no output is known", turn.N)
					}
				}
				if i < len(turns) {
					got.Turns = append(got.Turns, turn.Key)
				}
			}
			// The usage before a compaction is of a history that is gone.
			if lost := len(plain.Context) - len(got.Context); lost != plain.Compactions {
				t.Errorf("the usage of %d messages is lost, %d compactions", lost, plain.Compactions)
			}
			maps.DeleteFunc(plain.Context, func(id string, _ int64) bool { _, ok := got.Context[id]; return !ok })
			if diff := cmp.Diff(plain, got); diff != "" {
				t.Errorf("plain counting against the reader:\n%s", diff)
			}
		})
	}
}

// TestLongSessions holds what is special about the two long recordings.
func TestLongSessions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id      string
		prompts int
	}{
		{"4d5611e5-241a-462a-8d15-5122611a9569", 2},
		{"8463c716-a2ea-4c14-9efa-87158ebd9f20", 1},
	} {
		t.Run(c.id[:8], func(t *testing.T) {
			t.Parallel()
			files := find(t, testkit.Beside(t, "transcripts", "claude-code", c.id+".jsonl"))
			if len(files) != 2 {
				t.Fatalf("%d files, want the session and its one subagent", len(files))
			}
			turns, _ := all(t, files[0])
			rises, falls, prompts, batches := 0, 0, 0, 0
			above := false
			for _, turn := range turns {
				prompts += len(turn.Prompts)
				if len(turn.Calls) > 1 {
					batches++
				}
				if turn.Compacted && turn.ContextTokens.Known {
					t.Errorf("turn %d: the size after a compaction is not in these files", turn.N)
				}
				if !turn.ContextTokens.Known {
					continue
				}
				now := turn.ContextTokens.N > 150_000
				if now && !above {
					rises++
				}
				if !now && above {
					falls++
				}
				above = now
			}
			if rises != 1 || falls != 1 {
				t.Errorf("the context rose above 150,000 tokens %d times and fell below %d times, want once each",
					rises, falls)
			}
			if prompts != c.prompts || batches == 0 {
				t.Errorf("%d prompts, %d parallel batches; want %d and some", prompts, batches, c.prompts)
			}
			sub, _ := all(t, files[1])
			if run := sub[0].Run; run.Thread != "subagent" || !strings.HasPrefix(run.ID, c.id+"/agent-a") {
				t.Errorf("the subagent's run is %+v", *run)
			}
			for _, turn := range sub {
				if len(turn.Prompts) > 0 {
					t.Errorf("turn %d: a subagent's task counts as a person's message", turn.N)
				}
			}
		})
	}
}

// TestExpectations reads the fixtures that come with their own numbers.
func TestExpectations(t *testing.T) {
	t.Parallel()
	dir := testkit.Data(t, "hook-fixtures", "claude-code", "transcripts")
	expects, err := filepath.Glob(filepath.Join(dir, "*.expect.json"))
	if err != nil || len(expects) != 5 {
		t.Fatalf("%d expectations, %v", len(expects), err)
	}
	for _, path := range expects {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				File      string   `json:"file"`
				Context   int64    `json:"context_tokens"`
				Response  *int64   `json:"last_response_tokens"`
				Model     string   `json:"model"`
				Human     *int     `json:"human_turns"`
				Calls     []string `json:"tool_calls"`
				Failed    *bool    `json:"last_tool_call_failed"`
				AgentType string   `json:"agent_type"`
			}
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			if want.File == "" {
				want.File = strings.Replace(filepath.Base(path), ".expect.json", ".jsonl", 1)
			}
			turns, r := all(t, find(t, filepath.Join(dir, want.File))[0])
			next := r.Pending()
			if next.ContextTokens != (session.Count{N: want.Context, Known: true}) {
				t.Errorf("context %+v, want %d", next.ContextTokens, want.Context)
			}
			if want.Response != nil && next.ResponseTokens != (session.Count{N: *want.Response, Known: true}) {
				t.Errorf("response %+v, want %d", next.ResponseTokens, *want.Response)
			}
			var calls []string
			human := 0
			failed := false
			for _, turn := range append(turns, next) {
				human += len(turn.Prompts)
				for _, c := range turn.Calls {
					calls = append(calls, c.Name)
					failed = c.Failed == fact.True
				}
			}
			if want.Human != nil && human != *want.Human {
				t.Errorf("%d user turns, want %d", human, *want.Human)
			}
			if want.Calls != nil && !slices.Equal(calls, want.Calls) {
				t.Errorf("calls %q, want %q", calls, want.Calls)
			}
			if want.Failed != nil && failed != *want.Failed {
				t.Errorf("the last call failed: %v, want %v", failed, *want.Failed)
			}
			if last := turns[len(turns)-1]; want.Model != "" && last.Model != want.Model {
				t.Errorf("model %q, want %q", last.Model, want.Model)
			}
			if want.AgentType != "" && turns[0].Run.Thread != want.AgentType {
				t.Errorf("thread %q, want %q", turns[0].Run.Thread, want.AgentType)
			}
		})
	}
}

// TestRequestsReal reads the log of an airline's desk.
func TestRequestsReal(t *testing.T) {
	t.Parallel()
	t.Run("short", func(t *testing.T) {
		requestsReal(t, testkit.Data(t, "transcripts", "openai-chat", "airline.jsonl"), 61)
	})
	t.Run("long", func(t *testing.T) {
		requestsReal(t, testkit.Beside(t, "transcripts", "openai-chat", "airline.jsonl"), 790)
	})
}

func requestsReal(t *testing.T, path string, want int) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	turns, r := all(t, find(t, path)[0])
	i := 0
	for line := range strings.Lines(string(b)) {
		var o struct {
			ID       string
			Model    string
			Messages []struct {
				Role      string
				Content   *string
				ToolCalls []struct{ Function struct{ Name string } } `json:"tool_calls"`
			}
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		var tools, prompts []string
		for n, m := range o.Messages {
			switch m.Role {
			case "user":
				prompts = append(prompts, *m.Content)
			case "assistant":
				turn := turns[i]
				var names []string
				for _, c := range turn.Calls {
					names = append(names, c.Name)
					if c.Failed != fact.Unknown {
						t.Errorf("%s: nobody can tell how %s went", o.ID, c.Name)
					}
				}
				if turn.Run.ID != o.ID || turn.Model != o.Model || !slices.Equal(names, tools) ||
					!slices.Equal(turn.Prompts, prompts) ||
					turn.MessageCount != (session.Count{N: int64(n), Known: true}) || turn.ContextTokens.Known ||
					turn.ResponseTokens.Known || !turn.At.IsZero() {
					t.Fatalf("%s, message %d: %+v", o.ID, n, turn)
				}
				tools, prompts = nil, nil
				for _, c := range m.ToolCalls {
					tools = append(tools, c.Function.Name)
				}
				i++
			}
		}
	}
	if i != want || len(turns) != i || len(r.Notes()) != 0 {
		t.Errorf("%d assistant messages, %d turns, want %d; notes %v", i, len(turns), want, r.Notes())
	}
}
