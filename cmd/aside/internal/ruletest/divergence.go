package ruletest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/eval"
)

// Divergence is the first turn on which a test and the reminders part: that turn and a few before it, with the facts that matter
// to what differs, and why the reminders did what they did.
type Divergence struct {
	Step  int      `json:"step"` // from 1
	Line  int      `json:"line"`
	What  string   `json:"what"`  // fires or due
	Facts []string `json:"facts"` // that the triggers of what differs read, in the order of the schema
	Turns []Turn   `json:"turns"` // the last one is the one at fault
	Why   []Why    `json:"why"`   // of each reminder that differs, in the order of their ids

	word string // what a step is called: step, or of a series turn
}

// Turn is one step of a test as it was played.
type Turn struct {
	Step     int            `json:"step"`
	Line     int            `json:"line"`
	Clock    time.Duration  `json:"clock"`    // since the test's start; in JSON a text, as durations among the facts are: "1m30s"
	Facts    map[string]any `json:"facts"`    // those that matter and are known; nil of a step that is no turn
	Expected []string       `json:"expected"` // of a series in byte order; nil where nothing is expected of a step
	Actual   []string       `json:"actual"`
	Note     string         `json:"note,omitempty"` // what else the step is: "reload", "discarded", "key k7"

	wantDue, due []string // nil: not asked
}

// MarshalJSON writes durations as texts.
func (t Turn) MarshalJSON() ([]byte, error) {
	type plain Turn
	if t.Facts != nil {
		facts := make(map[string]any, len(t.Facts))
		for name, v := range t.Facts {
			if d, ok := v.(time.Duration); ok {
				v = d.String()
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

// Why says why a reminder did what was not expected.
type Why struct {
	ID      string `json:"id"`
	Text    string `json:"text"` // "r fired: turn_count > 3", "r did not fire: cooldown, 2 turns left"
	Trigger *Part  `json:"trigger,omitempty"`
	Rearm   *Part  `json:"rearm,omitempty"`
}

// Part is what a part of a trigger came to.
type Part struct {
	Text  string `json:"text"`
	Truth string `json:"truth"` // false, unknown or true
	Value string `json:"value,omitempty"`
	Parts []Part `json:"parts,omitempty"`
}

func partOf(p compile.Part) Part {
	out := Part{Text: p.Text, Truth: p.Truth.String(), Value: p.Value}
	for _, q := range p.Parts {
		out.Parts = append(out.Parts, partOf(q))
	}
	return out
}

// before is how many turns are shown before the one at fault.
const before = 3

// remember keeps a turn as one of those before the next.
func (p *player) remember(row Turn) {
	if p.first != nil {
		return
	}
	if p.past = append(p.past, row); len(p.past) > before {
		p.past = append(p.past[:0], p.past[1:]...)
	}
}

// look compares a turn that was prepared and is not committed yet, and says so of the first that differs; it counts what was covered.
func (p *player) look(d *eval.Decision, row Turn) {
	p.cov.fired(p.ev.Set(), row.Actual)
	what, differs := "fires", false
	if p.first == nil {
		ordered := p.t.firesAt == nil
		differs = ordered && !slices.Equal(row.Expected, row.Actual) || len(difference(row.Expected, row.Actual)) > 0
		if !differs && row.wantDue != nil && !slices.Equal(row.wantDue, row.due) {
			what, differs = "due", true
		}
	}
	if p.cov == nil && !differs {
		return
	}
	xs, err := d.Explain()
	if err != nil {
		return // a reload has changed the facts under a turn that is asked for again
	}
	if p.cov.turn(p.ev.Set(), xs); differs {
		p.first = p.diverge(what, d, row, xs)
	}
}

// diverge tells of the turn row, on which what differs.
func (p *player) diverge(what string, d *eval.Decision, row Turn, xs []eval.Explanation) *Divergence {
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
		order := map[terms.Order]string{terms.ByPriority: "priority, then id", terms.ByTier: "tier, then id"}[p.t.order]
		out.Why = []Why{{Text: "they are the same, in the order of " + order}}
	}
	for _, id := range ids {
		out.Why = append(out.Why, why(what, id, d, xs, p.ev.Set()))
	}
	return out
}

// expected are the reminders that must fire on a turn of a series.
func (t *test) expected(turn int) []string {
	out := []string{}
	for _, id := range slices.Sorted(maps.Keys(t.firesAt)) {
		if slices.Contains(t.firesAt[id], turn) {
			out = append(out, id)
		}
	}
	return out
}

// difference are the ids that one of two lists has, in byte order.
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

// reads are the facts that the triggers and rearms of some reminders read, in the order of the schema.
func reads(set *compile.Set, ids []string) []string {
	var all []fact.ID
	for _, id := range ids {
		if i, ok := set.Index(id); ok {
			for _, p := range []*compile.Predicate{set.Trigger(i), set.Rearm(i)} {
				if p == nil {
					continue
				}
				if all = append(all, p.Facts()...); strings.Contains(p.String(), "tool") || strings.Contains(p.String(), "used(") {
					all = append(all, fact.ToolUsed) // what it asks of the past began as this fact
				}
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

// why says why the reminder of that id fired or was due, or not, on the turn of d.
func why(what, id string, d *eval.Decision, xs []eval.Explanation, set *compile.Set) Why {
	w := Why{ID: id, Text: fmt.Sprintf("%s did not fire: %s", id, lacks(id, d, set))}
	fired := slices.Contains(names(d.Fired), id)
	if fired {
		w.Text = fmt.Sprintf("%s fired: %s", id, d.Why(id))
	}
	for _, x := range xs {
		if x.ID != id {
			continue
		}
		if what == "due" && !fired {
			w.Text = id + kept(x, set)
			return w
		}
		if !fired && len(x.Held) == 0 && x.Trigger.Truth != fact.True {
			w.Text = fmt.Sprintf("%s did not fire: its trigger is %s", id, x.Trigger.Truth) // its parts are told below
		}
		t := partOf(x.Trigger)
		w.Trigger = &t
		if x.Rearm != nil {
			r := partOf(*x.Rearm)
			w.Rearm = &r
		}
	}
	return w
}

// kept says why a reminder that did not fire is due all the same, or not.
func kept(x eval.Explanation, set *compile.Set) string {
	i, _ := set.Index(x.ID)
	keep := set.Reminder(i).Keep.String()
	if keep == "" {
		keep = map[compile.Mode]string{compile.When: "turn", compile.While: "call"}[x.Mode]
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

// note is what a step is besides a turn.
func (s *step) note() string {
	var notes []string
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
