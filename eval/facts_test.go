package eval_test

import (
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
)

// TestFactsBesideCalls: facts that follow from calls are what the host gives, whatever the order of its map.
func TestFactsBesideCalls(t *testing.T) {
	t.Parallel()
	ev := evaluator(t, when("r", "never"))
	for range 50 {
		d := decide(t, ev, eval.Turn{Facts: facts{"last_tool_call_failed": true, "message_count": 3,
			"calls": []fact.Call{{Tool: "Bash", Class: fact.Shell, Command: "ls", Told: true}}}})
		got := d.Facts()
		if got["last_tool_call_failed"] != true || got["tool_used"].([]string)[0] != "Bash" {
			t.Fatal(got)
		}
	}
}
