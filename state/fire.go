package state

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
)

// Why a rule whose trigger was true, or that was fired by hand, did not fire: the values of Held.Why.
const (
	HeldArmed    = "not armed"
	HeldFor      = "for"
	HeldCooldown = "cooldown"
	HeldMaxFires = "max_fires"
	HeldBudget   = "budget"
	HeldText     = "text"
)

// candidate is a rule that is to fire unless its text fails or the budget is short.
type candidate struct {
	rule  *Rule
	i     int
	entry *entry // not yet shared, to be written when it fires by itself; nil: by hand alone
	hand  bool   // fired by hand, perhaps besides: the budget leaves it alone
	due   terms.Due
}

// manual takes what was queued and asked for by hand: fired now, or queued if the turn can carry no text.
func (st *step) manual() {
	s := st.next
	ids := s.queue
	for _, id := range st.in.Remind {
		ids = insert(ids, strings.ToValidUTF8(id, "\uFFFD"))
	}
	if len(ids) == 0 {
		return
	}
	if st.in.Silent {
		s.queue = ids
		return
	}
	s.queue = nil
	for _, id := range ids {
		if _, ok := st.rules.index[id]; ok {
			st.hand = append(st.hand, id)
		} else {
			st.undelivered(id)
		}
	}
}

// judge takes the truths of the turn into the entries and finds who is to fire. Rules whose trigger is not true and that
// have no entry cost one look at their truth.
func (st *step) judge(trigger, rearm []fact.Truth) {
	st.trigger = trigger
	var (
		rules = st.rules
		old   = st.next.entries
		out   []slot // nil while nothing changed
		cur   = 0
	)
	for pos := 0; pos < len(rules.rules); pos++ {
		if rules.byID == nil {
			end := len(rules.rules)
			if cur < len(old) {
				end = old[cur].pos
			}
			for pos < min(end, len(trigger)) && trigger[pos] != fact.True {
				pos++
			}
			if pos == len(rules.rules) {
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
		st.next.entries = out
	}
}

// turn takes one rule over the turn: it returns e itself if nothing changed, another entry, or nil for none.
func (st *step) turn(i int, e *entry, t, rearm fact.Truth) *entry {
	r := &st.rules.rules[i]
	n := entry{id: r.ID}
	if e != nil {
		n = *e
	}
	if r.Rearm && rearm == fact.True || slices.Contains(st.rearmed, r.ID) {
		n.spentArm = false
	}
	fires := false
	switch t {
	case fact.False:
		n.since, n.sinceAt = 0, time.Time{}
		if !r.Rearm {
			n.spentArm = false
		}
	case fact.True:
		if n.since == 0 {
			n.since, n.sinceAt = st.next.turn, st.next.last
		}
		var held Held
		if held, fires = st.next.allowed(r, &n); !fires {
			st.held(held)
		}
	}
	switch {
	case !fires && e != nil && n == *e:
		return e
	case !fires && n.blank():
		return nil
	}
	if n.version == "" {
		n.version = digest(r.Version)
	}
	own := new(entry) // not &n, which would move n to the heap for every rule that has an entry
	*own = n
	if fires {
		st.candidates = append(st.candidates, candidate{rule: r, i: i, entry: own})
	}
	return own
}

// held notes what stands against a rule whose trigger is true.
func (st *step) held(h Held) {
	if st.decision.Held == nil {
		most := 0
		for _, t := range st.trigger {
			if t == fact.True {
				most++
			}
		}
		st.decision.Held = make([]Held, 0, most)
	}
	st.decision.Held = append(st.decision.Held, h)
}

// allowed reports whether a rule whose trigger is true may fire on this turn, the budget apart, and else what stands
// against it first.
func (s *past) allowed(r *Rule, e *entry) (Held, bool) {
	if e.spentArm {
		return Held{ID: r.ID, Why: HeldArmed}, false
	}
	if left := s.left(r.For, e.since, e.sinceAt); !left.IsZero() {
		return Held{ID: r.ID, Why: HeldFor, Left: left}, false
	}
	if e.fires > 0 {
		if left := s.left(r.Cooldown, e.last.Turn, e.last.At); !left.IsZero() {
			return Held{ID: r.ID, Why: HeldCooldown, Left: left}, false
		}
	}
	if r.MaxFires > 0 && e.fires >= r.MaxFires {
		return Held{ID: r.ID, Why: HeldMaxFires}, false
	}
	return Held{}, true
}

// left returns what is left of a span that began on an earlier turn.
func (s *past) left(span terms.Span, turn int, at time.Time) terms.Span {
	return terms.Span{
		Turns: max(span.Turns-(s.turn-turn), 0),
		Time:  max(span.Time-distance(at, s.last), 0),
	}
}

// render asks for the texts of those that are to fire, those by hand among them.
func (st *step) render() {
	for _, id := range st.hand {
		same := func(c candidate) bool { return c.rule.ID == id }
		if k := slices.IndexFunc(st.candidates, same); k >= 0 {
			st.candidates[k].hand = true
			continue
		}
		i := st.rules.index[id]
		st.candidates = append(st.candidates, candidate{rule: &st.rules.rules[i], i: i, hand: true})
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
