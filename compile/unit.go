package compile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/text"
)

// unit compiles one reminder.
type unit struct {
	b *builder
	rule
	diags grammar.Diagnostics
}

// report adds an error about a field.
func (u *unit) report(id grammar.Code, field, message, hint string) {
	u.add(field, grammar.Diagnostic{Code: id, Message: message, Hint: hint})
}

// add adds a diagnostic about a field, with places in the field's value.
func (u *unit) add(field string, d grammar.Diagnostic) {
	u.diags = append(u.diags, Placed(u.source, field, d))
}

// check compiles the reminder and reports its mistakes. repeated says that an earlier reminder has its id.
func (u *unit) check(repeated bool) {
	r := u.source
	if !reminder.ValidID(r.ID) {
		hint := "an id begins with a letter or digit and goes on with letters, digits, . _ and -"
		u.report(code.BadID, "id", fmt.Sprintf("%q cannot be an id", r.ID), hint)
	} else if repeated {
		u.report(code.DuplicateID, "id", fmt.Sprintf("duplicate id, there is another reminder %q", r.ID),
			"give it another id")
	}
	u.terms()
	u.text()
	u.trigger = u.compile("trigger", cmp.Or(r.Trigger, "always"))
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
	r := u.source
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
	diags := c.diags
	if field == "rearm" && diags.HasErrors() {
		if _, wrong := trigger.Compile("every "+src, nil); !wrong.HasErrors() { // 5 turns
			diags = slices.Clone(diags[:1])
			diags[0].Hint, diags[0].Fix = "rearm is a condition; for a wait write `cooldown: "+src+"`", nil
		}
	}
	for _, d := range diags {
		u.add(field, d)
	}
	if c.trigger != nil {
		u.mentioned(field, c.trigger.Root().Expr)
	}
	return c.trigger
}

// mentioned reports a reminder that a trigger in a field asks about and that there is not.
func (u *unit) mentioned(field string, x grammar.Expr) {
	call, _ := x.(*grammar.Call)
	if call != nil && condition.OfFiring(call.Name) && !u.b.ids[call.Args[0].(*grammar.Literal).Text] {
		id := call.Args[0].(*grammar.Literal)
		hint := "write the id of a reminder of this set"
		if near := near.Names(id.Text, slices.Sorted(maps.Keys(u.b.ids))); len(near) > 0 {
			hint = "did you mean " + near[0] + "?"
		} else if strings.ContainsAny(id.Text, "@(*") || strings.ContainsFunc(id.Text, unicode.IsUpper) {
			hint = "for a call write turns_since_tool(" + strconv.Quote(id.Text) + ")"
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
	r := u.source
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
	r := u.source
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
