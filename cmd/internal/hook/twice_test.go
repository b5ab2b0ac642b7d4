package hook_test

import (
	"strings"
	"sync"
	"testing"
)

// TestRegisteredTwice: two configurations register the hook. Each event counts once, whether the second comes
// at the same time or after it, and an equal event with a later time stamp counts.
func TestRegisteredTwice(t *testing.T) {
	t.Parallel()
	for agent, events := range map[string][][2]string{
		"copilot": {
			{"userPromptSubmitted", `{"sessionId":"s","timestamp":1,"prompt":"go"}`},
			{"preToolUse", `{"sessionId":"s","timestamp":2,"toolName":"bash","toolArgs":{"command":"x"}}`},
			{"postToolUse", `{"sessionId":"s","timestamp":3,"toolName":"bash","toolArgs":{"command":"x"},
				"toolResult":{"resultType":"success","textResultForLlm":"ok"}}`},
			{"preToolUse", `{"sessionId":"s","timestamp":4,"toolName":"bash","toolArgs":{"command":"x"}}`},
			{"postToolUse", `{"sessionId":"s","timestamp":5,"toolName":"bash","toolArgs":{"command":"x"},
				"toolResult":{"resultType":"success","textResultForLlm":"ok"}}`},
		},
		"gemini": {
			{"", `{"session_id":"s","timestamp":"1","hook_event_name":"BeforeAgent","prompt":"go"}`},
			{"", `{"session_id":"s","timestamp":"2","hook_event_name":"AfterTool","tool_name":"glob","tool_response":{}}`},
			{"", `{"session_id":"s","timestamp":"3","hook_event_name":"AfterTool","tool_name":"glob","tool_response":{}}`},
		},
	} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.rule("counts", "while: always",
				"Turn {{.turn_count}}, calls {{.tool_calls}}, persons {{.user_turn_count}}.")
			var all []string
			for n, e := range events {
				args := []string{"--agent", agent}
				if e[0] != "" {
					args = append(args, "--event", e[0])
				}
				var out [2]string
				var wg sync.WaitGroup
				for i := range out {
					wg.Go(func() { out[i] = m.run(e[1], args...).stdout })
					if n%2 == 0 { // one after the other
						wg.Wait()
					}
				}
				wg.Wait()
				for _, o := range out {
					if i := strings.Index(o, "Turn "); i >= 0 {
						all = append(all, o[i:strings.LastIndexByte(o, '.')+1])
					}
				}
			}
			want := map[string]string{
				"copilot": "Turn 1, calls 0, persons 1. Turn 2, calls 1, persons 1. Turn 3, calls 2, persons 1.",
				"gemini":  "Turn 1, calls 0, persons 1. Turn 2, calls 1, persons 1. Turn 3, calls 2, persons 1.",
			}[agent]
			if got := strings.Join(all, " "); got != want {
				t.Errorf("%s, want %s; the log: %q", got, want, m.log())
			}
		})
	}
}
