package wire_test

import (
	"testing"

	"github.com/aside-go/aside/inject/wire"
)

// TestBeginning: a conversation begins with what stands before the model's first answer, and that stays as it
// goes on.
func TestBeginning(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		api  wire.API
		body string
		want int
	}{
		"one message": {wire.Anthropic, `{"messages":[{"role":"user","content":"a"}]}`, 1},
		"two": {wire.Chat,
			`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"user","content":"b"}]}`, 2},
		"answered": {wire.Anthropic,
			`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`, 1},
		"a string": {wire.Responses, `{"input":"a"}`, 1},
		"the model first": {wire.Gemini,
			`{"contents":[{"role":"model","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"b"}]}]}`, 0},
		"nothing": {wire.Anthropic, `{"messages":[]}`, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := readConversation([]byte(tt.body), wire.Options{API: tt.api})
			if err != nil {
				t.Fatal(err)
			}
			keys, all := c.Beginning(), c.Keys()
			if len(keys) != tt.want {
				t.Fatalf("%q of %q, want %d", keys, all, tt.want)
			}
			for i, k := range keys {
				if all[i] != k {
					t.Errorf("%q is not how %q begins", keys, all)
				}
			}
		})
	}
}
