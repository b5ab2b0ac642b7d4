package reminder_test

import (
	"encoding"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/reminder"
)

func TestDueJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		due  reminder.Due
		want string
	}{
		{
			reminder.Due{ID: "r", Text: "x", Priority: -1, Tier: reminder.Safety,
				Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 3}, Tokens: 1},
			`{"id":"r","text":"x","priority":-1,"tier":"safety","attach":"tail","keep":"3 turns","tokens":1,"manual":false,"late":false}`,
		},
		{
			reminder.Due{ID: "r", Tier: reminder.Correctness, Attach: reminder.UserTurn,
				Keep: reminder.Keep{Unit: reminder.KeepUserTurns, N: 1}, Manual: true},
			`{"id":"r","text":"","priority":0,"tier":"correctness","attach":"user_turn","keep":"user turn","tokens":0,"manual":true,"late":false}`,
		},
		{
			reminder.Due{Attach: reminder.RunStart, Keep: reminder.Keep{Unit: reminder.KeepTurns,
				N: 1}, Late: true},
			`{"id":"","text":"","priority":0,"tier":"guidance","attach":"run_start","keep":"1 turn","tokens":0,"manual":false,"late":true}`,
		},
	}
	for _, tt := range tests {
		b, err := json.Marshal(tt.due)
		if err != nil || string(b) != tt.want {
			t.Errorf("%+v is\n%s, %v, want\n%s", tt.due, b, err, tt.want)
		}
		var back reminder.Due
		if err := json.Unmarshal(b, &back); err != nil || back != tt.due {
			t.Errorf("%s: %v (-want +got)\n%s", b, err, cmp.Diff(tt.due, back))
		}
	}
}

// read returns what a text is as the kind of v, or an error.
func read[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](text string) (any, error) {
	v := new(T)
	err := P(v).UnmarshalText([]byte(text))
	return *v, err
}

func TestUnmarshalText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		read func(string) (any, error)
		want any // nil is an error
	}{
		{"guidance", read[reminder.Tier], reminder.Guidance},
		{"correctness", read[reminder.Tier], reminder.Correctness},
		{"safety", read[reminder.Tier], reminder.Safety},
		{"Safety", read[reminder.Tier], nil},
		{"", read[reminder.Tier], nil},
		{"2", read[reminder.Tier], nil},
		{"tail", read[reminder.Attach], reminder.Tail},
		{"user_turn", read[reminder.Attach], reminder.UserTurn},
		{"run_start", read[reminder.Attach], reminder.RunStart},
		{"head", read[reminder.Attach], nil},
		{"", read[reminder.Keep], reminder.Keep{}},
		{"user turn", read[reminder.Keep], reminder.Keep{Unit: reminder.KeepUserTurns, N: 1}},
		{"2 user turns", read[reminder.Keep], reminder.Keep{Unit: reminder.KeepUserTurns, N: 2}},
		{"call", read[reminder.Keep], nil},
		{"turn", read[reminder.Keep], nil},
		{"conversation", read[reminder.Keep], reminder.Keep{Unit: reminder.KeepConversation}},
		{"1 turn", read[reminder.Keep], reminder.Keep{Unit: reminder.KeepTurns, N: 1}},
		{"1 turns", read[reminder.Keep], reminder.Keep{Unit: reminder.KeepTurns, N: 1}},
		{"12 turns", read[reminder.Keep], reminder.Keep{Unit: reminder.KeepTurns, N: 12}},
		{"2147483647 turns", read[reminder.Keep], reminder.Keep{Unit: reminder.KeepTurns, N: 2147483647}},
		{"2147483648 turns", read[reminder.Keep], nil},
		{"0 turns", read[reminder.Keep], nil},
		{"-1 turns", read[reminder.Keep], nil},
		{"+1 turns", read[reminder.Keep], nil},
		{"2 turn", read[reminder.Keep], nil},
		{"2  turns", read[reminder.Keep], nil},
		{"2", read[reminder.Keep], nil},
		{" turns", read[reminder.Keep], nil},
		{"turns", read[reminder.Keep], nil},
		{"5m", read[reminder.Keep], nil},
	}
	for _, tt := range tests {
		got, err := tt.read(tt.text)
		switch {
		case tt.want == nil && err == nil:
			t.Errorf("%T %q: %v, want an error", got, tt.text, got)
		case tt.want != nil && (err != nil || got != tt.want):
			t.Errorf("%T %q: %v, %v, want %v", got, tt.text, got, err, tt.want)
		}
	}
}

func TestMarshalTextErrors(t *testing.T) {
	t.Parallel()
	for _, v := range []encoding.TextMarshaler{reminder.Tier(3), reminder.Attach(3),
		reminder.Keep{Unit: reminder.KeepConversation + 1}} {
		if b, err := v.MarshalText(); err == nil {
			t.Errorf("%T %[1]d: %q, want an error", v, b)
		}
	}
}

func TestSpanString(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]reminder.Span{
		"0": {}, "1 turn": {Turns: 1}, "3 turns": {Turns: 3}, "1 user turn": {UserTurns: 1}, "2 user turns": {
			UserTurns: 2}, "2m0s": {Time: 2 * time.Minute},
	} {
		if got := s.String(); got != want || s.IsZero() != (want == "0") {
			t.Errorf("%#v is %q, zero %v", s, got, s.IsZero())
		}
	}
}
