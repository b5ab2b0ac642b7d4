package replay_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// before and after are two sets of which each difference has a reminder.
func before(t testing.TB) *compile.Set {
	return compiled(t,
		reminder.Reminder{ID: "same", Trigger: "after_tool:Bash", Text: "the same"},
		reminder.Reminder{ID: "later", Trigger: "turn_gt:2", Text: "later"},
		reminder.Reminder{ID: "earlier", Trigger: "turn_gt:6", Text: "earlier"},
		reminder.Reminder{ID: "fewer", Mode: reminder.While, Trigger: "after_tool:Edit", Text: "fewer"},
		reminder.Reminder{ID: "words", Mode: reminder.While, Trigger: "after_tool:Read", MaxFires: 2,
			Text: "words"},
		reminder.Reminder{ID: "out", Trigger: "always", Text: "out"})
}

func after(t testing.TB) *compile.Set {
	return compiled(t,
		reminder.Reminder{ID: "same", Trigger: "after_tool:Bash", Text: "the same"},
		reminder.Reminder{ID: "later", Trigger: "turn_gt:3", Text: "later"},
		reminder.Reminder{ID: "earlier", Trigger: "turn_gt:4", Text: "earlier"},
		reminder.Reminder{ID: "fewer", Mode: reminder.While, Trigger: "after_tool:Edit",
			Cooldown: reminder.Span{Turns: 3}, Text: "fewer"},
		reminder.Reminder{ID: "words", Mode: reminder.While, Trigger: "after_tool:Read", MaxFires: 2,
			Text: "many more words"},
		reminder.Reminder{ID: "in", Trigger: "turn_gt:1", Text: "in"})
}

var compared = fstest.MapFS{"s.jsonl": {Data: []byte(aSession("s1", "Read", "Edit", "Edit", "Bash", "Read",
	"Edit", "Edit", "Edit"))}}

// TestDiff holds both forms of a comparison.
func TestDiff(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]replay.Options{
		"diff.txt":      {Against: after(t)},
		"diff-ansi.txt": {Against: after(t), Color: true, Width: 50},
		"diff.jsonl":    {Against: after(t), JSON: true},
		"diff-none.txt": {Against: before(t)},
		"diff-one.txt":  {Against: after(t), Only: []string{"later"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Files, o.Paths, o.Set = compared, []string{"s.jsonl"}, before(t)
			out, errs, err := run(t, o)
			if err != nil || errs != "" {
				t.Fatal(err, errs)
			}
			testkit.Golden(t, filepath.Join("testdata", name), out)
		})
	}
}

// TestDiffAcross: a firing that both have stands between those that could be one.
func TestDiffAcross(t *testing.T) {
	t.Parallel()
	set := func(trigger string) *compile.Set {
		return compiled(t, reminder.Reminder{ID: "r", Mode: reminder.While, Trigger: trigger, Text: "x"})
	}
	for tools, want := range map[string][3]int{"A B C": {1, 1, 0}, "A C B": {0, 0, 1}, "C B A": {1, 1, 0},
		"C A": {0, 0, 1}, "A A C": {0, 1, 1}} {
		files := fstest.MapFS{"s.jsonl": {Data: []byte(aSession("s", append(strings.Fields(tools), "end")...))}}
		lines := difference(t, files, set("after_tool:A,B"), set("after_tool:B,C"))
		sum := lines[len(lines)-1].Summary
		if got := [3]int{sum.Gained, sum.Lost, sum.Moved}; got != want {
			t.Errorf("%s: gained, lost, moved %v, want %v", tools, got, want)
		}
	}
}

// diffLine is a line of a comparison in JSON, or its summary.
type diffLine struct {
	Run                    string
	Turn                   int
	Gained, Lost, Reworded []struct{ ID string }
	Moved                  []struct {
		ID       string
		From, To int
	}
	Summary *struct {
		Turns, Runs, Changed          int
		Fires, Tokens                 [2]int
		Gained, Lost, Moved, Reworded int
		Reminders                     []struct {
			ID                            string
			Fires, Tokens                 [2]int
			Gained, Lost, Moved, Reworded int
			In                            []string
		}
	}
}

// firings returns the turns on which reminders fire, as the replay without a comparison says.
func firings(t testing.TB, files fstest.MapFS, set *compile.Set) map[string]bool {
	t.Helper()
	out, _, err := run(t, replay.Options{Files: files, Paths: []string{"."}, Set: set, JSON: true})
	if err != nil {
		t.Fatal(err)
	}
	turns, _ := decode(t, out)
	all := map[string]bool{}
	for _, turn := range turns {
		for _, f := range turn.Fired {
			all[fmt.Sprintf("%s %d %s", turn.Run, turn.Turn, f.ID)] = true
		}
	}
	return all
}

// TestDiffIsTheDifference: for any two sets and any sessions, the firings of the first with what is said of
// the difference are those of the second; the sums agree with the lines; and the other way round it is the
// same the other way round.
func TestDiffIsTheDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tools := rapid.SliceOfN(rapid.SampledFrom([]string{"Read", "Edit", "Bash"}), 1, 25)
		files := fstest.MapFS{}
		for i := range rapid.IntRange(1, 3).Draw(rt, "files") {
			files[fmt.Sprintf("%d.jsonl", i)] = &fstest.MapFile{Data: []byte(aSession(fmt.Sprint("s", i),
				tools.Draw(rt, "tools")...))}
		}
		draw := func(label string) *compile.Set {
			var rs []reminder.Reminder
			for i := range rapid.IntRange(0, 4).Draw(rt, label) {
				rs = append(rs, reminder.Reminder{
					ID: fmt.Sprint("r", i), Mode: rapid.SampledFrom([]reminder.Mode{reminder.When, reminder.While}).Draw(rt,
						"mode"), Text: rapid.SampledFrom([]string{"one", "another"}).Draw(rt, "text"),
					Trigger: rapid.SampledFrom([]string{"after_tool:Read", "after_tool:Edit", "turn_gt:3", "turn_gt:5",
						"always", "tool_calls > 4", "every 3 turns"}).Draw(rt, "trigger"),
					MaxFires: rapid.IntRange(0, 3).Draw(rt, "max"),
				})
			}
			return compiled(t, rs...)
		}
		a, b := draw("before"), draw("after")
		lines := difference(t, files, a, b)
		fires, want := firings(t, files, a), firings(t, files, b)
		sum := lines[len(lines)-1].Summary
		counts := [4]int{}
		for _, l := range lines[:len(lines)-1] {
			at := func(turn int, id string) string { return fmt.Sprintf("%s %d %s", l.Run, turn, id) }
			for _, f := range l.Lost {
				delete(fires, at(l.Turn, f.ID))
				counts[1]++
			}
			for _, f := range l.Gained {
				fires[at(l.Turn, f.ID)] = true
				counts[0]++
			}
			for _, m := range l.Moved {
				delete(fires, at(m.From, m.ID))
				fires[at(m.To, m.ID)] = true
				counts[2]++
				if m.From > m.To {
					counts[0]-- // what was gained earlier is what moved
				} else {
					counts[1]--
				}
			}
			counts[3] += len(l.Reworded)
			if len(l.Gained)+len(l.Lost)+len(l.Moved)+len(l.Reworded) == 0 {
				rt.Errorf("turn %d of %s: nothing is different", l.Turn, l.Run)
			}
		}
		if diff := cmp.Diff(want, fires); diff != "" {
			rt.Errorf("what comes out is not the second set:\n%s", diff)
		}
		if got := [4]int{sum.Gained, sum.Lost, sum.Moved, sum.Reworded}; got != counts ||
			sum.Fires[1]-sum.Fires[0] != sum.Gained-sum.Lost || sum.Changed != len(lines)-1 ||
			sum.Fires[1] != len(want) {
			rt.Errorf("gained, lost, moved, reworded %v, counted %v; %+v", got, counts, sum)
		}
		back := difference(t, files, b, a)
		other := back[len(back)-1].Summary
		if got, want := [4]int{other.Lost, other.Gained, other.Moved, other.Reworded}, [4]int{sum.Gained, sum.Lost,
			sum.Moved, sum.Reworded}; got != want || other.Changed != sum.Changed {
			rt.Errorf("the other way round: %v and %d turns, want %v and %d", got, other.Changed, want, sum.Changed)
		}
	})
}

func difference(t testing.TB, files fstest.MapFS, a, b *compile.Set) (lines []diffLine) {
	t.Helper()
	out, _, err := run(t, replay.Options{Files: files, Paths: []string{"."}, Set: a, Against: b, JSON: true})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		var l diffLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if lines[len(lines)-1].Summary == nil {
		t.Fatal("there is no summary")
	}
	return lines
}
