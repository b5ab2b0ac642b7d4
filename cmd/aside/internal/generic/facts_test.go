package generic_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/aside/internal/generic"
	"github.com/aside-go/aside/compile/fact"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	none := []string{}
	for _, c := range []struct {
		name, messages string
		want           map[string]any
	}{
		{"no message", ``, map[string]any{"message_count": 0, "turn_count": 1, "user_turn_count": 0, "tool_calls": 0}},
		{"a first question", `{"role":"system","content":"s"},{"role":"user","content":"hi"}`,
			map[string]any{"message_count": 2, "user_message": true, "prompt": "hi", "tool_used": none, "turn_count": 1, "user_turn_count": 1, "tool_calls": 0}},
		{"an answer between", `{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":[{"type":"text","text":"c"},{"type":"image"}]}`,
			map[string]any{"message_count": 3, "user_message": true, "prompt": "c", "response": "b", "tool_used": none, "last_tool_call_failed": false,
				fact.FailedTools: none, "turn_count": 2, "user_turn_count": 2, "tool_calls": 0}},
		{"a batch of tools, one failed", `{"role":"user","content":"a"},
			{"role":"assistant","content":[{"type":"thinking"},{"type":"tool_use","id":"1","name":"Edit"},{"type":"tool_use","id":"2","name":"Bash"}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"tool_result","tool_use_id":"2","is_error":true}]}`,
			map[string]any{"message_count": 3, "user_message": false, "prompt": "a", "response": "", "tool_used": []string{"Edit", "Bash"},
				"last_tool_call_failed": true, fact.FailedTools: []string{"Bash"}, "turn_count": 2, "user_turn_count": 1, "tool_calls": 2}},
		{"tool messages cannot say that they failed", `{"role":"user","content":"a"},
			{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"ls"}}]},{"role":"tool","content":"x"}`,
			map[string]any{"message_count": 3, "user_message": false, "prompt": "a", "response": "", "tool_used": []string{"ls"},
				"turn_count": 2, "user_turn_count": 1, "tool_calls": 1}},
		{"results of calls that are not shown", `{"role":"user","content":"a"},{"role":"assistant","content":"calling"},{"role":"tool","content":"x"}`,
			map[string]any{"message_count": 3, "user_message": false, "prompt": "a", "response": "calling", "turn_count": 2, "user_turn_count": 1}},
		{"a reminder is nobody's message", `{"role":"user","content":"a"},{"role":"assistant","content":"b"},
			{"role":"user","content":"<system-reminder>\nx\n</system-reminder>"}`,
			map[string]any{"message_count": 3, "user_message": false, "prompt": "a", "response": "b", "tool_used": none, "last_tool_call_failed": false,
				fact.FailedTools: none, "turn_count": 2, "user_turn_count": 1, "tool_calls": 0}},
		{"an answer begun by the host", `{"role":"user","content":"a"},{"role":"assistant","content":"{"}`,
			map[string]any{"message_count": 2, "prompt": "a", "response": "{", "tool_used": none, "last_tool_call_failed": false,
				fact.FailedTools: none, "turn_count": 2, "user_turn_count": 1, "tool_calls": 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := generic.Facts([]byte(`{"messages":[`+c.messages+`]}`), true)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			frame := fact.Builtin().NewFrame()
			for name, v := range got {
				if n, ok := v.(int); ok {
					v = int64(n)
				}
				if err := frame.SetValue(name, v); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestFactsWithoutCounts(t *testing.T) {
	t.Parallel()
	f, err := generic.Facts([]byte(`{"model":"m","provider":7,"messages":[{"role":"user","content":7}]}`), false)
	want := map[string]any{"message_count": 1, "model": "m", "user_message": true, "prompt": "", "tool_used": []string{}}
	if err != nil || !cmp.Equal(f, want) {
		t.Error(err, cmp.Diff(want, f))
	}
}

func TestNotOfTheShape(t *testing.T) {
	t.Parallel()
	for _, s := range []string{`[]`, `7`, `null`, `{}`, `{"messages":7}`, `{"messages":null}`, `{"messages":[7]}`} {
		if _, err := generic.Facts([]byte(s), true); err == nil || !strings.HasPrefix(err.Error(), "not of the shape") {
			t.Errorf("%s: %v", s, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		`{"a":[1]}`:        "",
		"":                 "1:1: empty, not JSON",
		" \n":              "1:1: empty, not JSON",
		"{\n  \"é\": x}":   "2:8: not JSON: invalid character 'x' looking for beginning of value",
		`{"a":1} {}`:       "1:9: not JSON: invalid character '{' after top-level value",
		`{"a"`:             "1:4: not JSON: unexpected end of JSON input",
		"\x00":             `1:1: not JSON: invalid character '\x00' looking for beginning of value`,
		"{\"a\":\"\n\"}\n": `1:7: not JSON: invalid character '\n' in string literal`,
	} {
		got := ""
		if err := generic.Check([]byte(s)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
