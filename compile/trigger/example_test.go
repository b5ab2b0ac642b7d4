package trigger_test

import (
	"fmt"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
)

func ExampleCompile() {
	p, _ := trigger.Compile("context_usage > 75% and not after_tool:Edit", nil)
	f := fact.Builtin().NewFrame()
	f.SetRatio(fact.ContextUsage, 0.8)
	fmt.Println(p.Eval(f)) // nobody said which tools were used
	f.SetSet(fact.ToolUsed, []string{"Bash"})
	fmt.Println(p.Eval(f))

	_, diags := trigger.Compile("context_usage > 75", nil)
	fmt.Println(diags[0])
	// Output:
	// unknown
	// true
	// 1:17: error[R0204]: a ratio cannot be above 100% (did you mean 75%?)
}

func ExamplePredicate_Explain() {
	p, _ := trigger.Compile("context_usage > 75% or after_tool:Edit,Write", nil)
	f := fact.Builtin().NewFrame()
	f.SetRatio(fact.ContextUsage, 0.71)
	f.SetSet(fact.ToolUsed, []string{"Edit"})
	part := p.Explain(f)
	for _, q := range part.Parts {
		fmt.Printf("%s is %v: %s\n", q.Text, q.Truth, q.Value)
	}
	fmt.Println(part.Why())
	// Output:
	// context_usage > 75% is false: context_usage is 71%
	// after_tool:Edit,Write is true: tool_used is [Edit]
	// after_tool:Edit
}
