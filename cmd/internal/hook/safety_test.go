package hook_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestH3SafetyFirst: rules that take a minute silence no reminder of safety, at an event, and what the
// event was to the others is in the log; with no reminder of safety that is due, the event waits.
func TestH3SafetyFirst(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for n := range 40 { // a pattern reads a part of a long prompt, so that one takes a second or two
		m.rule(fmt.Sprint("slow", n), fmt.Sprintf(`when: prompt matches "(x?){400}(x+){%d}[yz]$"`, 400-n), "Never said.")
	}
	m.rule("plain", "while: always", "Beside it.")
	m.rule("safe", "while: prompt contains \"xx\"\ntier: safety", "Be safe.")
	huge := strings.Repeat("x", 8<<20)
	got := ""
	// the machine is busy
	for n, patience := 0, time.Second/2; n < 6 && got == ""; n, patience = n+1, 2*patience {
		r := m.exec(m.env, []byte(prompt(fmt.Sprint("s", n), "p1", huge)), "--agent", "claude-code", "--timeout",
			patience.String())
		if r.code != 0 || r.stderr != "" {
			t.Fatal(r)
		}
		if r.stdout != "" {
			got = said(t, r)
		}
	}
	if got != "Be safe." {
		t.Errorf("%q", got)
	}
	if log := strings.Join(m.log(), "\n"); !strings.Contains(log, "safety alone") {
		t.Errorf("the log: %q", log)
	}
	// another event, in which nothing is slow: all of them are there
	if got := said(t, m.run(prompt("s9", "p2", "xx"), claude...)); got != "Beside it.\n\nBe safe." {
		t.Errorf("then: %q", got)
	}
}
