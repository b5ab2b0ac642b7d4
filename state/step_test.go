package state_test

import (
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/state"
)

func TestSmoke(t *testing.T) {
	r := state.NewRules([]state.Rule{{ID: "a", Version: "v"}, {ID: "b", While: true}})
	var s *state.Snapshot
	for i := 0; i < 4; i++ {
		n, d, err := state.Step(s, r, state.Input{At: time.Unix(int64(i), 0), Judge: func(run *state.Run) ([]fact.Truth, []fact.Truth) {
			return []fact.Truth{fact.True, fact.Of(i%2 == 0)}, nil
		}, Render: func(i int) (string, error) { return "text", nil }})
		if err != nil {
			t.Fatal(err)
		}
		b := n.Encode()
		t.Log(d, string(b))
		s, err = state.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
	}
}
