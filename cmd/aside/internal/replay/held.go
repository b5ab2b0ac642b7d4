package replay

import (
	"fmt"
	"strconv"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/state"
)

// heldWhy returns in words why a reminder was held although its trigger was true. The words begin with h.Why. errs are the decision's.
func heldWhy(h state.Held, r *compile.Source, errs []state.TextError) string {
	for _, e := range errs {
		if h.Why == "text" && e.ID == h.ID {
			return "text: " + e.Error
		}
	}
	why := HeldBecause(h.Why, r)
	if h.Left.IsZero() {
		return why
	}
	return h.Why + ": " + h.Left.String() + " left"
}

// HeldBecause returns in words why a reminder was held, given the Why of its state.Held.
func HeldBecause(why string, r *compile.Source) string {
	switch {
	case why == "not armed" && r.Rearm != "":
		return "not armed: waits for " + r.Rearm
	case why == "not armed":
		return "not armed: its trigger has not been false since it fired"
	case why == "for":
		return "for: not true for " + r.For.String() + " on end"
	case why == "cooldown":
		return "cooldown: " + r.Cooldown.String()
	case why == "max_fires":
		return "max_fires: fired " + plural(r.MaxFires, "time") + " already"
	case why == "budget":
		return "budget: no room for its tokens"
	case why == "text":
		return "text: could not be rendered"
	default:
		return why
	}
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%s %ss", strconv.Itoa(n), unit)
}
