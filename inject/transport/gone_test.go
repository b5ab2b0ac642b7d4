package transport_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

// TestGone: what stood with messages that are not there any more is told once and is not repeated; it is
// there again if they come back. What stands behind such a gap stays where it is, though its keep has ended.
func TestGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: turn_count == 1", "b! turn_count == 2", "c: turn_count == 3"), setting{})
	w.header.Set(transport.RunHeader, "r")
	whole := chat{}.user("do it").uses("toolu_000000000000001", "Edit")
	shorter := append(chat{}.user("what was done so far"), whole[1:]...)
	lost := []transport.Lost{{IDs: []string{"a"}, Why: "the message that it stood with is not there any more"}}
	for i, step := range []struct {
		chat  chat
		texts []string
		gone  []transport.Lost
	}{
		{whole[:1], []string{"A"}, nil},
		{whole, []string{"A", "B"}, nil},
		{shorter.uses("toolu_000000000000002", "Edit"), []string{"B", "C"}, lost},
		{shorter.uses("toolu_000000000000002", "Edit").uses("toolu_000000000000003", "Edit"),
			[]string{"B", "C"}, nil},
		{whole.uses("toolu_000000000000004", "Edit"), []string{"A", "B"},
			[]transport.Lost{{IDs: []string{"c"}, Why: lost[0].Why}}},
	} {
		if status, body := w.post(messages, step.chat.of(plainly)); status != 200 {
			t.Fatal(i, body)
		}
		if d := cmp.Diff(step.texts, w.texts()); d != "" {
			t.Errorf("request %d, texts (-want +got):\n%s", i, d)
		}
		if _, r := w.last(); cmp.Diff(step.gone, r.Gone) != "" {
			t.Errorf("request %d, gone (-want +got):\n%s", i, cmp.Diff(step.gone, r.Gone))
		}
	}
}

// TestForgotten: a run that is forgotten in the middle of its conversation keeps its texts where the process
// knows them; a conversation that begins anew under its name gets its own.
func TestForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: turn_count == 1", "b: turn_count == 2"), setting{})
	w.header.Set(transport.RunHeader, "r")
	first := chat{}.user("do it")
	whole := first.uses("toolu_000000000000001", "Edit")
	for i, step := range []struct {
		chat   chat
		forget bool
		texts  []string
	}{
		{first, false, []string{"A"}},
		{whole, false, []string{"A", "B"}},
		{whole.uses("toolu_000000000000002", "Edit"), true, []string{"A", "B", "A"}},
		{first, true, []string{"A"}},
		{whole, false, []string{"A", "B"}},
	} {
		if step.forget {
			if err := w.ev.Forget(t.Context(), "r"); err != nil {
				t.Fatal(err)
			}
		}
		if status, body := w.post(messages, step.chat.of(plainly)); status != 200 {
			t.Fatal(i, body)
		}
		if d := cmp.Diff(step.texts, w.texts()); d != "" {
			t.Errorf("request %d, texts (-want +got):\n%s", i, d)
		}
	}
}

// TestAnotherModel: a client thinks with one model, goes on for long with one that takes no such texts, or
// with one of another API, and comes back. The thinking is bound to the texts, which stand where they stood.
// A client sends thinking to no other model than the one that thought so. Nor does it matter that the process
// is killed before it has noted the answer.
func TestAnotherModel(t *testing.T) {
	t.Parallel()
	other := chat{}.user("one").says("done")
	for name, more := range map[string]func(w *world) (int, string){
		"of the same API": func(w *world) (int, string) {
			return w.post(messages, other.of("claude-haiku-4-5"))
		},
		"of another API": func(w *world) (int, string) {
			return w.post("/v1/chat/completions", string(raw(map[string]any{"model": "gpt-5.6", "messages": other,
				"tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "Edit"}}}})))
		},
	} {
		for _, killed := range []bool{false, true} {
			set, s := rules(t, "a: turn_count == 1"), setting{store: state.NewMemory(), fake: modelapi.Options{
				Script: func(*modelapi.Prompt) modelapi.Reply {
					return modelapi.Reply{Parts: []modelapi.Part{{Thinking: "hm"}, {Text: "done"}}}
				}}}
			s.Later = func(save func() error) {
				if !killed {
					_ = save()
				}
			}
			w := newWorld(t, set, s)
			w.header.Set(transport.RunHeader, "run")
			c, status := w.thinking(chat{}.user("one"), "claude-opus-5-5")
			if got := w.texts(); status != http.StatusOK || !slices.Equal(got, []string{"A"}) {
				t.Fatal(status, got)
			}
			w.restart(eval.New(set, eval.Options{Store: s.store}))
			for range 40 {
				c, other = c.user("more").says("done"), other.user("more")
				if status, got := more(w); status != http.StatusOK || w.texts() != nil {
					t.Fatal(name, killed, status, got, w.texts())
				}
				other = other.says("done")
			}
			_, status = w.thinking(c.user("back"), "claude-opus-5-5")
			if got := w.texts(); status != http.StatusOK || !slices.Equal(got, []string{"A"}) {
				t.Error(name, killed, status, got)
			}
			other = other[:2]
		}
	}
}
