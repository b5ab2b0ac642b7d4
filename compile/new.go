package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
)

// maxReminders is how many reminders a set may hold.
const maxReminders = 10_000

// Must returns a set, and panics with all diagnostics if an error is among them. It is for reminders that
// stand in the code of a host, as in Must(New(…)).
func Must(s *Set, ds grammar.Diagnostics) *Set {
	if ds.HasErrors() {
		panic(ds.Error())
	}
	return s
}

// New compiles reminders to the set that an Evaluator decides with: pass it to eval.New. The set is never
// nil. The order of rs matters among reminders of the same id alone.
//
// New leaves out a reminder with an error, one with the id of an earlier one, and all beyond 10,000; the
// others stay as they are. It leaves out disabled reminders without a diagnostic. It leaves out faulty
// ones, too, but still reports the mistakes in their triggers and texts. New copies the reminders.
func New(rs []reminder.Reminder, opts Options) (*Set, grammar.Diagnostics) {
	return FromFiles(sources(rs), opts)
}

// sources are reminders that were declared in code.
func sources(rs []reminder.Reminder) []Source {
	out := make([]Source, len(rs))
	for i, r := range rs {
		out[i].Reminder = r
	}
	return out
}

// FromFiles is New for reminders that were read from files. Its diagnostics name the places there.
func FromFiles(rs []Source, opts Options) (*Set, grammar.Diagnostics) {
	if opts.Schema == nil {
		opts.Schema = fact.Builtin()
	}
	return (&Set{schema: opts.Schema, digest: opts.Digest}).extend(rs, opts)
}

// With returns a set of the reminders of s and of more, and the diagnostics of more. It compiles more alone:
// the rest is shared with s, which stays as it is. As in New, a reminder with an error is left out, one with
// an id of s too, and disabled ones.
func (s *Set) With(more []reminder.Reminder) (*Set, grammar.Diagnostics) {
	return s.extend(sources(more), Options{Schema: s.Schema()})
}

// Without returns a set of the reminders of s but those of some ids, which is s where it has none of these.
// Its Digest says that they are not there.
func (s *Set) Without(ids ...string) *Set {
	var left []Source
	digest := s.digest
	for _, r := range s.rules {
		if !slices.Contains(ids, r.source.ID) {
			left = append(left, *r.source)
		} else if digest != "" {
			digest += "-" + r.source.ID
		}
	}
	if len(left) == len(s.rules) {
		return s
	}
	without, _ := FromFiles(left, Options{Schema: s.Schema(), Digest: digest})
	return without
}

func (s *Set) extend(more []Source, opts Options) (*Set, grammar.Diagnostics) {
	b := builder{opts: opts, cache: map[string]compiled{}, ids: map[string]bool{}}
	for id := range s.index {
		b.ids[id] = true
	}
	sorted := slices.DeleteFunc(slices.Clone(more), func(r Source) bool { return r.Disabled })
	slices.SortStableFunc(sorted, func(a, b Source) int { return strings.Compare(a.ID, b.ID) })
	for i := range sorted {
		b.ids[sorted[i].ID] = true
		if sorted[i].For == (reminder.Span{Turns: 1}) { // this turn alone is enough
			sorted[i].For = reminder.Span{}
		}
	}
	for i := range sorted {
		if sorted[i].Faulty {
			b.checkFaulty(&sorted[i])
		}
	}
	sorted = slices.DeleteFunc(sorted, func(r Source) bool { return r.Faulty })
	out, next := &Set{schema: s.Schema(), digest: s.digest, index: map[string]int{}}, 0
	for i := range sorted {
		u := unit{b: &b, rule: rule{source: &sorted[i]}}
		if out.Len()+s.Len()-next == maxReminders {
			u.report(code.FullSet, "id", fmt.Sprintf("a set holds at most %d reminders, and there are %d",
				maxReminders, s.Len()+len(sorted)), "split them up, or delete some")
			b.diags = append(b.diags, u.diags...)
			break
		}
		_, taken := s.index[u.source.ID]
		u.check(taken || i > 0 && sorted[i-1].ID == u.source.ID)
		b.diags = append(b.diags, u.diags...)
		if u.diags.HasErrors() {
			continue
		}
		for ; next < s.Len() && s.rules[next].source.ID < u.source.ID; next++ {
			out.add(s.rules[next])
		}
		out.add(u.rule)
	}
	for ; next < s.Len(); next++ {
		out.add(s.rules[next])
	}
	out.finish()
	b.diags.Sort()
	return out, b.diags
}

// finish prepares s, which holds all its reminders, for evaluation.
func (s *Set) finish() {
	s.plan = newPlan(s)
	for p := range s.predicates {
		s.reads.add(p)
		atEnd := p.Moment() == fact.Stopping
		p.Root().Leaves(func(l *condition.Leaf) {
			s.keep(l.Memory, atEnd)
			for _, t := range l.Terms {
				s.keep(t.Memory, atEnd)
			}
			if l.Kind == condition.Before {
				s.before = append(s.before, l)
			}
			for _, t := range l.Terms {
				for _, p := range t.Patterns {
					s.patterns = append(s.patterns, p.Pattern)
				}
			}
		})
	}
	s.patterns = subjects(s.patterns)
	for i := range s.rules {
		s.reads.addFacts(s.rules[i].template.Facts())
	}
	s.told, s.atEnd = eachOnce(s.told), eachOnce(s.atEnd)
}

// keep makes s remember the value of a condition, nil for none, which is read at the end of the work.
func (s *Set) keep(r *condition.Remembered, atEnd bool) {
	if r == nil {
		return
	}
	s.readsPrompt = s.readsPrompt || r.Of == condition.OfTexts && condition.TextsOf(r.Reads) == fact.PromptText
	if s.told = append(s.told, r); atEnd && r.Of != condition.OfTexts {
		s.atEnd = append(s.atEnd, r)
	}
}

func eachOnce(list []*condition.Remembered) []*condition.Remembered {
	slices.SortStableFunc(list, func(a, b *condition.Remembered) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(list, func(a, b *condition.Remembered) bool { return a.Key == b.Key })
}

// add adds a compiled reminder.
func (s *Set) add(r rule) {
	s.index[r.source.ID] = len(s.rules)
	s.rules = append(s.rules, r)
}

// builder compiles the reminders of one set.
type builder struct {
	opts  Options
	cache map[string]compiled // triggers by their source
	ids   map[string]bool     // of all reminders but the disabled ones
	diags grammar.Diagnostics
}

// compiled is the outcome of compiling a trigger.
type compiled struct {
	trigger *trigger.Predicate // nil if there is an error among the diagnostics
	diags   grammar.Diagnostics
}

// compile compiles a trigger. It compiles equal ones only once.
func (b *builder) compile(src string) compiled {
	c, ok := b.cache[src]
	if !ok {
		c.trigger, c.diags = trigger.Compile(src, b.opts.Schema, b.opts.Tools...)
		b.cache[src] = c
	}
	return c
}

// checkFaulty reports the other mistakes of a faulty reminder, as far as it could be read, so that its
// author sees all of them at once.
func (b *builder) checkFaulty(r *Source) {
	u := unit{b: b, rule: rule{source: r}}
	for _, field := range [][2]string{{"trigger", r.Trigger}, {"rearm", r.Rearm}, {"expect", r.Expect}} {
		if field[1] != "" {
			u.compile(field[0], field[1])
		}
	}
	if strings.TrimSpace(r.Text) != "" {
		u.text()
	}
	b.diags = append(b.diags, u.diags...)
}

// Source is a reminder as it was read from a file.
type Source struct {
	reminder.Reminder

	File   string // the file it was read from; "" for one declared in code
	Origin Origin // where in File each field stands; nil for one declared in code
	// mistakes in it were reported when it was read: FromFiles reports those that are left, and leaves it out
	Faulty bool
}

// Origin says where in its file each field of a reminder stands. A field is named by its key, such as
// "trigger", "rearm" or "text". One that the file does not have stands where the reminder begins. An Origin
// is immutable.
type Origin interface {
	// Place returns the range of the file that holds the range r of the field's value; of the whole field for
	// the zero r.
	Place(field string, r grammar.Range) grammar.Range
	// Edit returns the edit of the file that makes the edit e of the field's value; nil if there is none.
	Edit(field string, e *grammar.Edit) *grammar.Edit
}

// Place returns the range of File where a field of the reminder stands; the zero range for a reminder
// declared in code.
func (r *Source) Place(field string) grammar.Range {
	if r.Origin == nil {
		return grammar.Range{}
	}
	return r.Origin.Place(field, grammar.Range{})
}

// Placed returns a diagnostic about a field of a reminder, whose places are in the field's value, with places
// in the reminder's file. That of a reminder declared in code names the reminder.
func Placed(r *Source, field string, d grammar.Diagnostic) grammar.Diagnostic {
	d.File = r.File
	switch o := r.Origin; {
	case o != nil:
		d.Fix, d.Range = o.Edit(field, d.Fix), o.Place(field, d.Range)
	case d.File == "":
		d.Message = fmt.Sprintf("reminder %q: %s", r.ID, d.Message)
	}
	return d
}

// Options say which facts and tools there are. With the zero value there are the built-in facts, and any tool
// may exist.
type Options struct {
	Schema *fact.Schema // the facts there are; nil for the built-in ones alone
	// names of the tools that exist: any other in a trigger is a warning. If empty, there are no warnings
	Tools []string
	// the name of these rules in decisions, such as the digest of the files that they come from; "" is none
	Digest string
}
