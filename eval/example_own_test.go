package eval_test

import (
	"context"
	"fmt"
	"log"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// With a schema of its own facts a host has a general rule engine: here one that watches a room.
func Example_ownFacts() {
	room := fact.Must(fact.OwnSchema(fact.Fact{Name: "temperature", Type: fact.Number},
		fact.Fact{Name: "door_opened", Type: fact.Bool, Kind: fact.Event}))
	engine := eval.New(compile.Must(compile.New([]reminder.Reminder{
		{ID: "warm", Trigger: "temperature > 14", Rearm: "temperature < 12", Text: "{{.temperature}} degrees."},
		{ID: "door", Trigger: "door_opened", Text: "The door was opened."},
	}, compile.Options{Schema: room})), eval.Options{})
	for _, t := range []float64{14.5, 15, 11, 14.5} {
		facts := map[string]any{"temperature": t, "door_opened": t == 11}
		d, err := engine.Decide(context.Background(), "cellar", eval.Turn{Facts: facts})
		if err != nil {
			log.Fatal(err)
		}
		for _, fired := range d.Fired {
			fmt.Println(d.Turn, fired.Text)
		}
	}
	// Output:
	// 1 14.5 degrees.
	// 3 The door was opened.
	// 4 14.5 degrees.
}
