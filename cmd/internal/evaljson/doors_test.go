package evaljson_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/cmd/internal/test/facttable"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// answer is a line out.
type answer struct {
	Fired []struct {
		ID, Text string
		HeldOut  bool `json:"held_out"`
	}
	Kept, Paused, Errors []string
	Outcomes             []struct{ ID, Outcome string }
}

func (a answer) fired() []string {
	ids := []string{}
	for _, f := range a.Fired {
		ids = append(ids, f.ID)
	}
	return ids
}

func decode(t *testing.T, line string) (a answer) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return a
}

// TestFacts plays the table of all doors.
func TestFacts(t *testing.T) {
	t.Parallel()
	schema := facttable.Schema(t)
	for _, c := range facttable.Cases(t) {
		rs := []reminder.Reminder{{ID: "always", Mode: reminder.While, Trigger: "always", Text: "A"}}
		want := []string{"always"}
		if c.Holds != "" {
			rs = append(rs, reminder.Reminder{ID: "holds", Mode: reminder.While, Trigger: c.Holds, Text: "H"})
			want = append(want, "holds")
		}
		if c.Unknown != "" {
			rs = append(rs, reminder.Reminder{ID: "u", Mode: reminder.While, Trigger: c.Unknown, Text: "U"},
				reminder.Reminder{ID: "v", Mode: reminder.While, Trigger: "not (" + c.Unknown + ")", Text: "V"})
		}
		set, ds := compile.New(rs, compile.Options{Schema: schema})
		if ds.HasErrors() {
			t.Errorf("%s: %v", c.Facts, ds)
			continue
		}
		s := &evaljson.Server{Eval: eval.New(set, eval.Options{})}
		got := decode(t, ask(t, s, `{"facts":`+c.Facts+`}`))
		if c.Refused != "" {
			if len(got.Errors) != 1 || got.Errors[0] != "facts: "+c.Refused || len(got.Fired) > 0 {
				t.Errorf("%s: fired %v, errors %q\nwant %q", c.Facts, got.fired(), got.Errors, c.Refused)
			}
		} else if !slices.Equal(got.fired(), want) || len(got.Errors) > 0 {
			t.Errorf("%s: fired %v, errors %q\nwant %v", c.Facts, got.fired(), got.Errors, want)
		}
	}
}
