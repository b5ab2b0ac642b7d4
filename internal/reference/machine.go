package reference

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Machine says which reminders fire on which turn (LANGUAGE.md §4 and §6). It reads triggers by itself, keeps
// all of a run's past as it was told, and knows nothing of texts, budgets, keys or storage.
type Machine struct {
	schema *fact.Schema
	rules  []*rule
	turns  []told // all parts of all turns
	fires  map[string][]fire

	turn, userTurns int
	userKnown       bool
	spoke           bool      // this turn
	host            *Occasion // all that was told of this turn
	now             *Occasion // with what the engine counts itself
	first, high, at time.Time
	before          time.Time // the previous turn's
	output          float64
	outputKnown     bool
	responded       bool
	failures, row   int // in a row, up to this turn and before it
	failedKnown     bool
	stopped         map[string]bool // in this user turn
}

// rule is a reminder with what a run knows of it.
type rule struct {
	reminder.Reminder
	trigger, rearm *Trigger
	moment         fact.Moment
	before, after  arming
}

// arming is what a whole turn changes, and not each part of it.
type arming struct {
	disarmed bool
	row      int
	since    time.Time
}

type told struct {
	turn int
	Reported
}

type fire struct {
	Fired
	when time.Time
}

// NewMachine returns a machine for a run. Reminders that it cannot read are an error.
func NewMachine(rules []reminder.Reminder, schema *fact.Schema) (*Machine, error) {
	m := &Machine{schema: schema, fires: map[string][]fire{}, stopped: map[string]bool{}}
	for _, r := range rules {
		one := &rule{Reminder: r}
		var err error
		if one.trigger, err = Read(r.Trigger, schema); err != nil {
			return nil, err
		}
		if r.Rearm != "" {
			if one.rearm, err = Read(r.Rearm, schema); err != nil {
				return nil, err
			}
		}
		switch {
		case strings.Contains(r.Trigger, "before_tool:"):
			one.moment = fact.BeforeTool
		case strings.HasPrefix(r.Trigger, "stopping"):
			one.moment = fact.Stopping
		}
		m.rules = append(m.rules, one)
	}
	return m, nil
}

// unkept are the texts of a turn that nobody knows any more at a later part or moment, but for a condition
// that reads nothing else.
var unkept = []string{"prompt", "response"}

// Play plays a turn, a further part of one, or another moment, and returns the ids of the reminders that
// fire, in order.
func (m *Machine) Play(host *Occasion, at time.Time, more bool) []string {
	if host.Moment != fact.Turn {
		return m.playMoment(host, at)
	}
	if host.Facts = maps.Clone(host.Facts); host.FailedTold && host.Facts["last_tool_call_failed"] == nil {
		host.Facts["last_tool_call_failed"] = len(host.Failed) > 0
	}
	if !more || m.turn == 0 {
		m.begin(at)
		m.host = &Occasion{Facts: map[string]any{}}
	}
	m.count(host)
	m.host = m.united(host)
	now := *m.host
	m.now, now.Facts = &now, maps.Clone(now.Facts)
	m.fill(m.now, at)
	var fired []*rule
	for _, r := range m.rules {
		r.after = r.before
		if m.reads(r, host) {
			fired = append(fired, r)
		}
	}
	ids := m.fire(fired, m.at)
	for _, r := range m.rules {
		m.arm(r)
	}
	return ids
}

func (m *Machine) begin(at time.Time) {
	m.before, m.at = m.at, at
	if m.turn == 0 {
		m.first, m.high = at, at
	}
	if at.After(m.high) {
		m.high = at
	}
	m.turn++
	m.spoke, m.responded, m.failedKnown, m.row = false, false, false, m.failures
	for _, r := range m.rules {
		r.before = r.after
	}
}

// count counts what one part tells.
func (m *Machine) count(host *Occasion) {
	if spoke, known := host.value("user_message").(bool); known {
		m.userKnown = true
		if spoke && !m.spoke {
			m.spoke = true
			m.userTurns++
			for _, list := range m.fires {
				for i := range list {
					if list[i].Turn == m.turn { // on an earlier part of the turn, which is in one user turn
						list[i].UserTurn, list[i].UserKnown = m.userTurns, true
					}
				}
			}
			clear(m.stopped)
		}
	}
	if n, ok := host.Facts["output_tokens"].(float64); ok {
		m.output, m.outputKnown = n, true
	} else if n, ok := host.Facts["last_response_tokens"].(float64); ok && !m.responded {
		m.output, m.outputKnown = m.output+n, true
	}
	if _, ok := host.Facts["last_response_tokens"]; ok {
		m.responded = true
	}
	m.turns = append(m.turns, told{m.turn, Reported{Calls: host.Calls, Tools: host.Tools, Told: host.Told}})
}

// united are the facts of the turn so far with those of a part.
func (m *Machine) united(host *Occasion) *Occasion {
	o := *host
	o.Facts = maps.Clone(host.Facts)
	was := m.host
	o.texts = append(slices.Clone(was.texts), was.Facts)
	for name, v := range was.Facts {
		if name == "last_tool_call_failed" || slices.Contains(unkept, name) && o.Facts[name] == nil {
			continue
		}
		switch now := o.Facts[name].(type) {
		case nil:
			o.Facts[name] = v
		case bool:
			o.Facts[name] = now || v.(bool)
		case []string:
			o.Facts[name] = append(slices.Clone(v.([]string)), now...)
		}
	}
	failed, before := was.value("last_tool_call_failed").(bool)
	if now, known := host.value("last_tool_call_failed").(bool); known || before {
		o.Facts["last_tool_call_failed"] = now || failed
	}
	if !was.Tools {
		return &o
	}
	// of the calls of earlier parts the names are known, and whether they failed
	var calls []fact.Call
	for _, c := range was.Calls {
		b := bare(c)
		b.Failed = was.failedOf(c)
		calls = append(calls, b)
	}
	if o.Calls = append(calls, host.Calls...); !host.Tools {
		o.Tools, o.Told = true, false
	}
	if !o.Told {
		o.FailedTold = was.tellsFailed() && (!host.Tools || host.tellsFailed())
		o.Failed = nil
		for _, c := range calls {
			if c.Failed == fact.True {
				o.Failed = append(o.Failed, c.Tool)
			}
		}
		o.Failed = append(o.Failed, host.Failed...)
		for _, c := range host.Calls {
			if host.Told && c.Failed == fact.True {
				o.Failed = append(o.Failed, c.Tool)
			}
		}
	}
	return &o
}

// tellsFailed reports whether it is known of each call whether it failed.
func (o *Occasion) tellsFailed() bool {
	if o.Told {
		return !slices.ContainsFunc(o.Calls, func(c fact.Call) bool { return c.Failed == fact.Unknown })
	}
	return o.FailedTold
}

func (o *Occasion) failedOf(c fact.Call) fact.Truth {
	switch {
	case !o.tellsFailed():
		return fact.Unknown
	case o.Told:
		return fact.Of(slices.ContainsFunc(o.Calls, func(d fact.Call) bool {
			return d.Tool == c.Tool && d.Failed == fact.True
		}))
	default:
		return fact.Of(slices.Contains(o.Failed, c.Tool))
	}
}

// fill adds what the engine counts itself.
func (m *Machine) fill(o *Occasion, at time.Time) {
	put := func(name string, v any) {
		if o.Facts[name] == nil {
			o.Facts[name] = v
		}
	}
	o.Facts["turn_count"] = float64(m.turn)
	if m.userKnown {
		o.Facts["user_turn_count"] = float64(m.userTurns)
	}
	if o.Moment == fact.Turn {
		put("started", m.turn == 1)
	}
	tools, calls := false, 0
	for _, t := range m.turns {
		if t.Tools {
			tools, calls = true, calls+len(t.Calls)
		}
	}
	if tools {
		o.Facts["tool_calls"] = float64(calls)
	}
	if failed, ok := o.value("last_tool_call_failed").(bool); ok && o.Moment == fact.Turn {
		m.failedKnown = true
		if m.failures = 0; failed {
			m.failures = m.row + 1
		}
	}
	if m.failedKnown {
		o.Facts["failures_in_row"] = float64(m.failures)
	}
	if m.outputKnown {
		put("output_tokens", m.output)
	}
	o.Facts["elapsed"] = float64(m.high.Sub(m.first))
	if m.turn > 1 {
		o.Facts["idle"] = float64(max(m.at.Sub(m.before), 0))
	}
	put("hour", float64(at.Hour()))
	put("weekday", strings.ToLower(at.Weekday().String()[:3]))
	tokens, known := o.Facts["context_tokens"].(float64)
	window, ok := o.Facts["context_window"].(float64)
	if known && ok && window > 0 {
		put("context_usage", tokens/window)
	}
}

// view is the occasion with its past as reminder r sees it: firings of this turn are not visible yet.
func (m *Machine) view(o *Occasion, r *rule) *Occasion {
	v := *o
	v.Self = r.ID
	j := &Journal{UserTurn: m.userTurns, UserKnown: m.userKnown, Output: m.output, OutputKnown: m.outputKnown,
		At: m.at.UnixNano(), First: m.first.UnixNano(), Fires: map[string]Fired{}, Place: v.Place}
	for _, t := range m.turns {
		for len(j.Turns) < t.turn {
			j.Turns = append(j.Turns, Reported{})
		}
		in := &j.Turns[t.turn-1]
		in.Parts = append(in.Parts, t.Reported)
	}
	for id, list := range m.fires {
		for _, f := range list {
			if f.Turn < m.turn {
				j.Fires[id] = f.Fired
			}
		}
	}
	v.Past = j
	return &v
}

// reads reads the trigger of a reminder on this turn, and reports whether it fires.
func (m *Machine) reads(r *rule, host *Occasion) bool {
	if r.moment != fact.Turn {
		return false
	}
	o := m.view(m.now, r)
	if r.rearm != nil && (r.rearm.Truth(o) == fact.True || m.now.Facts["compacted"] == true) {
		r.after.disarmed = false
	}
	list := m.fires[r.ID]
	already := len(list) > 0 && list[len(list)-1].Turn == m.turn
	t := r.trigger.Truth(o)
	switch t {
	case fact.False:
		r.after.row = 0
		if r.rearm == nil {
			r.after.disarmed = false
		}
		return false
	case fact.Unknown:
		if already {
			r.after.disarmed = r.Mode == reminder.When
		}
		return false
	}
	if r.after.row++; r.after.row == 1 {
		r.after.since = m.at
	}
	if already {
		r.after.disarmed = r.Mode == reminder.When
		return false
	}
	if r.after.disarmed || r.after.row < r.For.Turns || m.at.Sub(r.after.since) < r.For.Time {
		return false
	}
	return m.limits(r, m.at)
}

// limits reports whether cooldown and max_fires let a reminder fire.
func (m *Machine) limits(r *rule, at time.Time) bool {
	list := m.fires[r.ID]
	if len(list) == 0 {
		return true
	}
	last := list[len(list)-1]
	if m.turn-last.Turn < r.Cooldown.Turns || max(at.Sub(last.when), 0) < r.Cooldown.Time ||
		m.userKnown && m.userTurns-last.UserTurn < r.Cooldown.UserTurns {
		return false
	}
	return r.MaxFires == 0 || r.Tier == reminder.Safety || len(list) < r.MaxFires
}

func (m *Machine) fire(fired []*rule, at time.Time) []string {
	slices.SortFunc(fired, func(a, b *rule) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
	})
	ids := []string{}
	for _, r := range fired {
		ids = append(ids, r.ID)
		r.after.disarmed = r.Mode == reminder.When && r.moment == fact.Turn
		m.fires[r.ID] = append(m.fires[r.ID], fire{Fired{Turn: m.turn, UserTurn: m.userTurns,
			UserKnown: m.userKnown,
			Output:    m.output, OutputKnown: m.outputKnown, At: at.UnixNano()}, at})
	}
	return ids
}

// arm is step 4 of §4: between turns no event holds.
func (m *Machine) arm(r *rule) {
	if r.moment != fact.Turn || r.rearm != nil || !r.For.IsZero() {
		return
	}
	between := m.now.AfterEvents("vars.flag", "vars.tags")
	if r.trigger.Truth(m.view(between, r)) == fact.False {
		r.after.disarmed = false
	}
}

// playMoment plays the moment before a call, or before the agent ends.
func (m *Machine) playMoment(host *Occasion, at time.Time) []string {
	if m.now == nil {
		m.now = &Occasion{Facts: map[string]any{}}
	}
	o := m.now.AfterEvents("vars.flag", "vars.tags")
	o.Between = false
	if o.Told { // of no calls none failed
		o.unsure, o.Facts["last_tool_call_failed"] = nil, false
	}
	o.texts = append(slices.Clone(o.texts), maps.Clone(o.Facts))
	for _, name := range unkept {
		delete(o.Facts, name)
	}
	delete(o.Facts, "hour")
	delete(o.Facts, "weekday")
	for name, v := range host.Facts {
		o.Facts[name] = v
	}
	o.Moment, o.Before, o.Place = host.Moment, host.Before, host.Place
	m.fill(o, at)
	var fired []*rule
	for _, r := range m.rules {
		if r.moment != host.Moment || r.moment == fact.Stopping && m.stopped[r.ID] {
			continue
		}
		if r.trigger.Truth(m.view(o, r)) == fact.True && m.limits(r, at) {
			fired = append(fired, r)
			if r.moment == fact.Stopping {
				m.stopped[r.ID] = true
			}
		}
	}
	return m.fire(fired, at)
}

// String describes the state of the machine for the message of a failed test.
func (m *Machine) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "turn %d, user turn %d %v\n", m.turn, m.userTurns, m.userKnown)
	for _, r := range m.rules {
		fmt.Fprintf(&b, "%s: %q rearm %q mode %v for %v cooldown %v max %d: before %+v after %+v\n", r.ID,
			r.Trigger, r.Rearm, r.Mode, r.For, r.Cooldown, r.MaxFires, r.before, r.after)
	}
	return b.String()
}
