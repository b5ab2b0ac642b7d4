package baserate_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/baserate"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
)

// TestRecent holds that the newest sessions are read, that one which is too long is left out, and that a
// machine without sessions has no rates worth a word.
func TestRecent(t *testing.T) {
	t.Parallel()
	set, _ := compile.New([]reminder.Reminder{{ID: "r", Trigger: "after_tool:*",
		Expect: "after_tool:* or user_message", Within: 5, Text: "x"}}, compile.Options{})
	home := t.TempDir()
	recent := func() int {
		rates := baserate.Recent(t.Context(), set, home)
		if len(rates) != 1 {
			t.Fatal(rates)
		}
		return rates[0].Fires
	}
	if n := recent(); n != 0 {
		t.Errorf("%d firings without a session", n)
	}
	dir := filepath.Join(home, ".claude", "projects", "p")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("../../../../testdata/transcripts/claude-code/tool_heavy.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	name := func(s string) string { return filepath.Join(dir, s+".jsonl") }
	long := append(src, make([]byte, 16<<20)...)
	for file, b := range map[string][]byte{"short": src, "long": long} {
		if err := os.WriteFile(name(file), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one := recent()
	if one == 0 {
		t.Fatal("no firing")
	}
	for i := range 25 { // the newest twenty
		n := name(string(rune('a' + i)))
		at := time.Unix(2e9+int64(i), 0)
		if err := os.WriteFile(n, src, 0o600); err != nil || os.Chtimes(n, at, at) != nil {
			t.Fatal(err)
		}
	}
	if n := recent(); n != 20*one {
		t.Errorf("%d firings in twenty sessions of %d", n, one)
	}
	if none, _ := compile.New(nil, compile.Options{}); baserate.Recent(t.Context(), none, home) != nil {
		t.Error("rates of no reminder")
	}
}
