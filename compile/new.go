package compile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/grammar"
)

// MaxReminders is how many reminders a set may hold.
const MaxReminders = 10_000

// New compiles reminders to a set, which is never nil. A reminder with an error is left out, and all others are as if it
// had not been there; so is each that repeats an id, and what goes past MaxReminders. Disabled reminders are left out
// without a word, Faulty ones after a look at their triggers and text. Reminders are copied. The result depends on nothing but the arguments.
func New(rs []Reminder, opts Options) (*Set, grammar.Diagnostics) {
	if opts.Schema == nil {
		opts.Schema = builtin()
	}
	if opts.Parse == nil {
		opts.Parse = grammar.Parse
	}
	b := builder{opts: opts, cache: map[string]*compiled{}, canonical: map[string]*Predicate{}, ids: map[string]bool{}}
	s := &Set{schema: opts.Schema, index: map[string]int{}}
	sorted := slices.Clone(rs)
	byID(sorted)
	sorted = slices.DeleteFunc(sorted, func(r Reminder) bool { return r.Disabled })
	for i := range sorted {
		b.ids[sorted[i].ID] = true
	}
	var faulty []Reminder
	sorted = slices.DeleteFunc(sorted, func(r Reminder) bool {
		if r.Faulty {
			faulty = append(faulty, r)
		}
		return r.Faulty
	})
	for i := range faulty {
		u := unit{b: &b, r: &faulty[i]}
		u.rest()
		b.diags = append(b.diags, u.diags...)
	}
	for i := range sorted {
		r := &sorted[i]
		u := unit{b: &b, r: r}
		if n := len(s.reminders); n == MaxReminders {
			u.report("R0610", "id", fmt.Sprintf("a set holds at most %d reminders, and there are %d", MaxReminders, len(sorted)), "split them up, or delete some")
			b.diags = append(b.diags, u.diags...)
			break
		}
		u.check(i > 0 && sorted[i-1].ID == r.ID)
		b.diags = append(b.diags, u.diags...)
		if u.diags.HasErrors() {
			continue
		}
		s.index[r.ID] = len(s.reminders)
		s.reminders = append(s.reminders, *r)
		s.triggers = append(s.triggers, u.trigger)
		s.rearms = append(s.rearms, u.rearm)
		s.templates = append(s.templates, u.template)
	}
	s.plan = newPlan(s)
	b.diags.Sort()
	return s, b.diags
}

// builder is the making of one set.
type builder struct {
	opts      Options
	cache     map[string]*compiled // by source
	canonical map[string]*Predicate
	ids       map[string]bool // of all reminders given
	diags     grammar.Diagnostics
}

// compile compiles a trigger once for all that write it, and gives triggers of equal canonical text one predicate.
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

// unit is the compiling of one reminder.
type unit struct {
	b              *builder
	r              *Reminder
	trigger, rearm *Predicate
	template       *template
	diags          grammar.Diagnostics
}

// report adds an error about a field.
func (u *unit) report(code, field, message, hint string) {
	u.add(field, grammar.Diagnostic{Code: code, Message: message, Hint: hint})
}

// add puts a diagnostic, whose place is one in the field's text, where the reminder was read.
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

func (u *unit) check(repeated bool) {
	r := u.r
	if !ValidID(r.ID) {
		hint := "an id begins with a letter or digit and goes on with letters, digits, . _ and -"
		u.report("R0601", "id", fmt.Sprintf("%q cannot be an id", r.ID), hint)
	} else if repeated {
		u.report("R0603", "id", fmt.Sprintf("duplicate id, there is another reminder %q", r.ID), "give it another id")
	}
	u.terms()
	u.text()
	switch {
	case r.Predicate != nil && r.Trigger != "":
		u.report("R0611", "trigger", "a reminder has a trigger or a predicate, not both", "leave one of them out")
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
		if r.Mode == While {
			u.report("R0608", "rearm", "rearm goes with when, not with while", "a while reminder fires on every turn on which it is true; leave rearm out")
		}
	}
}

// rest looks at what could be read of a faulty reminder, so that all its mistakes are told at once.
func (u *unit) rest() {
	if u.r.Trigger != "" {
		u.compile("trigger", u.r.Trigger)
	}
	if u.r.Rearm != "" {
		u.compile("rearm", u.r.Rearm)
	}
	if strings.TrimSpace(u.r.Text) != "" {
		u.text()
	}
}

// compile compiles a trigger of the reminder; nil if it is wrong.
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
			if near := grammar.Suggest(ref.id, sortedKeys(u.b.ids)); len(near) > 0 {
				hint = "did you mean " + near[0] + "?"
			}
			u.add(field, grammar.Diagnostic{Code: "R0614", Severity: grammar.Warning, Range: ref.at,
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
		u.report("R0602", "text", "the text is empty", "write what the model is to be told")
	case !utf8.ValidString(r.Text):
		u.report("R0602", "text", "the text is not UTF-8", "save it as UTF-8")
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
