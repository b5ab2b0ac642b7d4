package main

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
)

// TestShownOnATerminal: what a rule says cannot move the cursor, turn the direction of a line, or end it.
func TestShownOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "r/a.md", "---\ndescription: \"d\\u202e\\u2028\\u200b\\u009bx\"\nwhen: always\n---\nevil\u202e\u2029\u2066\u001b[2Jtext\n")
	for _, args := range [][]string{{"list"}, {"show", "a"}, {"check"}, {"check", "--strict", "r/a.md"}, {"replay"}, {"replay", "--verbose"}} {
		args := append(args, "--rules", "r")
		r := invoke(t, dir, nil, args...)
		if !strings.Contains(r.out+r.err, "a") {
			t.Errorf("%q printed nothing", args)
		}
		for _, c := range r.out + r.err {
			if c != '\n' && terminal.Obeys(c) {
				t.Errorf("%q printed %U", args, c)
				break
			}
		}
	}
}
