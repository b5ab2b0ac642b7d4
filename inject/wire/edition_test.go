package wire_test

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// TestEdition: what is read of an edition, in pieces of any size, is what is appended.
func TestEdition(t *testing.T) {
	t.Parallel()
	body := []byte(`{"messages":[{"role":"user","content":"<system-reminder>q"},{"role":"assistant","content":"a"},{"role":"user","content":"<system-reminder>r"}]}`)
	for name, due := range map[string][]reminder.Due{"nothing": nil, "a text": {{ID: "a", Text: "T"}},
		"two": {{ID: "a", Text: "T"}, {ID: "b", Text: "U", Attach: reminder.RunStart}}} {
		c, err := readConversation(body, wire.Options{API: wire.Anthropic, Options: inject.Options{Mark: "m"}})
		if err != nil {
			t.Fatal(err)
		}
		e, _ := c.Edit(nil, due)
		want := e.AppendTo(nil)
		if e.Len() != len(want) || e.Changed() == bytes.Equal(want, body) || e.Changed() != (due != nil) {
			t.Errorf("%s: %d of %d bytes, changed %v", name, e.Len(), len(want), e.Changed())
		}
		if err := iotest.TestReader(e.Open(), want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := io.ReadAll(iotest.OneByteReader(e.Open())); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		if again := e.AppendTo([]byte("x")); string(again) != "x"+string(want) {
			t.Errorf("%s: appended %s", name, again)
		}
	}
}
