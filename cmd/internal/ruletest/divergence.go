package ruletest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/reasons"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/condition"
)

// Divergence is the first turn on which the reminders differ from the expectations of a test, with a few
// turns before it, the facts that matter, and the reasons.
type Divergence struct {
	Step int    `json:"step"` // from 1
	Line int    `json:"line"`
	What string `json:"what"` // the expectation that differs: fires or due
	// the facts that the triggers and rearms of the reminders in Why read, in the order of the schema
	Facts []string `json:"facts"`
	Turns []Turn   `json:"turns"` // the last one is the one that differs
	Why   []Why    `json:"why"`   // for each reminder that differs, by id

	word string // the name of a step in text: "step", or in a series "turn"
}

// Turn is one step of a test as it was run.
type Turn struct {
	Step  int           `json:"step"`
	Line  int           `json:"line"`
	Clock time.Duration `json:"clock"` // since the test's start; in JSON a string, such as "1m30s"
	// those of Divergence.Facts that are known; nil for a step that decides nothing
	Facts    map[string]any `json:"facts"`
	Expected []string       `json:"expected"` // for a series in byte order; nil: nothing is expected
	Actual   []string       `json:"actual"`
	// the difference to a plain step: "reload", "discarded", "key k7", "stopping"
	Note string `json:"note,omitempty"`

	wantDue, due []string // nil: nothing is expected
}

// MarshalJSON writes durations and calls as strings.
func (t Turn) MarshalJSON() ([]byte, error) {
	type plain Turn
	if t.Facts != nil {
		facts := make(map[string]any, len(t.Facts))
		for name, v := range t.Facts {
			switch x := v.(type) {
			case time.Duration:
				v = x.String()
			case []fact.Call:
				v = callTexts(x)
			}
			facts[name] = v
		}
		t.Facts = facts
	}
	return json.Marshal(struct {
		plain
		Clock string `json:"clock"`
	}{plain(t), t.Clock.String()})
}

// Why says why a reminder fired or was due, or did not or was not, against the expectation.
type Why struct {
	ID      string        `json:"id"`
	Text    string        `json:"text"` // "r fired: turn_count > 3", "r did not fire: cooldown, 2 turns left"
	Trigger *trigger.Part `json:"trigger,omitempty"`
	Rearm   *trigger.Part `json:"rearm,omitempty"`

	needs string // of one that did not fire, what its trigger needs: the parts say it, too
}

// before is the number of turns that are shown before the turn that differs.
const before = 3

// remember appends a turn to past, unless there is a divergence already.
func (p *runner) remember(row Turn) {
	if p.first != nil {
		return
	}
	if p.past = append(p.past, row); len(p.past) > before {
		p.past = append(p.past[:0], p.past[1:]...)
	}
}

// compare counts coverage of a turn, and sets first if this turn is the first that differs. The decision must
// not be discarded yet: after that it cannot be explained.
func (p *runner) compare(d *eval.Decision, at fact.Moment, row Turn) {
	p.cov.fired(p.ev.Set(), row.Actual)
	what, differs := "fires", false
	if p.first == nil {
		ordered := p.t.firesAt == nil
		differs = ordered && !slices.Equal(row.Expected, row.Actual) ||
			len(difference(row.Expected, row.Actual)) > 0
		if !differs && row.wantDue != nil && !slices.Equal(row.wantDue, row.due) {
			what, differs = "due", true
		}
	}
	if p.cov == nil && !differs {
		return
	}
	xs, err := d.Explain()
	if err != nil {
		return // a turn whose key came again, after a reload with other facts
	}
	if p.cov.turn(p.ev.Set(), at, xs); differs {
		p.first = p.diverge(what, d, row, xs)
	}
}

// diverge returns the divergence of a turn, row. what is "fires" or "due".
func (p *runner) diverge(what string, d *eval.Decision, row Turn, xs []eval.Explanation) *Divergence {
	out := &Divergence{What: what, Step: row.Step, Line: row.Line, Turns: append(p.past, row), word: "step"}
	if p.t.firesAt != nil {
		out.word = "turn"
	}
	if what == "due" {
		for i := range out.Turns {
			t := &out.Turns[i]
			t.Expected, t.Actual = t.wantDue, t.due
		}
	}
	last := &out.Turns[len(out.Turns)-1]
	ids := difference(last.Expected, last.Actual)
	out.Facts = reads(p.ev.Set(), ids)
	for i := range out.Turns {
		if t := &out.Turns[i]; t.Facts != nil {
			t.Facts = only(t.Facts, out.Facts)
		}
	}
	if len(ids) == 0 {
		order := map[reminder.Order]string{reminder.ByPriority: "priority, then id",
			reminder.ByTier: "tier, then id"}[p.t.order]
		out.Why = []Why{{Text: "they are the same, in the order of " + order}}
	}
	out.Why = append(out.Why, reasonsOf(what, ids, d, xs, p.ev.Set())...)
	return out
}

// expected returns the ids of the reminders that must fire on a turn of a series, in byte order.
func (t *testCase) expected(turn int) []string {
	out := []string{}
	for _, id := range slices.Sorted(maps.Keys(t.firesAt)) {
		if slices.Contains(t.firesAt[id], turn) {
			out = append(out, id)
		}
	}
	return out
}

// difference returns the ids that only one of two lists has, in byte order.
func difference(a, b []string) []string {
	var out []string
	for _, id := range slices.Concat(a, b) {
		if slices.Contains(a, id) != slices.Contains(b, id) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// reads returns the names of the facts that the triggers and rearms of some reminders read, in the order of
// the schema.
func reads(set *compile.Set, ids []string) []string {
	var all []fact.ID
	for _, id := range ids {
		if i, ok := set.Index(id); ok {
			for _, p := range []*trigger.Predicate{set.Trigger(i), set.Rearm(i)} {
				if p == nil {
					continue
				}
				all = append(all, p.Facts()...)
				p.Root().Leaves(func(l *condition.Leaf) {
					if slices.ContainsFunc(l.Terms, (*condition.Term).PastCalls) {
						all = append(all, fact.ToolUsed) // functions over past calls follow from this fact
					}
				})
			}
		}
	}
	slices.Sort(all)
	out := []string{}
	for _, id := range slices.Compact(all) {
		out = append(out, set.Schema().Fact(id).Name)
	}
	return out
}

func only(facts map[string]any, names []string) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		if v, ok := facts[name]; ok {
			out[name] = v
		}
	}
	return out
}

// reasonsOf returns why each of some reminders fired or was due, or not, on the turn of d. what is "fires" or
// "due".
func reasonsOf(what string, ids []string, d *eval.Decision, xs []eval.Explanation, set *compile.Set) []Why {
	whys := make([]Why, len(ids))
	for k, id := range ids {
		i := slices.IndexFunc(xs, func(x eval.Explanation) bool { return x.ID == id })
		switch w := &whys[k]; {
		case i < 0:
			w.Text = " did not fire: it is gone"
		case what == "due" && d.Why(id) == "":
			w.Text = kept(xs[i], set)
		default:
			x := &xs[i]
			w.Text, w.Trigger, w.Rearm = said(x, d), &x.Trigger, x.Rearm
			if d.Why(id) == "" && x.Armed && x.Trigger.Truth != fact.True {
				w.needs = ": " + x.Needs.String()
			}
		}
		whys[k].ID, whys[k].Text = id, id+whys[k].Text
	}
	return whys
}

// said says why a reminder fired on the turn of d, or did not.
func said(x *eval.Explanation, d *eval.Decision) string {
	if why := d.Why(x.ID); why != "" {
		return " fired: " + why
	}
	if i := slices.IndexFunc(d.Held, func(h reminder.Held) bool { return h.ID == x.ID }); i >= 0 {
		return " did not fire: " + reasons.Held(d.Held[i], d.Set(), d.Errors)
	}
	return " did not fire: its trigger is " + x.Trigger.Truth.String()
}

// kept returns in words why a reminder that did not fire on this turn is due or not.
func kept(x eval.Explanation, set *compile.Set) string {
	i, _ := set.Index(x.ID)
	keep := set.Reminder(i).Keep.String()
	if keep == "" {
		keep = map[reminder.Mode]string{reminder.When: "user turn", reminder.While: "1 turn"}[x.Mode]
	}
	switch {
	case x.Due:
		return fmt.Sprintf(" is still kept: it fired on turn %d, and keep is %s", x.LastFire, keep)
	case x.Fires == 0:
		return " is not kept: it has not fired"
	default:
		return fmt.Sprintf(" is not kept any more: it fired on turn %d, and keep is %s", x.LastFire, keep)
	}
}

// note returns the Turn.Note of a step that is a turn.
func (s *step) note() string {
	var notes []string
	switch {
	case s.moment == fact.BeforeTool:
		notes = append(notes, "before "+s.call.Tool)
	case s.moment == fact.Stopping:
		notes = append(notes, "stopping")
	case s.more:
		notes = append(notes, "a further part")
	}
	if s.key != "" {
		notes = append(notes, "key "+s.key)
	}
	if len(s.remind) > 0 {
		notes = append(notes, "remind "+strings.Join(s.remind, ", "))
	}
	if s.discard {
		notes = append(notes, "discarded")
	}
	return strings.Join(notes, ", ")
}
