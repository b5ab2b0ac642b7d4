package firing_test

import (
	"bytes"
	"strconv"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// TestIdentical: a run counts the calls of a user turn by their inputs, also where it is stored between two
// turns, and nothing of a call stands in a stored run.
func TestIdentical(t *testing.T) {
	t.Parallel()
	rules := firing.NewRules(nil)
	rules.Identical = true
	var snap *state.Snapshot
	var run *firing.Run
	turn := func(user fact.Truth, calls ...fact.Call) (n int, ok bool) {
		t.Helper()
		in := unknown(start.Add(time.Hour))
		in.UserMessage, in.Calls, in.ToolsKnown, in.CallsTold = user, calls, true, true
		in.Judge = func(r *firing.Run) (trigger, rearm []fact.Truth) {
			run = r
			return nil, nil
		}
		next, _, err := firing.Step(snap, rules, in)
		if err != nil {
			t.Fatal(err)
		}
		b := next.Encode()
		if bytes.Contains(b, []byte("SECRET")) {
			t.Errorf("%s", b)
		}
		if snap, err = state.Decode(b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(snap.Encode(), b) {
			t.Errorf("decoded and encoded: %s, want %s", snap.Encode(), b)
		}
		return run.Identical()
	}
	a := fact.Call{Tool: "Bash", Class: fact.Shell, Command: "SECRET", Told: true}
	b := fact.Call{Tool: "Grep", Class: fact.Search, Input: `{"a":1,"b":"SECRET"}`}
	same := fact.Call{Tool: "Grep", Class: fact.Search, Input: `{ "b": "SECRET", "a": 1 }`}
	for i, c := range []struct {
		user  fact.Truth
		calls []fact.Call
		want  int // -1: unknown
	}{
		{fact.True, []fact.Call{a, b}, 1},
		{fact.False, []fact.Call{same}, 2},
		{fact.False, nil, 0},
		{fact.False, []fact.Call{a, a}, 3},
		{fact.False, []fact.Call{{Tool: "Bash", Class: fact.Shell}}, -1},
		{fact.False, []fact.Call{a}, -1},
		{fact.True, []fact.Call{a}, 1},
	} {
		n, ok := turn(c.user, c.calls...)
		if !ok {
			n = -1
		}
		if n != c.want {
			t.Errorf("turn %d: %d, want %d", i+1, n, c.want)
		}
	}
	if n, ok := snap.Run().IdenticalTo(a); n != 2 || !ok {
		t.Errorf("the call once more: %d, %t", n, ok)
	}
	if n, ok := snap.Run().MostIdentical(); n != 1 || !ok {
		t.Errorf("of all calls: %d, %t", n, ok)
	}
	many := make([]fact.Call, 512) // as many as are told apart
	for i := range many {
		many[i] = fact.Call{Tool: "Read", Class: fact.Read, Paths: []string{strconv.Itoa(i)}, Told: true}
	}
	turn(fact.False, many...)
	for _, c := range []struct {
		call fact.Call
		want int
	}{{many[0], 2}, {a, 1}, {many[1], 1}, {many[511], 2}} {
		if n, ok := turn(fact.False, c.call); n != c.want || !ok {
			t.Errorf("after 512 others, %v: %d, %t, want %d", c.call, n, ok, c.want)
		}
	}
}
