package compile

import (
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/text"
)

// Set holds compiled reminders in the byte order of their ids; its methods name a reminder by its index in
// that order. It is immutable and may be used concurrently.
type Set struct {
	schema   *fact.Schema
	digest   string
	rules    []rule
	index    map[string]int
	patterns []fact.Pattern
	told     []*condition.Remembered // each once, by their keys
	atEnd    []*condition.Remembered // of them, those that are read at the end of the work
	reads    CallReads
	// whether one of told is on the prompt alone
	readsPrompt bool
	before      []*condition.Leaf // what the triggers ask of a call about to be executed
	plan        plan
}

// rule is a compiled reminder.
type rule struct {
	source                 *Source
	trigger, rearm, expect *trigger.Predicate // nil where there is none
	template               *text.Template     // nil for a plain text
}

// Len returns the number of reminders.
func (s *Set) Len() int { return len(s.rules) }

// Reminder returns the i-th reminder, which must not be modified.
func (s *Set) Reminder(i int) *Source { return s.rules[i].source }

// Index returns the index of the reminder with that id, and whether there is one.
func (s *Set) Index(id string) (int, bool) {
	i, ok := s.index[id]
	return i, ok
}

// IDs returns the ids of all reminders, in byte order. The slice is the caller's.
func (s *Set) IDs() []string {
	ids := make([]string, len(s.rules))
	for i := range s.rules {
		ids[i] = s.rules[i].source.ID
	}
	return ids
}

// Schema returns the schema that the set was compiled with. The frames that it evaluates must come from this
// very schema.
func (s *Set) Schema() *fact.Schema {
	if s.schema == nil { // of the zero Set
		return fact.Builtin()
	}
	return s.schema
}

// Digest returns Options.Digest of the set, or of that which it was made from by With.
func (s *Set) Digest() string { return s.digest }

// Trigger returns the trigger of the i-th reminder. Reminders with the same trigger share one Predicate.
func (s *Set) Trigger(i int) *trigger.Predicate { return s.rules[i].trigger }

// Rearm returns the condition that arms the i-th reminder again; nil if it is armed again when its trigger is
// false.
func (s *Set) Rearm(i int) *trigger.Predicate { return s.rules[i].rearm }

// Expect returns what the model should do after the i-th reminder; nil if nothing is expected.
func (s *Set) Expect(i int) *trigger.Predicate { return s.rules[i].expect }

// Facts returns the facts that the triggers, rearms, expects and texts of the set mention, in the order of
// the schema.
func (s *Set) Facts() (ids []fact.ID) {
	for p := range s.predicates {
		ids = append(ids, p.Facts()...)
	}
	for i := range s.rules {
		ids = append(ids, s.rules[i].template.Facts()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// predicates yields the triggers, rearms and expects of the set.
func (s *Set) predicates(yield func(*trigger.Predicate) bool) {
	for i := range s.rules {
		r := &s.rules[i]
		for _, p := range [...]*trigger.Predicate{r.trigger, r.rearm, r.expect} {
			if p != nil && !yield(p) {
				return
			}
		}
	}
}

// ReadsAt reports whether a trigger of a set is evaluated at a moment.
func ReadsAt(s *Set, m fact.Moment) bool {
	return slices.ContainsFunc(s.rules, func(r rule) bool { return r.trigger.Moment() == m })
}

// Patterns returns the call patterns with a subject of which the functions in triggers, rearms and expects
// ask: a run keeps counts for each of them. They are sorted by their texts, and each is there once. The
// slice is the caller's.
func (s *Set) Patterns() []fact.Pattern { return slices.Clone(s.patterns) }

// Truths holds the results of Set.Eval, by index of the reminder. It is of the set that evaluates with it
// first, and may be used for any number of turns, of any runs, one after the other: Eval changes only the
// results that differ from the previous turn.
type Truths struct {
	Trigger []fact.Truth
	Rearm   []fact.Truth // Unknown for a reminder without a rearm condition

	all  []fact.Truth // both, Trigger first
	memo memo
	told []answer // by index of Set.told
}

// of makes t one of a set, in which all is Unknown.
func (t *Truths) of(s *Set) {
	if t.told != nil {
		return
	}
	n := len(s.rules)
	*t = Truths{
		all:  slices.Repeat([]fact.Truth{fact.Unknown}, 2*n),
		memo: s.plan.incremental.newMemo(len(s.plan.steps)),
		told: make([]answer, len(s.told)),
	}
	t.Trigger, t.Rearm = t.all[:n:n], t.all[n:]
}

// Eval evaluates all triggers and rearm conditions for the facts of f, equal ones only once, and puts the
// results into t. It calls f.SetSelf, so f cannot be used concurrently
// meanwhile. It allocates nothing unless a part of a trigger computes.
func (s *Set) Eval(f *fact.Frame, t *Truths) {
	t.of(s)
	s.plan.run(f, t)
}

// Render renders the text of the i-th reminder with the facts of f, at the time at. Reminder tags within it
// are made harmless, whoever wrote them; a text that is wholly one such tag stays as it is. If the text
// cannot be rendered with these facts, Render returns an error, and the reminder should not fire. It may be
// called concurrently.
func (s *Set) Render(i int, f *fact.Frame, at time.Time) (string, error) {
	b := s.rules[i].template
	if b == nil {
		return mark.Text(s.rules[i].source.Text), nil
	}
	text, err := b.Render(f, at)
	if err != nil {
		return "", err
	}
	return mark.Text(text), nil
}
