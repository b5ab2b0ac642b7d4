package grammar_test

import (
	"errors"
	"fmt"

	"github.com/aside-go/aside/grammar"
)

func ExampleParse() {
	t, ds := grammar.Parse("75% < context_usage && !tool_used == bash")
	for _, term := range t.Root.(*grammar.And).Terms {
		fmt.Printf("%T at %d\n", term, term.Span().Start.Column)
	}
	fmt.Println(len(ds), "diagnostics")
	// Output:
	// *grammar.Binary at 1
	// *grammar.Not at 24
	// 0 diagnostics
}

// All mistakes are reported at once.
func ExampleParse_mistakes() {
	_, ds := grammar.Parse("turn_count = 10 and tool_used bash")
	for _, d := range ds {
		fmt.Println(d)
	}
	// Output:
	// 1:12: error[R0110]: "=" is not an operator (write ==)
	// 1:31: error[R0114]: an operator is missing between "tool_used" and "bash" (write tool_used == bash)
}

func ExampleFormat() {
	t, _ := grammar.Parse("((after_tool: Edit, Write)&&10<=turn_count)||len( tool_used )>3")
	fmt.Println(grammar.Format(t))
	// Output: after_tool:Edit,Write and turn_count >= 10 or len(tool_used) > 3
}

func ExampleDiagnostic_Render() {
	src := "turn_count => 10"
	_, ds := grammar.Parse(src)
	fmt.Println(ds[0].Render([]byte(src)))
	// Output:
	// 1:12: error[R0110]: "=>" is not an operator
	//   1 | turn_count => 10
	//     |            ^^ write >=
}

// Diagnostics are an error, which Err returns if an error is among them.
func ExampleDiagnostics_Err() {
	_, ds := grammar.Parse("turn_count = 10 and tool_used bash")
	err := fmt.Errorf("rules:\n%w", ds.Err())
	fmt.Println(err)
	found, is := errors.AsType[grammar.Diagnostics](err)
	fmt.Println(is, len(found), grammar.Diagnostics{}.Err(),
		grammar.Diagnostics{{Severity: grammar.Warning}}.Err())
	// Output:
	// rules:
	// 1:12: error[R0110]: "=" is not an operator (write ==)
	// 1:31: error[R0114]: an operator is missing between "tool_used" and "bash" (write tool_used == bash)
	// true 2 <nil> <nil>
}
