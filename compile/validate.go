package compile

import (
	"fmt"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// terms checks everything of a reminder but its id, its triggers and its text. What a file cannot get wrong, code can.
func (u *unit) terms() {
	r := u.r
	u.span("for", r.For)
	u.span("cooldown", r.Cooldown)
	if r.MaxFires < 0 {
		u.report(code.NegativeLimit, "max_fires", fmt.Sprintf("max_fires is %d", r.MaxFires), "write 0 for no limit, or more")
	}
	if r.Mode > reminder.While {
		u.report(code.UnknownValue, "mode", fmt.Sprintf("there is no mode %d", r.Mode), "use When or While")
	}
	if r.Tier > reminder.Safety {
		u.report(code.UnknownValue, "tier", fmt.Sprintf("there is no tier %d", r.Tier), "use Guidance, Correctness or Safety")
	}
	if r.Attach > reminder.RunStart {
		u.report(code.UnknownValue, "attach", fmt.Sprintf("there is no place %d to attach to", r.Attach), "use Tail, UserTurn or RunStart")
	}
	if r.MaxFires > 0 && r.Tier == reminder.Safety {
		u.add("max_fires", grammar.Diagnostic{Code: code.SafetyMaxFires, Severity: grammar.Warning,
			Message: "max_fires does not hold for the tier safety", Hint: "leave max_fires out; a cooldown does hold"})
	}
	switch k := r.Keep; {
	case k.Unit > reminder.KeepConversation:
		u.report(code.BadKeep, "keep", fmt.Sprintf("there is no way %d to keep a text", k.Unit), "use KeepCall, KeepTurn, KeepTurns or KeepConversation")
	case k.Unit == reminder.KeepTurns && k.Turns < 1:
		u.report(code.BadKeep, "keep", fmt.Sprintf("a text cannot be kept for %d turns", k.Turns), "write 1 turn or more")
	case k.Unit != reminder.KeepTurns && k.Turns != 0:
		u.report(code.BadKeep, "keep", fmt.Sprintf("%d turns go with KeepTurns alone", k.Turns), "set Unit to KeepTurns")
	}
}

func (u *unit) span(field string, s reminder.Span) {
	switch {
	case s.Turns < 0 || s.Time < 0:
		u.report(code.NegativeLimit, field, fmt.Sprintf("%s is negative", field), "write 0 or more")
	case s.Turns != 0 && s.Time != 0:
		u.report(code.MixedSpan, field, fmt.Sprintf("%s is both turns and time", field), "set one of them")
	}
}
