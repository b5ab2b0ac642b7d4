package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// answering answers each request with words and mostly a call that no other answer has.
type answering struct {
	answers []map[string]any
	bodies  [][]byte // of the requests
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	n := len(a.answers)
	id := fmt.Sprintf("toolu_%020d", 7_000_000+n)
	words := fmt.Sprintf("Step %d: I look at the file number %d of the many that are left.", n, n*n)
	content := []any{map[string]any{"type": "text", "text": words}}
	if n%4 != 3 {
		content = append(content, map[string]any{"type": "tool_use", "id": id, "name": "Read",
			"input": map[string]any{"path": fmt.Sprint(n, ".go")}})
	}
	a.bodies = append(a.bodies, body)
	a.answers = append(a.answers, map[string]any{"role": "assistant", "content": content})
	b := raw(map[string]any{"type": "message", "id": fmt.Sprint("msg_", n), "role": "assistant",
		"stop_reason": "tool_use", "content": a.answers[n]["content"],
		"usage": map[string]any{"input_tokens": 9, "output_tokens": 3}})
	return &http.Response{StatusCode: http.StatusOK,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader(b)), ContentLength: int64(len(b)), Request: r}, nil
}

// TestEdits: a client that names no session and cuts its history, in whatever way, keeps its run as long as
// it keeps an answer: each call of the model is one turn, an edge fires once, a limit holds, and each text
// stands once, with its message, as long as that is there. A process that is started again for each request
// knows no less, and another API key for each changes nothing.
func TestEdits(t *testing.T) {
	t.Parallel()
	summary := func(n int) map[string]any {
		return map[string]any{"role": "user", "content": fmt.Sprintf("What has happened, up to message %d.", n)}
	}
	head := func(keep, tail int) func([]map[string]any) []map[string]any {
		return func(h []map[string]any) []map[string]any {
			if len(h) <= keep+tail {
				return h
			}
			return append(slices.Clone(h[:keep]), h[len(h)-tail:]...)
		}
	}
	edits := map[string]func([]map[string]any) []map[string]any{
		"whole":               func(h []map[string]any) []map[string]any { return h },
		"head and tail":       head(1, 4),
		"first pair and tail": head(3, 6),
		"window":              head(0, 5),
		"cut once in the middle": func(h []map[string]any) []map[string]any {
			if len(h) < 13 {
				return h
			}
			return append(slices.Clone(h[:3]), h[7:]...)
		},
		"rolling summary": func(h []map[string]any) []map[string]any {
			if len(h) < 7 {
				return h
			}
			return append([]map[string]any{summary(len(h))}, h[len(h)-4:]...)
		},
		"summary and one round": func(h []map[string]any) []map[string]any {
			if len(h) < 11 {
				return h
			}
			return append([]map[string]any{summary(11)}, h[8:]...)
		},
		"results blanked": func(h []map[string]any) []map[string]any {
			h = slices.Clone(h)
			for i := 2; i < len(h)-4; i += 2 {
				if list, results := h[i]["content"].([]any); results {
					h[i] = map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
						"tool_use_id": list[0].(map[string]any)["tool_use_id"], "content": "[removed]"}}}
				}
			}
			return h
		},
	}
	set := compiled(t,
		reminder.Reminder{ID: "edge", Trigger: "turn_count == 6", Text: "EDGE"},
		reminder.Reminder{ID: "cap", Trigger: "after_tool:*", Mode: reminder.While, MaxFires: 2, Text: "CAP"},
		reminder.Reminder{ID: "calls", Trigger: "tool_calls >= 2", Text: "CALLS"},
		reminder.Reminder{ID: "each", Trigger: "always", Mode: reminder.While, Text: "Put on turn {{.turn_count}}.",
			Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 1}})
	for name, edit := range edits {
		for _, restarts := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", restarts), func(t *testing.T) {
				t.Parallel()
				editing(t, set, edit, restarts)
			})
		}
	}
}

func editing(t *testing.T, set *compile.Set, edit func([]map[string]any) []map[string]any, restarts bool) {
	store := onDisk{state.NewMemory()}
	model := &answering{}
	base := func(http.RoundTripper) http.RoundTripper { return model }
	w := newWorld(t, set, setting{store: store, base: base})
	history := []map[string]any{{"role": "user", "content": "Go through the files."}}
	fired := map[string]int{}
	for turn := 1; turn <= 14; turn++ {
		if restarts {
			w.restart(eval.New(set, eval.Options{Store: store}))
		}
		w.header.Set("X-Api-Key", fmt.Sprint("key ", turn))
		w.post(messages, string(raw(map[string]any{"model": plainly, "max_tokens": 9, "messages": edit(history),
			"tools": []any{map[string]any{"name": "Read", "input_schema": map[string]any{"type": "object"}}}})))
		r := w.reports[len(w.reports)-1]
		if r.Turn != turn || r.Run != w.reports[0].Run {
			t.Fatalf("turn %d is turn %d of %s, after %s", turn, r.Turn, r.Run, w.reports[0].Run)
		}
		for _, f := range r.Fired {
			fired[f.ID]++
		}
		stands(t, turn, model.bodies[turn-1])
		answer := model.answers[turn-1]
		next := map[string]any{"role": "user", "content": fmt.Sprintf("Now do the part behind line %d.", turn)}
		if content := answer["content"].([]any); len(content) > 1 {
			next["content"] = []any{map[string]any{"type": "tool_result",
				"tool_use_id": content[1].(map[string]any)["id"],
				"content":     strings.Repeat(fmt.Sprint("line ", turn, ".\n"), 9)}}
		}
		history = append(history, answer, next)
	}
	if fired["edge"] != 1 || fired["cap"] != 2 || fired["calls"] != 1 {
		t.Errorf("fired %v", fired)
	}
}

// stands checks that each message of a request that was the last of a turn holds the text of that turn, and
// no text stands with another one.
func stands(t *testing.T, turn int, b []byte) {
	t.Helper()
	var body struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(b, &body); err != nil {
		t.Fatal(err)
	}
	for i, m := range body.Messages {
		var want []string
		switch line := regexp.MustCompile(`line (\d+)\.`).FindSubmatch(m); {
		case bytes.Contains(m, []byte("Go through")):
			want = []string{"Put on turn 1."}
		case line != nil:
			n, _ := strconv.Atoi(string(line[1]))
			want = []string{fmt.Sprintf("Put on turn %d.", n+1)}
		case bytes.Contains(m, []byte("[removed]")):
			continue
		}
		got := regexp.MustCompile(`Put on turn \d+\.`).FindAllString(string(m), -1)
		if !slices.Equal(got, want) {
			t.Errorf("turn %d, message %d of %d holds %q, want %q", turn, i, len(body.Messages), got, want)
		}
	}
}
