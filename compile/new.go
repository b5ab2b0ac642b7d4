package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/internal/text"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/near"
)

// maxReminders is how many reminders a set may hold.
const maxReminders = 10_000

// Must returns a set, and panics with all diagnostics if an error is among them. It is for reminders that
// stand in the code of a host, as in Must(New(…)).
func Must(s *Set, ds grammar.Diagnostics) *Set {
	if ds.HasErrors() {
		lines := make([]string, len(ds))
		for i, d := range ds {
			lines[i] = d.String()
		}
		panic(strings.Join(lines, "\n"))
	}
	return s
}

// New compiles reminders to a set, which is never nil. The order of rs does not matter, except among
// reminders of the same id.
//
// New leaves out a reminder with an error, one with the id of an earlier one, and all beyond 10,000; the
// others stay as they are. It leaves out disabled reminders without a diagnostic. It leaves out faulty
// ones, too, but still reports the mistakes in their triggers and texts. New copies the reminders.
func New(rs []reminder.Reminder, opts Options) (*Set, grammar.Diagnostics) {
	sources := make([]Source, len(rs))
	for i, r := range rs {
		sources[i].Reminder = r
	}
	return FromFiles(sources, opts)
}

// FromFiles is New for reminders that were read from files. Its diagnostics name the places there.
func FromFiles(rs []Source, opts Options) (*Set, grammar.Diagnostics) {
	if opts.Schema == nil {
		opts.Schema = fact.Builtin()
	}
	b := builder{opts: opts, cache: map[string]compiled{}, ids: map[string]bool{}}
	s := &Set{schema: opts.Schema, digest: opts.Digest, index: map[string]int{}}
	sorted := slices.DeleteFunc(slices.Clone(rs), func(r Source) bool { return r.Disabled })
	byID(sorted)
	for i := range sorted {
		b.ids[sorted[i].ID] = true
	}
	for i := range sorted {
		if sorted[i].Faulty {
			b.checkFaulty(&sorted[i])
		}
	}
	sorted = slices.DeleteFunc(sorted, func(r Source) bool { return r.Faulty })
	for i := range sorted {
		u := unit{b: &b, r: &sorted[i]}
		if s.Len() == maxReminders {
			u.report(code.FullSet, "id",
				fmt.Sprintf("a set holds at most %d reminders, and there are %d", maxReminders, len(sorted)),
				"split them up, or delete some")
			b.diags = append(b.diags, u.diags...)
			break
		}
		u.check(i > 0 && sorted[i-1].ID == sorted[i].ID)
		b.diags = append(b.diags, u.diags...)
		if !u.diags.HasErrors() {
			s.add(&u)
		}
	}
	s.finish()
	b.diags.Sort()
	return s, b.diags
}

// finish prepares s, which holds all its reminders, for evaluation.
func (s *Set) finish() {
	s.plan = newPlan(s)
	for p := range s.predicates {
		s.reads.add(p)
		if p.Root() == nil {
			continue
		}
		p.Root().Walk(func(n *condition.Node) {
			if n.Told != nil {
				s.told = append(s.told, n.Told)
			}
		})
		p.Root().Leaves(func(l *condition.Leaf) {
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
	for _, t := range s.templates {
		if t != nil {
			s.reads.addFacts(t.Facts())
		}
	}
	slices.SortStableFunc(s.told, func(a, b *condition.Told) int { return strings.Compare(a.Key, b.Key) })
	s.told = slices.CompactFunc(s.told, func(a, b *condition.Told) bool { return a.Key == b.Key })
}

// With returns a set of the reminders of s and of more, and the diagnostics of more. It compiles more alone:
// the rest is shared with s, which stays as it is. As in New, a reminder with an error is left out, one with
// an id of s too, and disabled ones.
func (s *Set) With(more []reminder.Reminder) (*Set, grammar.Diagnostics) {
	b := builder{opts: Options{Schema: s.schema}, cache: map[string]compiled{}, ids: map[string]bool{}}
	for i := range s.reminders {
		b.ids[s.reminders[i].ID] = true
	}
	sorted := make([]Source, 0, len(more))
	for _, r := range more {
		if !r.Disabled {
			sorted = append(sorted, Source{Reminder: r})
		}
	}
	byID(sorted)
	for i := range sorted {
		b.ids[sorted[i].ID] = true
	}
	out, next := &Set{schema: s.schema, digest: s.digest, index: map[string]int{}}, 0
	for i := range sorted {
		u := unit{b: &b, r: &sorted[i]}
		_, taken := s.index[u.r.ID]
		if u.check(taken || i > 0 && sorted[i-1].ID == u.r.ID); s.Len()+i >= maxReminders {
			u.report(code.FullSet, "id", fmt.Sprintf("a set holds at most %d reminders", maxReminders),
				"delete some")
		}
		b.diags = append(b.diags, u.diags...)
		if u.diags.HasErrors() {
			continue
		}
		for ; next < s.Len() && s.reminders[next].ID < u.r.ID; next++ {
			out.add(s.unit(next))
		}
		out.add(&u)
	}
	for ; next < s.Len(); next++ {
		out.add(s.unit(next))
	}
	out.finish()
	b.diags.Sort()
	return out, b.diags
}

// unit returns the compiled reminder i.
func (s *Set) unit(i int) *unit {
	return &unit{r: &s.reminders[i], trigger: s.triggers[i], rearm: s.rearms[i], expect: s.expects[i],
		template: s.templates[i]}
}

// add adds a compiled reminder.
func (s *Set) add(u *unit) {
	s.index[u.r.ID] = len(s.reminders)
	s.reminders = append(s.reminders, *u.r)
	s.triggers = append(s.triggers, u.trigger)
	s.rearms = append(s.rearms, u.rearm)
	s.expects = append(s.expects, u.expect)
	s.templates = append(s.templates, u.template)
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
	u := unit{b: b, r: r}
	if r.Trigger != "" {
		u.compile("trigger", r.Trigger)
	}
	if r.Rearm != "" {
		u.compile("rearm", r.Rearm)
	}
	if r.Expect != "" {
		u.compile("expect", r.Expect)
	}
	if strings.TrimSpace(r.Text) != "" {
		u.text()
	}
	b.diags = append(b.diags, u.diags...)
}

// unit compiles one reminder.
type unit struct {
	b                      *builder
	r                      *Source
	trigger, rearm, expect *trigger.Predicate
	template               *text.Template
	diags                  grammar.Diagnostics
}

// report adds an error about a field.
func (u *unit) report(id grammar.Code, field, message, hint string) {
	u.add(field, grammar.Diagnostic{Code: id, Message: message, Hint: hint})
}

// add adds a diagnostic about a field. Its places, which are places in the field's value, become places in
// the file.
func (u *unit) add(field string, d grammar.Diagnostic) {
	d.File = u.r.File
	switch o := u.r.Origin; {
	case o != nil:
		d.Fix = o.Edit(field, d.Fix)
		d.Range = o.Place(field, d.Range)
	case d.File == "":
		d.Message = fmt.Sprintf("reminder %q: %s", u.r.ID, d.Message)
	}
	u.diags = append(u.diags, d)
}

// check compiles the reminder and reports its mistakes. repeated says that an earlier reminder has its id.
func (u *unit) check(repeated bool) {
	r := u.r
	if !reminder.ValidID(r.ID) {
		hint := "an id begins with a letter or digit and goes on with letters, digits, . _ and -"
		u.report(code.BadID, "id", fmt.Sprintf("%q cannot be an id", r.ID), hint)
	} else if repeated {
		u.report(code.DuplicateID, "id", fmt.Sprintf("duplicate id, there is another reminder %q", r.ID),
			"give it another id")
	}
	u.terms()
	u.text()
	switch {
	case r.Predicate != nil && r.Trigger != "":
		u.report(code.TriggerAndPredicate, "trigger", "a reminder has a trigger or a predicate, not both",
			"leave one of them out")
	case r.Predicate != nil:
		u.trigger = trigger.Func("func "+r.ID, r.Predicate)
	default:
		src := r.Trigger
		if src == "" {
			src = "always"
		}
		u.trigger = u.compile("trigger", src)
	}
	if r.Rearm != "" {
		u.rearm = u.onTurns("rearm", r.Rearm)
		if r.Mode == reminder.While {
			u.report(code.RearmBesideWhile, "rearm", "rearm goes with when, not with while",
				"a while reminder fires on every turn on which it is true; leave rearm out")
		}
	}
	if r.Expect != "" {
		u.expect = u.onTurns("expect", r.Expect)
	}
	u.effect()
}

// onTurns compiles a trigger that is read on turns alone.
func (u *unit) onTurns(field, src string) *trigger.Predicate {
	p := u.compile(field, src)
	if p != nil && p.Moment() != fact.Turn {
		u.report(code.MixedMoments, field, fmt.Sprintf("%s is read on turns, where %s never holds", field,
			p.Moment()), "write what holds on a turn, as in after_tool:Bash")
	}
	return p
}

// effect checks the terms on which the effect of a reminder is seen, and its pause.
func (u *unit) effect() {
	r := u.r
	if r.Pause && u.trigger != nil && u.trigger.Moment() != fact.BeforeTool {
		u.report(code.PauseWithoutCall, "pause", "pause holds a call back, and the trigger names none",
			"write when: before_tool:NAME, or leave pause out")
	}
	if r.Within < 0 {
		u.report(code.NegativeLimit, "within", fmt.Sprintf("within is %d turns", r.Within),
			"write 1 turn or more")
	}
	if r.Within > 0 && r.Expect == "" {
		u.add("within", grammar.Diagnostic{Code: code.EffectWithoutExpect, Severity: grammar.Warning,
			Message: "within says how long expect has, and there is no expect",
			Hint:    "write expect, or leave within out"})
	}
	safety := r.Tier == reminder.Safety
	switch {
	case r.MaxIgnored < 0:
		u.report(code.NegativeLimit, "max_ignored", fmt.Sprintf("max_ignored is %d", r.MaxIgnored),
			"write 0 for no limit, or more")
	case r.MaxIgnored > 0 && safety:
		u.report(code.SafetyIsSent, "max_ignored", "max_ignored does not go with the tier safety",
			"leave it out: safety is never silent")
	case r.MaxIgnored > 0 && r.Expect == "":
		u.report(code.EffectWithoutExpect, "max_ignored",
			"max_ignored counts firings that were ignored, and there is no expect",
			"write expect, or leave max_ignored out")
	}
	switch h := r.Holdout; {
	case h < 0 || h > 0.5 && h != 1 || h != h:
		u.report(code.BadHoldout, "holdout", fmt.Sprintf("holdout cannot be %s", fact.Percent(h)),
			"write 0% to 50%, or 100% for a trial in which nothing is sent")
	case h > 0 && safety:
		u.report(code.SafetyIsSent, "holdout", "holdout does not go with the tier safety",
			"leave it out: safety is always sent")
	}
}

// compile compiles the trigger in a field of the reminder. It returns nil if there is an error in it.
func (u *unit) compile(field, src string) *trigger.Predicate {
	c := u.b.compile(src)
	for _, d := range c.diags {
		u.add(field, d)
	}
	if c.trigger != nil && c.trigger.Root() != nil {
		u.mentioned(field, c.trigger.Root().Expr)
	}
	return c.trigger
}

// mentioned reports a reminder that a trigger in a field asks about and that there is not.
func (u *unit) mentioned(field string, x grammar.Expr) {
	switch x := x.(type) {
	case *grammar.General:
		u.mentioned(field, x.X)
	case *grammar.Call:
		id, is := x.Args[0].(*grammar.Literal)
		if !is || !condition.OfFiring(x.Name) || u.b.ids[id.Text] {
			break
		}
		hint := "write the id of a reminder of this set"
		if near := near.Names(id.Text, slices.Sorted(maps.Keys(u.b.ids))); len(near) > 0 {
			hint = "did you mean " + near[0] + "?"
		}
		u.add(field, grammar.Diagnostic{Code: code.UnknownReminder, Severity: grammar.Warning, Range: id.Range,
			Message: fmt.Sprintf("there is no reminder %q", id.Text), Hint: hint})
	}
	for _, part := range grammar.Operands(x) {
		u.mentioned(field, part)
	}
}

// text checks the reminder's text.
func (u *unit) text() {
	r := u.r
	switch {
	case strings.TrimSpace(r.Text) == "":
		u.report(code.BadText, "text", "the text is empty", "write what the model is to be told")
	case !utf8.ValidString(r.Text):
		u.report(code.BadText, "text", "the text is not UTF-8", "save it as UTF-8")
	case strings.Contains(r.Text, "{{"):
		var diags grammar.Diagnostics
		u.template, diags = text.New(r.Text, u.b.opts.Schema)
		for _, d := range diags {
			u.add("text", d)
		}
	}
	for _, d := range text.Tone(r.Text) {
		u.add("text", d)
	}
}

// terms checks everything of a reminder but its id, its triggers and its text. Code can make mistakes here
// that a file cannot.
func (u *unit) terms() {
	r := u.r
	u.span("for", r.For)
	u.span("cooldown", r.Cooldown)
	if r.MaxFires < 0 {
		u.report(code.NegativeLimit, "max_fires", fmt.Sprintf("max_fires is %d", r.MaxFires),
			"write 0 for no limit, or more")
	}
	if r.Mode > reminder.While {
		u.report(code.UnknownValue, "mode", fmt.Sprintf("there is no mode %d", r.Mode), "use When or While")
	}
	if r.Tier > reminder.Safety {
		u.report(code.UnknownValue, "tier", fmt.Sprintf("there is no tier %d", r.Tier),
			"use Guidance, Correctness or Safety")
	}
	if r.Attach > reminder.RunStart {
		u.report(code.UnknownValue, "attach", fmt.Sprintf("there is no place %d to attach to", r.Attach),
			"use Tail, UserTurn or RunStart")
	}
	if r.MaxFires > 0 && r.Tier == reminder.Safety {
		u.add("max_fires", grammar.Diagnostic{Code: code.SafetyMaxFires, Severity: grammar.Warning,
			Message: "max_fires does not hold for the tier safety", Hint: "leave max_fires out; a cooldown does hold"})
	}
	counted := func(k reminder.KeepUnit) bool { return k == reminder.KeepTurns || k == reminder.KeepUserTurns }
	switch k := r.Keep; {
	case k.Unit > reminder.KeepConversation:
		u.report(code.BadKeep, "keep", fmt.Sprintf("there is no way %d to keep a text", k.Unit),
			"use KeepTurns, KeepUserTurns or KeepConversation")
	case counted(k.Unit) && k.N < 1:
		u.report(code.BadKeep, "keep", fmt.Sprintf("a text cannot be kept for %d turns", k.N),
			"write 1 turn or more")
	case !counted(k.Unit) && k.N != 0:
		u.report(code.BadKeep, "keep", fmt.Sprintf("%d turns go with KeepTurns and KeepUserTurns alone", k.N),
			"set Unit to one of them")
	}
}

func (u *unit) span(field string, s reminder.Span) {
	set := 0
	for _, given := range []bool{s.Turns != 0, s.UserTurns != 0, s.Time != 0} {
		if given {
			set++
		}
	}
	switch {
	case s.Turns < 0 || s.UserTurns < 0 || s.Time < 0:
		u.report(code.NegativeLimit, field, fmt.Sprintf("%s is negative", field), "write 0 or more")
	case set > 1:
		u.report(code.MixedSpan, field, fmt.Sprintf("%s has several units", field), "set one of them")
	case field == "for" && s.UserTurns != 0:
		u.report(code.MixedSpan, field, "for counts turns or time, not user turns",
			"set Turns or Time")
	}
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

// Options say which facts and tools there are. With the zero value there are the built-in facts, and any tool
// may exist.
type Options struct {
	Schema *fact.Schema // the facts there are; nil for the built-in ones alone
	// names of the tools that exist: any other in a trigger is a warning. If empty, there are no warnings
	Tools []string
	// the name of these rules in decisions, such as the digest of the files that they come from; "" is none
	Digest string
}
