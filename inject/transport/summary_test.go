package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/state"
)

// summing is a client that names no session, and has a history of the model's answers until it asks for a
// summary.
type summing struct {
	*world
	model *answering
	list  []map[string]any
}

func (c *summing) ask(tools bool, list ...map[string]any) transport.Report {
	v := map[string]any{"model": plainly, "max_tokens": 9, "messages": list}
	if tools {
		v["tools"] = []any{map[string]any{"name": "Read", "input_schema": map[string]any{"type": "object"}}}
	}
	c.post(messages, string(raw(v)))
	return c.reports[len(c.reports)-1]
}

// linesOf is a text of so many long lines, which differ with the number.
func linesOf(number, lines int) string {
	var b strings.Builder
	for n := range lines {
		fmt.Fprintf(&b, "- The file %d was read, and its line %d says what is to be done about it.\n", number, n)
	}
	return b.String()
}

// work begins a run and has it go on for some turns; then it asks for a summary, which says answer.
func (c *summing) work(first, answer string) (r transport.Report) {
	c.list = []map[string]any{{"role": "user", "content": first}}
	for range 5 {
		r = c.turn()
	}
	c.sum(answer)
	return r
}

// turn asks for an answer, and has the history go on from it.
func (c *summing) turn() transport.Report {
	r := c.ask(true, c.list...)
	last := c.model.answers[len(c.model.answers)-1]
	next := any("Go on.")
	if blocks := last["content"].([]any); len(blocks) > 1 {
		next = []any{map[string]any{"type": "tool_result", "content": "read",
			"tool_use_id": blocks[1].(map[string]any)["id"]}}
	}
	c.list = append(c.list, last, map[string]any{"role": "user", "content": next})
	return r
}

// sum asks for a summary of the history, which is answer.
func (c *summing) sum(answer string) {
	c.model.says = answer
	c.ask(false, append(c.list, map[string]any{"role": "user", "content": "Sum up what was done."})...)
	c.model.says = ""
}

// TestSummaryFinds: a client that names no session, and keeps nothing of its history but the summary that the
// model has written of it, goes on with its run: in another process, behind words of its own that are longer,
// without the part in which the model has thought aloud, and with an answer of its own behind it. An edge
// does not fire again, and the turn is compacted. Who says a line of it, or another summary, does not.
func TestSummaryFinds(t *testing.T) {
	t.Parallel()
	set := compiled(t,
		reminder.Reminder{ID: "edge", Trigger: "turn_count >= 3", Text: "EDGE"},
		reminder.Reminder{ID: "compacted", Trigger: "compacted", Text: "COMPACTED"})
	const task = "Go through the files one by one, and say of each line of them what is to be done about it."
	thought, sum := linesOf(1, 5), linesOf(2, 7)
	own := strings.Repeat("Here is what was done until now, in the words of the agent that has done it. ", 3)
	for name, c := range map[string]struct {
		messages []string // of the user and the model, in turn
		same     bool
	}{
		"summary alone":        {[]string{sum}, true},
		"behind other words":   {[]string{own + "\n" + sum + "\n" + own + "\nGo on."}, true},
		"with its thoughts":    {[]string{thought + sum}, true},
		"an answer behind it":  {[]string{sum, "Got it.", "Go on."}, true},
		"after the task":       {[]string{task, "Understood.", sum}, true},
		"written otherwise":    {[]string{strings.ReplaceAll(sum, "\n", "  \r\n\r\n  ")}, true},
		"the whole history":    {nil, true},
		"a line of it":         {[]string{strings.SplitAfter(sum, "\n")[0] + "Go on."}, false},
		"a summary of others":  {[]string{linesOf(3, 7)}, false},
		"the thoughts of it":   {[]string{strings.SplitAfterN(thought, "\n", 3)[0]}, false},
		"in the model's words": {[]string{task, sum, "Go on."}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := onDisk{state.NewMemory()}
			w := &summing{model: &answering{}}
			w.world = newWorld(t, set, setting{store: store,
				base: func(http.RoundTripper) http.RoundTripper { return w.model }})
			before := w.work(task, thought+sum)
			w.restart(eval.New(set, eval.Options{Store: store}))
			list := []map[string]any{}
			if c.messages == nil {
				list = w.list
			}
			for i, text := range c.messages {
				list = append(list, map[string]any{"role": []string{"user", "assistant"}[i%2], "content": text})
			}
			r := w.ask(true, list...)
			if is := r.Run == before.Run; is != c.same {
				t.Fatalf("turn %d of %s, after turn %d of %s", r.Turn, r.Run, before.Turn, before.Run)
			}
			if !c.same {
				return
			}
			compacted := len(r.Fired) == 1 && r.Fired[0].ID == "compacted"
			if r.Turn != before.Turn+1 || compacted != (c.messages != nil) {
				t.Errorf("turn %d after turn %d, fired %v", r.Turn, before.Turn, r.Fired)
			}
			if again := w.ask(true, list...); again.Run != r.Run || !again.Again {
				t.Errorf("asked again, it is turn %d of %s", again.Turn, again.Run)
			}
			w.list = append(list, w.model.answers[len(w.model.answers)-1], map[string]any{"role": "user",
				"content": "Go on."})
			if next := w.ask(true, w.list...); next.Run != r.Run || next.Turn != r.Turn+1 {
				t.Errorf("then it is turn %d of %s", next.Turn, next.Run)
			}
		})
	}
}

// TestSummariesFollow: a client that throws away the answer at which its history is too long, and then keeps
// a summary alone, as Anthropic's tool runner does (0.97.1), goes on where it was each time. Its edge fires
// once.
func TestSummariesFollow(t *testing.T) {
	t.Parallel()
	set := compiled(t,
		reminder.Reminder{ID: "edge", Trigger: "turn_count >= 3", Text: "EDGE"},
		reminder.Reminder{ID: "compacted", Trigger: "compacted", Text: "COMPACTED"})
	w := &summing{model: &answering{}}
	w.world = newWorld(t, set, setting{base: func(http.RoundTripper) http.RoundTripper { return w.model }})
	w.list = []map[string]any{{"role": "user", "content": "Go through the files one by one."}}
	turn, fired := 0, map[string]int{}
	for n := range 5 {
		for range 4 {
			r := w.turn()
			if turn++; r.Turn != turn {
				t.Fatalf("summary %d: turn %d is turn %d of %s", n, turn, r.Turn, r.Run)
			}
			for _, f := range r.Fired {
				fired[f.ID]++
			}
		}
		w.list, turn = w.list[:len(w.list)-2], turn-1
		w.sum(linesOf(n, 7))
		w.list = []map[string]any{{"role": "user", "content": linesOf(n, 7)}}
	}
	if fired["edge"] != 1 || fired["compacted"] != 4 {
		t.Errorf("fired %v", fired)
	}
}
