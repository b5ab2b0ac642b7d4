// Package reasons says for people why reminders fired and why they did not: in a sentence, and condition by
// condition.
package reasons

import (
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// Manual reports whether a reminder was fired by name on the last turn: a firing by its trigger would have
// set LastFire to that turn.
func Manual(x *eval.Explanation) bool { return x.Fired && x.LastFire != x.Turn }

// Of returns in a few words why a reminder of a set fired or did not, "" where that is not known.
func Of(x *eval.Explanation, set *compile.Set) string {
	switch {
	case Manual(x):
		return "it was asked for by name"
	case x.Moment != fact.Turn && x.Fired:
		return ""
	case x.Moment != fact.Turn && len(x.Held) == 0:
		return "its trigger is read " + map[fact.Moment]string{fact.BeforeTool: "before a call",
			fact.Stopping: "when the agent is about to end its work"}[x.Moment] + ", and not on turns"
	case x.Fired && x.Trigger.Truth != fact.True: // facts that the trigger has read are not stored
		return ""
	case x.Fired:
		return terminal.Line(x.Trigger.Why())
	case len(x.Held) > 0: // the trigger was true on that turn, even if the stored facts no longer show it
		held := make([]string, len(x.Held))
		for i, h := range x.Held {
			held[i] = Held(h, set, nil)
		}
		return strings.Join(held, "; ")
	case x.Trigger.Truth != fact.True:
		return "its trigger is " + x.Trigger.Truth.String()
	}
	return ""
}

// Held returns in words why a reminder of a set was held although its trigger was true. The words begin with
// h.Why. Without h.Left they are the same on each turn. errs are those of the decision.
func Held(h reminder.Held, set *compile.Set, errs []reminder.TextError) string {
	i, ok := set.Index(h.ID)
	if !ok {
		return h.Why
	}
	r, why := set.Reminder(i), ""
	switch h.Why {
	case reminder.HeldArmed:
		if why = "its trigger has not been false since it fired"; r.Rearm != "" {
			why = "it has fired, and waits for " + r.Rearm
		}
	case reminder.HeldFor:
		if why = "its trigger has to stay true for " + r.For.String(); !h.Left.IsZero() {
			why = "its trigger has to stay true for " + h.Left.String() + " more"
		}
	case reminder.HeldCooldown:
		if why = r.Cooldown.String(); !h.Left.IsZero() {
			why = h.Left.String() + " left"
		}
	case reminder.HeldMaxFires:
		why = "it has fired " + terminal.Count(r.MaxFires, "time") + " in this run, as often as it may"
	case reminder.HeldBudget:
		why = "no room for its tokens"
	case reminder.HeldText:
		why = "could not be rendered, or is blank"
		for _, e := range errs {
			if e.ID == h.ID {
				why = e.Error
			}
		}
	case reminder.HeldAnswered:
		why = "it has spoken about this already: the same call was held back before, or two others in this user " +
			"turn, or the agent kept from ending"
	case reminder.HeldIgnored:
		why = "it is silent for the rest of the run, since " + terminal.Count(r.MaxIgnored, "firing") +
			" in a row were ignored"
	}
	return h.Why + ": " + terminal.Line(why)
}
