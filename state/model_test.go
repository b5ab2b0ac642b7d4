package state_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state"
)

// turn is one turn as the tests write it: truths and texts by id.
type turn struct {
	key             string
	at              time.Time
	user, compacted fact.Truth
	silent          bool
	remind          []string
	trigger, rearm  map[string]fact.Truth // absent is unknown
	text            map[string]string
	fails           map[string]bool // whose text cannot be rendered
}

var errText = errors.New("no such fact")

// input is the turn as the machine takes it.
func (t turn) input(rules []reminder.Reminder, order reminder.Order, budget reminder.Budget) state.Input {
	return state.Input{
		Key: t.key, At: t.at, Order: order, Budget: budget,
		UserMessage: t.user, Compacted: t.compacted, Resumed: fact.Unknown, Failed: fact.Unknown,
		Remind: t.remind, Silent: t.silent,
		Judge: func(*state.Run) (trigger, rearm []fact.Truth) {
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

	turns    int
	spent    int
	keys     []string
	last     *state.Decision
	disarmed map[string]bool
	fires    map[string]int
	lastFire map[string]moment
	since    map[string]moment
	version  map[string]string
	kept     map[string]*keptText
	queue    map[string]bool
}

type moment struct {
	turn int
	at   time.Time
}

type keptText struct {
	due             reminder.Due
	fired           int
	waiting, missed bool
}

func newModel(rules []reminder.Reminder, order reminder.Order, budget reminder.Budget) *model {
	m := &model{
		order: order, budget: budget,
		disarmed: map[string]bool{}, fires: map[string]int{},
		lastFire: map[string]moment{}, since: map[string]moment{},
		version: map[string]string{}, kept: map[string]*keptText{}, queue: map[string]bool{},
	}
	m.rules = rules
	return m
}

func (m *model) rule(id string) (reminder.Reminder, bool) {
	i := slices.IndexFunc(m.rules, func(r reminder.Reminder) bool { return r.ID == id })
	if i < 0 {
		return reminder.Reminder{}, false
	}
	return m.rules[i], true
}

// condition names mode and trigger: while both are the same, a reload changes nothing.
func condition(r reminder.Reminder) string { return fmt.Sprint(r.Mode, r.Trigger) }

// reload forgets the state of rules that are gone or whose trigger changed. Texts of rules that are gone end
// with the next turn, so that they are reported.
func (m *model) reload() {
	for id, old := range m.version {
		r, ok := m.rule(id)
		if !ok {
			delete(m.fires, id)
			delete(m.lastFire, id)
		}
		if !ok || condition(r) != old {
			delete(m.disarmed, id)
			delete(m.since, id)
			delete(m.version, id)
		}
	}
}

// between is the length of time, which a clock that goes back makes none.
func between(from, to time.Time) time.Duration {
	if to.Before(from) {
		return 0
	}
	return to.Sub(from)
}

// passed returns the rest of a span, and whether nothing is left.
func (m *model) passed(s reminder.Span, from moment, at time.Time) (reminder.Span, bool) {
	left := reminder.Span{}
	if have := m.turns - from.turn; have < s.Turns {
		left.Turns = s.Turns - have
	}
	if have := between(from.at, at); have < s.Time {
		left.Time = s.Time - have
	}
	return left, left == reminder.Span{}
}

func (m *model) step(t turn) (*state.Decision, error) {
	if t.key != "" {
		if m.last != nil && m.last.Key == t.key {
			return m.last, nil
		}
		if slices.Contains(m.keys, t.key) {
			return nil, state.ErrOldKey
		}
		m.keys = append(m.keys, t.key)
		if len(m.keys) > state.KeyMemory {
			m.keys = m.keys[1:]
		}
	}
	m.turns++
	m.reload()
	for _, r := range m.rules {
		m.version[r.ID] = condition(r)
	}
	d := &state.Decision{Turn: m.turns, Key: t.key, Fired: []reminder.Due{}, Due: []reminder.Due{}}

	for id, k := range m.kept {
		_, there := m.rule(id)
		if there && (k.missed || !m.over(k, t)) {
			continue
		}
		delete(m.kept, id)
		if k.waiting {
			d.Undelivered = append(d.Undelivered, id)
			if !k.due.Manual {
				delete(m.disarmed, id)
			}
		}
	}

	byHand := map[string]bool{}
	for _, id := range t.remind {
		m.queue[id] = true
	}
	if !t.silent {
		for id := range m.queue {
			if _, ok := m.rule(id); ok {
				byHand[id] = true
			} else if !slices.Contains(d.Undelivered, id) {
				d.Undelivered = append(d.Undelivered, id)
			}
		}
		m.queue = map[string]bool{}
	}

	held := map[string]state.Held{}
	auto := map[string]bool{}
	for _, r := range m.rules {
		if why, fires := m.judge(r, t); fires {
			auto[r.ID] = true
		} else if why != nil {
			held[r.ID] = *why
		}
	}

	var firing []reminder.Due
	for _, r := range m.rules {
		if !auto[r.ID] && !byHand[r.ID] {
			continue
		}
		if t.fails[r.ID] {
			d.Errors = append(d.Errors, state.TextError{ID: r.ID, Error: errText.Error()})
			held[r.ID] = state.Held{ID: r.ID, Why: state.HeldText}
			continue
		}
		text := t.text[r.ID]
		firing = append(firing, reminder.Due{
			ID: r.ID, Text: text, Priority: r.Priority, Tier: r.Tier, Attach: r.Attach, Keep: keepOf(r),
			Tokens: (len(text) + 3) / 4, Manual: !auto[r.ID],
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
			break
		}
		held[firing[weakest].ID] = state.Held{ID: firing[weakest].ID, Why: state.HeldBudget}
		firing = slices.Delete(firing, weakest, weakest+1)
	}

	for _, f := range firing {
		if auto[f.ID] {
			r, _ := m.rule(f.ID)
			m.fires[f.ID]++
			m.lastFire[f.ID] = moment{m.turns, t.at}
			if r.Mode != reminder.While {
				m.disarmed[f.ID] = true
			}
		}
		delete(held, f.ID)
		m.kept[f.ID] = &keptText{due: f, fired: m.turns, waiting: t.silent}
		d.Fired = append(d.Fired, f)
	}
	for _, k := range m.kept {
		k.missed = false
		if t.silent {
			continue
		}
		out := k.due
		out.Late = k.waiting
		k.waiting = false
		d.Due = append(d.Due, out)
	}
	for _, h := range held {
		d.Held = append(d.Held, h)
	}
	m.sort(d.Fired)
	m.sort(d.Due)
	slices.SortFunc(d.Held, func(a, b state.Held) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(d.Errors, func(a, b state.TextError) int { return cmp.Compare(a.ID, b.ID) })
	slices.Sort(d.Undelivered)
	m.last = d
	return d, nil
}

// judge is the numbered list of §4.
func (m *model) judge(r reminder.Reminder, t turn) (*state.Held, bool) {
	id, tr := r.ID, truth(t.trigger, r.ID)
	rearms := r.Rearm != "" && r.Mode != reminder.While
	if rearms && truth(t.rearm, id) == fact.True {
		delete(m.disarmed, id)
	}
	if tr == fact.Unknown {
		return nil, false
	}
	if tr == fact.False {
		delete(m.since, id)
		if !rearms {
			delete(m.disarmed, id)
		}
		return nil, false
	}
	if _, ok := m.since[id]; !ok {
		m.since[id] = moment{m.turns, t.at}
	}
	if r.Mode != reminder.While && m.disarmed[id] {
		return &state.Held{ID: id, Why: state.HeldArmed}, false
	}
	if left, ok := m.passed(r.For, m.since[id], t.at); !ok {
		return &state.Held{ID: id, Why: state.HeldFor, Left: left}, false
	}
	if last, ok := m.lastFire[id]; ok {
		if left, ok := m.passed(r.Cooldown, last, t.at); !ok {
			return &state.Held{ID: id, Why: state.HeldCooldown, Left: left}, false
		}
	}
	if r.MaxFires > 0 && m.fires[id] >= r.MaxFires && r.Tier != reminder.Safety {
		return &state.Held{ID: id, Why: state.HeldMaxFires}, false
	}
	return nil, true
}

func keepOf(r reminder.Reminder) reminder.Keep {
	switch {
	case r.Keep.Unit != reminder.KeepDefault:
		return r.Keep
	case r.Mode == reminder.While:
		return reminder.Keep{Unit: reminder.KeepCall}
	default:
		return reminder.Keep{Unit: reminder.KeepTurn}
	}
}

func (m *model) over(k *keptText, t turn) bool {
	if t.compacted == fact.True {
		return true
	}
	switch k.due.Keep.Unit {
	case reminder.KeepCall:
		return !k.waiting
	case reminder.KeepTurn:
		return t.user == fact.True
	case reminder.KeepTurns:
		return m.turns >= k.fired+k.due.Keep.Turns
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
