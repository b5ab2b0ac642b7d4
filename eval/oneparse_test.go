package eval_test

import (
	"fmt"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// TestOneParse: a turn parses a command line once, however many patterns look at it: in a trigger, or in the
// counts that a run keeps. Parsing is most of the memory of such a turn.
func TestOneParse(t *testing.T) {
	turn := func(patterns int) float64 {
		var rules []reminder.Reminder
		for i := range patterns {
			rules = append(rules, when(fmt.Sprintf("a%d", i), fmt.Sprintf("after_tool:Bash(make %d*)", i)),
				when(fmt.Sprintf("b%d", i), fmt.Sprintf(`used("Bash(just %d*)")`, i)))
		}
		ev := eval.New(set(t, rules...), eval.Options{})
		obs := ev.Observe("run")
		return testing.AllocsPerRun(20, func() {
			obs.Call(fact.Call{Tool: "Bash", Class: fact.Shell, Told: true,
				Command: "cd a && FOO=1 go test ./... 2>&1 | tee out && echo done"})
			if _, err := ev.Decide(t.Context(), "run", obs.Turn()); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := turn(1), turn(40); many > 1.5*few {
		t.Errorf("a turn with 2 patterns takes %v allocations, one with 80 takes %v", few, many)
	}
}
