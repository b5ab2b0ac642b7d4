package hook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/internal/trust"
)

// away is a rule file that is not as it was for one event.
type away struct {
	name  string
	leave func(m *machine, path, text string)
	back  func(m *machine, path, text string)
	// texts of the event meanwhile: what is due on it, and what has fired already
	meanwhile string
}

func put(m *machine, path, text string) {
	m.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// halves are saves of a file of which a part has been written.
var halves = []away{
	{"empty", func(m *machine, path, _ string) { put(m, path, "") }, put, "Now."},
	{"half of its head", func(m *machine, path, text string) { put(m, path, text[:12]) }, put, "Now."},
	{"a mistake in it", func(m *machine, path, text string) {
		put(m, path,
			"---\nwhen: turn_cuont > 1\n---\nX\n")
	},
		put, "Now."},
	{"removed", func(m *machine, path, _ string) { _ = os.Remove(path) }, put, ""},
}

// TestH5RuleAway: a rule that was away, or half saved, for an event does not fire again once it is
// back, and one that is half saved speaks meanwhile as it was.
func TestH5RuleAway(t *testing.T) {
	t.Parallel()
	for _, away := range halves {
		t.Run(away.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			once := "---\nwhen: turn_count >= 1\nmax_fires: 1\n---\nOnce.\n"
			now := "---\nwhen: turn_count == 2\nmax_fires: 1\n---\nNow.\n"
			files := map[string]string{m.write(once, "home", ".aside", "reminders", "once.md"): once,
				m.write(now, "home", ".aside", "reminders", "now.md"): now}
			if got := said(t, m.run(batch("s", "c1"), claude...)); got != "Once." {
				t.Fatalf("%q", got)
			}
			for path, text := range files {
				away.leave(m, path, text)
			}
			if r := m.run(batch("s", "c2"), claude...); away.meanwhile == "" {
				r.quiet(t)
			} else if got := said(t, r); got != away.meanwhile {
				t.Errorf("meanwhile: %q, want %q", got, away.meanwhile)
			}
			for path, text := range files {
				away.back(m, path, text)
			}
			m.run(batch("s", "c3"), claude...).quiet(t)
		})
	}
}

// TestDamagedForGood: a file of a project is never used as it was, and neither is one of the user's own that
// was removed before another one with its name has a mistake.
func TestDamagedForGood(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	own := m.write("---\nwhile: always\n---\nOwn.\n", "home", ".aside", "reminders", "own.md")
	theirs := m.write("---\nwhile: always\n---\nTheirs.\n", "project", ".aside", "reminders", "theirs.md")
	project := m.path("project")
	trusted(t, m, project)
	n := 0
	next := func(want string) {
		t.Helper()
		n++
		r := m.run(event("session_id", "s", "cwd", project, "hook_event_name", "PostToolBatch", "tool_calls",
			[]any{map[string]any{"tool_name": "Read", "tool_use_id": fmt.Sprint("c", n)}}), claude...)
		if want == "" {
			r.quiet(t)
		} else if got := said(t, r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	next("Own.\n\nTheirs.")
	put(m, theirs, "---\nwhile: alw")
	next("Own.")
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	next("")
	put(m, own, "---\nwhile: alw")
	next("")
	kept, _ := filepath.Glob(m.path("state", "aside", "rules", "*"))
	for _, path := range kept {
		if b, err := os.ReadFile(path); err != nil || len(b) > 60 {
			t.Errorf("%s: %s, %v", path, b, err)
		}
	}
}

// TestH5TrustAway: a rule of a project that was not trusted for an event, or had changed, does not
// fire again once it is trusted as it was.
func TestH5TrustAway(t *testing.T) {
	t.Parallel()
	for _, change := range []string{"withdrawn", "changed"} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			const text = "---\nwhen: turn_count >= 1\nmax_fires: 1\n---\nOnce.\n"
			path, project := m.write(text, "project", ".aside", "reminders", "once.md"), m.path("project")
			call := func(id string) string {
				return event("session_id", "s", "cwd", project, "hook_event_name", "PostToolBatch", "tool_calls",
					[]any{map[string]any{"tool_name": "Read", "tool_use_id": id}})
			}
			trusted(t, m, project)
			if got := said(t, m.run(call("c1"), claude...)); got != "Once." {
				t.Fatalf("%q", got)
			}
			if change == "changed" {
				put(m, path, "---\nwhile: always\n---\nSomething else.\n")
			} else if _, err := trust.Open(m.path("state", "aside", "trust")).Revoke(project); err != nil {
				t.Fatal(err)
			}
			m.run(call("c2"), claude...).quiet(t)
			put(m, path, text)
			trusted(t, m, project)
			m.run(call("c3"), claude...).quiet(t)
		})
	}
}
