package firing_test

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// unknown is an input that reports nothing.
func unknown(at time.Time) firing.Input {
	return firing.Input{At: at, UserMessage: fact.Unknown, Compacted: fact.Unknown, Resumed: fact.Unknown,
		Failed: fact.Unknown}
}

func matches(pattern string) func(string) bool {
	return func(tool string) bool { ok, _ := path.Match(pattern, tool); return ok }
}

// named are calls of which the host tells no more than the tool.
func named(tools ...string) []fact.Call {
	calls := make([]fact.Call, len(tools))
	for i, name := range tools {
		calls[i].Tool = name
	}
	return calls
}

// names is a call pattern on the names of tools.
type names string

func (p names) String() string { return string(p) }
func (p names) Subject() bool  { return false }
func (p names) Match(c *fact.Call, _ fact.Place) fact.Truth {
	return fact.Of(matches(string(p))(c.Tool))
}

// command is a call pattern of a tool and a command, Bash:ls.
type command string

func (p command) String() string { return string(p) }
func (p command) Subject() bool  { return true }
func (p command) Match(c *fact.Call, _ fact.Place) fact.Truth {
	tool, line, _ := strings.Cut(string(p), ":")
	switch {
	case c.Tool != tool:
		return fact.False
	case !c.Told:
		return fact.Unknown
	}
	return fact.Of(c.Command == line)
}

func chain(s string) []func(string) bool {
	var c []func(string) bool
	for p := range strings.SplitSeq(s, ">") {
		c = append(c, matches(p))
	}
	return c
}

// seen steps with no rules and returns the run in the view of a trigger.
func seen(t *testing.T, prev *state.Snapshot, in firing.Input) (*state.Snapshot, *firing.Run) {
	t.Helper()
	var run *firing.Run
	in.Judge = func(r *firing.Run) (trigger, rearm []fact.Truth) {
		run = r
		return nil, nil
	}
	next, _, err := firing.Step(prev, firing.NewRules(nil), in)
	if err != nil {
		t.Fatal(err)
	}
	return next, run
}

func says[T any](v T, ok bool) string {
	if !ok {
		return "unknown"
	}
	return fmt.Sprint(v)
}

func TestRunCounts(t *testing.T) {
	t.Parallel()
	steps := []struct {
		name string
		in   func(in *firing.Input)
		want string // turn; user turns; output tokens; tool calls; failures in a row; elapsed; idle
	}{
		{"nothing is known", func(*firing.Input) {}, "1; unknown; unknown; unknown; unknown; 0s; unknown"},
		{"no user message is zero", func(in *firing.Input) { in.UserMessage = fact.False },
			"2; 0; unknown; unknown; unknown; 10s; 10s"},
		{"a user turn", func(in *firing.Input) { in.UserMessage = fact.True },
			"3; 1; unknown; unknown; unknown; 20s; 10s"},
		{"tokens", func(in *firing.Input) { in.ResponseTokens, in.ResponseKnown = 7, true },
			"4; 1; 7; unknown; unknown; 30s; 10s"},
		{"tokens that are not known", func(in *firing.Input) { in.ResponseTokens = 7 },
			"5; 1; 7; unknown; unknown; 40s; 10s"},
		{"tokens below zero", func(in *firing.Input) { in.ResponseTokens, in.ResponseKnown = -7, true },
			"6; 1; 7; unknown; unknown; 50s; 10s"},
		{"no tools", func(in *firing.Input) { in.ToolsKnown = true }, "7; 1; 7; 0; unknown; 1m0s; 10s"},
		{"tools that are not known", func(in *firing.Input) { in.Calls = named("A") },
			"8; 1; 7; 0; unknown; 1m10s; 10s"},
		{"a batch", func(in *firing.Input) { in.Calls, in.ToolsKnown = named("A", "B", "A"), true },
			"9; 1; 7; 3; unknown; 1m20s; 10s"},
		{"a failure", func(in *firing.Input) { in.Failed = fact.True }, "10; 1; 7; 3; 1; 1m30s; 10s"},
		{"it is not known whether one failed", func(*firing.Input) {}, "11; 1; 7; 3; unknown; 1m40s; 10s"},
		{"another failure", func(in *firing.Input) { in.Failed = fact.True }, "12; 1; 7; 3; 2; 1m50s; 10s"},
		{"none", func(in *firing.Input) { in.Failed = fact.False }, "13; 1; 7; 3; 0; 2m0s; 10s"},
		{"the clock goes back", func(in *firing.Input) { in.At = start.Add(time.Second) },
			"14; 1; 7; 3; unknown; 2m0s; 0s"},
		{"and goes on", func(in *firing.Input) { in.At = start.Add(time.Minute) },
			"15; 1; 7; 3; unknown; 2m0s; 59s"},
		{"as far as tokens go", func(in *firing.Input) { in.ResponseTokens, in.ResponseKnown = 1<<62, true },
			"16; 1; 9007199254740992; 3; unknown; 2m30s; 1m30s"},
		{"the host's own count", func(in *firing.Input) {
			in.OutputTokens, in.OutputKnown, in.ResponseTokens, in.ResponseKnown = 500, true, 7, true
		}, "17; 1; 500; 3; unknown; 2m40s; 10s"},
		{"which is gone on from", func(in *firing.Input) { in.ResponseTokens, in.ResponseKnown = 7, true },
			"18; 1; 507; 3; unknown; 2m50s; 10s"},
	}
	var snap *state.Snapshot
	for i, st := range steps {
		in := unknown(start.Add(time.Duration(i) * 10 * time.Second))
		st.in(&in)
		var run *firing.Run
		snap, run = seen(t, snap, in)
		again, err := state.Decode(snap.Encode())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*firing.Run{run, snap.Run(), again.Run()} {
			now := r.Now()
			got := strings.Join([]string{
				fmt.Sprint(now.Turn), says(now.UserTurn, now.UserTurnOK), says(now.OutputTokens, now.OutputOK),
				says(r.ToolCalls()), says(r.FailuresInRow()), fmt.Sprint(r.Elapsed()), says(r.Idle()),
			}, "; ")
			if got != st.want {
				t.Errorf("%s: %s, want %s", st.name, got, st.want)
			}
			if !now.At.Equal(in.At) {
				t.Errorf("%s: it is %v, want %v", st.name, now.At, in.At)
			}
		}
	}
}

func TestRunTools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		batches string // turns by ";", calls by ","
		match   string
		count   int
		since   string
	}{
		{"never", ";;", "A", 0, "unknown"},
		{"on this turn", ";A", "A", 1, "1"},
		{"on the turn before", "A;B", "A", 1, "2"},
		{"twice in a batch", "A,A;;", "A", 2, "3"},
		{"wildcard", "mcp__a;mcp__b;C", "mcp__*", 2, "2"},
		{"any", "A;B,C", "*", 3, "1"},
		{"another case", "a", "A", 0, "unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, run := batches(t, tt.batches)
			if got := says(run.CallCount(names(tt.match))); got != fmt.Sprint(tt.count) {
				t.Errorf("CallCount = %s, want %d", got, tt.count)
			}
			if got := says(run.TurnsSinceCall(names(tt.match))); got != tt.since {
				t.Errorf("TurnsSinceCall = %s, want %s", got, tt.since)
			}
		})
	}
}

// TestRunToolsLate: the turn of a call is right also in a run of more turns than 32 bits can count.
func TestRunToolsLate(t *testing.T) {
	t.Parallel()
	snap, err := state.Decode(
		envelope(`{"clock":{"first":1767225600000,"high":1767225600000,"last":1767225600000,` +
			`"prev":1767225600000},"decision":{},"turn":4294967299}`))
	if err != nil {
		t.Fatal(err)
	}
	in := unknown(start)
	in.ToolsKnown, in.Calls = true, named("A")
	snap, _ = seen(t, snap, in)
	in.Calls = nil
	snap, _ = seen(t, snap, in)
	_, run := seen(t, snap, in)
	if got := says(run.TurnsSinceCall(names("A"))); got != "3" {
		t.Errorf("TurnsSinceCall = %s, want 3", got)
	}
	if raw := string(snap.Encode()); !strings.Contains(raw, `"name":"A","seq":1,"turn":4294967300}`) {
		t.Error(raw)
	}
}

func batches(t *testing.T, turns string) (snap *state.Snapshot, run *firing.Run) {
	t.Helper()
	for batch := range strings.SplitSeq(turns, ";") {
		in := unknown(start)
		in.ToolsKnown = true
		if batch != "" {
			in.Calls = named(strings.Split(batch, ",")...)
		}
		snap, run = seen(t, snap, in)
	}
	return snap, run
}

func TestRunChainRepeats(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("A,B;", 200)
	tests := []struct {
		calls, chain string
		want         int
	}{
		{"", "A", 0},
		{"A,B,A,B", "A>B", 2},
		{"A;B;A;B", "A>B", 2},
		{"A,B,A,B;;", "A>B", 2},
		{"A,B,C,A,B", "A>B", 1},
		{"A,B,A,B,A", "A>B", 0},
		{"B,A,B", "A>B", 1},
		{"A,A,A", "A", 3},
		{"A,A,A", "A>A", 1},
		{"mcp__x,mcp__y", "mcp__*", 2},
		{"A", "A>B", 0},
		{many, "A>B", fact.ChainMemory / 2},
		{many, "B", 1},
	}
	for _, tt := range tests {
		_, run := batches(t, tt.calls)
		if got := says(run.ChainRepeats(chain(tt.chain))); got != fmt.Sprint(tt.want) {
			t.Errorf("%.20s: ChainRepeats(%s) = %s, want %d", tt.calls, tt.chain, got, tt.want)
		}
	}
	if _, run := batches(t, "A"); says(run.ChainRepeats(nil)) != "0" {
		t.Error("a chain of nothing is repeated")
	}
	if _, run := batches(t, many); says(run.CallCount(names("*"))) != "400" {
		t.Error("calls are forgotten")
	}
}

// TestRunLastFire: a turn's own firings are not visible on it, neither while it is judged nor when it is
// explained later.
func TestRunLastFire(t *testing.T) {
	t.Parallel()
	rules := firing.NewRules([]reminder.Reminder{{ID: "a", Trigger: "v", Mode: reminder.While},
		{ID: "hand", Trigger: "v"}})
	var snap *state.Snapshot
	want := []int{0, 1, 2, 2, 2, 5} // the turn of the last firing, as seen on turns 1 to 6
	for i, w := range want {
		in := unknown(start)
		in.UserMessage = fact.True
		in.Remind = []string{"hand"}
		in.Render = func(int) (string, error) { return "text", nil }
		see := func(r *firing.Run) {
			t.Helper()
			if at, ok := r.LastFire("a"); at.Turn != w || ok != (w > 0) || at.UserTurn != w {
				t.Errorf("turn %d: last fired on %+v, %v, want turn %d", i+1, at, ok, w)
			}
			if _, ok := r.LastFire("hand"); ok {
				t.Errorf("turn %d: a fire by hand counts", i+1)
			}
		}
		in.Judge = func(r *firing.Run) (trigger, rearm []fact.Truth) {
			see(r)
			return []fact.Truth{fact.Of(!slices.Contains([]int{3, 4}, i+1)), fact.False}, nil
		}
		next, _, err := firing.Step(snap, rules, in)
		if err != nil {
			t.Fatal(err)
		}
		again, err := state.Decode(next.Encode())
		if err != nil {
			t.Fatal(err)
		}
		see(next.Run())
		see(again.Run())
		if has := bytes.Contains(next.Encode(), []byte(`"before"`)); has != slices.Contains([]int{2, 5, 6}, i+1) {
			t.Errorf("turn %d: the firing before the last one is in the snapshot: %v", i+1, has)
		}
		snap = next
	}
}

// TestBranches: two turns that follow the same snapshot do not see each other's calls.
func TestBranches(t *testing.T) {
	t.Parallel()
	call := func(prev *state.Snapshot, names ...string) *state.Snapshot {
		in := firing.Input{Calls: named(names...), ToolsKnown: true}
		next, _, err := firing.Step(prev, firing.NewRules(nil), in)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	var s *state.Snapshot
	for i := range 40 {
		one := call(s, fmt.Sprint("one", i), "tool")
		want := one.Encode()
		other := call(s, fmt.Sprint("other", i), "tool", "tool")
		if !bytes.Equal(one.Encode(), want) {
			t.Fatalf("after %d turns one branch reads\n%s, before the other\n%s", i, one.Encode(), want)
		}
		if s = one; i%2 == 0 {
			s = other
		}
	}
}
