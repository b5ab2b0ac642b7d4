package firing_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// TestNote: the notes of a host go with the run from turn to turn and through a store, and the machine never
// reads them.
func TestNote(t *testing.T) {
	t.Parallel()
	rules := firing.NewRules([]reminder.Reminder{{ID: "a"}})
	text := func(n firing.Notes) string { raw, _ := n.(json.RawMessage); return string(raw) }
	snap, err := firing.Note(nil, json.RawMessage(` {"b": 1, "a": "<"} `))
	if err != nil || text(snap.Notes()) != `{"b":1,"a":"<"}` || snap.Turn() != 0 {
		t.Fatalf("%s, %v", text(snap.Notes()), err)
	}
	if next, err := firing.Note(snap, json.RawMessage(`{`)); err == nil || next != nil {
		t.Errorf("what is no JSON: %v, %v", next, err)
	}
	for i := range 2 {
		if snap, err = state.Decode(snap.Encode()); err != nil || text(snap.Notes()) != `{"b":1,"a":"<"}` {
			t.Fatalf("decoded %d: %s, %v", i, text(snap.Notes()), err)
		}
		if snap, _, err = firing.Step(snap, rules, firing.Input{At: start}); err != nil || snap.Notes() == nil {
			t.Fatalf("turn %d: %s, %v", i+1, text(snap.Notes()), err)
		}
	}
	none, err := firing.Note(snap, nil)
	if err != nil || none.Notes() != nil || snap.Notes() == nil || none.Turn() != 2 {
		t.Errorf("taken away: %s, %v", text(none.Notes()), err)
	}
}

// own are notes of a host's own, which say how often they were asked for their bytes.
type own struct {
	asked int
	raw   string
	err   error
}

func (n *own) MarshalJSON() ([]byte, error) { n.asked++; return []byte(n.raw), n.err }

// TestNoteOfTheHost: a value of the host's own type comes back unchanged as long as no store encodes it, and
// Encode alone asks for its bytes. These must be JSON: a store must not get bytes that it cannot read again.
func TestNoteOfTheHost(t *testing.T) {
	t.Parallel()
	n := &own{raw: ` {"a": "<"} `}
	snap, err := firing.Note(nil, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range []func(*state.Snapshot) *state.Snapshot{
		func(s *state.Snapshot) *state.Snapshot { return firing.Remind(s, "a") },
		func(s *state.Snapshot) *state.Snapshot {
			s, _, err := firing.Step(s, firing.NewRules(nil), firing.Input{At: start})
			if err != nil {
				t.Error(err)
			}
			return s
		},
		func(s *state.Snapshot) *state.Snapshot { return firing.Missed(s, "a") },
		func(s *state.Snapshot) *state.Snapshot { return firing.Reload(s, firing.NewRules(nil)) },
	} {
		if snap = next(snap); snap.Notes() != firing.Notes(n) || n.asked != 0 {
			t.Fatalf("%v, asked %d times", snap.Notes(), n.asked)
		}
	}
	same, err := firing.Note(snap, json.RawMessage(n.raw))
	if err != nil || !bytes.Equal(snap.Encode(), same.Encode()) || n.asked != 1 {
		t.Errorf("%s, by its bytes %s; asked %d times, %v", snap.Encode(), same.Encode(), n.asked, err)
	}
	if again, err := state.Decode(snap.Encode()); err != nil ||
		string(again.Notes().(json.RawMessage)) != `{"a":"<"}` {
		t.Errorf("decoded: %v, %v", again.Notes(), err)
	}
	for _, wrong := range []*own{{raw: `{`}, {raw: `{} {}`}, {raw: `{}`, err: errors.New("no")}} {
		snap, err := firing.Note(nil, wrong)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s, %v was written", wrong.raw, wrong.err)
				}
			}()
			snap.Encode()
		}()
	}
}

// TestAdded: the definitions of reminders of one run go with it from turn to turn, through every change and a
// store, and none of them is read.
func TestAdded(t *testing.T) {
	t.Parallel()
	rules := firing.NewRules([]reminder.Reminder{{ID: "a"}})
	snap, err := firing.Add(nil, json.RawMessage(` [{"id": "<"}] `))
	if err != nil {
		t.Fatal(err)
	}
	note := func(s *state.Snapshot) *state.Snapshot {
		next, err := firing.Note(s, json.RawMessage(`1`))
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	for name, change := range map[string]func(*state.Snapshot) *state.Snapshot{
		"Remind": func(s *state.Snapshot) *state.Snapshot { return firing.Remind(s, "a") },
		"Missed": func(s *state.Snapshot) *state.Snapshot { return firing.Missed(s, "a") },
		"Reload": func(s *state.Snapshot) *state.Snapshot { return firing.Reload(s, rules) },
		"Note":   note,
		"Step": func(s *state.Snapshot) *state.Snapshot {
			next, _, err := firing.Step(s, rules, firing.Input{At: start})
			if err != nil {
				t.Fatal(err)
			}
			return next
		},
		"Encode": func(s *state.Snapshot) *state.Snapshot {
			next, err := state.Decode(s.Encode())
			if err != nil || !bytes.Equal(next.Encode(), s.Encode()) {
				t.Fatalf("%v\n%s\n%s", err, s.Encode(), next.Encode())
			}
			return next
		},
	} {
		if got := change(change(snap)).Added(); got != `[{"id":"<"}]` {
			t.Errorf("%s: %s", name, got)
		}
	}
	if none, err := firing.Add(snap, nil); err != nil || none.Added() != "" || snap.Added() == "" ||
		bytes.Contains(none.Encode(), []byte(`"own"`)) {
		t.Errorf("%v, %v", none, err)
	}
	if next, err := firing.Add(snap, json.RawMessage(`[`)); err == nil || next != nil {
		t.Errorf("what is no JSON: %v, %v", next, err)
	}
}
