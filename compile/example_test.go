package compile_test

import (
	"fmt"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

func ExampleNew() {
	set, diags := compile.New([]reminder.Reminder{
		{ID: "full", Trigger: "context_usage > 75%", Rearm: "context_usage < 60%",
			Text: "The context is {{.context_usage | percent}} full."},
		{ID: "wrong", Trigger: "turn_count", Text: "never seen"},
	}, compile.Options{})
	fmt.Println(diags[0].Message)

	f := set.Schema().NewFrame()
	f.SetRatio(fact.ContextUsage, 0.8)
	truths := new(compile.Truths)
	set.Eval(f, truths)
	for i, id := range set.IDs() {
		text, _ := set.Render(i, f, time.Time{})
		fmt.Println(id, truths.Trigger[i], truths.Rearm[i], text)
	}
	// Output:
	// reminder "wrong": turn_count is a whole number, not a condition
	// full true false The context is 80% full.
}
