package proxy_test

import (
	"fmt"

	"github.com/aside-go/aside/compile/reminder"
)

// twenty are rules as a team may have them: few of them fire.
func twenty() []reminder.Reminder {
	rs := []reminder.Reminder{
		{ID: "near-full", Trigger: "context_usage > 75%", Rearm: "context_usage < 60%",
			Text: "The context window is {{.context_usage | percent}} full."},
		{ID: "run-tests", Trigger: "after_tool:Edit,Write",
			Text: "Files were edited; the tests have not been run since."},
		{ID: "failed", Mode: reminder.While, Trigger: "tool_failed:Bash", Text: "The last command failed."},
		{ID: "long", Trigger: "turn_gt:8", Text: "This has taken a while."},
		{ID: "stale-todos", Trigger: `turns_since_tool("TodoWrite") > 15`, Text: "The list of tasks is stale."},
		{ID: "again", Trigger: "every 10 turns", Text: "Work in small steps."},
		{ID: "deploy", Trigger: `prompt matches "(?i)deploy"`, Text: "Deployments take a review."},
		{ID: "by-hand", Trigger: "manual", Text: "Asked for."},
	}
	for i := len(rs); i < 20; i++ {
		rs = append(rs, reminder.Reminder{ID: fmt.Sprintf("rare-%d", i),
			Trigger: fmt.Sprintf(`tool_count("Rare%d") > %d and not compacted`, i, i), Text: "Rare."})
	}
	return rs
}
