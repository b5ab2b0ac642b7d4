package hook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPauseIsSaid: what a reminder has said of a command it does not say of the same one in other words;
// equal calls of one answer are held back together; a person's next message agrees; past two commands in a
// user turn a reminder holds back nothing more, so that a session ends.
func TestPauseIsSaid(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude-code", "codex", "gemini"} {
		a := askings[slices.IndexFunc(askings, func(a asking) bool { return a.agent == name })]
		m := newMachine(t)
		m.rule("pause", "when: before_tool:@shell(rm -rf*)\npause: true", "Is it agreed?")
		ids, turns := 0, 0
		call := func(command string) bool {
			ids++
			return strings.Contains(a.calls(t, m, command, fmt.Sprint("call-", ids)), "Is it agreed?")
		}
		person := func() { turns++; a.asks(t, m, fmt.Sprint("p", turns)) }
		expect := func(what, command string, held bool) {
			t.Helper()
			if got := call(command); got != held {
				t.Errorf("%s: %s, %q: held back %t", name, what, command, got)
			}
		}
		person()
		for range 3 { // at once: each is a process, within the moment that an answer's calls take
			expect("one of three equal calls", "rm -rf build", true)
		}
		m.now = time.Now() // from here on a call is of a later answer
		for _, again := range []string{"rm -rf build", "rm -rf build/", "rm -rf build//", "rm  -rf build ",
			"rm -rf 'build'", `rm -rf "build"`, "rm -rf build 2>&1", "rm -rf build # now", "cd x && rm -rf build/"} {
			expect("said before", again, false)
		}
		expect("another one", "rm -rf dist", true)
		expect("a third one", "rm -rf src", false)
		person()
		expect("agreed", "rm -rf build", false)
		expect("agreed, too", "rm -rf dist/", false)
		expect("never said", "rm -rf src", true)
		expect("again", "rm -rf src", false)
		person()
		expect("long ago", "rm -rf build", true)
		silent(t, m.path("state"))
	}
}
