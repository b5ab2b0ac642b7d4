package firing_test

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var pool = []string{"B", "a", "b", "c", "s"}

// drawSpan draws a span of one of the first units: time and turns, then user turns.
func drawSpan(t *rapid.T, last int, name string) reminder.Span {
	switch unit := rapid.IntRange(0, 5).Draw(t, name); min(unit, last+1) {
	case 0:
		return reminder.Span{Time: time.Duration(rapid.IntRange(1, 90).Draw(t, name)) * time.Second}
	case 1:
		return reminder.Span{Turns: rapid.IntRange(1, 4).Draw(t, name)}
	case 2:
		if last < 2 {
			return reminder.Span{}
		}
		return reminder.Span{UserTurns: rapid.IntRange(1, 3).Draw(t, name)}
	default:
		return reminder.Span{}
	}
}

func drawRule(t *rapid.T, id string) reminder.Reminder {
	mode := reminder.When
	if seldom(t, 3, "while") {
		mode = reminder.While
	}
	return reminder.Reminder{
		ID:       id,
		Mode:     mode,
		Trigger:  rapid.SampledFrom([]string{"t1", "t2"}).Draw(t, "trigger"),
		Rearm:    rapid.SampledFrom([]string{"condition", "", ""}).Draw(t, "rearm"),
		For:      drawSpan(t, 1, "for"),
		Cooldown: drawSpan(t, 2, "cooldown"),
		Keep: rapid.SampledFrom([]reminder.Keep{
			{}, {Unit: reminder.KeepTurns, N: 1}, {Unit: reminder.KeepTurns, N: 3},
			{Unit: reminder.KeepUserTurns, N: 1}, {Unit: reminder.KeepUserTurns, N: 2},
			{Unit: reminder.KeepConversation},
		}).Draw(t, "keep"),
		MaxFires: rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "max_fires"),
		Priority: rapid.IntRange(-1, 1).Draw(t, "priority"),
		Tier:     reminder.Tier(rapid.IntRange(0, 2).Draw(t, "tier")),
		Attach:   reminder.Attach(rapid.IntRange(0, 2).Draw(t, "attach")),
		Expect:   rapid.SampledFrom([]string{"", "", "expected"}).Draw(t, "expect"),
		Within:   rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "within"),
		Holdout:  rapid.SampledFrom([]float64{0, 0, 0, 1}).Draw(t, "holdout"),

		MaxIgnored: rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "max_ignored"),
	}
}

// drawRules draws rules with different ids, in any order.
func drawRules(t *rapid.T) []reminder.Reminder {
	ids := rapid.SliceOfNDistinct(rapid.SampledFrom(pool), 1, len(pool), rapid.ID[string]).Draw(t, "ids")
	rules := make([]reminder.Reminder, len(ids))
	for i, id := range ids {
		rules[i] = drawRule(t, id)
	}
	return rules
}

func drawBudget(t *rapid.T) reminder.Budget {
	return reminder.Budget{
		Turn: rapid.SampledFrom([]int{0, 0, 3, 6}).Draw(t, "turn budget"),
		Run:  rapid.SampledFrom([]int{0, 0, 0, 25}).Draw(t, "run budget"),
	}
}

var truths = rapid.SampledFrom([]fact.Truth{fact.True, fact.True, fact.True, fact.False, fact.False,
	fact.Unknown})

// Between two turns a trigger is false nowhere, everywhere, or where some texts are absent.
var gaps = rapid.SampledFrom([]fact.Gaps{0, 0, 0b1111, 0b1010, 0b1100, 0b1000, 0b0110, 0b0010})

// seldom is true once in n times.
func seldom(t *rapid.T, n int, name string) bool { return rapid.IntRange(1, n).Draw(t, name) == 1 }

// drawTurn draws turn number n, which follows at.
func drawTurn(t *rapid.T, n int, at time.Time) turn {
	tu := turn{
		key: rapid.SampledFrom([]string{"", fmt.Sprint("key ", n)}).Draw(t, "key"),
		at: at.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 20, 40, 200, -30, -300}).Draw(t,
			"seconds")) * time.Second),
		user: fact.Unknown, compacted: fact.False,
		more:    seldom(t, 4, "more"),
		trigger: map[string]fact.Truth{}, rearm: map[string]fact.Truth{},
		between: map[string]fact.Gaps{}, expect: map[string]fact.Truth{},
		text: map[string]string{}, fails: map[string]bool{},
	}
	if seldom(t, 4, "user message") {
		tu.user = fact.True
	}
	tu.spoken = truths.Draw(t, "spoken")
	tu.texts = rapid.SampledFrom([]fact.Texts{0, fact.PromptText, fact.ResponseText, fact.AllTexts}).Draw(t,
		"texts")
	if seldom(t, 12, "compacted") {
		tu.compacted = fact.True
	}
	tu.silent = seldom(t, 5, "silent")
	if seldom(t, 5, "by hand") {
		tu.remind = rapid.SliceOfN(rapid.SampledFrom(append([]string{"nobody"}, pool...)), 1, 2).Draw(t, "remind")
	}
	for _, id := range pool {
		tu.trigger[id] = truths.Draw(t, "trigger "+id)
		tu.rearm[id] = truths.Draw(t, "rearm "+id)
		tu.between[id] = gaps.Draw(t, "between "+id)
		tu.expect[id] = truths.Draw(t, "expect "+id)
		tu.text[id] = fmt.Sprint(id, n) + strings.Repeat("x", rapid.IntRange(0, 12).Draw(t, "length"))
		tu.fails[id] = seldom(t, 15, "fails")
		if seldom(t, 20, "blank") {
			tu.text[id] = " "
		}
	}
	return tu
}

// run is a machine with its rules, beside which a test may keep a model.
type run struct {
	rules  []reminder.Reminder
	set    *firing.Rules
	order  reminder.Order
	budget reminder.Budget
	snap   *state.Snapshot
}

func newRun(rules []reminder.Reminder, order reminder.Order, budget reminder.Budget) *run {
	return &run{rules: rules, set: firing.NewRules(rules), order: order, budget: budget}
}

func (r *run) step(t turn) (*reminder.Decision, error) {
	before := r.snap.Encode()
	next, d, err := firing.Step(r.snap, r.set, t.input(r.rules, r.order, r.budget))
	if after := r.snap.Encode(); !bytes.Equal(before, after) { // the snapshots of a run share memory
		return nil, fmt.Errorf("the snapshot before the step has changed from\n%s\nto\n%s", before, after)
	}
	if err == nil {
		r.snap = next
	}
	return d, err
}

func (r *run) must(t *rapid.T, tu turn) *reminder.Decision {
	d, err := r.step(tu)
	if err != nil {
		t.Fatalf("turn %q: %v", tu.key, err)
	}
	return d
}

// history draws a run's turns, none of which repeats a key.
func history(t *rapid.T) []turn {
	n := rapid.IntRange(1, 25).Draw(t, "turns")
	turns := make([]turn, n)
	at := start
	for i := range turns {
		turns[i] = drawTurn(t, i, at)
		at = turns[i].at
	}
	return turns
}
