package replay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile/reminder"
)

// asked is a line with a person's message of a session file.
func asked(session, text string) string {
	return fmt.Sprintf(`{"type":"user","sessionId":%q,"timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":%q}}`+"\n", session, text)
}

// threeRuns are sessions of which two begin alike and one has a turn on which the rule fires.
func threeRuns(t *testing.T) replay.Options {
	t.Helper()
	return replay.Options{Paths: []string{"."}, Set: compiled(t, reminder.Reminder{ID: "ran",
		Trigger: "after_tool:Bash",
		Text:    "Ran."}), Files: fstest.MapFS{
		"a.jsonl": {Data: []byte(asked("12345678-a", "Mend the\tlist") + aSession("12345678-a", "Read",
			"Bash", "Read"))},
		"b.jsonl": {Data: []byte(asked("12345678-b", "Look at it") + aSession("12345678-b", "Read"))},
		"c.jsonl": {Data: []byte(aSession("c", "Read"))},
	}}
}

// TestOverview: the summary comes first, then a line for each run, by its first prompt, with as much of its
// name as tells it from others.
func TestOverview(t *testing.T) {
	t.Parallel()
	o := threeRuns(t)
	o.Overview = true
	out, _, err := run(t, o)
	if err != nil {
		t.Fatal(err)
	}
	want := `5 turns in 3 runs; reminders fired 1 time, 1 token in all
  reminder  fires  first run:turn  last run:turn  tokens
  ran           1             1:3            1:3       1

   run  id          date        turns  fires  first prompt
     1  12345678-a  2026-01-01      3      1  Mend the list
     2  12345678-b  2026-01-01      1         Look at it
     3  c           2026-01-01      1         root
  --run ID shows the turns of one, -v those of all
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	o.OnlyFired = true
	if out, _, _ = run(t, o); strings.Contains(out, "Look at") || !strings.Contains(out, "and 2 runs in which") {
		t.Error(out)
	}
}

// TestOnlyFired: the timeline and JSON leave out what is quiet, and a run begins where something fires.
func TestOnlyFired(t *testing.T) {
	t.Parallel()
	o := threeRuns(t)
	o.OnlyFired = true
	out, _, err := run(t, o)
	if err != nil || strings.Count(out, "\nturn") != 1 || strings.Contains(out, "12345678-b") ||
		strings.Contains(out, "quiet") || !strings.Contains(out, "ran  1 token, because after_tool:Bash") {
		t.Errorf("%v\n%s", err, out)
	}
	o.JSON = true
	out, _, err = run(t, o)
	if err != nil || strings.Count(out, "\n") != 2 || !strings.Contains(out, `{"summary":{"turns":5,`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestRunByItsBeginning: a run is named by as much of its name as no other begins with.
func TestRunByItsBeginning(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ shown, said string }{
		"12345678-b": {"12345678-b", ""},
		"c":          {"run 1  c", ""},
		"1234": {"12345678-a",
			`several runs begin with "1234", and this was the first: 12345678-a, 12345678-b`},
		"5678": {"", `there is no run "5678" in what was read: did you mean 12345678-a or 12345678-b?`},
		"x":    {"", `there is no run "x" in what was read`},
	} {
		o := threeRuns(t)
		o.RunID = name
		out, said, err := run(t, o)
		if errors.Is(err, replay.ErrNoRun) != (want.said != "") || !strings.Contains(said, want.said) ||
			!strings.Contains(out, want.shown) || want.shown == "" && out != "" ||
			strings.Contains(out, "12345678-b") != (name == "12345678-b") {
			t.Errorf("%s: %v\n%s\n%s", name, err, said, out)
		}
	}
}
