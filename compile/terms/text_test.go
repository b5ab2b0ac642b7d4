package terms_test

import (
	"encoding"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/terms"
)

func TestDueJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		due  terms.Due
		want string
	}{
		{
			terms.Due{ID: "r", Text: "x", Priority: -1, Tier: terms.Safety, Keep: terms.Keep{Unit: terms.KeepTurns, Turns: 3}, Tokens: 1},
			`{"id":"r","text":"x","priority":-1,"tier":"safety","attach":"tail","keep":"3 turns","tokens":1,"manual":false,"late":false}`,
		},
		{
			terms.Due{ID: "r", Tier: terms.Correctness, Attach: terms.UserTurn, Keep: terms.Keep{Unit: terms.KeepCall}, Manual: true},
			`{"id":"r","text":"","priority":0,"tier":"correctness","attach":"user_turn","keep":"call","tokens":0,"manual":true,"late":false}`,
		},
		{
			terms.Due{Attach: terms.RunStart, Keep: terms.Keep{Unit: terms.KeepTurns, Turns: 1}, Late: true},
			`{"id":"","text":"","priority":0,"tier":"guidance","attach":"run_start","keep":"1 turn","tokens":0,"manual":false,"late":true}`,
		},
	}
	for _, tt := range tests {
		b, err := json.Marshal(tt.due)
		if err != nil || string(b) != tt.want {
			t.Errorf("%+v is\n%s, %v, want\n%s", tt.due, b, err, tt.want)
		}
		var back terms.Due
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
		{"guidance", read[terms.Tier], terms.Guidance},
		{"correctness", read[terms.Tier], terms.Correctness},
		{"safety", read[terms.Tier], terms.Safety},
		{"Safety", read[terms.Tier], nil},
		{"", read[terms.Tier], nil},
		{"2", read[terms.Tier], nil},
		{"tail", read[terms.Attach], terms.Tail},
		{"user_turn", read[terms.Attach], terms.UserTurn},
		{"run_start", read[terms.Attach], terms.RunStart},
		{"head", read[terms.Attach], nil},
		{"priority", read[terms.Order], terms.ByPriority},
		{"tier", read[terms.Order], terms.ByTier},
		{"id", read[terms.Order], nil},
		{"", read[terms.Keep], terms.Keep{}},
		{"call", read[terms.Keep], terms.Keep{Unit: terms.KeepCall}},
		{"turn", read[terms.Keep], terms.Keep{Unit: terms.KeepTurn}},
		{"conversation", read[terms.Keep], terms.Keep{Unit: terms.KeepConversation}},
		{"1 turn", read[terms.Keep], terms.Keep{Unit: terms.KeepTurns, Turns: 1}},
		{"1 turns", read[terms.Keep], terms.Keep{Unit: terms.KeepTurns, Turns: 1}},
		{"12 turns", read[terms.Keep], terms.Keep{Unit: terms.KeepTurns, Turns: 12}},
		{"2147483647 turns", read[terms.Keep], terms.Keep{Unit: terms.KeepTurns, Turns: 2147483647}},
		{"2147483648 turns", read[terms.Keep], nil},
		{"0 turns", read[terms.Keep], nil},
		{"-1 turns", read[terms.Keep], nil},
		{"+1 turns", read[terms.Keep], nil},
		{"2 turn", read[terms.Keep], nil},
		{"2  turns", read[terms.Keep], nil},
		{"2", read[terms.Keep], nil},
		{" turns", read[terms.Keep], nil},
		{"turns", read[terms.Keep], nil},
		{"5m", read[terms.Keep], nil},
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
	for _, v := range []encoding.TextMarshaler{terms.Tier(3), terms.Attach(3), terms.Order(2), terms.Keep{Unit: terms.KeepConversation + 1}} {
		if b, err := v.MarshalText(); err == nil {
			t.Errorf("%T %[1]d: %q, want an error", v, b)
		}
	}
}

func TestSpanString(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]terms.Span{
		"0": {}, "1 turn": {Turns: 1}, "3 turns": {Turns: 3}, "2m0s": {Time: 2 * time.Minute},
	} {
		if got := s.String(); got != want || s.IsZero() != (want == "0") {
			t.Errorf("%#v is %q, zero %v", s, got, s.IsZero())
		}
	}
}
