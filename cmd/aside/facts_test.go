package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/facttable"
)

// TestFactsRefused plays the refused facts of the table of all doors through the commands: a co-process, and
// --facts.
func TestFactsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "r.md", "---\nwhile: always\n---\nText.\n")
	var vars []string
	for _, v := range facttable.Vars() {
		vars = append(vars, "--var", v)
	}
	var lines strings.Builder
	var want []string
	for _, c := range facttable.Cases(t) {
		if c.Refused != "" {
			fmt.Fprintf(&lines, "{\"facts\":%s}\n", c.Facts)
			want = append(want, c.Refused)
		}
	}
	r := invoke(t, dir, strings.NewReader(lines.String()), append([]string{"eval", "--rules",
		"r.md"}, vars...)...)
	answers := strings.Split(strings.TrimSpace(r.out), "\n")
	if r.code != 0 || len(answers) != len(want) {
		t.Fatalf("exit code %d, %d answers to %d lines\n%s", r.code, len(answers), len(want), r.err)
	}
	for i, line := range answers {
		var a struct{ Errors []string }
		if err := json.Unmarshal([]byte(line), &a); err != nil || len(a.Errors) != 1 ||
			a.Errors[0] != "facts: "+want[i] {
			t.Errorf("%s, %v\nwant %q", line, err, want[i])
		}
	}
	const body = `{"messages":[{"role":"user","content":"hi"}]}`
	for i, c := range facttable.Cases(t) {
		if c.Refused == "" || i%5 > 0 { // each fifth: a process for each
			continue
		}
		args := append([]string{"inject", "--api", "messages", "--rules", "r.md", "--facts", c.Facts}, vars...)
		r := invoke(t, dir, strings.NewReader(body), args...)
		if r.code != 2 || r.out != "" || !strings.Contains(r.err, "--facts: "+c.Refused+"\n") {
			t.Errorf("%s: exit code %d, %s\nwant %q", c.Facts, r.code, r.err, c.Refused)
		}
	}
}

// TestInjectFacts: --facts adds to the facts of the body, and calls stand in place of those that it tells.
func TestInjectFacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "full.md", "---\nwhile: context_usage > 75% and user_message\n---\nNear full.\n")
	put(t, dir, "push.md", "---\nwhile: after_tool:Bash(git push*) and not tool_failed:Bash\n---\nPushed.\n")
	const body = `{"messages":[{"role":"user","content":"hi"}]}`
	for given, want := range map[string]string{
		"":                      "",
		`{"context_usage":0.8}`: "Near full.",
		`{"calls":[{"tool":"Bash","command":"git push -f"}]}`:               "Pushed.",
		`{"calls":[{"tool":"Bash","command":"git push -f","failed":true}]}`: "",
	} {
		r := invoke(t, dir, strings.NewReader(body), "inject", "--api", "messages", "--rules", "full.md", "--rules",
			"push.md", "--facts", given)
		if r.code != 0 || want == "" && r.out != body || !strings.Contains(r.out, want) {
			t.Errorf("%s: exit code %d, %s%s\nwant %q", given, r.code, r.out, r.err, want)
		}
	}
}
