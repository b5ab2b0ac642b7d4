package doors_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// named is the session, as clients and agents name it.
const named = "s1"

// expects reports whether a rule says what the model should do.
func (r rule) expects() bool { return r.Members["expect"] != nil }

// experiments returns rules with holdouts; of half of them the session is held out.
func experiments() (rules []rule) {
	for i, x := range []struct{ when, expect string }{
		{"after_tool:@edit", "after_tool:@shell(go test*)"}, {"after_tool:@shell", "after_tool:@edit"},
		{"after_tool:*", "after_tool:@read"}, {"user_message", "after_tool:@shell"},
		{"user_message", "context_tokens > 20k"}, {"after_tool:Bash(git push*)", "user_message"},
		{"tool_calls > 2", `tool_count("*") > 4`}, {"after_tool:@todo", "compacted"},
	} {
		held := false
		for n := 0; held != (i%2 == 0) || n == 0; n++ {
			id := fmt.Sprintf("x%02dn%d", i, n)
			if held = firing.Fraction(named, id) < 0.5; held != (i%2 == 0) {
				continue
			}
			r := rule{Members: map[string]any{"id": id, "when": x.when, "expect": x.expect,
				"within": fmt.Sprintf("%d turns", 1+i%3), "holdout": "50%", "content": "Probe " + id + "."}}
			if x.expect == "context_tokens > 20k" {
				r.Unknown = []door{bare}
			}
			rules = append(rules, r)
		}
	}
	return rules
}

// TestSameOutcomes: the same session has the same firings and outcomes through each door, held out or not,
// and no byte of a text that is held out reaches the model.
func TestSameOutcomes(t *testing.T) {
	dir, rules := t.TempDir(), experiments()
	held := map[string]bool{}
	for _, r := range rules {
		held[r.id()] = firing.Fraction(named, r.id()) < 0.5
	}
	if len(rules) != 8 || len(held) != 8 {
		t.Fatal(rules)
	}
	checks(t, testkit.Repeat(4, 12))
	recorded := 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawConversation(t)
		want := byEval(t, c, rules)
		recorded += len(records(want, rules, ""))
		for _, d := range []door{requests, chat, hooks, bare} {
			var got []decision
			switch d {
			case requests:
				got = byRequests(t, anthropic, c, rules)
			case chat:
				got = byRequests(t, completions, c, rules)
			default:
				got = byHooks(t, dir, d, c, rules)
			}
			if diff := gocmp.Diff(records(want, rules, d), records(got, rules, d)); diff != "" {
				t.Fatalf("%s: -eval +%s\n%s", d, d, diff)
			}
			for i := range got {
				for _, id := range found(got[i].said) {
					if held[id] {
						t.Fatalf("%s, turn %d: %s is held out, and is said", d, i+1, id)
					}
				}
			}
		}
		for i := range want {
			for _, id := range found(want[i].said) {
				if held[id] {
					t.Fatalf("eval, turn %d: %s is held out, and is said: %s", i+1, id, want[i].said)
				}
			}
		}
	})
	if recorded < testkit.Repeat(1, 20) {
		t.Errorf("only %d records", recorded)
	}
}

// recorded returns the records of a store.
func recorded(t *rapid.T, store state.Recorder) (list []reminder.Record) {
	for r, err := range store.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, *r)
	}
	return list
}

// records returns the records of a session in an order of their own, without what doors may know or not: the
// time, the agent, the model, and the name of the run, which stands in that of the firing. Rules that a door
// does not know are left out.
func records(ds []decision, rules []rule, d door) (list []reminder.Record) {
	for _, r := range ds[len(ds)-1].records {
		i := slices.IndexFunc(rules, func(x rule) bool { return x.id() == r.ID })
		if slices.Contains(rules[i].Unknown, d) {
			continue
		}
		r.Time, r.Agent, r.Model, r.Firing = time.Time{}, "", "", ""
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b reminder.Record) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
