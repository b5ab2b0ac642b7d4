package main

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestShownOnATerminal: the text of a rule cannot move the cursor, turn the direction of a line, or end it.
func TestShownOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "r/a.md", "---\ndescription: \"d\\u202e\\u2028\\u200bx\"\nwhen: "+
		"always\n---\nevil\u202e\u2029\u2066text\n")
	for _, args := range [][]string{{"list"}, {"show", "a"}, {"check"}, {"check", "--strict", "r/a.md"},
		{"replay"}, {"replay", "--verbose"}} {
		args := append(args, "--rules", "r")
		r := exe.Invoke(t, dir, nil, args...)
		if !strings.Contains(r.Out+r.Err, "a") {
			t.Errorf("%q printed nothing", args)
		}
		if i := strings.IndexAny(r.Out+r.Err, "\u202e\u2028\u200b\u009b\u2029\u2066\x1b"); i >= 0 {
			t.Errorf("%q printed %q", args, r.Out+r.Err)
		}
	}
}
