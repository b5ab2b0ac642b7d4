package compile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/near"
)

// MaxReminders is how many reminders a set may hold.
const MaxReminders = 10_000

// New compiles reminders to a set, which is never nil. The order of rs does not matter, except among reminders of the same id.
//
// A reminder with an error is left out, and makes no difference to the others. So is one whose id an earlier one has, and all
// beyond MaxReminders. Disabled reminders are left out without a diagnostic. Faulty ones are left out, too, but New still
// reports what is wrong with their triggers and texts. New copies the reminders.
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
		opts.Schema = builtin()
	}
	if opts.Parse == nil {
		opts.Parse = grammar.Parse
	}
	b := builder{opts: opts, cache: map[string]*compiled{}, canonical: map[string]*Predicate{}, ids: map[string]bool{}}
	s := &Set{schema: opts.Schema, index: map[string]int{}}
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
		if s.Len() == MaxReminders {
			u.report(code.FullSet, "id", fmt.Sprintf("a set holds at most %d reminders, and there are %d", MaxReminders, len(sorted)), "split them up, or delete some")
			b.diags = append(b.diags, u.diags...)
			break
		}
		u.check(i > 0 && sorted[i-1].ID == sorted[i].ID)
		b.diags = append(b.diags, u.diags...)
		if !u.diags.HasErrors() {
			s.add(&u)
		}
	}
	s.plan = newPlan(s)
	b.diags.Sort()
	return s, b.diags
}

// add adds a compiled reminder.
func (s *Set) add(u *unit) {
	s.index[u.r.ID] = len(s.reminders)
	s.reminders = append(s.reminders, *u.r)
	s.triggers = append(s.triggers, u.trigger)
	s.rearms = append(s.rearms, u.rearm)
	s.templates = append(s.templates, u.template)
}

// builder compiles the reminders of one set.
type builder struct {
	opts      Options
	cache     map[string]*compiled  // triggers by their source
	canonical map[string]*Predicate // and by their canonical text
	ids       map[string]bool       // of all reminders but the disabled ones
	diags     grammar.Diagnostics
}

// compile compiles a trigger. It compiles equal ones only once, and returns one predicate for those of the same canonical text.
func (b *builder) compile(src string) *compiled {
	if c := b.cache[src]; c != nil {
		return c
	}
	tree, diags := b.opts.Parse(src)
	c := compileTree(tree, diags, b.opts)
	if c.p != nil {
		if same := b.canonical[c.p.text]; same != nil {
			c.p = same
		} else {
			b.canonical[c.p.text] = c.p
		}
	}
	b.cache[src] = c
	return c
}

// checkFaulty reports what else is wrong with a faulty reminder, as far as it could be read, so that all of its mistakes are
// reported at once.
func (b *builder) checkFaulty(r *Source) {
	u := unit{b: b, r: r}
	if r.Trigger != "" {
		u.compile("trigger", r.Trigger)
	}
	if r.Rearm != "" {
		u.compile("rearm", r.Rearm)
	}
	if strings.TrimSpace(r.Text) != "" {
		u.text()
	}
	b.diags = append(b.diags, u.diags...)
}

// unit compiles one reminder.
type unit struct {
	b              *builder
	r              *Source
	trigger, rearm *Predicate
	template       *template
	diags          grammar.Diagnostics
}

// report adds an error about a field.
func (u *unit) report(id grammar.Code, field, message, hint string) {
	u.add(field, grammar.Diagnostic{Code: id, Message: message, Hint: hint})
}

// add adds a diagnostic about a field. Its places, which are places in the field's value, become places in the file.
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

// check compiles the reminder and reports what is wrong with it. repeated says that an earlier reminder has its id.
func (u *unit) check(repeated bool) {
	r := u.r
	if !reminder.ValidID(r.ID) {
		hint := "an id begins with a letter or digit and goes on with letters, digits, . _ and -"
		u.report(code.BadID, "id", fmt.Sprintf("%q cannot be an id", r.ID), hint)
	} else if repeated {
		u.report(code.DuplicateID, "id", fmt.Sprintf("duplicate id, there is another reminder %q", r.ID), "give it another id")
	}
	u.terms()
	u.text()
	switch {
	case r.Predicate != nil && r.Trigger != "":
		u.report(code.TriggerAndPredicate, "trigger", "a reminder has a trigger or a predicate, not both", "leave one of them out")
	case r.Predicate != nil:
		u.trigger = Func("func "+r.ID, r.Predicate)
	default:
		src := r.Trigger
		if src == "" {
			src = "always"
		}
		u.trigger = u.compile("trigger", src)
	}
	if r.Rearm != "" {
		u.rearm = u.compile("rearm", r.Rearm)
		if r.Mode == reminder.While {
			u.report(code.RearmBesideWhile, "rearm", "rearm goes with when, not with while", "a while reminder fires on every turn on which it is true; leave rearm out")
		}
	}
}

// compile compiles the trigger in a field of the reminder. It returns nil if there is an error in it.
func (u *unit) compile(field, src string) *Predicate {
	c := u.b.compile(src)
	for _, d := range c.diags {
		u.add(field, d)
	}
	if c.p == nil {
		return nil
	}
	for _, ref := range c.ids {
		if !u.b.ids[ref.id] {
			hint := "write the id of a reminder of this set"
			if near := near.Names(ref.id, sortedKeys(u.b.ids)); len(near) > 0 {
				hint = "did you mean " + near[0] + "?"
			}
			u.add(field, grammar.Diagnostic{Code: code.UnknownReminder, Severity: grammar.Warning, Range: ref.at,
				Message: fmt.Sprintf("there is no reminder %q", ref.id), Hint: hint})
		}
	}
	return c.p
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
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
		u.template, diags = newTemplate(r.Text, u.b.opts)
		for _, d := range diags {
			u.add("text", d)
		}
	}
	for _, d := range tone(r.Text) {
		u.add("text", d)
	}
}
