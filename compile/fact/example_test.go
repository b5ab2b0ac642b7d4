package fact_test

import (
	"fmt"

	"github.com/aside-go/aside/compile/fact"
)

// A host declares its own facts beside the built-in ones and fills a frame each turn. What it leaves out is
// unknown.
func Example() {
	schema, err := fact.NewSchema(fact.Fact{Name: "vars.open_files", Type: fact.Int, Kind: fact.Gauge})
	if err != nil {
		fmt.Println(err)
		return
	}
	frame := schema.NewFrame()
	for name, value := range map[string]any{"context_usage": 0.76, "vars.open_files": 3} {
		if err := frame.SetValue(name, value); err != nil {
			fmt.Println(err)
			return
		}
	}
	files, _ := schema.Lookup("vars.open_files")
	fmt.Println(fact.Percent(frame.Num(fact.ContextUsage)), frame.Value(files.ID))
	fmt.Println(frame.Known(fact.Model), frame.Truth(fact.Compacted))
	// Output:
	// 76% 3
	// false unknown
}

func ExampleTruth() {
	fmt.Println(fact.True.And(fact.Unknown), fact.False.And(fact.Unknown), fact.Unknown.Not())
	// Output: unknown false unknown
}
