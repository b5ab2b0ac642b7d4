package replay_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// editTurns returns, from the lines themselves, the number of turns and those that come after a call of Edit
// or Write.
func editTurns(t *testing.T, path string) (turns int, after []int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var ids []string
	edited := map[string]bool{}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<28)
	for sc.Scan() {
		var o struct {
			Type        string
			IsSidechain bool
			Message     struct {
				ID, Model string
				Content   json.RawMessage
			}
		}
		if json.Unmarshal(sc.Bytes(), &o) != nil || o.Type != "assistant" || o.IsSidechain ||
			o.Message.Model == "<synthetic>" {
			continue
		}
		id := o.Message.ID
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		var blocks []struct{ Type, Name string }
		if err := json.Unmarshal(o.Message.Content, &blocks); err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			edited[id] = edited[id] || b.Type == "tool_use" && (b.Name == "Edit" || b.Name == "Write")
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	for i, id := range ids[:len(ids)-1] {
		if edited[id] {
			after = append(after, i+2)
		}
	}
	return len(ids), after
}

// TestLongSessions replays the two long recordings with rules whose firings can be told from the files by
// other means.
func TestLongSessions(t *testing.T) {
	t.Parallel()
	set := compiled(t,
		reminder.Reminder{ID: "each", Mode: reminder.While, Trigger: "after_tool:Edit,Write", Text: "x"},
		reminder.Reminder{ID: "edge", Trigger: "after_tool:Edit,Write", Text: "x"},
		reminder.Reminder{ID: "full", Trigger: "context_usage > 75%", Text: "x"},
		reminder.Reminder{ID: "summary", Trigger: "compacted", Text: "x"},
		reminder.Reminder{ID: "end", Trigger: "stopping", Text: "x"},
	)
	for id, want := range map[string]struct{ turns, edits, fulls int }{
		"4d5611e5-241a-462a-8d15-5122611a9569": {139, 0, 1},
		"8463c716-a2ea-4c14-9efa-87158ebd9f20": {143, 0, 1},
	} {
		t.Run(id[:8], func(t *testing.T) {
			t.Parallel()
			path := testkit.Beside(t, "transcripts", "claude-code", id+".jsonl")
			out, errs, err := run(t, replay.Options{Paths: []string{path}, Set: set, Window: 200_000, JSON: true})
			if err != nil || errs != "" {
				t.Fatal(err, errs)
			}
			all, sum := decode(t, out)
			ends := 0
			all = slices.DeleteFunc(all, func(l turnLine) bool { // moments
				end := l.Moment != ""
				if end && l.Run != id {
					t.Errorf("%s: the end of a subagent is told", l.Run)
				} else if end {
					ends++
				}
				return end
			})
			if ends != 1 {
				t.Errorf("the end is told %d times, want 1: what follows it answers no person", ends)
			}
			turns := slices.DeleteFunc(slices.Clone(all), func(l turnLine) bool { return l.Run != id })
			n, after := editTurns(t, path)
			if len(turns) != n || n != want.turns || sum.Summary.Runs != 2 {
				t.Errorf("%d turns, %d counted, want %d; %d runs, want 2", len(turns), n, want.turns, sum.Summary.Runs)
			}
			got := map[string][]int{}
			for _, turn := range turns {
				for _, f := range turn.Fired {
					got[f.ID] = append(got[f.ID], turn.Turn)
				}
			}
			if diff := cmp.Diff(after, got["each"]); diff != "" || len(after) < 5 {
				t.Errorf("after each edit:\n%s", diff)
			}
			if diff := cmp.Diff(after, got["edge"]); diff != "" { // between two turns no event holds
				t.Errorf("on the edges:\n%s", diff)
			}
			if len(got["full"]) != want.fulls || len(got["summary"]) != 1 {
				t.Errorf("the context was full on %v, compacted on %v; want once each", got["full"], got["summary"])
			} else if got["full"][0] >= got["summary"][0] {
				t.Errorf("the context was full on turn %d, after the compaction on turn %d", got["full"][0],
					got["summary"][0])
			}
		})
	}
}

// TestAllRealFiles replays everything there is at once.
func TestAllRealFiles(t *testing.T) {
	t.Parallel()
	t.Run("short", func(t *testing.T) {
		allRealFiles(t, testkit.Data(t, "transcripts"), 11+13+1+4+61, 4+4,
			"task3-trial0")
	})
	t.Run("long", func(t *testing.T) {
		allRealFiles(t, testkit.Beside(t, "transcripts"), 139+143+12+13+1+4+790, 6+60, "task9-trial1")
	})
}

// allRealFiles replays the files below dir, which have so many turns and runs; the last log is called last.
func allRealFiles(t *testing.T, dir string, turns, runs int, last string) {
	out, errs, err := run(t, replay.Options{Paths: []string{dir}, Set: rules(t), JSON: true})
	if err != nil || errs != "" {
		t.Fatal(err, errs)
	}
	_, sum := decode(t, out)
	if sum.Summary.Turns != turns || sum.Summary.Runs != runs {
		t.Errorf("%d turns in %d runs, want %d in %d", sum.Summary.Turns, sum.Summary.Runs, turns, runs)
	}
	text, _, err := run(t, replay.Options{Paths: []string{dir}, Set: rules(t)})
	if err != nil || !strings.Contains(text, last) {
		t.Errorf("%v: the timeline does not reach the last log", err)
	}
}
