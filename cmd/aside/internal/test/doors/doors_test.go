// Package doors_test tells the same sessions through each door of the program, and holds the decisions
// against each other (LANGUAGE.md §4: a turn is one model call on every surface).
package doors_test

import (
	"flag"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/internal/test/testkit"
)

// TestSameDecisions tells one session in four ways: in payloads of hooks, in requests, in a session file and
// in lines for aside eval. Rules decide alike in all four on each turn, as far as each way tells the facts
// that they read.
func TestSameDecisions(t *testing.T) {
	checks(t, testkit.Repeat(15, 80))
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		c, rules := drawConversation(t), drawRules(t)
		want := byEval(t, c, rules)
		compare(t, file, rules, want, byFile(t, c, rules), true)
		compare(t, requests, rules, want, byRequests(t, anthropic, c, rules), false)
		compare(t, chat, rules, want, byRequests(t, completions, c, rules), true)
		door := rapid.SampledFrom([]door{hooks, bare}).Draw(t, "hooks")
		compare(t, door, rules, want, byHooks(t, dir, door, c, rules), false)
	})
}

// checks has a law of this test tried n times, unless the command line says how often.
func checks(t *testing.T, n int) {
	t.Helper()
	named := false
	flag.Visit(func(f *flag.Flag) { named = named || f.Name == "rapid.checks" })
	if named {
		return
	}
	if testing.Short() { // then package rapid takes a fifth
		n = max(n, 10)
	}
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	t.Cleanup(func() { _ = f.Value.Set(before) }) // it was its value
	if err := f.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
}

// compare holds the decisions of a door against those of the protocol.
func compare(t *rapid.T, d door, rules []rule, want, got []decision, due bool) {
	if len(want) != len(got) {
		t.Fatalf("%s: %d turns, want %d", d, len(got), len(want))
	}
	triggers := map[string]map[string]any{}
	for _, r := range rules {
		if !slices.Contains(r.Unknown, d) {
			triggers[r.id()] = r.Members
		}
	}
	known := func(ids []string) (out []string) {
		for _, id := range ids {
			if triggers[id] != nil {
				out = append(out, id)
			}
		}
		return out
	}
	for i := range want {
		differ(t, d, i, "fired", known(want[i].Fired), known(got[i].Fired), triggers)
		if due {
			differ(t, d, i, "due", known(want[i].Due), known(got[i].Due), triggers)
		}
	}
}

// differ fails where two lists of ids are not equal, and names the rules in which they differ.
func differ(t *rapid.T, d door, turn int, what string, want, got []string, rules map[string]map[string]any) {
	if slices.Equal(want, got) {
		return
	}
	for _, id := range slices.Concat(want, got) {
		if slices.Contains(want, id) != slices.Contains(got, id) {
			t.Logf("%v", rules[id])
		}
	}
	t.Fatalf("%s, turn %d, %s: -eval +%s\n%s", d, turn+1, what, d, cmp.Diff(want, got))
}
