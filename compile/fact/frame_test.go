package fact_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
)

func TestFrameBeginsUnknown(t *testing.T) {
	t.Parallel()
	s := fact.Builtin()
	f := s.NewFrame()
	check := func() {
		t.Helper()
		for i := range s.Len() {
			id := fact.ID(i)
			if f.Known(id) || f.Value(id) != nil || f.Truth(id) != fact.Unknown || !math.IsNaN(f.Num(id)) {
				t.Errorf("%s is known: %v", s.Fact(id).Name, f.Value(id))
			}
			if members, _ := f.Set(id); members != nil {
				t.Errorf("%s has members: %q", s.Fact(id).Name, members)
			}
		}
		if _, ok := f.Failed(); ok || f.History() != nil || f.Self() != "" {
			t.Error("something of the past is there")
		}
	}
	check()
	f.SetBool(fact.Resumed, true)
	f.SetInt(fact.TurnCount, 3)
	f.SetText(fact.Prompt, "")
	f.SetSet(fact.ToolUsed, nil)
	f.SetFailed([]string{"Edit"})
	f.SetSelf("r")
	if !f.Known(fact.Prompt) || !f.Known(fact.ToolUsed) || f.Truth(fact.Resumed) != fact.True {
		t.Error("what was set is unknown")
	}
	f.Reset()
	check()
	// Of each set some members are told, so that it is not known.
	f.SetCalls([]fact.Call{{Class: fact.Shell, Command: "ls", Told: true, Output: "o", OutputTold: true},
		{Class: fact.Edit, Paths: []string{"p"}, Told: true, Written: []string{"w"}},
		{Class: fact.Shell, Unsaid: true}})
	f.Reset()
	check()
}

func TestSetValue(t *testing.T) {
	t.Parallel()
	s, err := fact.NewSchema(fact.Fact{Name: "vars.n", Type: fact.Int})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		fact string
		v    any
		want any // nil stands for an error
	}{
		"bool": {"resumed", true, true}, "false": {"resumed", false, false},
		"int": {"turn_count", 3, int64(3)}, "int64": {"turn_count", int64(3), int64(3)}, "int32": {"turn_count",
			int32(3), int64(3)},
		"int16": {"turn_count", int16(3), int64(3)}, "int8": {"turn_count", int8(3),
			int64(3)}, "uint": {"turn_count", uint(3), int64(3)},
		"uint64": {"turn_count", uint64(3), int64(3)}, "uint32": {"turn_count", uint32(3),
			int64(3)}, "uint16": {"turn_count", uint16(3), int64(3)},
		"uint8": {"turn_count", uint8(3), int64(3)}, "float32": {"context_usage", float32(0.5),
			0.5}, "whole float": {"turn_count", 3.0, int64(3)},
		"negative": {"vars.n", -3, int64(-3)}, "largest": {"turn_count", int64(fact.MaxInt), int64(fact.MaxInt)},
		"ratio": {"context_usage", 0.5, 0.5}, "ratio 0": {"context_usage", 0,
			0.0}, "above 1": {"context_usage", 1.5, 1.5},
		"duration": {"idle", time.Minute, time.Minute}, "duration text": {"idle", "1m30s", 90 * time.Second},
		"duration with days": {"idle", "2d", 48 * time.Hour},
		"days and hours":     {"idle", "1d12h", 36 * time.Hour}, "negative days": {"idle", "-1d1h",
			-25 * time.Hour},
		"most days": {"idle", "106751d", 106751 * 24 * time.Hour}, "too many days": {"idle", "106752d", nil},
		"days behind": {"idle", "12h1d", 36 * time.Hour}, "half a day": {"idle", "1.5d", 36 * time.Hour},
		"a d":       {"idle", "d", nil},
		"two signs": {"idle", "1d-1h", nil}, "a plus": {"idle", "1d+1h", nil}, "no unit": {"idle", "1d1", nil},
		"string": {"prompt", "x", "x"}, "empty string": {"prompt", "", ""},
		"set": {"tool_used", []string{"a"}, []string{"a"}}, "any set": {"tool_used", []any{"a", "b"},
			[]string{"a", "b"}}, "empty set": {"tool_used", []any{}, []string{}},

		"bool of int": {"resumed", 1, nil}, "bool of string": {"resumed", "true", nil}, "fraction": {"turn_count",
			3.5, nil}, "NaN": {"turn_count", math.NaN(), nil},
		"infinite": {"turn_count", math.Inf(1), nil}, "too large": {"turn_count", int64(fact.MaxInt) + 2,
			nil}, "int of string": {"turn_count", "3", nil},
		"int of bool": {"turn_count", true, nil}, "negative ratio": {"context_usage", -0.1,
			nil}, "NaN ratio": {"context_usage", math.NaN(), nil},
		"infinite ratio": {"context_usage", math.Inf(1), nil}, "minus infinite": {"context_usage", math.Inf(-1),
			nil}, "ratio of string": {"context_usage", "50%", nil},
		"duration of int": {"idle", 5, nil}, "no duration": {"idle", "5", nil}, "string of int": {"prompt", 5,
			nil}, "set of string": {"tool_used", "a", nil},
		"set of ints": {"tool_used", []any{"a", 1}, nil}, "string of set": {"prompt", []string{"a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := s.NewFrame()
			ft, _ := s.Lookup(c.fact)
			err := f.SetValue(c.fact, c.v)
			if (err == nil) != (c.want != nil) {
				t.Fatalf("%s = %v: %v", c.fact, c.v, err)
			}
			if diff := cmp.Diff(c.want, f.Value(ft.ID)); diff != "" {
				t.Error(diff)
			}
			if err != nil && !strings.Contains(err.Error(), c.fact) {
				t.Errorf("%q does not name the fact", err)
			}
		})
	}
}

func TestSetValueNames(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	var unknown *fact.UnknownError
	if err := f.SetValue("vars.nope", 3); !errors.As(err, &unknown) || unknown.Name != "vars.nope" {
		t.Errorf("an unknown name: %v", err)
	}
	f.SetInt(fact.TurnCount, 3)
	if err := f.SetValue("turn_count", nil); err != nil || f.Num(fact.TurnCount) != 3 {
		t.Errorf("nil: %v, %v", err, f.Num(fact.TurnCount))
	}
	if err := f.SetValue(fact.FailedTools, []any{"Edit"}); err != nil {
		t.Error(err)
	}
	if got, ok := f.Failed(); !ok || len(got) != 1 || got[0] != "Edit" {
		t.Errorf("failed: %v, %v", got, ok)
	}
	if err := f.SetValue(fact.FailedTools, "Edit"); err == nil {
		t.Error("one tool is taken for a list")
	}
	if err := f.SetValue(fact.FailedTools, nil); err != nil {
		t.Error(err)
	}
}

// TestSetValueCalls: calls are known with all that follows from them, tools with their classes alone.
func TestSetValueCalls(t *testing.T) {
	t.Parallel()
	calls := []fact.Call{{Tool: "Bash", Class: fact.Shell, Command: "ls", Told: true, Failed: fact.True}}
	f := fact.Builtin().NewFrame()
	if err := f.SetValue("calls", calls); err != nil {
		t.Fatal(err)
	}
	if got := f.Value(fact.Command); !cmp.Equal(got, []string{"ls"}) ||
		f.Truth(fact.LastToolCallFailed) != fact.True {
		t.Errorf("command %v, failed %v", got, f.Truth(fact.LastToolCallFailed))
	}
	f.Reset()
	if err := f.SetValue("tool_used", calls); err != nil {
		t.Fatal(err)
	}
	if batch, known := f.Batch(); !known || !cmp.Equal(batch, calls) || f.Known(fact.CallList) ||
		f.Known(fact.Command) {
		t.Errorf("tools alone: %v, %v; calls known: %v", batch, known, f.Known(fact.CallList))
	}
	for _, name := range []string{"path", "prompt"} {
		if err := f.SetValue(name, calls); err == nil {
			t.Errorf("calls are taken for %s", name)
		}
	}
}

// TestCutOutput: a text keeps its beginning and its end, whole runes of each.
func TestCutOutput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want int
	}{
		"at the limit":       {strings.Repeat("x", 2*fact.OutputHead), 2 * fact.OutputHead},
		"one past it":        {strings.Repeat("x", 2*fact.OutputHead+1), 2*fact.OutputHead + 1},
		"runes at both cuts": {"x" + strings.Repeat("€", fact.OutputHead), 2*fact.OutputHead - 2},
	} {
		got := fact.CutOutput(c.in)
		if again := fact.CutOutput(got); again != got {
			t.Errorf("%s: a second cut makes %d bytes of %d", name, len(again), len(got))
		}
		if !utf8.ValidString(got) || got[:9] != c.in[:9] || got[len(got)-9:] != c.in[len(c.in)-9:] ||
			len(got) != c.want {
			t.Errorf("%s: %d bytes, want %d; valid: %v", name, len(got), c.want, utf8.ValidString(got))
		}
	}
}

func TestSetIntIsCut(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	for v, want := range map[int64]int64{math.MaxInt64: fact.MaxInt, math.MinInt64: -fact.MaxInt, 5: 5} {
		f.SetInt(fact.TurnCount, v)
		if got := f.Value(fact.TurnCount); got != want {
			t.Errorf("%d became %v", v, got)
		}
	}
}

// TestLack: a text that is absent is gone from the frame, and comes back.
func TestLack(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	f.SetText(fact.Prompt, "p")
	for _, c := range []struct {
		absent fact.Texts
		prompt string
		known  bool
	}{{0, "p", true}, {fact.PromptText, "", false}, {fact.ResponseText, "p", true}, {fact.AllTexts, "", false},
		{fact.PromptText, "", false}, {0, "p", true}} {
		f.Lack(c.absent)
		text, known := f.Text(fact.Prompt)
		if text != c.prompt || known != c.known || f.Known(fact.Response) || f.Absent() != c.absent {
			t.Errorf("without %v: %q %v, a response %v", c.absent, text, known, f.Known(fact.Response))
		}
	}
	f.Lack(fact.PromptText)
	f.Reset()
	if text, known := f.Text(fact.Prompt); text != "" || known || f.Absent() != 0 {
		t.Errorf("after Reset: %q %v", text, known)
	}
}
