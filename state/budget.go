package state

import (
	"cmp"
	"slices"

	"github.com/aside-go/aside/compile/reminder"
)

// budget drops candidates until the rest fit: those of the lowest tier first, among these those of the lowest priority, and
// among these the last by id. A candidate that was dropped does not come back, even if it would fit beside what is left.
// Safety reminders and those asked for by hand cost tokens but are never dropped. What is dropped stays armed.
func (st *step) budget() {
	limit := st.in.Budget
	if limit.Turn <= 0 && limit.Run <= 0 {
		return
	}
	sum := int64(0)
	var weak []int // candidates that may go, the first to go first
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
		return (limit.Turn <= 0 || sum <= int64(limit.Turn)) && (limit.Run <= 0 || st.next.spent+sum <= int64(limit.Run))
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
