package baserate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/baserate"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
)

// conversations are logged conversations: a word each, a letter a turn, which is the tool that is called on
// it.
func conversations(words ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for i, word := range words {
		messages := []any{map[string]any{"role": "user", "content": "Go."}}
		for j, c := range word {
			id := fmt.Sprint(j)
			messages = append(messages, map[string]any{"role": "assistant",
				"tool_calls": []any{map[string]any{"id": id,
					"function": map[string]any{"name": string(c), "arguments": "{}"}}}},
				map[string]any{"role": "tool", "tool_call_id": id, "content": "done"})
		}
		line, _ := json.Marshal(map[string]any{"id": fmt.Sprint(i), "messages": append(messages,
			map[string]any{"role": "assistant", "content": "Done."})})
		files[fmt.Sprintf("%03d.jsonl", i)] = &fstest.MapFile{Data: line}
	}
	return files
}

// rates returns the rates of a reminder that fires after E and expects T within 2 turns, in conversations,
// and what is printed of it.
func rates(t *testing.T, words ...string) (baserate.Rate, string) {
	t.Helper()
	set, ds := compile.New([]reminder.Reminder{
		{ID: "test", Trigger: "after_tool:E", Expect: "after_tool:T", Within: 2, Text: "x"},
		{ID: "other", Trigger: "after_tool:E", Text: "x"}}, compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	v := baserate.New(set, nil)
	if err := replay.Run(t.Context(), replay.Options{Files: conversations(words...),
		Paths: []string{"."}, Set: set,
		Views: []replay.View{v}}); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := terminal.Print(&out, v.Blocks(), 0, false); err != nil || len(v.Rates()) != 1 {
		t.Fatal(err, v.Rates())
	}
	return v.Rates()[0], out.String()
}

func many(n int, word string) (all []string) {
	for range n {
		all = append(all, word)
	}
	return all
}

// TestVerdict holds what is said of a base rate: nothing of few, no test where there is no room, a length
// elsewhere.
func TestVerdict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words   []string
		heeded  int
		ignored int
		open    int
		says    string
	}{
		"never":  {many(3, "x"), 0, 0, 0, "would never have fired"},
		"few":    {many(9, "ET"), 9, 0, 0, "too few to say more: that takes 10"},
		"anyway": {append(many(19, "ET"), "Exx"), 19, 1, 0, "not worth a test: nearly everybody does it anyway"},
		"runs":   {append(many(7, "ETExx"), "xx"), 7, 7, 0, "too few to say more: that takes 10"},
		"unsure": {append(many(9, "ET"), "Exx"), 9, 1, 0, "too few to say more: that takes 10"},
		"some":   {append(many(100, "ET"), many(100, "Exx")...), 100, 100, 0, "a test takes about 1,4"},
		"open":   {append(many(10, "ET"), many(10, "xE")...), 10, 0, 10, "not worth a test"},
		// both firings see the same T, and the second one is on the turn after the first
		"twice": {many(10, "EET"), 20, 0, 0, "half of these within 1 turn, all within 2 turns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, out := rates(t, c.words...)
			if r.Heeded != c.heeded || r.Ignored != c.ignored || r.Open != c.open ||
				r.Fires != c.heeded+c.ignored+c.open || !strings.Contains(out, c.says) {
				t.Errorf("%+v\n%s", r, out)
			}
		})
	}
}

// TestSince: the outcome of a firing that was too old to be shown is left out.
func TestSince(t *testing.T) {
	t.Parallel()
	const line = `{"isSidechain":false,"type":"%s","sessionId":"s","timestamp":"2026-01-05T10:00:0%dZ","message":%s}` + "\n"
	const call = `{"role":"assistant","model":"m","id":"m%d","content":[{"type":"tool_use","id":"c%[1]d","name":"E","input":{}}]}`
	var src string
	for i := range 4 {
		src += fmt.Sprintf(line, "assistant", i, fmt.Sprintf(call, i))
	}
	set, _ := compile.New([]reminder.Reminder{{ID: "r", Mode: reminder.While, Trigger: "after_tool:E",
		Expect: "after_tool:E", Within: 1, Text: "x"}}, compile.Options{})
	// firings on turns 2, 3 and 4, and heeded ones
	for since, want := range map[int][2]int{0: {3, 2}, 2: {2, 1}} {
		v := baserate.New(set, nil)
		from := time.Date(2026, 1, 5, 10, 0, since, 0, time.UTC)
		err := replay.Run(t.Context(), replay.Options{Files: fstest.MapFS{"s.jsonl": {Data: []byte(src),
			ModTime: from}},
			Paths: []string{"s.jsonl"}, Set: set, Since: from, Views: []replay.View{v}})
		if r := v.Rates()[0]; err != nil || r.Fires != want[0] || r.Heeded != want[1] || r.Open != 1 {
			t.Errorf("since second %d: %v, %+v", since, err, r)
		}
	}
}

// TestAlike: a test takes more firings where those of one run resemble each other.
func TestAlike(t *testing.T) {
	t.Parallel()
	mixed, _ := rates(t, many(20, "ETExx")...)
	alike, _ := rates(t, append(many(10, "ETET"), many(10, "ExxExx")...)...)
	if mixed.Share() != 0.5 || alike.Share() != 0.5 || mixed.Fires != alike.Fires {
		t.Errorf("%+v %+v", mixed, alike)
	}
	if a, b := mixed.Firings(), alike.Firings(); b < 3*a || a == 0 {
		t.Errorf("%d firings where each run has one of each, %d where a run has one kind", a, b)
	}
}
