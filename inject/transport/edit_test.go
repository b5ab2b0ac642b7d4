package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// answering answers each request with words and mostly a call that no other answer has.
type answering struct {
	silent  bool   // it calls nothing
	counts  bool   // its ids are counters
	says    string // in place of other words and a call
	answers []map[string]any
	bodies  [][]byte // of the requests
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	n := len(a.answers)
	id := fmt.Sprintf("toolu_%020d", 7_000_000+n)
	if a.counts {
		id = "call_1"
	}
	words := fmt.Sprintf("Step %d: I look at the file number %d of those that are left, and then at the next "+
		"one behind it.", n, n*n)
	if a.says != "" {
		words = a.says
	}
	content := []any{map[string]any{"type": "text", "text": words}}
	if n%4 != 3 && !a.silent && a.says == "" {
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

// TestEdits: a client that cuts its history, in whatever way, keeps its run, named or not, as long as it
// keeps an answer: each call of the model is one turn, an edge fires once, a limit holds, each prompt is
// one message of a person, and each text stands once, with its message, as long as that is there, though all
// prompts say the same. A process that is started again for each request knows no less, and another API key
// for each changes nothing.
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
		"another cut each time": func(h []map[string]any) []map[string]any {
			return head([]int{0, 3, 1, 5}[len(h)/2%4], 3+2*(len(h)*len(h)/4%4))(h)
		},
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
		reminder.Reminder{ID: "asked", Trigger: "user_message", Mode: reminder.While, Text: "ASKED"},
		reminder.Reminder{ID: "each", Trigger: "always", Mode: reminder.While, Text: "Put on turn {{.turn_count}}.",
			Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 1}})
	for name, edit := range edits {
		for how := 0; how < 32; how += testkit.Repeat(3, 1) {
			c := editing{restarts: how&1 != 0, alike: how&2 != 0, silent: how&4 != 0, named: how&8 != 0,
				counts: how&16 != 0}
			t.Run(fmt.Sprintf("%s %+v", name, c), func(t *testing.T) {
				t.Parallel()
				c.run(t, set, edit)
			})
		}
	}
}

// editing is how a client goes on: in a new process each time, with prompts that say the same, with a model
// that calls nothing, with a name, with ids that are counters.
type editing struct{ restarts, alike, silent, named, counts bool }

func (c editing) run(t *testing.T, set *compile.Set, edit func([]map[string]any) []map[string]any) {
	store := onDisk{state.NewMemory()}
	model := &answering{silent: c.silent, counts: c.counts}
	base := func(http.RoundTripper) http.RoundTripper { return model }
	w := newWorld(t, set, setting{store: store, base: base})
	history := []map[string]any{{"role": "user", "content": "Go through the files."}}
	fired, prompts := map[string]int{}, 1
	if c.named {
		w.header.Set(transport.RunHeader, "named")
	}
	for turn := 1; turn <= 14; turn++ {
		if c.restarts {
			w.restart(eval.New(set, eval.Options{Store: store}))
		}
		w.header.Set("X-Api-Key", fmt.Sprint("key ", turn))
		edited := edit(history)
		w.post(messages, string(raw(map[string]any{"model": plainly, "max_tokens": 9, "messages": edited,
			"tools": []any{map[string]any{"name": "Read", "input_schema": map[string]any{"type": "object"}}}})))
		r := w.reports[len(w.reports)-1]
		if r.Turn != turn || r.Run != w.reports[0].Run {
			t.Fatalf("turn %d is turn %d of %s, after %s", turn, r.Turn, r.Run, w.reports[0].Run)
		}
		for _, f := range r.Fired {
			fired[f.ID]++
		}
		stands(t, turn, history, edited, model.bodies[turn-1])
		answer := model.answers[turn-1]
		next := map[string]any{"role": "user", "content": fmt.Sprintf("Now do the part behind line %d.", turn)}
		if c.alike {
			next["content"] = "Go on."
		}
		if content := answer["content"].([]any); len(content) > 1 {
			next["content"] = []any{map[string]any{"type": "tool_result",
				"tool_use_id": content[1].(map[string]any)["id"],
				"content":     strings.Repeat(fmt.Sprint("line ", turn, ".\n"), 9)}}
		} else if turn < 14 {
			prompts++
		}
		history = append(history, answer, next)
	}
	want := map[string]int{"edge": 1, "each": 14, "asked": prompts, "cap": 2, "calls": 1}
	if c.silent {
		delete(want, "cap")
		delete(want, "calls")
	}
	if !maps.Equal(fired, want) {
		t.Errorf("fired %v, want %v", fired, want)
	}
}

// stands checks that each message of a request that was the last of a turn holds the text of that turn, and
// no text stands with another one. edited is what the client has sent of its history. Where it has cut an
// answer and the next prompt, which says the same as the one before it, nobody can tell which of them it has
// kept.
func stands(t *testing.T, turn int, history, edited []map[string]any, b []byte) {
	t.Helper()
	var body struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(b, &body); err != nil {
		t.Fatal(err)
	}
	for i, m := range edited {
		var want, also []string
		index := func(m map[string]any) int {
			return slices.IndexFunc(history, func(h map[string]any) bool {
				return reflect.ValueOf(h).Pointer() == reflect.ValueOf(m).Pointer()
			})
		}
		of := index(m)
		if m["content"] == "Go on." && i+1 < len(edited) && edited[i+1]["role"] == "assistant" {
			also = []string{fmt.Sprintf("Put on turn %d.", (index(edited[i+1])+1)/2)}
		}
		switch blanked := bytes.Contains(body.Messages[i], []byte("[removed]")); {
		case blanked:
			continue
		case of >= 0 && of%2 == 0: // the last message of a turn
			want = []string{fmt.Sprintf("Put on turn %d.", of/2+1)}
		}
		got := regexp.MustCompile(`Put on turn \d+\.`).FindAllString(string(body.Messages[i]), -1)
		if !slices.Equal(got, want) && (also == nil || !slices.Equal(got, also)) {
			t.Errorf("turn %d, message %d of %d holds %q, want %q", turn, i, len(edited), got, want)
		}
	}
}
