package replay_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile/reminder"
)

// callSession is a session of Claude Code with a command, its output, and a file; each of them is a secret.
const callSession = `{"isSidechain":false,"type":"user","sessionId":"s","cwd":"/p","gitBranch":"main","timestamp":"2026-09-20T23:30:00Z","message":{"role":"user","content":"Go."}}
{"isSidechain":false,"type":"assistant","sessionId":"s","cwd":"/p","gitBranch":"main","timestamp":"2026-09-20T23:30:01Z","message":{"model":"claude-opus-5","id":"m1","stop_reason":"tool_use","usage":{"input_tokens":1000000,"output_tokens":10},"content":[{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"git push SECRET"}},{"type":"tool_use","id":"c2","name":"Edit","input":{"file_path":"/p/SECRET/.env"}}]}}
{"isSidechain":false,"type":"user","sessionId":"s","cwd":"/p","gitBranch":"HEAD","timestamp":"2026-09-20T23:30:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"FAIL SECRET","is_error":true},{"type":"tool_result","tool_use_id":"c2","content":"ok"}]}}
{"isSidechain":false,"type":"assistant","sessionId":"s","cwd":"/p/sub","gitBranch":"HEAD","timestamp":"2026-09-20T23:30:03Z","message":{"model":"claude-opus-5","id":"m2","stop_reason":"end_turn","usage":{"input_tokens":1000000,"output_tokens":10},"content":[{"type":"text","text":"Done."}]}}
`

// TestCalls: rules see the calls of a recording, where the agent worked and what it cost, and nothing of a
// command, a path or an output is shown.
func TestCalls(t *testing.T) {
	t.Parallel()
	want := map[string]string{"shell": `after_tool:Bash(git push*)`, "file": `after_tool:@edit(SECRET/.env)`,
		"output": `output contains "FAIL SE"`, "list": `any(calls, .failed and .command contains "push")`,
		"cwd": `cwd == "/p/sub" and started == false`, "used": `used("@shell(git *)")`, "cost": `cost > $1`,
		"late": `hour == 1 and weekday == mon and after_tool:*`}
	var rules []reminder.Reminder
	for id, trigger := range want {
		rules = append(rules, reminder.Reminder{ID: id, Trigger: trigger, Text: "x", Mode: reminder.While})
	}
	rules = append(rules, reminder.Reminder{ID: "main", Trigger: "branch == main", Text: "x"},
		reminder.Reminder{ID: "never", Trigger: `command contains "nothing" or path == "none" or output == "no"`,
			Text: "x"})
	for _, o := range []replay.Options{{JSON: true}, {Verbose: true}, {Against: compiled(t, rules...)},
		{JSON: true, Against: compiled(t, rules...)}} {
		var out, errs bytes.Buffer
		o.Files, o.Paths = fstest.MapFS{"s.jsonl": {Data: []byte(callSession)}}, []string{"s.jsonl"}
		o.Set, o.Out, o.Err, o.Zone = compiled(t, rules...), &out, &errs, time.FixedZone("", 2*60*60)
		if err := replay.Run(t.Context(), o); err != nil || errs.Len() > 0 {
			t.Fatal(err, errs.String())
		}
		// the rules' own words are no secret
		shown := strings.NewReplacer("SECRET/.env)", "", "FAIL SE", "").Replace(out.String())
		if strings.Contains(shown, "SECRET") {
			t.Errorf("a text of a call is shown:\n%s", out.String())
		}
		if o.JSON && o.Against == nil {
			turns, _ := decode(t, out.String())
			fired := map[string]bool{}
			for _, f := range turns[1].Fired {
				fired[f.ID] = true
			}
			for id := range want {
				if !fired[id] {
					t.Errorf("%s did not fire on turn 2: %s", id, want[id])
				}
			}
			if len(turns) != 2 || len(turns[0].Fired) != 1 || turns[0].Fired[0].ID != "main" {
				t.Errorf("turn 1: %+v", turns[0].Fired)
			}
		}
	}
}
