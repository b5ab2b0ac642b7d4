package reference

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Options are those of the Evaluator that a Machine knows.
type Options struct {
	Run    string
	Root   string // the run of the root, by which holdouts are decided; "" is the run itself
	Budget reminder.Budget
	Order  reminder.Order
}

// Step is what happens next in a run: a turn, a further part of it, another moment, or something between two
// of these, where Occasion is nil.
type Step struct {
	*Occasion
	At      time.Time
	More    bool     // a further part of the turn before; of a call, that it is of the answer before that turn
	Silent  bool     // nothing can carry a text
	Forgets bool     // nobody knows the prompt any more
	Remind  []string // ids of reminders that are asked for by name

	// What changes nothing: the key of the turn and one of an older turn, whether the turn is asked for again,
	// and whether it is prepared and discarded first.
	Key, OldKey      string
	Again, Discarded bool

	Rules  []reminder.Reminder // of a reload; nil if it is none of these
	Add    *reminder.Reminder  // a reminder of the run's own
	Remove string              // the id of one
	Missed []string            // the ids of texts that reached nobody
}

// Result is what a step leads to. Fired and Due are in order; Due holds texts too.
type Result struct{ Fired, Due, Paused, Undelivered, Outcomes []string }

// Machine says which reminders fire on which turn, which texts are due, and what became of expectations
// (LANGUAGE.md §4 and §6). It reads triggers by itself, keeps all of a run's past as it was told, and knows
// nothing of templates, keys or storage.
type Machine struct {
	schema  *fact.Schema
	options Options
	set     []reminder.Reminder
	own     []reminder.Reminder // of the run
	rules   []*rule
	gone    map[string]*rule
	turns   []told         // all parts of all turns
	loaded  map[string]int // by pattern that a function asks for, how many of turns it does not know
	fires   map[string][]fire
	kept    []text
	unread  map[string]bool // whose text was given up on this turn before anything had carried it
	asks    map[string]bool // for reminders by name, that wait for a turn that carries them

	turn, userTurns int
	userStart       int // the turn that began the user turn
	asksFrom        int // the first turn on which a rule asked for identical calls; 0 where none does
	userKnown       bool
	spoke           bool      // this turn
	heard           []string  // the texts that this turn tells
	prompted        bool      // the turn before told a prompt
	story           story     // this user turn
	host            *Occasion // all that was told of this turn; nil before the first one
	now             *Occasion // with what the engine counts itself
	first, high, at time.Time
	before          time.Time // the previous turn's
	momentAt        time.Time
	output          float64
	outputKnown     bool
	responded       bool
	failures, row   int // in a row, up to this turn and before it
	failedKnown     bool
	failed          bool // a call before this turn
	silent          bool
	answered        map[string]bool // by reminder, whether it has kept the agent from ending in this user turn
	pauses          []pause
	spent           int // tokens
}

type told struct {
	turn int
	Reported
}

// NewMachine returns a machine for a run. Reminders that it cannot read are an error.
func NewMachine(rules []reminder.Reminder, schema *fact.Schema, options Options) (*Machine, error) {
	m := &Machine{schema: schema, options: options, fires: map[string][]fire{}, answered: map[string]bool{},
		gone: map[string]*rule{}, loaded: map[string]int{}, asks: map[string]bool{}}
	m.set = rules
	return m, m.reload()
}

// unkept are the texts of a turn that nobody knows any more at a later part or moment. A condition that reads
// nothing else keeps its truth.
var unkept = []string{"prompt", "response"}

// lists are the texts of calls, which nobody knows any more either.
var lists = []string{"command", "path", "written", "output"}

// Play plays a step. Reminders of a reload that it cannot read are an error.
func (m *Machine) Play(s Step) (out Result, err error) {
	m.silent = s.Silent
	switch {
	case s.Occasion == nil:
		return Result{}, m.change(s)
	case s.Moment != fact.Turn:
		return m.playMoment(s), nil
	}
	host := s.Occasion.complete()
	if !s.More || m.turn == 0 {
		m.begin(s.At)
	}
	m.count(host)
	m.hear(host, s.Forgets)
	m.asksIdentical(!s.More || m.turn == 1 && len(m.turns) == 1)
	if turns := m.story.turns; m.spoke {
		m.story.turns = turns[len(turns)-1:]
	}
	m.unite(host)
	now := *m.host
	m.now, now.Facts, now.story = &now, maps.Clone(now.Facts), &m.story
	m.fill(m.now, s.At)
	m.drop(host.Facts["compacted"] == true, &out)
	hand := m.byHand(s.Remind, &out)
	var list []candidate
	for _, r := range m.rules {
		r.after = r.before
		m.settle(r, &out)
		c := candidate{rule: r, auto: m.reads(r), hand: hand[r.ID]}
		if c.auto || c.hand {
			list = append(list, c)
		}
	}
	m.fire(list, m.now, &out)
	for _, r := range m.rules {
		m.arm(r)
	}
	slices.Sort(out.Outcomes)
	slices.Sort(out.Undelivered)
	out.Undelivered = slices.Compact(out.Undelivered)
	out.Due = m.due()
	return out, nil
}

// complete returns what a host tells with what follows from it.
func (o *Occasion) complete() *Occasion {
	host := *o
	if host.Facts = maps.Clone(host.Facts); host.FailedTold && host.Facts["last_tool_call_failed"] == nil {
		host.Facts["last_tool_call_failed"] = len(host.Failed) > 0
	}
	return &host
}

func (m *Machine) begin(at time.Time) {
	m.before, m.at = m.at, at
	if m.turn == 0 {
		m.first, m.high, m.userStart = at, at, 1
	}
	if at.After(m.high) {
		m.high = at
	}
	m.turn++
	m.spoke, m.responded, m.failedKnown, m.failed, m.row = false, false, false, false, m.failures
	next := &turn{ended: m.asked(true)}
	if n := len(m.story.turns); n > 0 {
		next.parts = m.story.turns[n-1].prompts()
		next.stood = len(next.parts)
	}
	m.story.turns, m.host = append(m.story.turns, next), &Occasion{Facts: map[string]any{}}
	for _, r := range m.rules {
		r.before = r.after
	}
	for _, r := range m.gone {
		r.before = r.after
	}
	m.prompted, m.heard = slices.Contains(m.heard, "prompt"), nil
}

// hear notes which texts a part tells. The prompt of an earlier turn stands until a person's message, of
// which more may not be known, or until nobody knows it any more.
func (m *Machine) hear(host *Occasion, forgets bool) {
	for _, name := range unkept {
		if host.Facts[name] != nil {
			m.heard = append(m.heard, name)
		}
	}
	t := m.story.turns[len(m.story.turns)-1]
	if host.Facts["prompt"] == nil && (forgets || host.Facts["user_message"] == true) {
		t.parts, t.stood = t.parts[t.stood:], 0
	}
}

// arrived returns the texts that are new on this turn.
func (m *Machine) arrived() (list []string) {
	spoke := m.host.Facts["user_message"]
	if spoke == true || spoke == nil && !m.prompted && slices.Contains(m.heard, "prompt") {
		list = append(list, "prompt")
	}
	if slices.Contains(m.heard, "response") {
		list = append(list, "response")
	}
	return list
}

// count counts what one part tells.
func (m *Machine) count(host *Occasion) {
	if spoke, known := host.value("user_message").(bool); known {
		m.userKnown = true
		if spoke && !m.spoke {
			m.spoke, m.userStart = true, m.turn
			m.userTurns++
			for _, list := range m.fires {
				for i := range list {
					if list[i].Turn == m.turn { // on an earlier part of the turn, which is in one user turn
						list[i].UserTurn, list[i].UserKnown = m.userTurns, true
					}
				}
			}
			clear(m.answered)
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
	if failed, known := host.value("last_tool_call_failed").(bool); known {
		if m.failedKnown, m.failed = true, m.failed || failed; m.failed {
			m.failures = m.row + 1
		} else {
			m.failures = 0
		}
	}
	m.turns = append(m.turns, told{m.turn, Reported{Calls: host.Calls, Tools: host.Tools, Told: host.Told}})
}

// prompts are the parts of a turn as far as they tell a prompt, with the conditions that read nothing else.
func (t *turn) prompts() (list []*Occasion) {
	for _, p := range t.parts {
		if p.Facts["prompt"] == nil {
			continue
		}
		alone := func(c string) bool { return !strings.Contains(c, "response") }
		list = append(list, &Occasion{Facts: map[string]any{"prompt": p.Facts["prompt"]},
			asked: only(p.asked, alone)})
	}
	return list
}

// unite adds a part to the turn.
func (m *Machine) unite(host *Occasion) {
	part, all, t := *host, *host, m.story.turns[len(m.story.turns)-1]
	part.Facts, all.Facts, part.asked = maps.Clone(host.Facts), maps.Clone(host.Facts), m.asked(false)
	for _, p := range t.parts {
		p.asked = only(p.asked, func(c string) bool { return slices.Contains(part.asked, c) })
	}
	const outcome = "last_tool_call_failed"
	failed := host.value(outcome)
	switch was := m.host.Facts[outcome]; {
	case !host.tellsFailure():
		failed = was
	case m.host.tellsFailure():
		failed = either(was, failed)
	}
	for name, v := range m.host.Facts {
		switch now := all.Facts[name].(type) {
		case nil:
			if slices.Contains(unkept, name) || slices.Contains(lists, name) {
				continue
			}
			if all.Facts[name] = v; !m.happens(name) {
				part.Facts[name] = v
			}
		case bool:
			all.Facts[name] = now || v == true
		}
	}
	if all.Facts[outcome] = failed; failed == nil { // whatever the calls of this part say
		delete(all.Facts, outcome)
		all.unsure = []string{outcome}
	}
	all.Tools = host.Tools || m.host.Tools
	t.parts, m.host = append(t.parts, &part), &all
}

// tellsFailure reports whether a part tells of calls, or whether one of them failed.
func (o *Occasion) tellsFailure() bool { return o.Tools || o.value("last_tool_call_failed") != nil }

// happens reports whether a fact is an event.
func (m *Machine) happens(name string) bool {
	ft, _ := m.schema.Lookup(name)
	return ft.Kind == fact.Event
}

func only(list []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !keep(s) })
}

// asked returns the conditions of all rules that are remembered, or those that are read at the end of the
// work.
func (m *Machine) asked(atEnd bool) (list []string) {
	for _, r := range m.rules {
		for _, t := range []*Trigger{r.trigger, r.rearm, r.expect} {
			if t != nil && (!atEnd || t == r.trigger && r.moment == fact.Stopping) {
				list = append(list, t.conditions...)
			}
		}
	}
	return list
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
	if m.failedKnown {
		o.Facts["failures_in_row"] = float64(m.failures)
	}
	if m.outputKnown {
		put("output_tokens", m.output)
	}
	if m.turn > 0 {
		o.Facts["elapsed"] = float64(m.high.Sub(m.first))
	}
	if m.turn > 1 {
		o.Facts["idle"] = float64(max(m.at.Sub(m.before), 0))
	}
	if n := m.identical(o); n != nil {
		put("identical_calls", n)
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
		At: m.at.UnixNano(), First: m.first.UnixNano(), Fires: map[string]Fired{}, Place: v.Place,
		Loaded: m.loaded}
	for _, t := range m.turns {
		for len(j.Turns) < t.turn {
			j.Turns = append(j.Turns, Reported{})
		}
		in := &j.Turns[t.turn-1]
		in.Parts = append(in.Parts, t.Reported)
	}
	for id, list := range m.fires {
		for _, f := range list {
			if 0 < f.Turn && f.Turn < m.turn { // before the first turn nothing is counted
				j.Fires[id] = f.Fired
			}
		}
	}
	v.Past = j
	return &v
}

// String describes the state of the machine for the message of a failed test.
func (m *Machine) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "turn %d, user turn %d %v\n", m.turn, m.userTurns, m.userKnown)
	for _, r := range m.rules {
		fmt.Fprintf(&b, "%+v\nbefore %+v after %+v\n", r.Reminder, r.before, r.after)
	}
	return b.String()
}
