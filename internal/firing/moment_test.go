package firing_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// TestMoments holds the moments beside the turn to LANGUAGE.md §4: they fire each time, hold a call back once
// in a user turn, stop the end of the work once in it, and move nothing that turns move.
func TestMoments(t *testing.T) {
	t.Parallel()
	rules := []reminder.Reminder{
		{ID: "each", Trigger: "a"},
		{ID: "pause", Trigger: "b", Pause: true},
		{ID: "safe", Trigger: "c", MaxFires: 2},
		{ID: "turn", Trigger: "d", Mode: reminder.While, Cooldown: reminder.Span{Turns: 2}},
	}
	push := &fact.Call{Tool: "Bash", Command: "git push", Told: true}
	pull := &fact.Call{Tool: "Bash", Command: "git pull", Told: true}
	untold := &fact.Call{Tool: "Bash"}
	steps := []struct {
		name   string
		moment fact.Moment
		call   *fact.Call
		user   bool
		truths string // ids of rules whose trigger is true; the others are unknown
		silent bool
		want   string
		paused string
	}{
		{"a message", fact.Turn, nil, true, "turn", false, "fired:turn", "[]"},
		{"a call", fact.BeforeTool, push, false, "each pause safe", false, "fired:each,pause,safe", "[pause]"},
		{"the call again, in the same answer", fact.BeforeTool, push, false, "each pause safe", false,
			"fired:each,pause,safe", "[pause]"},
		{"a call without a subject", fact.BeforeTool, untold, false, "pause", false, "fired:pause", "[pause]"},
		{"which is like all others", fact.BeforeTool, untold, false, "pause", false, "fired:pause", "[pause]"},
		{"a third one in this user turn", fact.BeforeTool, pull, false, "each pause safe", false,
			"fired:each held:pause=answered,safe=max_fires", "[]"},
		{"a turn, and the cooldown stands", fact.Turn, nil, false, "turn", false,
			"held:turn=cooldown/1_turn", "[]"},
		{"the call once more", fact.BeforeTool, push, false, "pause", false, "held:pause=answered", "[]"},
		{"the end", fact.Stopping, nil, false, "each", false, "fired:each", "[]"},
		{"the end again", fact.Stopping, nil, false, "each", false, "held:each=answered", "[]"},
		{"the next message", fact.Turn, nil, true, "turn", false, "fired:turn", "[]"},
		{"the call in it, to which the message agrees", fact.BeforeTool, push, false, "pause", false,
			"held:pause=answered", "[]"},
		{"another call in it", fact.BeforeTool, pull, false, "pause", false, "fired:pause", "[pause]"},
		{"a message", fact.Turn, nil, true, "", false, "", "[]"},
		{"the call after it", fact.BeforeTool, push, false, "pause", false, "fired:pause", "[pause]"},
		{"nothing can carry it", fact.Stopping, nil, false, "each", true, "fired:each due:", "[]"},
		{"so it waits for a turn", fact.Turn, nil, false, "", false, "due:each*", "[]"},
	}
	set := firing.NewRules(rules)
	var snap *state.Snapshot
	for _, s := range steps {
		tu := turn{at: start, user: fact.Of(s.user), silent: s.silent, trigger: map[string]fact.Truth{},
			text: map[string]string{}}
		for i, r := range rules {
			tu.text[r.ID] = fmt.Sprint("text ", i)
			if bytes.Contains([]byte(s.truths), []byte(r.ID)) {
				tu.trigger[r.ID] = fact.True
			}
		}
		in := tu.input(rules, reminder.ByPriority, reminder.Budget{})
		in.Moment, in.Call = s.moment, s.call
		next, d, err := firing.Step(snap, set, in)
		if err != nil {
			t.Fatal(err)
		}
		if got := short(d); got != s.want || fmt.Sprint(d.Paused) != s.paused {
			t.Errorf("%s: %s, paused %v, want %s, paused %s", s.name, got, d.Paused, s.want, s.paused)
		}
		b := next.Encode()
		if bytes.Contains(b, []byte("git")) {
			t.Errorf("%s: the snapshot holds a command: %s", s.name, b)
		}
		if s.moment != fact.Turn && next.Turn() != snap.Turn() {
			t.Errorf("%s: a moment counts as a turn", s.name)
		}
		if snap, err = state.Decode(b); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
	}
}

// TestMomentFirst: a moment before the first turn of a run decides, too, and counts for cooldowns.
func TestMomentFirst(t *testing.T) {
	t.Parallel()
	for left, cooldown := range map[string]reminder.Span{"1_turn": {Turns: 1}, "3m0s": {Time: 3 * time.Minute}} {
		rules := []reminder.Reminder{{ID: "a", Trigger: "a", Cooldown: cooldown}}
		var snap *state.Snapshot
		for i, want := range []string{"fired:a", "held:a=cooldown/" + left} {
			in := turn{at: start, trigger: map[string]fact.Truth{"a": fact.True}, text: map[string]string{"a": "x"}}.
				input(rules, reminder.ByPriority, reminder.Budget{})
			in.Moment = fact.BeforeTool
			next, d, err := firing.Step(snap, firing.NewRules(rules), in)
			if err != nil || short(d) != want {
				t.Fatalf("moment %d: %s, %v, want %s", i, short(d), err, want)
			}
			if snap, err = state.Decode(next.Encode()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestPatterns holds what a run knows of its calls by pattern.
func TestPatterns(t *testing.T) {
	t.Parallel()
	sh := func(line string) fact.Call { return fact.Call{Tool: "Bash", Command: line, Told: true} }
	untold := fact.Call{Tool: "Bash"}
	type batch struct {
		calls []fact.Call
		told  bool
	}
	know := func(calls ...fact.Call) batch { return batch{calls, true} }
	for _, tt := range []struct {
		name    string
		batches []batch
		want    string // calls, turns since, called since an Edit
	}{
		{"names alone", []batch{{named("Bash"), false}}, "unknown unknown unknown"},
		{"none yet", []batch{know()}, "0 unknown true"},
		{"one", []batch{know(sh("ls"), sh("cd"))}, "1 1 true"},
		{"one, two turns ago", []batch{know(sh("ls")), know(sh("cd"))}, "1 2 true"},
		{"an edit behind it", []batch{know(sh("ls")), know(named("Edit")...)}, "1 2 false"},
		{"an edit behind it in the batch", []batch{know(sh("ls"), named("Edit")[0])}, "1 1 false"},
		{"an edit before it in the batch", []batch{know(named("Edit")[0], sh("ls"))}, "1 1 true"},
		{"one that was not told", []batch{know(sh("ls")), know(untold)}, "unknown unknown unknown"},
		{"another tool that was not told", []batch{know(sh("ls")), know(named("Read")...)}, "1 2 true"},
		{"names after calls", []batch{know(sh("ls")), {named("Bash"), false}}, "unknown unknown unknown"},
		{"many", []batch{know(sh("ls"), sh("ls"), sh("ls")), know(sh("ls")), know(named("Edit")...),
			know(sh("ls"))}, "5 1 true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pattern := command("Bash:ls")
			set := firing.NewRules(nil, pattern)
			var snap *state.Snapshot
			for _, b := range tt.batches {
				in := unknown(start)
				in.Calls, in.ToolsKnown, in.CallsTold = b.calls, true, b.told
				next, _, err := firing.Step(snap, set, in)
				if err != nil {
					t.Fatal(err)
				}
				if snap, err = state.Decode(next.Encode()); err != nil {
					t.Fatal(err)
				}
			}
			run := snap.Run()
			got := says(run.CallCount(pattern)) + " " + says(run.TurnsSinceCall(pattern)) + " " +
				run.CalledSince(pattern, names("Edit")).String()
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestPatternJoins: a pattern counts from the moment a set with it was first loaded, and goes on counting
// after the set was away.
func TestPatternJoins(t *testing.T) {
	t.Parallel()
	pattern := command("Bash:ls")
	with, without := firing.NewRules(nil, pattern), firing.NewRules(nil)
	var snap *state.Snapshot
	for i, set := range []*firing.Rules{without, with, without, with} {
		in := unknown(start)
		in.Calls = []fact.Call{{Tool: "Bash", Command: "ls", Told: true}}
		in.ToolsKnown, in.CallsTold = true, true
		in.Pattern = func(text string) fact.Pattern { return command(text) }
		var err error
		if snap, _, err = firing.Step(snap, set, in); err != nil {
			t.Fatal(err)
		}
		if snap, err = state.Decode(snap.Encode()); err != nil {
			t.Fatal(err)
		}
		want := []string{"unknown", "1", "2", "3"}[i]
		if got := says(snap.Run().CallCount(pattern)); got != want {
			t.Errorf("after turn %d: %s, want %s", i+1, got, want)
		}
	}
}

// TestClasses: a run tells the tools of a class, whatever their names are.
func TestClasses(t *testing.T) {
	t.Parallel()
	in := unknown(start)
	in.Calls = []fact.Call{{Tool: "run", Class: fact.Shell}, {Tool: "run"}}
	in.ToolsKnown = true
	_, run := seen(t, nil, in)
	if n, ok := run.CallCount(class(fact.Shell)); n != 1 || !ok {
		t.Errorf("%d calls of the class, %v, want 1", n, ok)
	}
	if run.ToolClass("run") != fact.NoClass || run.ToolClass("other") != fact.NoClass {
		t.Error("the latest class of a tool counts")
	}
}

// class is a call pattern on a class.
type class fact.Class

func (p class) String() string { return "@" + string(p) }
func (p class) Subject() bool  { return false }
func (p class) Match(c *fact.Call, _ fact.Place) fact.Truth {
	return fact.Of(c.Class == fact.Class(p))
}
