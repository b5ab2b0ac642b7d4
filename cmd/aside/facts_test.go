package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/facttable"
	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestFactsRefused plays the refused facts of the table of all doors through the commands: a co-process, and
// --facts.
func TestFactsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "r.md", "---\nwhile: always\n---\nText.\n")
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
	r := exe.Invoke(t, dir, strings.NewReader(lines.String()), append([]string{"eval", "--rules",
		"r.md"}, vars...)...)
	answers := strings.Split(strings.TrimSpace(r.Out), "\n")
	if r.Code != 0 || len(answers) != len(want) {
		t.Fatalf("exit code %d, %d answers to %d lines\n%s", r.Code, len(answers), len(want), r.Err)
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
		r := exe.Invoke(t, dir, strings.NewReader(body), args...)
		if r.Code != 2 || r.Out != "" || !strings.Contains(r.Err, "--facts: "+c.Refused+"\n") {
			t.Errorf("%s: exit code %d, %s\nwant %q", c.Facts, r.Code, r.Err, c.Refused)
		}
	}
}

// TestInjectFacts: --facts adds to the facts of the body, and calls stand in place of those that it tells.
func TestInjectFacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "full.md", "---\nwhile: context_usage > 75% and user_message\n---\nNear full.\n")
	process.Put(t, dir, "push.md",
		"---\nwhile: after_tool:Bash(git push*) and not tool_failed:Bash\n---\nPushed.\n")
	const body = `{"messages":[{"role":"user","content":"hi"}]}`
	for given, want := range map[string]string{
		"":                      "",
		`{"context_usage":0.8}`: "Near full.",
		`{"calls":[{"tool":"Bash","command":"git push -f"}]}`:               "Pushed.",
		`{"calls":[{"tool":"Bash","command":"git push -f","failed":true}]}`: "",
	} {
		r := exe.Invoke(t, dir, strings.NewReader(body), "inject", "--api", "messages", "--rules",
			"full.md", "--rules",
			"push.md", "--facts", given)
		if r.Code != 0 || want == "" && r.Out != body || !strings.Contains(r.Out, want) {
			t.Errorf("%s: exit code %d, %s%s\nwant %q", given, r.Code, r.Out, r.Err, want)
		}
	}
}
