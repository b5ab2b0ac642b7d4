package state

import (
	"cmp"
	"math"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// allowed reports whether a reminder with a true trigger may fire on this turn, and if not, the first limit
// that holds it. The budget comes later, in applyBudget.
func (s *past) allowed(r *reminder.Reminder, e *entry) (Held, bool) {
	if e.disarmed {
		return Held{ID: r.ID, Why: HeldArmed}, false
	}
	run := Run{s}
	if left := run.Left(r.For, fact.Mark{Turn: e.since, At: e.sinceAt}); !left.IsZero() {
		return Held{ID: r.ID, Why: HeldFor, Left: left}, false
	}
	if e.fires > 0 {
		if left := run.Left(r.Cooldown, e.last); !left.IsZero() {
			return Held{ID: r.ID, Why: HeldCooldown, Left: left}, false
		}
	}
	if r.MaxFires > 0 && e.fires >= r.MaxFires {
		return Held{ID: r.ID, Why: HeldMaxFires}, false
	}
	return Held{}, true
}

// applyBudget drops candidates until the rest fit: those of the lowest tier first, among these those of the
// lowest priority, and among these the last by id. A dropped candidate does not come back, even if it would
// fit beside the rest. Safety reminders and those asked for by hand cost tokens but are never dropped. A
// dropped reminder stays armed.
func (st *stepState) applyBudget() {
	limit := st.in.Budget
	if limit.Turn <= 0 && limit.Run <= 0 {
		return
	}
	sum := int64(0)
	var weak []int // indices of the candidates that may be dropped, the first to drop first
	for k := range st.candidates {
		c := &st.candidates[k]
		sum += int64(c.due.Tokens)
		if !c.hand && c.rule.Tier != reminder.Safety {
			weak = append(weak, k)
		}
	}
	slices.SortFunc(weak, func(a, b int) int {
		x, y := st.candidates[a].rule, st.candidates[b].rule
		return cmp.Or(cmp.Compare(x.Tier, y.Tier), cmp.Compare(x.Priority, y.Priority), cmp.Compare(y.ID, x.ID))
	})
	fits := func() bool {
		return (limit.Turn <= 0 || sum <= int64(limit.Turn)) &&
			(limit.Run <= 0 || st.next.spent+sum <= int64(limit.Run))
	}
	dropped := map[string]bool{}
	for _, k := range weak {
		if fits() {
			break
		}
		c := &st.candidates[k]
		sum -= int64(c.due.Tokens)
		dropped[c.rule.ID] = true
		st.setHeld(c.rule.ID, HeldBudget)
	}
	if len(dropped) > 0 {
		st.candidates = slices.DeleteFunc(st.candidates, func(c candidate) bool { return dropped[c.rule.ID] })
	}
}

// cost returns the tokens of a text.
func (in *Input) cost(text string) int {
	if in.Tokens == nil {
		return (len(text) + 3) / 4
	}
	return min(max(in.Tokens(text), 0), math.MaxInt32)
}
