package report

import (
	"strconv"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/state"
)

// heldWords returns in words why a reminder was held, to follow "its trigger was true, but".
func heldWords(h state.Held, r *compile.Source) string {
	switch h.Why {
	case state.HeldArmed:
		if r.Rearm != "" {
			return "it had fired before and waited to be armed again by " + r.Rearm
		}
		return "it had fired before and its trigger had not been false since"
	case state.HeldFor:
		return "that had not lasted for " + r.For.String() + " yet"
	case state.HeldCooldown:
		return "its cooldown of " + r.Cooldown.String() + " was not over"
	case state.HeldMaxFires:
		if r.MaxFires == 1 {
			return "it had fired once in this run, and max_fires is 1"
		}
		return "it had fired " + strconv.Itoa(r.MaxFires) + " times in this run, which max_fires allows"
	case state.HeldBudget:
		return "the budget had no room for its tokens"
	case state.HeldText:
		return "its text could not be rendered"
	default:
		return h.Why
	}
}
