package eval_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
)

// sent are the notes of a host: the reminders that it has put into each turn. A sent is never modified once
// it is carried.
type sent struct {
	Turns map[int][]string `json:"turns"`
}

// MarshalJSON implements json.Marshaler. A store in memory never calls it.
func (s *sent) MarshalJSON() ([]byte, error) {
	type plain sent
	return json.Marshal((*plain)(s))
}

// Notes are committed with the decision or not at all; facts may go into the frame without a map.
func ExampleDecision_Carry() {
	ctx := context.Background()
	ev := eval.New(reminders(), eval.Options{})
	turn := eval.Turn{Fill: func(f *fact.Frame) { f.SetRatio(fact.ContextUsage, 0.8) }}

	d, err := ev.Prepare(ctx, "run", turn)
	if err != nil {
		fmt.Println(err)
		return
	}
	next := &sent{Turns: map[int][]string{}}
	for _, due := range d.Fired {
		next.Turns[d.Turn] = append(next.Turns[d.Turn], due.ID)
	}
	if err := d.Carry(next); err != nil {
		fmt.Println(err)
	}
	fmt.Println(d.Turn, d.Commit(ctx))

	notes, _, _ := ev.Notes(ctx, "run")
	switch n := notes.(type) {
	case *sent: // as it was carried
		fmt.Println(n.Turns)
	case json.RawMessage: // read from a file, say
		fmt.Println(string(n))
	}
	// Output:
	// 1 <nil>
	// map[1:[near-full]]
}
