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
	schema, err := fact.OwnSchema(
		fact.Fact{Name: "temperature", Type: fact.Number, Kind: fact.Gauge},
		fact.Fact{Name: "door_opened", Type: fact.Bool, Kind: fact.Event},
		fact.Fact{Name: "setpoint", Type: fact.Number, Kind: fact.Attribute,
			Compute: func(_ context.Context, room string) (any, error) {
				return map[string]float64{"cellar": 12}[room],
					nil
			}})
	if err != nil {
		log.Fatal(err)
	}
	set, diags := compile.New([]reminder.Reminder{
		{ID: "warm", Trigger: "temperature > setpoint and temperature >= 14.5", Rearm: "temperature < setpoint",
			Text: "{{.temperature}} degrees."},
		{ID: "door", Trigger: "door_opened", Cooldown: reminder.Span{Turns: 2}, Text: "The door was opened."},
	}, compile.Options{Schema: schema})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	ev := eval.New(set, eval.Options{})
	for _, facts := range []map[string]any{{"temperature": 14.5, "door_opened": true},
		{"temperature": 15, "door_opened": true}, {"temperature": 11}, {"temperature": 15, "door_opened": true}} {
		d, err := ev.Decide(context.Background(), "cellar", eval.Turn{Facts: facts})
		if err != nil {
			log.Fatal(err)
		}
		for _, due := range d.Fired {
			fmt.Println(d.Turn, due.Text)
		}
	}
	// Output:
	// 1 The door was opened.
	// 1 14.5 degrees.
	// 4 The door was opened.
	// 4 15 degrees.
}
