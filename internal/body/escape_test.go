package body

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "github.com/aside-go/aside/internal/test/testkit" // the same draws each time under CI=true
)

// TestEscape holds escape to encoding/json, whose own spelling differs: what it writes says the same, and
// what needs no escape has none.
func TestEscape(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a\\"\n\t\r\x00-\x1f\x7f<é😀]*`),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		got := escape([]byte(`x"`), s)
		var said, want string
		if err := json.Unmarshal(append(bytes.Clone(got[1:]), '"'), &said); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		for _, r := range s {
			want += string(r) // what is no UTF-8 as U+FFFD
		}
		if said != want || !utf8.Valid(got) {
			t.Fatalf("%q says %q, want %q", got, said, want)
		}
		if plain := bytes.IndexFunc([]byte(want), func(r rune) bool {
			return r < ' ' || r == '"' ||
				r == '\\' || r == '\u2028' || r == '\u2029'
		}) < 0; plain && utf8.ValidString(s) && string(got[2:]) != want {
			t.Fatalf("%q for %q", got, want)
		}
	})
}
