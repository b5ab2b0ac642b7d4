package eval

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
)

// needs returns Explanation.Needs and Explanation.RearmNeeds of reminder i.
func (p *program) needs(i int, f *fact.Frame, x *Explanation) (fires, rearms trigger.Need) {
	switch r := p.set.Rearm(i); {
	case x.Armed:
		return p.set.Trigger(i).Needs(f, fact.True), trigger.Need{}
	case r != nil:
		return p.set.Trigger(i).Needs(f, fact.True), r.Needs(f, fact.True)
	default:
		return p.set.Trigger(i).Needs(f, fact.False), trigger.Need{}
	}
}

// over begins Explanation.Next of a reminder that cannot fire again.
const over = "does not fire again in this run, unless by hand: "

// whatNext returns Explanation.Next: when the reminder fires or is armed again, in words.
func whatNext(x *Explanation, rule *reminder.Reminder) string {
	unkept := func(n *trigger.Need) bool { return needsOneOf(n, x.Unkept) }
	switch {
	case x.Queued:
		return "goes out on the next turn that can carry text: it was asked for by name"
	case x.Trigger.Text == "manual" || x.Trigger.Text == "never":
		return "fires only by name"
	case rule.MaxFires > 0 && x.Fires >= rule.MaxFires:
		return over + "it has fired as often as max_fires allows"
	case rule.MaxIgnored > 0 && x.Ignored >= rule.MaxIgnored && rule.Tier != reminder.Safety:
		return over + "as many firings in a row were ignored as max_ignored " +
			"allows"
	case x.Budget.Run < 0 && rule.Tier != reminder.Safety:
		return over + "the run's budget is spent"
	case !x.Armed && x.Rearm != nil:
		if unkept(&x.RearmNeeds) {
			return "armed again once its rearm is true: " + x.Rearm.Text
		}
		if x.RearmNeeds.Never {
			return over + "it cannot be armed again, as " + never(&x.RearmNeeds)
		}
		if x.RearmNeeds.IsZero() {
			return "armed again on the next turn, if " + x.Rearm.Text + " holds then"
		}
		return "armed again " + phrase(&x.RearmNeeds)
	case !x.Armed && x.Rearms != 0:
		return "armed again with the next " + [...]string{fact.PromptText: "message", fact.ResponseText: "response",
			fact.AllTexts: "message or response"}[x.Rearms]
	case !x.Armed:
		if unkept(&x.Needs) || x.Needs.IsZero() {
			return "armed again once its trigger is false"
		}
		if x.Needs.Never {
			return over + "its trigger stays true, as " + never(&x.Needs)
		}
		return "armed again " + phrase(&x.Needs)
	}
	wait := ""
	if c := x.Cooldown; !c.IsZero() && c.Turns != 1 {
		wait = "cooldown: " + c.String() + " left"
	}
	return join(fires(x, rule), wait)
}

// fires says when an armed reminder fires, without regard to its cooldown.
func fires(x *Explanation, rule *reminder.Reminder) string {
	n := &x.Needs
	lasts := ""
	if !rule.For.IsZero() {
		lasts = ", and stays so for " + rule.For.String()
	}
	switch {
	case n.Never:
		return over + never(n)
	case x.Trigger.Truth == fact.True && !rule.For.IsZero() && !x.Fired:
		left := rule.For
		for _, h := range x.Held {
			if h.Why == reminder.HeldFor && !h.Left.IsZero() {
				left = h.Left
			}
		}
		return "fires once its trigger has stayed true for " + left.String() + " more"
	case rule.Mode == reminder.While && x.Trigger.Truth == fact.True && n.IsZero():
		return "fires on each turn on which its trigger is true"
	case n.Event && len(n.Parts)+len(n.Unknown) == 0:
		return "fires " + each(n) + lasts
	case x.Trigger.Truth == fact.True && (rule.Mode == reminder.While || n.Again):
		return "fires " + phrase(n) + lasts
	case x.Trigger.Truth == fact.True:
		return "fires on the next turn, if its trigger is still true"
	case needsOneOf(n, x.Unkept) || n.IsZero():
		return "fires once its trigger is true" + lasts
	default:
		return "fires " + phrase(n) + lasts
	}
}

// each names the occurrences of an event or of a moment, in words that can follow "fires".
func each(n *trigger.Need) string {
	if patterns, ok := strings.CutPrefix(n.Text, "before_tool:"); ok {
		return "before each call of " + patterns
	}
	if n.Text == "stopping" {
		return "each time that the agent is about to end its work"
	}
	return "on each turn with " + n.Text
}

// join appends the cause of a wait to a firing, unless the reminder does not fire.
func join(s, wait string) string {
	if wait == "" || strings.HasPrefix(s, "does not") {
		return s
	}
	return s + "; " + wait
}

// needsOneOf reports whether n lacks one of the facts.
func needsOneOf(n *trigger.Need, facts []string) bool {
	return slices.ContainsFunc(n.Unknown, func(name string) bool { return slices.Contains(facts, name) }) ||
		slices.ContainsFunc(n.Parts, func(q trigger.Need) bool { return needsOneOf(&q, facts) })
}

// never says why n cannot hold again in this run.
func never(n *trigger.Need) string {
	if n.Now == "" {
		return "it would take " + n.Text
	}
	return "it would take " + n.Text + ", and that is " + n.Now + " and only grows"
}

// phrase puts n into words that can follow "fires".
func phrase(n *trigger.Need) string {
	if len(n.Parts) > 0 {
		return lead(n) + n.String()
	}
	switch {
	case n.Left != "" && n.Now == "" && len(n.Unknown) == 0:
		return "in " + n.Left
	case n.Again:
		return "on each turn with " + n.Text
	case len(n.Unknown) == 1 && n.Unknown[0] == strings.TrimPrefix(n.Text, "not "):
		return lead(n) + n.Text + ", " + n.Note()
	case len(n.Unknown) > 0:
		return lead(n) + n.Text + ", but it " + n.Note()
	case n.Note() != "":
		return lead(n) + n.Text + ", " + n.Note()
	}
	return lead(n) + n.Text
}

// lead returns "at " if n begins with a comparison of numbers, else "when ".
func lead(n *trigger.Need) string {
	for len(n.Parts) > 0 {
		n = &n.Parts[0]
	}
	if n.Number {
		return "at "
	}
	return "when "
}
