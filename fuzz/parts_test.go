package fuzz_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// TestPartsEqualTheWhole: the parts of a turn, in any order, have the same outcome as the whole turn. A
// reminder that fires on the whole fires on one of the parts. If no early part fires a reminder before a
// later part has told its facts, the parts leave that reminder in the same state as the whole.
func TestPartsEqualTheWhole(t *testing.T) {
	t.Parallel()
	s, fired := drawnFacts(t), 0
	for seed := range uint64(draws(200, 2000, 50_000)) {
		r := rand.New(rand.NewPCG(seed, 11))
		rules := make([]reminder.Reminder, 6)
		for i := range rules {
			rules[i] = reminder.Reminder{ID: fmt.Sprint("r", i), Text: "x", Trigger: joinedAtRandom(r, 2)}
			if r.IntN(5) == 0 {
				rules[i].Rearm = joinedAtRandom(r, 1)
			}
		}
		set, store := compiled(t, rules, s), state.NewMemory()
		whole := eval.New(set, eval.Options{Store: store})
		for turn := range 8 {
			before, _, err := store.Load(t.Context(), "run")
			if err != nil {
				t.Fatal(err)
			}
			told := happenings(r)
			want, err := whole.Decide(t.Context(), "run", eval.Turn{Facts: told})
			if err != nil {
				t.Fatal(err)
			}
			fired += len(want.Fired)
			copied := state.NewMemory()
			if before != nil {
				if _, err := copied.Save(t.Context(), "run", 0, before); err != nil {
					t.Fatal(err)
				}
			}
			parts := make([]map[string]any, 1+r.IntN(3))
			for i := range parts {
				parts[i] = map[string]any{}
			}
			for _, name := range slices.Sorted(maps.Keys(told)) {
				parts[r.IntN(len(parts))][name] = told[name]
			}
			var got []string
			for i, facts := range parts {
				d, err := eval.New(set, eval.Options{Store: copied}).Decide(t.Context(), "run",
					eval.Turn{Facts: facts, More: i > 0})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range d.Fired {
					got = append(got, f.ID)
				}
			}
			left, _, _ := store.Load(t.Context(), "run")
			after, _, _ := copied.Load(t.Context(), "run")
			for _, rule := range rules {
				fires := slices.ContainsFunc(want.Fired, func(f reminder.Due) bool { return f.ID == rule.ID })
				a, b := left.Reminder(rule.ID), after.Reminder(rule.ID)
				a.Since, a.Last = b.Since, b.Last // of the part that fired it
				switch early := slices.Contains(got, rule.ID); {
				case early && !fires:
				case fires != early || !cmp.Equal(a, b):
					t.Fatalf("seed %d, turn %d, %q rearm %q: told %v as a whole it fires: %v, in the parts %v: %v\n%s",
						seed, turn, rule.Trigger, rule.Rearm, told, fires, parts, early, cmp.Diff(a, b))
				}
			}
		}
	}
	if fired < draws(200, 2000, 50_000) {
		t.Error("too little fires: ", fired)
	}
}

// joinedAtRandom draws a trigger of conditions each of which one part tells.
func joinedAtRandom(r *rand.Rand, depth int) string {
	if depth > 0 && r.IntN(3) > 0 {
		return "(" + joinedAtRandom(r, depth-1) + []string{" and ", " or "}[r.IntN(2)] +
			[]string{"", "not "}[r.IntN(2)] + joinedAtRandom(r, depth-1) + ")"
	}
	return []string{`prompt contains "x"`, `prompt != "x"`, "len(prompt) > 1", `response contains "x"`,
		`response not in ["y"]`, "user_message", "compacted", "after_tool:Edit", "context_usage > 50%",
		"vars.flag"}[r.IntN(10)]
}

// happenings draws the facts of a turn.
func happenings(r *rand.Rand) map[string]any {
	told := map[string]any{}
	for _, f := range [][]any{{"user_message", true, false}, {"prompt", "x", "y", "xy", ""},
		{"response", "x", "y"}, {"compacted", true, false}, {"tool_used", []string{"Edit"}, []string{}},
		{"context_usage", 0.4, 0.6}, {"vars.flag", true, false}} {
		if v := f[1+r.IntN(len(f)-1)]; r.IntN(4) > 0 {
			told[f[0].(string)] = v
		}
	}
	return told
}
