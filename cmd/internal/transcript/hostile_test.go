package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHostileIDs: what a session file tells of its turns does not depend on how messages, requests and
// calls are named: each anew, the same in each answer, all alike.
func TestHostileIDs(t *testing.T) {
	t.Parallel()
	names := map[string]func(kind string, answer, n int) string{
		"each anew":          func(kind string, a, n int) string { return fmt.Sprintf("%s_%d_%d", kind, a, n) },
		"the same in each":   func(kind string, _, n int) string { return fmt.Sprintf("%s_%d", kind, n) },
		"all alike":          func(kind string, _, _ int) string { return kind },
		"calls alone, alike": func(kind string, a, n int) string { return ifCall(kind, a, n) },
	}
	claude := func(name func(string, int, int) string) (lines []string) {
		for a := range 4 {
			for c := range 2 { // each block is a line, and the results come between
				lines = append(lines, fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"assistant",`+
					`%s"message":{"id":%q,"model":"m","role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Bash",`+
					`"input":{"command":"ls %d"}}],"usage":{"input_tokens":%d,"output_tokens":2},"stop_reason":"tool_use"}}`,
					map[bool]string{true: fmt.Sprintf(`"requestId":"r%d",`, a)}[a > 1],
					name("msg", a, 0), name("call", a, c), c, 100+a))
			}
			for c := range 2 {
				lines = append(lines, fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user",`+
					`"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"o%d","is_error":%t}]}}`,
					name("call", a, c), c, c == 1))
			}
		}
		return lines
	}
	codex := func(name func(string, int, int) string) (lines []string) {
		lines = append(lines, `{"type":"session_meta","payload":{"id":"s","cwd":"/p"}}`)
		for a := range 4 {
			lines = append(lines, fmt.Sprintf(`{"type":"response_item","payload":{"type":"function_call","name":`+
				`"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":%q}}`, name("call", a, 0)),
				fmt.Sprintf(`{"type":"response_item","payload":{"type":"function_call_output","call_id":%q,"output":`+
					`"Exit code: %d\nOutput:\nx"}}`, name("call", a, 0), a%2))
		}
		return lines
	}
	type naming = func(kind string, answer, n int) string
	for kind, write := range map[string]func(naming) []string{"claude": claude, "codex": codex} {
		told := map[string]string{}
		for way, name := range names {
			turns, r, err := drain(strings.NewReader(strings.Join(write(name), "\n")+"\n"), "f.jsonl", "")
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, turn := range turns {
				if seen[turn.Key] {
					t.Errorf("%s, %s: two answers have the name %s", kind, way, turn.Key)
				}
				seen[turn.Key] = true
				turn.Key = "KEY"
			}
			told[way] = show(turns, r)
		}
		want := told["each anew"]
		if n := strings.Count(want, "KEY"); n != 4 {
			t.Errorf("%s: %d turns\n%s", kind, n, want)
		}
		for way, got := range told {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: -each anew +this:\n%s", kind, way, diff)
			}
		}
	}
}

func ifCall(kind string, answer, n int) string {
	if kind == "call" {
		return kind
	}
	return fmt.Sprintf("%s_%d_%d", kind, answer, n)
}
