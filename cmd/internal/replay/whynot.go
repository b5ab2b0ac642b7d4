package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/state"
)

// never returns why reminder i did not fire.
func (s *summary) never(i int) string {
	r := s.set.Reminder(i)
	if s.out.Turns == 0 {
		return "there was no turn"
	}
	if s.wrong[i] != "" {
		return "its text could not be rendered: " + s.wrong[i]
	}
	if len(s.held[i]) > 0 {
		var parts []string
		for _, why := range slices.Sorted(maps.Keys(s.held[i])) {
			parts = append(parts, fmt.Sprintf("on %s by %s", terminal.Count(s.held[i][why], "turn"),
				heldBecause(why, r)))
		}
		return "held back " + strings.Join(parts, ", ")
	}
	return s.surveys[i].Need().String()
}

// heldWhy returns in words why a reminder was held although its trigger was true. The words begin with h.Why.
// errs are the decision's.
func heldWhy(h state.Held, r *compile.Source, errs []state.TextError) string {
	for _, e := range errs {
		if h.Why == state.HeldText && e.ID == h.ID {
			return "text: " + e.Error
		}
	}
	why := heldBecause(h.Why, r)
	if h.Left.IsZero() {
		return why
	}
	return h.Why + ": " + h.Left.String() + " left"
}

// heldBecause returns in words why a reminder was held, given the Why of its state.Held.
func heldBecause(why string, r *compile.Source) string {
	switch why {
	case state.HeldArmed:
		if r.Rearm != "" {
			return "not armed: waits for " + r.Rearm
		}
		return "not armed: its trigger has not been false since it fired"
	case state.HeldFor:
		return "for: not true for " + r.For.String() + " on end"
	case state.HeldCooldown:
		return "cooldown: " + r.Cooldown.String()
	case state.HeldMaxFires:
		return "max_fires: fired " + terminal.Count(r.MaxFires, "time") + " already"
	case state.HeldBudget:
		return "budget: no room for its tokens"
	case state.HeldText:
		return "text: could not be rendered"
	default:
		return why
	}
}
