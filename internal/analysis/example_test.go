package analysis_test

import (
	"fmt"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/analysis"
)

// Example finds what is wrong with the reminders of a set before any of them has fired.
func Example() {
	set, _ := compile.New([]reminder.Reminder{
		{ID: "gap", Trigger: "turn_count > 10 and turn_count < 11", Text: "…"},
		{ID: "idle-part", Trigger: "after_tool:Edit and tool_used in [Edit, Write]", Text: "…"},
		{ID: "level", Trigger: "context_usage > 75%", Rearm: "context_usage > 60%", Text: "…"},
	}, compile.Options{})
	for _, d := range analysis.Check(set, nil) {
		fmt.Println(d.Code, d.Message)
	}
	// Output:
	// R0908 reminder "level": rearm is true whenever the trigger is, so the reminder fires on every turn on which it is true
	// R0901 reminder "gap": the trigger can never be true: no whole number is above 10 and below 11
	// R0904 reminder "idle-part": `tool_used in [Edit, Write]` has no effect: it holds whenever `after_tool:Edit` does
}

func ExampleWitness() {
	p, _ := compiled.Compile("context_usage > 75% and turn_count > 10", nil)
	ex, ok := analysis.Witness(p)
	fmt.Println(ex.Text, ok, p.Eval(ex.Frame))
	// Output:
	// context_usage is 76% and turn_count is 11 true true
}

func ExampleDescribe() {
	set, _ := compile.New([]reminder.Reminder{
		{ID: "early", Trigger: "turn_count < 5", Text: "…"},
		{ID: "late", Trigger: "turn_gt:20 and user_message", Text: "…"},
		{ID: "later", Trigger: "turn_gt:50 and user_message", Text: "…"},
	}, compile.Options{})
	i, _ := set.Index("late")
	for _, line := range analysis.Describe(set, i) {
		fmt.Println(line)
	}
	// Output:
	// it fires for example when turn_count is 21 and user_message is true
	// its trigger is true whenever that of later is
	// its trigger is never true together with that of early
}
