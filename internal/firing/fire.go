package firing

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// candidate is a reminder that fires unless its text cannot be rendered or the budget is too short.
type candidate struct {
	rule  *reminder.Reminder
	i     int    // index of the reminder
	entry *entry // counts the firing by the trigger; nil if the reminder was only asked for by hand
	hand  bool   // asked for by hand, so the budget does not drop it
	due   reminder.Due
}

// manual collects the reminders that were asked for by hand, on this turn or before. If the turn can carry no
// text, they stay queued for the next turn that can.
func (st *stepState) manual() {
	s := st.next
	ids := s.queue
	for _, id := range st.in.Remind {
		ids = insert(ids, validUTF8(id))
	}
	if len(ids) == 0 {
		return
	}
	s.own()
	if st.in.Silent {
		s.queue = ids
		return
	}
	s.queue = nil
	for _, id := range ids {
		if _, ok := st.rules.first[id]; ok {
			st.hand = append(st.hand, id)
		} else {
			st.undelivered(id)
		}
	}
}

// update brings the entries up to date with the truths of the turn, and finds the candidates.
//
// It merges two lists that are in the order of ids: the reminders of the set, and the entries of the run. A
// reminder without an entry whose trigger is not true needs no work, and most reminders of a large set are
// such; the inner loop skips them. update copies the list of entries at the first change, so a turn that
// changes nothing allocates nothing.
func (st *stepState) update(trigger, rearm []fact.Truth) {
	st.trigger = trigger
	var (
		rules = st.rules
		old   = st.next.entries
		out   []slot // the new entries; nil while they are those of old
		cur   = 0    // the first entry of old that is not yet merged
	)
	for pos := 0; pos < len(rules.list); pos++ {
		if rules.byID == nil { // the list itself is in the order of ids
			end := len(rules.list)
			if cur < len(old) {
				end = old[cur].pos
			}
			for pos < min(end, len(trigger)) && trigger[pos] != fact.True {
				pos++
			}
			if pos == len(rules.list) {
				break
			}
		}
		i := rules.at(pos)
		t := rules.truth(trigger, i)
		var e *entry
		if cur < len(old) && old[cur].pos == pos {
			e = old[cur].entry
			cur++
		} else if t != fact.True {
			continue
		}
		n := st.turn(i, e, t, rules.truth(rearm, i))
		if n == e && out == nil {
			continue
		}
		if out == nil {
			seen := cur
			if e != nil {
				seen--
			}
			out = append(make([]slot, 0, len(old)+1), old[:seen]...)
		}
		if n != nil {
			out = append(out, slot{n, pos})
		}
	}
	if out != nil {
		st.next.own()
		st.next.entries = out
	}
}

// turn brings the entry of reminder i up to date with the truths of its trigger and its rearm condition on
// this turn, and makes the reminder a candidate if it is to fire. It returns e itself if nothing changed, and
// nil if the reminder needs no entry.
func (st *stepState) turn(i int, e *entry, t, rearm fact.Truth) *entry {
	if st.in.Moment != fact.Turn {
		return st.moment(i, e, t)
	}
	r, now := &st.rules.list[i], st.next.turn
	n := entry{id: r.ID}
	if e != nil {
		n = *e
	}
	further := n.turn == now
	if !further {
		n.turn, n.prior = now, n.after
	}
	if slices.Contains(st.rearmed, r.ID) {
		n.prior.disarmed = false // for the parts to come, too
	}
	if n.after = n.prior; n.prior.gaps.False(st.arrived) {
		n.after.disarmed = false
	}
	st.settleOutcomes(i, &n, further)
	if r.Rearm != "" && (rearm == fact.True || st.in.Compacted == fact.True || st.in.CompactedBefore) {
		n.after.disarmed = false
	}
	fires, already := false, n.fires > 0 && n.last.Turn == now // already in an earlier part of the turn
	switch t {
	case fact.False:
		n.after.from, n.after.since = 0, time.Time{}
		if r.Rearm == "" {
			n.after.disarmed = false
		}
	case fact.Unknown:
		n.after = n.after.inRow(n.after.row(now-1), now)
	case fact.True:
		if n.after.from == 0 {
			n.after.from, n.after.since = now, st.next.last
		}
		var held reminder.Held
		if held, fires = st.next.allowed(r, &n); already {
			held, fires = reminder.Held{ID: r.ID, Why: reminder.HeldArmed}, false
		}
		if !fires {
			st.addHeld(held)
		}
	}
	if already && t != fact.False {
		n.after.disarmed = r.Mode != reminder.While
	}
	switch {
	case !fires && n.blank():
		return nil
	case !fires && e != nil && n.after == e.after && (!further || n.prior == e.prior) &&
		n.ignored == e.ignored && slices.Equal(n.open, e.open):
		return e
	}
	return st.own(i, n, fires)
}

// skip is update on a turn on which no trigger is judged: the rows of all are as long as before.
func (st *stepState) skip() {
	s := st.next
	s.own()
	s.entries = slices.Clone(s.entries)
	for i, e := range s.entries {
		if e.after.from > 0 {
			n := *e.entry
			n.turn, n.prior = s.turn, e.after
			n.after.from++
			s.entries[i].entry = &n
		}
	}
}

// moment is turn at another moment: nothing is armed or counted there, and a true trigger fires each time.
func (st *stepState) moment(i int, e *entry, t fact.Truth) *entry {
	if t != fact.True {
		return e
	}
	r := &st.rules.list[i]
	n := entry{id: r.ID}
	if e != nil {
		n = *e
	}
	held, ok := st.next.limited(r, &n)
	if r.Pause && st.in.Call != nil {
		switch fresh, again := st.asks(i); {
		case again: // calls of one answer are held back together, whatever the limits are
			ok = true
		case ok && len(fresh) == 0:
			held, ok = reminder.Held{ID: r.ID, Why: reminder.HeldAnswered}, false
		}
	} else if ok && st.answered(r) {
		held, ok = reminder.Held{ID: r.ID, Why: reminder.HeldAnswered}, false
	}
	if !ok {
		st.addHeld(held)
		return e
	}
	return st.own(i, n, true)
}

// own returns an entry of this step, and makes its reminder a candidate if it fires.
func (st *stepState) own(i int, n entry, fires bool) *entry {
	r := &st.rules.list[i]
	if n.version == "" {
		n.version = versionOf(r)
	}
	own := new(entry) // not &n, which would move n to the heap for every reminder that has an entry
	*own = n
	if fires {
		st.candidates = append(st.candidates, candidate{rule: r, i: i, entry: own})
	}
	return own
}

// maxSeen is how many answered moments, and how many pauses, a run remembers.
const maxSeen = 256

// answered reports whether a moment has had its answer in this user turn: the end of the work is stopped
// once.
func (st *stepState) answered(r *reminder.Reminder) bool {
	hash, once := st.answer(r)
	return once && slices.Contains(st.next.seen, hash)
}

// answer returns the hash by which a run remembers the moment as answered by a reminder; once is false if the
// reminder may answer each time.
func (st *stepState) answer(r *reminder.Reminder) (hash uint64, once bool) {
	return hashKey(r.ID + "\x00stopping"), st.in.Moment == fact.Stopping
}

// arm arms the reminders whose trigger is false between this turn and the next one, where no event holds, and
// notes of the others with which new texts it will be (LANGUAGE.md §4, step 4).
func (st *stepState) arm() {
	if st.in.Between == nil || st.in.Moment != fact.Turn {
		return
	}
	copied := false
	for k := range st.next.entries {
		sl := st.next.entries[k]
		i := st.rules.at(sl.pos)
		r, after := &st.rules.list[i], sl.after
		if after.gaps = 0; after.disarmed && r.Rearm == "" && r.For.IsZero() {
			after.gaps = st.in.Between(i)
		}
		if after.gaps.False(0) {
			after.disarmed, after.gaps = false, 0
		}
		if after == sl.after {
			continue
		}
		e := *sl.entry
		if e.turn != st.next.turn {
			e.turn, e.prior = st.next.turn, e.after
		}
		e.after = after
		if !copied {
			st.next.own()
			st.next.entries, copied = slices.Clone(st.next.entries), true
		}
		st.next.entries[k].entry = &e
	}
}

// addHeld adds the reason for which a reminder with a true trigger does not fire.
func (st *stepState) addHeld(h reminder.Held) {
	if st.decision.Held == nil {
		most := 0 // each reminder with a true trigger can be held
		for _, t := range st.trigger {
			if t == fact.True {
				most++
			}
		}
		st.decision.Held = make([]reminder.Held, 0, most)
	}
	st.decision.Held = append(st.decision.Held, h)
}

// allowed reports whether a reminder with a true trigger may fire on this turn, and if not, the first limit
// that holds it. The budget comes later, in applyBudget.
func (s *past) allowed(r *reminder.Reminder, e *entry) (reminder.Held, bool) {
	if e.after.disarmed {
		return reminder.Held{ID: r.ID, Why: reminder.HeldArmed}, false
	}
	left := reminder.Span{
		Turns: max(r.For.Turns-e.after.row(s.turn), 0),
		Time:  max(r.For.Time-distance(e.after.since, s.last), 0),
	}
	if !left.IsZero() {
		return reminder.Held{ID: r.ID, Why: reminder.HeldFor, Left: left}, false
	}
	return s.limited(r, e)
}

// limited is the part of allowed that holds at every moment.
func (s *past) limited(r *reminder.Reminder, e *entry) (reminder.Held, bool) {
	if e.fires > 0 {
		run := Run{s}
		if left := run.Left(r.Cooldown, e.last); !left.IsZero() {
			return reminder.Held{ID: r.ID, Why: reminder.HeldCooldown, Left: left}, false
		}
	}
	if r.MaxFires > 0 && e.fires >= r.MaxFires {
		return reminder.Held{ID: r.ID, Why: reminder.HeldMaxFires}, false
	}
	if r.MaxIgnored > 0 && e.ignored >= r.MaxIgnored {
		return reminder.Held{ID: r.ID, Why: reminder.HeldIgnored}, false
	}
	return reminder.Held{}, true
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
		st.setHeld(c.rule.ID, reminder.HeldBudget)
	}
	if len(dropped) > 0 {
		st.candidates = slices.DeleteFunc(st.candidates, func(c candidate) bool { return dropped[c.rule.ID] })
	}
}

// cost returns the tokens of a text.
func (in *Input) cost(text string) int {
	if in.Tokens == nil {
		return reminder.Tokens(len(text))
	}
	return min(max(in.Tokens(text), 0), math.MaxInt32)
}
