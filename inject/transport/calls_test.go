package transport_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/state"
)

// ran appends a call of Bash and its result.
func (c chat) ran(id, command, output string) chat {
	c = append(c[:len(c):len(c)], raw(map[string]any{"role": "assistant", "content": []any{map[string]any{
		"type": "tool_use", "id": id, "name": "Bash", "input": map[string]any{"command": command}}}}))
	return append(c, raw(map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
		"tool_use_id": id, "content": output}}}))
}

// TestCallPatterns: rules read what the previous turn's calls were about and what they returned, each time.
func TestCallPatterns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "push: after_tool:Bash(git push*)", `fails: output contains "FAIL"`,
		`twice: tool_count("@shell(git push*)") >= 2`, "other: after_tool:Bash(rm *)"), setting{})
	c := chat{}.user("go")
	w.post(messages, c.of(plainly))
	for i, call := range [][2]string{{"cd a && git push -f", "ok"}, {"go test", "FAIL x"}, {"ls", "a"},
		{"git push", "FAIL y"}} {
		c = c.ran("toolu_000000000000000"+string(rune('0'+i)), call[0], call[1])
		w.post(messages, c.of(plainly))
	}
	if want := []string{"push", "fails", "fails", "push", "twice"}; !slices.Equal(w.fired(), want) {
		t.Errorf("fired %q, want %q", w.fired(), want)
	}
}

// TestCallsInTheProject: paths are compared below the project that the host names.
func TestCallsInTheProject(t *testing.T) {
	t.Parallel()
	for project, want := range map[string][]string{"/p": {"r"}, "": nil} {
		w := newWorld(t, rules(t, "r: after_tool:@edit(src/*.go)"),
			setting{Options: transport.Options{Place: fact.Place{Project: project}}})
		w.post(messages, chat{}.user("go").of(plainly))
		c := chat{}.user("go").uses("toolu_0000000000000000", "Edit")
		c[1] = json.RawMessage(strings.Replace(string(c[1]), `"input":{}`,
			`"input":{"file_path":"/p/src/a.go"}`, 1))
		w.post(messages, c.of(plainly))
		if !slices.Equal(w.fired(), want) {
			t.Errorf("in %q: fired %q, want %q", project, w.fired(), want)
		}
	}
}

// TestHeldOut: a text of which the run is held out fires and is reported, and is never sent.
func TestHeldOut(t *testing.T) {
	t.Parallel()
	for _, model := range []string{plainly, natively} {
		for _, deliver := range []string{"", "tail"} {
			set, diags := compile.New([]reminder.Reminder{
				{ID: "held", Trigger: "user_message", Text: "HELD", Expect: "after_tool:Edit", Holdout: 1},
				{ID: "sent", Trigger: "user_message", Text: "SENT",
					Keep: reminder.Keep{Unit: reminder.KeepUserTurns, N: 2}},
			}, compile.Options{})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			w := newWorld(t, set, setting{})
			if deliver == "tail" {
				w = newWorld(t, set, setting{Options: transport.Options{Delivery: wire.Tail}})
			}
			c := chat{}.user("go")
			for i := range 3 {
				w.post(messages, c.of(model))
				if body, r := w.last(); strings.Contains(body, "HELD") || !strings.Contains(body, "SENT") ||
					i != 1 && (len(r.Fired) != 2 || !r.Fired[0].HeldOut || r.Fired[1].HeldOut || !slices.Equal(r.Put,
						[]string{"sent"})) {
					t.Errorf("%s %s, request %d: fired %+v, put %q\n%s", model, deliver, i, r.Fired, r.Put, body)
				}
				if c = c.uses("toolu_000000000000000"+string(rune('0'+i)), "Edit"); i == 1 {
					c = c.says("done").user("more")
				}
			}
		}
	}
}

// TestRecordedClient: outcomes are recorded with the model, and with who asks as far as that is a name.
func TestRecordedClient(t *testing.T) {
	t.Parallel()
	set, ds := compile.New([]reminder.Reminder{{ID: "r", Trigger: "user_message", Text: "R",
		Expect: "after_tool:Edit"}}, compile.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	for said, want := range map[string]string{
		"claude-cli/2.1.0 (external, cli)": "claude-code", "GeminiCLI/0.61.0/x (linux)": "gemini",
		"opencode/1.18.33 ai-sdk/x": "opencode", "Kilo-Code/7.7.7 ai-sdk/x": "kilo",
		"OpenAI/Python 1.99": "openai", "a key: sk-1/2": "", strings.Repeat("x", 65): "",
	} {
		store := state.NewMemory()
		w := newWorld(t, set, setting{store: store})
		w.header.Set("User-Agent", said)
		switch want {
		case "claude-code":
			w.header.Set("X-Claude-Code-Session-Id", "s")
		case "opencode", "kilo": // whose requests are alike
			w.header.Set("X-Session-Id", "s")
		}
		w.post(messages, chat{}.user("go").of(plainly))
		n := 0
		for r, err := range store.Records(t.Context()) {
			if n++; err != nil || r.Agent != want || r.Model != plainly {
				t.Errorf("%q: %+v, %v", said, r, err)
			}
		}
		if n != 1 {
			t.Errorf("%q: %d records", said, n)
		}
	}
}

// TestKeepByUserTurns: at the tail, a text that is kept for two user turns stands in each of their requests.
func TestKeepByUserTurns(t *testing.T) {
	t.Parallel()
	set, _ := compile.New([]reminder.Reminder{{ID: "r", Trigger: "started", Text: "KEPT",
		Keep: reminder.Keep{Unit: reminder.KeepUserTurns, N: 2}}}, compile.Options{})
	w := newWorld(t, set, setting{Options: transport.Options{Delivery: wire.Tail}})
	c := chat{}.user("one")
	var got []bool
	for _, next := range []string{"", "two", "", "three", ""} {
		w.post(messages, c.of("gpt-x"))
		body, _ := w.last()
		got = append(got, strings.Contains(body, "KEPT"))
		if next == "" {
			c = c.uses("toolu_000000000000000"+string(rune('0'+len(got))), "Edit")
		} else {
			c = c.says("ok").user(next)
		}
	}
	if want := []bool{true, true, true, true, false}; !slices.Equal(got, want) {
		t.Errorf("it stands in %v, want %v", got, want)
	}
}

// TestRootOfSubagent: who is held out is decided by the run of the root.
func TestRootOfSubagent(t *testing.T) {
	t.Parallel()
	set, _ := compile.New([]reminder.Reminder{{ID: "r", Mode: reminder.While, Trigger: "always", Text: "x",
		Expect: "after_tool:Edit", Holdout: 0.5}}, compile.Options{})
	held := func(header ...string) bool {
		w := newWorld(t, set, setting{})
		for i := 0; i < len(header); i += 2 {
			w.header.Set(header[i], header[i+1])
		}
		w.post(messages, chat{}.user("go").of(plainly))
		_, r := w.last()
		if len(r.Fired) != 1 {
			t.Fatalf("%+v", r)
		}
		return r.Fired[0].HeldOut
	}
	both := map[bool]int{}
	for i := range 40 {
		run := "session-" + string(rune('A'+i))
		root := held("X-Claude-Code-Session-Id", run)
		both[root]++
		if sub := held("X-Claude-Code-Session-Id", run, "X-Claude-Code-Agent-Id", "7"); sub != root {
			t.Errorf("%s: held out %v, its subagent %v", run, root, sub)
		}
	}
	if both[true] == 0 || both[false] == 0 {
		t.Errorf("held out: %v", both)
	}
}

// TestPromptCut: where a client has cut the latest prompt out of its history, an earlier one that it still
// holds is not taken for it.
func TestPromptCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, `says! prompt contains "deploy"`), setting{})
	w.header.Set(transport.RunHeader, "run")
	begin := dialog{}.and("user", "find the bug").and("assistant", "found")
	asked := begin.and("user", "now deploy it")
	for i, c := range []struct {
		dialog
		fires bool
	}{
		{begin[:1], false}, {asked, true}, {asked.uses("call_000000000001", "ok"), true},
		{begin[:1].uses("call_000000000001", "ok").uses("call_000000000002", "ok"), true},
		{begin[:1].uses("call_000000000002", "ok").and("assistant", "done").and("user", "thanks"), false},
	} {
		w.post(completions, c.of("some-model"))
		if _, r := w.last(); len(r.Fired) > 0 != c.fires || r.Turn != i+1 {
			t.Errorf("turn %d of %d: fired %+v, want %v", r.Turn, i+1, r.Fired, c.fires)
		}
	}
}
