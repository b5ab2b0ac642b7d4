package firing_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/state"
)

// turn is one turn, or a further part of one, as the tests write it: truths and texts by id.
type turn struct {
	key, body       string
	at              time.Time
	more            bool
	user, compacted fact.Truth
	silent          bool
	remind          []string
	trigger, rearm  map[string]fact.Truth // absent is unknown
	expect          map[string]fact.Truth
	between         map[string]fact.Gaps
	texts           fact.Texts
	spoken          fact.Truth
	text            map[string]string
	fails           map[string]bool // whose text cannot be rendered
}

var errText = errors.New("no such fact")

// input is the turn as the machine takes it.
func (t turn) input(rules []reminder.Reminder, order reminder.Order, budget reminder.Budget) firing.Input {
	return firing.Input{
		Key: t.key, Body: t.body, At: t.at, Order: order, Budget: budget,
		UserMessage: t.user, Compacted: t.compacted, Resumed: fact.Unknown, Failed: fact.Unknown,
		Remind: t.remind, Silent: t.silent, More: t.more, Run: "run",
		Between: func(i int) fact.Gaps { return t.between[rules[i].ID] }, Texts: t.texts, Spoken: t.spoken,
		Expect: func(i int) fact.Truth { return truth(t.expect, rules[i].ID) },
		Judge: func(*firing.Run) (trigger, rearm []fact.Truth) {
			for _, r := range rules {
				trigger = append(trigger, truth(t.trigger, r.ID))
				rearm = append(rearm, truth(t.rearm, r.ID))
			}
			return trigger, rearm
		},
		Render: func(i int) (string, error) {
			if t.fails[rules[i].ID] {
				return "", errText
			}
			return t.text[rules[i].ID], nil
		},
	}
}

func truth(m map[string]fact.Truth, id string) fact.Truth {
	if v, ok := m[id]; ok {
		return v
	}
	return fact.Unknown
}

// model is LANGUAGE.md §4 and §6 once more, written without regard to speed, copies or storage: maps that
// change in place.
type model struct {
	rules  []reminder.Reminder
	order  reminder.Order
	budget reminder.Budget

	turns, userTurns int
	userKnown, spoke bool
	told             fact.Texts // this turn
	prompted         bool       // the turn before told a prompt
	arrived          fact.Texts
	at               time.Time // of the turn
	spent            int
	keys             []string
	last             *reminder.Decision

	before   map[string]armed // the state before the turn
	after    map[string]armed // and after it, as far as it is known by now
	fires    map[string]int
	lastFire map[string]moment
	version  map[string]string
	kept     map[string]*keptText
	queue    map[string]bool
	open     map[string][]expected
	unread   map[string]bool // given up on this turn
	ignored  map[string]int
}

// armed is the part of a reminder's state that a whole turn changes, not each part of it.
type armed struct {
	disarmed bool
	gaps     fact.Gaps // where the trigger was false behind the turn
	row      int
	since    time.Time
}

type moment struct {
	turn, userTurn int
	at             time.Time
}

type expected struct {
	turn, firing int
	known        bool
	ended        string // on this turn
}

type keptText struct {
	due             reminder.Due
	fired, userTurn int
	waiting, missed bool
}

func newModel(rules []reminder.Reminder, order reminder.Order, budget reminder.Budget) *model {
	return &model{
		rules: rules, order: order, budget: budget,
		before: map[string]armed{}, after: map[string]armed{}, fires: map[string]int{},
		lastFire: map[string]moment{}, version: map[string]string{}, kept: map[string]*keptText{},
		queue: map[string]bool{}, open: map[string][]expected{}, ignored: map[string]int{},
	}
}

func (m *model) rule(id string) (reminder.Reminder, bool) {
	i := slices.IndexFunc(m.rules, func(r reminder.Reminder) bool { return r.ID == id })
	if i < 0 {
		return reminder.Reminder{}, false
	}
	return m.rules[i], true
}

// condition names everything that a reload compares.
func condition(r reminder.Reminder) string {
	if r.Within = cmp.Or(r.Within, reminder.DefaultWithin); r.Expect == "" {
		r.Within, r.MaxIgnored = 0, 0
	}
	if r.Tier == reminder.Safety {
		r.Holdout, r.MaxIgnored = 0, 0
	}
	return fmt.Sprint(r.Mode, r.Trigger, r.Pause, r.Expect, r.Within, r.Holdout, r.MaxIgnored)
}

// reload arms the rules whose condition changed. Rules that are gone keep everything.
func (m *model) reload() {
	for _, r := range m.rules {
		if old, ok := m.version[r.ID]; ok && condition(r) != old {
			delete(m.before, r.ID)
			delete(m.after, r.ID)
			delete(m.open, r.ID)
			delete(m.ignored, r.ID)
		}
		m.version[r.ID] = condition(r)
	}
}

// between is the length of time, which a clock that goes back makes none.
func between(from, to time.Time) time.Duration {
	if to.Before(from) {
		return 0
	}
	return to.Sub(from)
}

// passed returns the rest of a cooldown, and whether nothing is left.
func (m *model) passed(s reminder.Span, from moment) (reminder.Span, bool) {
	left := reminder.Span{}
	if have := m.turns - from.turn; have < s.Turns {
		left.Turns = s.Turns - have
	}
	if have := m.userTurns - from.userTurn; m.userKnown && have < s.UserTurns {
		left.UserTurns = s.UserTurns - have
	}
	if have := between(from.at, m.at); have < s.Time {
		left.Time = s.Time - have
	}
	return left, left == reminder.Span{}
}

func (m *model) step(t turn) (*reminder.Decision, error) {
	if t.key != "" {
		if m.last != nil && m.last.Key == t.key {
			return m.last, nil
		}
		if slices.Contains(m.keys, t.key) {
			return nil, state.ErrOldKey
		}
		m.keys = append(m.keys, t.key)
		if len(m.keys) > keyMemory {
			m.keys = m.keys[1:]
		}
	}
	m.reload()
	if !t.more || m.turns == 0 {
		m.turns++
		m.at, m.spoke = t.at, false
		m.prompted, m.told = m.told&fact.PromptText != 0, 0
		m.before = maps.Clone(m.after)
		for id, list := range m.open {
			m.open[id] = slices.DeleteFunc(list, func(x expected) bool { return x.ended != "" })
		}
	}
	m.told |= t.texts
	if m.arrived = m.told &^ fact.PromptText; t.spoken == fact.True ||
		t.spoken == fact.Unknown && m.told&fact.PromptText != 0 && !m.prompted {
		m.arrived |= fact.PromptText
	}
	m.userKnown = m.userKnown || t.user != fact.Unknown
	if t.user == fact.True && !m.spoke {
		m.spoke = true
		m.userTurns++
		for id, last := range m.lastFire {
			if last.turn == m.turns {
				last.userTurn = m.userTurns
				m.lastFire[id] = last
			}
		}
	}
	d := &reminder.Decision{Turn: m.turns, Key: t.key, Fired: []reminder.Due{}, Due: []reminder.Due{}}
	m.endTexts(t, d)
	byHand := m.byHand(t, d)

	held := map[string]reminder.Held{}
	auto := map[string]bool{}
	for _, r := range m.rules {
		m.settle(r, t, d)
		if why, fires := m.judge(r, t); fires {
			auto[r.ID] = true
		} else if why != nil {
			held[r.ID] = *why
		}
	}
	firing := m.render(t, d, held, auto, byHand)
	for _, f := range firing {
		if auto[f.ID] {
			r, _ := m.rule(f.ID)
			m.fires[f.ID]++
			m.lastFire[f.ID] = moment{m.turns, m.userTurns, m.at}
			if r.Mode != reminder.While {
				m.disarm(f.ID, true)
			}
			if r.Expect != "" {
				if m.waits(f.ID) {
					m.withdraw(f.ID, m.fires[f.ID]-1)
				}
				m.open[f.ID] = append(m.open[f.ID], expected{turn: m.turns, firing: m.fires[f.ID]})
			}
		}
		delete(held, f.ID)
		m.kept[f.ID] = &keptText{due: f, fired: m.turns, waiting: t.silent && !f.HeldOut}
		d.Fired = append(d.Fired, f)
	}
	for id, k := range m.kept {
		_, here := m.rule(id)
		if k.missed || k.fired == m.turns {
			k.userTurn = m.userTurns
		}
		k.missed = false
		if t.silent || k.due.HeldOut || !here {
			continue
		}
		out := k.due
		out.Late = k.waiting
		k.waiting = false
		d.Due = append(d.Due, out)
	}
	for _, r := range m.rules {
		a := m.after[r.ID]
		if a.gaps = 0; a.disarmed && r.For.IsZero() && (r.Rearm == "" || r.Mode == reminder.While) {
			a.gaps = t.between[r.ID]
			a.disarmed = a.gaps&1 == 0
		}
		m.after[r.ID] = a
	}
	for _, h := range held {
		d.Held = append(d.Held, h)
	}
	m.sort(d.Fired)
	m.sort(d.Due)
	slices.SortFunc(d.Held, func(a, b reminder.Held) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(d.Errors, func(a, b reminder.TextError) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortStableFunc(d.Outcomes, func(a, b reminder.Outcome) int { return cmp.Compare(a.ID, b.ID) })
	slices.Sort(d.Undelivered)
	m.last = d
	return d, nil
}

func (m *model) disarm(id string, disarmed bool) {
	a := m.after[id]
	a.disarmed = disarmed
	m.after[id] = a
}

// endTexts drops the texts whose keep is over. A reminder whose text no request carried is armed again for
// all parts of the turn, unless it is gone.
func (m *model) endTexts(t turn, d *reminder.Decision) {
	m.unread = map[string]bool{}
	for id, k := range m.kept {
		if k.missed || !m.over(k, t) {
			continue
		}
		delete(m.kept, id)
		if !k.waiting {
			continue
		}
		d.Undelivered = append(d.Undelivered, id)
		if _, here := m.rule(id); here && !k.due.Manual {
			a := m.before[id]
			a.disarmed = false
			m.before[id] = a
			m.unread[id] = true
		}
	}
}

// waits reports whether nothing has carried the text of a reminder that its trigger has fired.
func (m *model) waits(id string) bool {
	k := m.kept[id]
	return k != nil && k.waiting && !k.due.Manual
}

// withdraw drops the expectation of a firing whose text nobody will read.
func (m *model) withdraw(id string, firing int) {
	m.open[id] = slices.DeleteFunc(m.open[id], func(x expected) bool {
		return x.ended == "" && x.firing == firing
	})
}

func (m *model) byHand(t turn, d *reminder.Decision) map[string]bool {
	asked := map[string]bool{}
	for _, id := range t.remind {
		m.queue[id] = true
	}
	if t.silent {
		return asked
	}
	for id := range m.queue {
		if _, ok := m.rule(id); ok {
			asked[id] = true
		} else if !slices.Contains(d.Undelivered, id) {
			d.Undelivered = append(d.Undelivered, id)
		}
	}
	m.queue = map[string]bool{}
	return asked
}

// settle ends the expectations that this turn decides.
func (m *model) settle(r reminder.Reminder, t turn, d *reminder.Decision) {
	if r.Expect == "" {
		return
	}
	within := cmp.Or(r.Within, reminder.DefaultWithin)
	heeded := false
	if m.unread[r.ID] {
		m.withdraw(r.ID, m.fires[r.ID])
	}
	for i := range m.open[r.ID] {
		x := &m.open[r.ID][i]
		if x.ended == "" && x.firing == m.fires[r.ID] && m.waits(r.ID) {
			x.turn = m.turns
		}
		tr, after, was := truth(t.expect, r.ID), m.turns-x.turn, x.ended
		if after == 0 || was == reminder.Heeded {
			continue
		}
		x.known = x.known || tr != fact.Unknown
		switch {
		case tr == fact.True:
			x.ended, heeded = reminder.Heeded, true
		case was != "":
		case t.compacted == fact.True:
			x.ended = reminder.Open
		case after < within:
		case x.known:
			x.ended = reminder.Ignored
			m.ignored[r.ID]++
		default:
			x.ended = reminder.Open
		}
		if x.ended == was {
			continue
		}
		if was == reminder.Ignored {
			m.ignored[r.ID]--
		}
		d.Outcomes = append(d.Outcomes, reminder.Outcome{ID: r.ID, Outcome: x.ended, After: after,
			HeldOut: m.heldOut(r)})
	}
	if heeded && (r.MaxIgnored == 0 || r.Tier == reminder.Safety || m.ignored[r.ID] < r.MaxIgnored) {
		m.ignored[r.ID] = 0
	}
}

// heldOut needs no hash here: the rules that the tests draw hold out nobody, or everybody.
func (m *model) heldOut(r reminder.Reminder) bool { return r.Holdout == 1 && r.Tier != reminder.Safety }

// render returns what fires, within the budget.
func (m *model) render(t turn, d *reminder.Decision, held map[string]reminder.Held,
	auto, byHand map[string]bool) (firing []reminder.Due) {
	for _, r := range m.rules {
		if !auto[r.ID] && !byHand[r.ID] {
			continue
		}
		text := t.text[r.ID]
		if t.fails[r.ID] || text == " " {
			why := "the text is blank"
			if t.fails[r.ID] {
				why = errText.Error()
			}
			d.Errors = append(d.Errors, reminder.TextError{ID: r.ID, Error: why})
			held[r.ID] = reminder.Held{ID: r.ID, Why: reminder.HeldText}
			continue
		}
		firing = append(firing, reminder.Due{
			ID: r.ID, Text: text, Priority: r.Priority, Tier: r.Tier, Attach: r.Attach, Keep: keepOf(r),
			Tokens: (len(text) + 3) / 4, Manual: !auto[r.ID], HeldOut: auto[r.ID] && m.heldOut(r),
		})
	}
	for {
		sum, weakest := 0, -1
		for i, f := range firing {
			sum += f.Tokens
			if f.Tier != reminder.Safety && !byHand[f.ID] && (weakest < 0 || weaker(f, firing[weakest])) {
				weakest = i
			}
		}
		if (m.budget.Turn == 0 || sum <= m.budget.Turn) && (m.budget.Run == 0 || m.spent+sum <= m.budget.Run) ||
			weakest < 0 {
			m.spent += sum
			return firing
		}
		held[firing[weakest].ID] = reminder.Held{ID: firing[weakest].ID, Why: reminder.HeldBudget}
		firing = slices.Delete(firing, weakest, weakest+1)
	}
}

// judge is the numbered list of §4.
func (m *model) judge(r reminder.Reminder, t turn) (*reminder.Held, bool) {
	id, tr := r.ID, truth(t.trigger, r.ID)
	rearms := r.Rearm != "" && r.Mode != reminder.While
	a := m.before[id]
	already := m.fires[id] > 0 && m.lastFire[id].turn == m.turns
	if m.arrived != 0 && a.gaps&(1<<m.arrived) != 0 {
		a.disarmed = false
	}
	if rearms && (truth(t.rearm, id) == fact.True || t.compacted == fact.True) {
		a.disarmed = false
	}
	defer func() {
		if already && tr != fact.False && r.Mode != reminder.While {
			a.disarmed = true
		}
		m.after[id] = a
	}()
	switch tr {
	case fact.Unknown:
		return nil, false
	case fact.False:
		a.row, a.since = 0, time.Time{}
		if !rearms {
			a.disarmed = false
		}
		return nil, false
	}
	if a.row++; a.row == 1 {
		a.since = m.at
	}
	if already || r.Mode != reminder.While && a.disarmed {
		return &reminder.Held{ID: id, Why: reminder.HeldArmed}, false
	}
	left := reminder.Span{Turns: max(r.For.Turns-a.row, 0), Time: max(r.For.Time-between(a.since, m.at), 0)}
	if !left.IsZero() {
		return &reminder.Held{ID: id, Why: reminder.HeldFor, Left: left}, false
	}
	if last, ok := m.lastFire[id]; ok {
		if left, ok := m.passed(r.Cooldown, last); !ok {
			return &reminder.Held{ID: id, Why: reminder.HeldCooldown, Left: left}, false
		}
	}
	if r.MaxFires > 0 && m.fires[id] >= r.MaxFires && r.Tier != reminder.Safety {
		return &reminder.Held{ID: id, Why: reminder.HeldMaxFires}, false
	}
	if r.MaxIgnored > 0 && r.Expect != "" && m.ignored[id] >= r.MaxIgnored && r.Tier != reminder.Safety {
		return &reminder.Held{ID: id, Why: reminder.HeldIgnored}, false
	}
	return nil, true
}

func keepOf(r reminder.Reminder) reminder.Keep {
	switch {
	case r.Keep.Unit != reminder.KeepDefault:
		return r.Keep
	case r.Mode == reminder.While:
		return reminder.Keep{Unit: reminder.KeepTurns, N: 1}
	default:
		return reminder.Keep{Unit: reminder.KeepUserTurns, N: 1}
	}
}

func (m *model) over(k *keptText, t turn) bool {
	if k.fired == m.turns {
		return false
	}
	if t.compacted == fact.True {
		return true
	}
	switch keep := k.due.Keep; keep.Unit {
	case reminder.KeepTurns:
		if keep.N == 1 {
			return !k.waiting
		}
		return m.turns >= k.fired+keep.N
	case reminder.KeepUserTurns:
		return m.userTurns >= k.userTurn+keep.N
	default:
		return false
	}
}

func weaker(a, b reminder.Due) bool {
	if a.Tier != b.Tier {
		return a.Tier < b.Tier
	}
	if a.Priority != b.Priority {
		return a.Priority < b.Priority
	}
	return a.ID > b.ID
}

func (m *model) sort(due []reminder.Due) {
	slices.SortFunc(due, func(a, b reminder.Due) int {
		if m.order == reminder.ByPriority && a.Priority != b.Priority {
			return a.Priority - b.Priority
		}
		if m.order == reminder.ByTier && a.Tier != b.Tier {
			return int(b.Tier) - int(a.Tier)
		}
		return cmp.Compare(a.ID, b.ID)
	})
}

func (m *model) miss(ids ...string) {
	for _, id := range ids {
		if k := m.kept[id]; k != nil {
			k.waiting, k.missed = true, true
		}
	}
}
