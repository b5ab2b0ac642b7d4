package firing

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// renderTexts adds the reminders asked for by hand to the candidates, and drops every candidate whose text
// cannot be rendered.
func (st *stepState) renderTexts() {
	for _, id := range st.hand {
		hasID := func(c candidate) bool { return c.rule.ID == id }
		if k := slices.IndexFunc(st.candidates, hasID); k >= 0 {
			st.candidates[k].hand = true
			continue
		}
		i := st.rules.first[id]
		st.candidates = append(st.candidates, candidate{rule: &st.rules.list[i], i: i, hand: true})
	}
	slices.SortFunc(st.candidates, func(a, b candidate) int { return cmp.Compare(a.rule.ID, b.rule.ID) })
	ready := st.candidates[:0]
	for _, c := range st.candidates {
		if st.write(&c) {
			ready = append(ready, c)
		}
	}
	st.candidates = ready
}

// endTexts drops the texts whose keep has ended. A dropped text that no request carried is reported as
// undelivered, and its reminder is armed again if the trigger had fired it.
func (st *stepState) endTexts() {
	s := st.next
	if !slices.ContainsFunc(s.texts, st.ended) {
		return
	}
	kept := make([]text, 0, len(s.texts))
	for i := range s.texts {
		t := &s.texts[i]
		if !st.ended(*t) {
			kept = append(kept, *t)
			continue
		}
		if t.waiting {
			st.undelivered(t.ID)
			if !t.Manual {
				st.rearmed = append(st.rearmed, t.ID)
			}
		}
	}
	s.own()
	s.texts = kept
}

// ended reports whether the keep of a text has ended with this turn.
func (st *stepState) ended(t text) bool {
	if t.missed || t.turn == st.next.turn {
		return false
	}
	if st.in.Compacted == fact.True {
		return true
	}
	switch t.Keep.Unit {
	case reminder.KeepConversation:
		return false
	case reminder.KeepUserTurns:
		return st.next.userTurns-t.userTurn >= t.Keep.N
	default: // KeepTurns; one turn that carried nothing does not count for a text that stays for one
		return st.next.turn-t.turn >= t.Keep.N && !(t.waiting && t.Keep.N == 1)
	}
}

// hidden reports whether a text is kept and not put before the model: the run is held out of its reminder, or
// the reminder is gone from the rules and may come back.
func (st *stepState) hidden(t text) bool {
	_, here := st.rules.first[t.ID]
	return t.HeldOut || !here
}

func (st *stepState) undelivered(id string) {
	st.decision.Undelivered = insert(st.decision.Undelivered, id)
}

// write renders a candidate's text. If that fails, it adds the error to the decision and returns false.
func (st *stepState) write(c *candidate) bool {
	r := c.rule
	body, err := "", errors.New("there is nothing that renders texts")
	if st.in.Render != nil {
		body, err = st.in.Render(c.i)
	}
	if err != nil {
		st.decision.Errors = append(st.decision.Errors, reminder.TextError{ID: r.ID, Error: validUTF8(err.Error())})
		st.setHeld(r.ID, reminder.HeldText)
		return false
	}
	if body = validUTF8(body); strings.TrimSpace(body) == "" {
		st.decision.Errors = append(st.decision.Errors, reminder.TextError{ID: r.ID, Error: "the text is blank"})
		st.setHeld(r.ID, reminder.HeldText)
		return false
	}
	c.due = reminder.Due{
		ID: r.ID, Text: body, Priority: r.Priority, Tier: r.Tier, Attach: r.Attach, Keep: r.Keep,
		Tokens: st.in.cost(body), Manual: c.entry == nil,
		HeldOut: st.in.Shadow[r.ID] || c.entry != nil && st.in.heldOut(r),
	}
	return true
}

// setHeld sets the reason for which a candidate does not fire, in place of an earlier reason of the same
// reminder.
func (st *stepState) setHeld(id, why string) {
	st.decision.Held = slices.DeleteFunc(st.decision.Held, func(h reminder.Held) bool { return h.ID == id })
	st.decision.Held = append(st.decision.Held, reminder.Held{ID: id, Why: why})
}

// fire fires the remaining candidates: their entries count the firing, and their texts replace the kept texts
// of the same reminders.
func (st *stepState) fire() {
	if len(st.candidates) == 0 {
		st.sortHeld()
		return
	}
	s, d := st.next, st.decision
	s.own()
	now := s.mark()
	d.Fired = make([]reminder.Due, 0, len(st.candidates))
	texts := make([]text, 0, len(s.texts)+len(st.candidates))
	texts = append(texts, s.texts...)
	for _, c := range st.candidates {
		if e := c.entry; e != nil {
			if e.last.Turn != now.Turn {
				e.before = e.last
			}
			e.fires++
			e.last, e.heldOut = now, c.due.HeldOut
			if st.in.Moment == fact.Turn {
				e.after.disarmed = c.rule.Mode != reminder.While
			}
			st.expect(&c)
		}
		s.spent += int64(c.due.Tokens)
		d.Fired = append(d.Fired, c.due)
		d.Held = slices.DeleteFunc(d.Held, func(h reminder.Held) bool { return h.ID == c.rule.ID })
		if st.in.Moment != fact.Turn {
			st.remember(c)
			if !st.in.Silent {
				continue // the host has put it where it belongs
			}
		}
		t := text{Due: c.due, turn: s.turn, userTurn: s.userTurns,
			waiting: st.in.Silent && !c.due.HeldOut}
		if old := findText(texts[:len(s.texts)], c.due.ID); old != nil {
			*old = t
		} else {
			texts = append(texts, t)
		}
	}
	slices.SortFunc(texts, func(a, b text) int { return cmp.Compare(a.ID, b.ID) })
	s.texts = texts
	sortDue(d.Fired, st.in.Order)
	st.sortHeld()
}

// remember remembers that a reminder has answered the moment, if it may do so once alone.
func (st *stepState) remember(c candidate) {
	if c.rule.Pause && st.in.Call != nil {
		fresh, _ := st.asks(c.i)
		pauses := append(slices.Clip(st.next.pauses), fresh...)
		st.next.pauses = pauses[max(len(pauses)-maxSeen, 0):]
		if !c.due.HeldOut {
			st.decision.Paused = append(st.decision.Paused, c.rule.ID)
		}
		return
	}
	hash, once := st.answer(c.rule)
	if !once {
		return
	}
	seen := append(slices.Clip(st.next.seen), hash)
	st.next.seen = seen[max(len(seen)-maxSeen, 0):]
}

func (st *stepState) sortHeld() {
	byID := func(a, b reminder.Outcome) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortStableFunc(st.decision.Outcomes, byID)
	if len(st.decision.Held) == 0 {
		st.decision.Held = nil // as Decode returns it
	}
	slices.SortFunc(st.decision.Held, func(a, b reminder.Held) int { return cmp.Compare(a.ID, b.ID) })
}

// carry makes all kept texts due. On a turn that can carry no text, no text is due and new texts wait. At
// another moment only what fired is due.
func (st *stepState) carry() {
	s, silent := st.next, st.in.Silent
	if st.in.Moment != fact.Turn {
		if !silent {
			shown := slices.Clone(st.decision.Fired)
			st.decision.Due = slices.DeleteFunc(shown, func(d reminder.Due) bool { return d.HeldOut })
		}
		return
	}
	if slices.ContainsFunc(s.texts, func(t text) bool { return t != st.carried(t) }) {
		texts := make([]text, len(s.texts))
		for i, t := range s.texts {
			texts[i] = st.carried(t)
		}
		s.own()
		s.texts = texts
	}
	switch {
	case silent || len(s.texts) == 0:
	case st.sameDue():
		st.decision.Due = st.last.decision.Due
	default:
		due := make([]reminder.Due, 0, len(s.texts))
		for _, t := range s.texts {
			if !st.hidden(t) {
				due = append(due, t.Due)
			}
		}
		sortDue(due, st.in.Order)
		st.decision.Due = due
	}
}

// carried returns the text after this turn, which carries it unless the turn is silent or the text hidden.
func (st *stepState) carried(t text) text {
	waits := t.waiting && (st.in.Silent || st.hidden(t))
	if t.missed || t.turn == st.next.turn { // its stay begins when a request carries it
		t.userTurn = st.next.userTurns
	}
	t.missed = false
	t.Late = t.waiting && !waits
	t.waiting = waits
	return t
}

// sameDue reports whether exactly the texts of the last turn are due again, in the same order.
func (st *stepState) sameDue() bool {
	was, now := st.last.texts, st.next.texts
	return len(was) == len(now) && &was[0] == &now[0] && st.last.decision != nil &&
		len(st.last.decision.Due) == len(now) && !slices.ContainsFunc(now, st.hidden) &&
		slices.IsSortedFunc(st.last.decision.Due, before(st.in.Order))
}

// sortDue puts texts in the order in which they go before the model.
func sortDue(due []reminder.Due, order reminder.Order) { slices.SortFunc(due, before(order)) }

// before compares texts by the order in which they go before the model.
func before(order reminder.Order) func(a, b reminder.Due) int {
	if order == reminder.ByTier {
		return byTier
	}
	return byPriority
}

func byTier(a, b reminder.Due) int {
	return cmp.Or(cmp.Compare(b.Tier, a.Tier), cmp.Compare(a.ID, b.ID))
}

func byPriority(a, b reminder.Due) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
}
