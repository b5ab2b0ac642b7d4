package trigger_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/test/cases"
)

// TestNeedsOfTruth holds that a trigger that has not come to a truth always needs something for it, and that
// what needs nothing has come to it.
func TestNeedsOfTruth(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	rapid.Check(t, func(t *rapid.T) {
		src := cases.Trigger(t, 3)
		p := mustCompile(t, src, s)
		for range 10 {
			f := cases.Frame(t, s)
			truth := p.Eval(f)
			for _, want := range []fact.Truth{fact.False, fact.True} {
				n := p.Needs(f, want)
				if truth != want && n.IsZero() {
					t.Fatalf("%s\nis %v and needs nothing to be %v", src, truth, want)
				}
				sound(t, src, truth == want, n)
			}
		}
	})
}

// TestSurvey holds that a survey asks for nothing if and only if the trigger was true on one of its turns.
func TestSurvey(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	rapid.Check(t, func(t *rapid.T) {
		src := cases.Trigger(t, 3)
		p := mustCompile(t, src, s)
		survey, fired := p.Survey(), false
		for range 4 {
			f := cases.Frame(t, s)
			at, _ := f.Moment()
			survey.Add(f)
			fired = fired || at == p.Moment() && p.Eval(f) == fact.True
		}
		n := survey.Need()
		if fired != n.IsZero() {
			t.Fatalf("%s\nwas true: %t, and needs %v", src, fired, n)
		}
		sound(t, src, fired, n)
	})
}

// sound holds what is true of every need: one condition or several, a condition that can be read, and none
// that cannot hold any more beside others that can.
func sound(t *rapid.T, src string, is bool, n trigger.Need) {
	t.Helper()
	switch {
	case n.IsZero():
	case (n.Text != "") == (len(n.Parts) > 0) || len(n.Parts) == 1:
		t.Fatalf("%s\nneeds %+v", src, n)
	case is && n.Never:
		t.Fatalf("%s\nis so, and needs what cannot be: %+v", src, n)
	}
	for _, q := range n.Parts {
		if q.Never || q.IsZero() {
			t.Fatalf("%s\nneeds %+v", src, n)
		}
		sound(t, src, false, q)
	}
}

// TestNeedsNever holds that what is said to be impossible stays so while counters grow.
func TestNeedsNever(t *testing.T) {
	t.Parallel()
	s := cases.Schema()
	for _, c := range []struct {
		trigger string
		want    fact.Truth
		never   bool
	}{
		{"turn_count < 10", fact.True, true},
		{"turn_count <= 9", fact.True, true},
		{"turn_count <= 10", fact.False, false},
		{"turn_count == 9", fact.True, true},
		{"turn_count == 10", fact.False, false},
		{"turn_count != 9", fact.False, true},
		{"turn_count >= 10", fact.False, true},
		{"turn_count > 9", fact.False, true},
		{"turn_count > 10", fact.True, false},
		{"turn_count > 10", fact.False, false},
		{"turn_gt:9", fact.False, true},
		{"message_count < 10", fact.True, false}, // not a counter
		{"elapsed < 1s", fact.True, false},       // a clock may go back
		{"never", fact.True, true},
		{"always", fact.False, true},
		{"turn_count < 10 or message_count < 10", fact.True, false},
		{"turn_count < 10 and message_count < 10", fact.True, true},
		{"not (turn_count >= 10 and message_count >= 10)", fact.True, false},
	} {
		p := mustCompile(t, c.trigger, s)
		f := s.NewFrame()
		f.SetInt(fact.TurnCount, 10)
		f.SetInt(fact.MessageCount, 10)
		f.SetDuration(fact.Elapsed, 1e10)
		if got := p.Needs(f, c.want); got.Never != c.never {
			t.Errorf("%s, to be %v: %+v", c.trigger, c.want, got)
		}
		for n := int64(10); c.never && n < 30; n++ {
			f.SetInt(fact.TurnCount, n)
			for m := range int64(20) {
				if f.SetInt(fact.MessageCount, m); p.Eval(f) == c.want {
					t.Errorf("%s is %v at turn %d, and was to be so never", c.trigger, c.want, n)
				}
			}
		}
	}
}

func TestNeedString(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	f.SetRatio(fact.ContextUsage, 0.5)
	for trigger, want := range map[string]string{
		"context_usage > 75%": "context_usage > 75% (now 50%)",
		"context_usage > 75% and (user_message or message_count > 3)": "context_usage > 75% (now 50%) and " +
			"(user_message (which this host has not told) or message_count > 3 (needs message_count, " +
			"which this host " +
			"has not told))",
		"context_usage > 75% or (context_usage > 60% or idle > 5m)": "context_usage > 75% (now 50%) or " +
			"context_usage > 60% (now 50%) or idle > 5m (now unknown on the first turn)",
		"context_usage in [75%, 80%]": "context_usage in [75%, 80%] (now 50%)",
		"not (context_usage < 75%) and not (context_usage in [50%, 0.75])": "context_usage >= 75% (now " +
			"50%) and " +
			"context_usage not in [50%, 0.75] (now 50%)",
		"context_usage * 100 > 75": "context_usage * 100 > 75 (now " +
			"context_usage is 50%)",
		"not (context_usage * 100 > 20)": "context_usage * 100 <= 20 (now " +
			"context_usage is 50%)",
		`not prompt contains "x"`:  `prompt not contains "x" (needs prompt, which this host has not told)`,
		`not path endsWith ".go"`:  `path not endsWith ".go" (needs path, which this host has not told)`,
		`not 2 < turns_since("r")`: `turns_since("r") <= 2 (now turns_since("r") is unknown)`,
		"context_usage > 40%":      "",
	} {
		if got := mustCompile(t, trigger, nil).Needs(f, fact.True).String(); got != want {
			t.Errorf("%s\nneeds %s\nwant  %s", trigger, got, want)
		}
	}
}

// TestNeedOfDuration holds that a duration is told roughly, but never as if it had reached a limit that it
// has not.
func TestNeedOfDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		975 * time.Microsecond:        "0s",
		250*time.Millisecond + 999999: "250ms",
		90 * time.Second:              "1m30s",
		time.Hour - 1:                 "59m59s",
		30 * time.Minute:              "30m",
	} {
		f := fact.Builtin().NewFrame()
		f.SetDuration(fact.Idle, d)
		if got := mustCompile(t, "idle > 1h", nil).Needs(f, fact.True).Now; got != want {
			t.Errorf("%v is told as %q, want %q", d, got, want)
		}
	}
}

// TestNeedShort: a need names three of many alternatives, and the beginning of a long condition.
func TestNeedShort(t *testing.T) {
	t.Parallel()
	need := trigger.Need{Any: true}
	for _, text := range []string{"a", "b", "c", "d"} {
		need.Parts = append(need.Parts, trigger.Need{Text: text})
	}
	if got := need.String(); got != "a or b or c or d" {
		t.Error(got)
	}
	need.Parts = append(need.Parts, trigger.Need{Text: strings.Repeat("e", 500)})
	if got := need.String(); got != "a or b or c or 2 others" {
		t.Error(got)
	}
	if got := need.Parts[4].String(); len(got) > 110 || !strings.HasSuffix(got, "…") {
		t.Error(got)
	}
}
