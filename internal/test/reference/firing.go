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

// rule is a reminder with what a run knows of it.
type rule struct {
	reminder.Reminder
	trigger, rearm, expect *Trigger
	moment                 fact.Moment
	before, after          memory
}

// memory is what a whole turn changes, and not each part of it.
type memory struct {
	disarmed bool
	ends     []string // the texts whose successors arm it, joined where it takes two
	row      int
	since    time.Time
	open     []expectation
	ignored  int
}

// expectation is a firing of which it is not known what became of it.
type expectation struct {
	turn, firing int
	known        bool   // on a turn since
	ended        string // on this turn
}

// fire is a firing by the trigger.
type fire struct {
	Fired
	when    time.Time
	expects bool // opened an expectation on its turn
}

// text is a text that is kept before the model.
type text struct {
	*rule
	words          string
	turn, userTurn int
	heldOut, hand  bool
	waiting        bool // nothing has carried it
	missed         bool // what carried it reached nobody
}

func newRule(r reminder.Reminder, schema *fact.Schema) (*rule, error) {
	one := &rule{Reminder: r}
	var err error
	read := func(source string) *Trigger {
		if source == "" || err != nil {
			return nil
		}
		var t *Trigger
		t, err = Read(source, schema)
		return t
	}
	one.trigger, one.rearm, one.expect = read(r.Trigger), read(r.Rearm), read(r.Expect)
	one.moment = momentOf(r.Trigger)
	if r.Expect == "" {
		one.Within, one.MaxIgnored = 0, 0
	} else {
		one.Within = cmp.Or(r.Within, 5)
	}
	return one, err
}

// same reports whether a reminder goes on where another one was.
func (r *rule) same(o *rule) bool {
	return r.Mode == o.Mode && plainly(r.Trigger) == plainly(o.Trigger) && r.Pause == o.Pause &&
		plainly(r.Expect) == plainly(o.Expect) && r.Within == o.Within && r.Holdout == o.Holdout &&
		r.MaxIgnored == o.MaxIgnored
}

// change plays what happens between two turns.
func (m *Machine) change(s Step) error {
	others := func(id string) {
		m.own = slices.DeleteFunc(slices.Clone(m.own), func(r reminder.Reminder) bool { return r.ID == id })
	}
	switch {
	case s.Missed != nil:
		for i := range m.kept {
			if t := &m.kept[i]; slices.Contains(s.Missed, t.ID) && !t.heldOut {
				t.waiting, t.missed = true, true
			}
		}
		return nil
	case s.Add != nil:
		others(s.Add.ID)
		m.own = append(m.own, *s.Add)
	case s.Remove != "":
		others(s.Remove)
	default:
		m.set = s.Rules
	}
	return m.reload()
}

// reload puts the reminders of the set and of the run in place of those that were. An id of the set goes
// first.
func (m *Machine) reload() error {
	rules := slices.Clone(m.set)
	for _, r := range m.own {
		if !slices.ContainsFunc(m.set, func(o reminder.Reminder) bool { return o.ID == r.ID }) {
			rules = append(rules, r)
		}
	}
	for _, r := range m.rules {
		m.gone[r.ID] = r
	}
	m.rules = nil
	if m.turn == 0 && len(m.fires) == 0 { // the run has not begun
		clear(m.loaded)
	}
	for _, r := range rules {
		one, err := newRule(r, m.schema)
		if err != nil {
			return err
		}
		if was := m.gone[r.ID]; was != nil && one.same(was) {
			one.before, one.after = was.before, was.after
		} else {
			for i := range m.fires[r.ID] {
				m.fires[r.ID][i].expects = false
			}
		}
		delete(m.gone, r.ID)
		m.rules = append(m.rules, one)
		for _, source := range []string{r.Trigger, r.Rearm, r.Expect} {
			for _, asked := range asking.FindAllStringSubmatch(source, -1) {
				for _, p := range asked[1:] {
					if _, known := m.loaded[p]; !known {
						m.loaded[p] = len(m.turns)
					}
				}
			}
		}
	}
	return nil
}

// reads reads the trigger of a reminder on this turn, and reports whether it is to fire.
func (m *Machine) reads(r *rule) bool {
	if r.moment != fact.Turn {
		return false
	}
	o := m.view(m.now, r)
	if texts := m.arrived(); len(texts) > 0 && slices.Contains(r.after.ends, strings.Join(texts, " ")) {
		r.after.disarmed = false
	}
	if r.rearm != nil && r.Mode == reminder.When &&
		(r.rearm.Truth(o) == fact.True || m.now.Facts["compacted"] == true) {
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

// limits reports whether cooldown, max_fires and max_ignored let a reminder fire.
func (m *Machine) limits(r *rule, at time.Time) bool {
	if r.MaxIgnored > 0 && r.after.ignored >= r.MaxIgnored && r.Tier != reminder.Safety {
		return false
	}
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

// settle ends the expectations of earlier firings, from what was open before the turn and what its parts so
// far have said.
func (m *Machine) settle(r *rule, out *Result) {
	if r.expect == nil {
		return
	}
	t := r.expect.Truth(m.view(m.now, r))
	var open []expectation
	ignored := r.before.ignored
	if m.unread[r.ID] {
		m.withdraw(r, &r.before.open, len(m.fires[r.ID]))
	}
	for _, x := range r.before.open {
		if x.ended == "" && x.firing == len(m.fires[r.ID]) && m.waits(r.ID) {
			x.turn = m.turn // its text is still to come
		}
		if x.turn == m.turn {
			open = append(open, x)
			continue
		}
		after, was := m.turn-x.turn, x.ended
		x.known = x.known || t != fact.Unknown
		switch {
		case was == "heeded" || t == fact.True:
			x.ended = "heeded"
		case was != "":
		case m.now.Facts["compacted"] == true, after >= r.Within && !x.known:
			x.ended = "open"
		case after >= r.Within:
			x.ended = "ignored"
		}
		switch silent := r.MaxIgnored > 0 && r.before.ignored >= r.MaxIgnored; {
		case x.ended == "ignored":
			ignored++
		case x.ended == "heeded" && !silent:
			ignored = 0
		}
		if x.ended != was {
			out.Outcomes = append(out.Outcomes, fmt.Sprintf("%s %s after %d held out %v", r.ID, x.ended, after,
				m.heldOut(r)))
		}
		open = append(open, x)
	}
	r.before.open = open // with what has ended, for the parts to come
	r.after.ignored, r.after.open = ignored, nil
	for _, x := range open {
		if x.ended == "" {
			r.after.open = append(r.after.open, x)
		}
	}
	for i, f := range m.fires[r.ID] {
		if f.Turn == m.turn && f.expects {
			r.after.open = append(r.after.open, expectation{turn: m.turn, firing: i + 1})
		}
	}
}

// heldOut reports whether the first 53 bits of SHA-256 of run and id, as a fraction, lie below the holdout.
func (m *Machine) heldOut(r *rule) bool {
	if r.Tier == reminder.Safety || r.Holdout == 0 {
		return false
	}
	return r.Holdout >= 1 || share(cmp.Or(m.options.Root, m.options.Run)+"\x00"+r.ID) < r.Holdout
}

// words renders a text: it names the branch, or nothing.
func (m *Machine) words(r *rule, o *Occasion) (string, bool) {
	if !strings.Contains(r.Text, "{{.branch}}") {
		return r.Text, true
	}
	branch, known := o.value("branch").(string)
	return strings.ReplaceAll(r.Text, "{{.branch}}", branch), known
}

// candidate is a reminder that fires unless it has no text, or the budget is short.
type candidate struct {
	*rule
	words string
	asks  []pause // of a call, what the reminder asks about and has not asked about yet
	hand  bool    // asked for by name
	auto  bool    // by its trigger
}

// fire fires what there is room for.
func (m *Machine) fire(list []candidate, o *Occasion, out *Result) {
	list = slices.DeleteFunc(list, func(c candidate) bool { _, ok := m.words(c.rule, o); return !ok })
	sum := 0
	for i := range list {
		list[i].words, _ = m.words(list[i].rule, o)
		sum += cost(list[i].words)
	}
	budget := m.options.Budget
	for budget.Turn > 0 && sum > budget.Turn || budget.Run > 0 && m.spent+sum > budget.Run {
		weakest := -1
		for i, c := range list {
			if c.hand || c.Tier == reminder.Safety {
				continue
			}
			if weakest < 0 || cmp.Or(cmp.Compare(c.Tier, list[weakest].Tier),
				cmp.Compare(c.Priority, list[weakest].Priority), cmp.Compare(list[weakest].ID, c.ID)) < 0 {
				weakest = i
			}
		}
		if weakest < 0 {
			break
		}
		sum -= cost(list[weakest].words)
		list = slices.Delete(list, weakest, weakest+1)
	}
	m.spent += sum
	slices.SortFunc(list, func(a, b candidate) int { return m.order(a.rule, b.rule) })
	for _, c := range list {
		m.fireOne(c, o, out)
	}
}

func cost(words string) int { return (len(words) + 3) / 4 }

func (m *Machine) order(a, b *rule) int {
	if m.options.Order == reminder.ByTier {
		return cmp.Or(cmp.Compare(b.Tier, a.Tier), cmp.Compare(a.ID, b.ID))
	}
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
}

func (m *Machine) fireOne(c candidate, o *Occasion, out *Result) {
	r := c.rule
	out.Fired = append(out.Fired, r.ID)
	held := c.auto && m.heldOut(r)
	if c.auto {
		if r.moment == fact.Turn {
			r.after.disarmed = r.Mode == reminder.When
		}
		at := m.at
		if o.Moment != fact.Turn {
			at = m.momentAt
		}
		m.fires[r.ID] = append(m.fires[r.ID], fire{Fired{Turn: m.turn, UserTurn: m.userTurns,
			UserKnown: m.userKnown, Output: m.output, OutputKnown: m.outputKnown, At: at.UnixNano()}, at,
			r.expect != nil})
		if r.expect != nil {
			n := len(m.fires[r.ID])
			if m.waits(r.ID) {
				m.withdraw(r, &r.after.open, n-1)
				m.withdraw(r, &r.before.open, n-1)
			}
			r.after.open = append(r.after.open, expectation{turn: m.turn, firing: n})
		}
	}
	if o.Moment != fact.Turn {
		m.answered[r.ID] = o.Moment == fact.Stopping
		m.pauses = append(m.pauses, c.asks...)
		if r.Pause && !held {
			out.Paused = append(out.Paused, r.ID)
		}
		if !held && !m.silent {
			out.Due = append(out.Due, r.ID+": "+c.words)
		}
		if !m.silent {
			return
		}
	}
	m.kept = slices.DeleteFunc(m.kept, func(t text) bool { return t.ID == r.ID })
	m.kept = append(m.kept, text{rule: r, words: c.words, turn: m.turn, userTurn: m.userTurns, heldOut: held,
		hand: !c.auto, waiting: m.silent && !held})
}

// byHand returns the reminders to fire by name on this turn.
func (m *Machine) byHand(ids []string, out *Result) map[string]bool {
	for _, id := range ids {
		m.asks[id] = true
	}
	if m.silent {
		return nil
	}
	hand := m.asks
	m.asks = map[string]bool{}
	for id := range hand {
		if !slices.ContainsFunc(m.rules, func(r *rule) bool { return r.ID == id }) {
			out.Undelivered = append(out.Undelivered, id)
		}
	}
	return hand
}

// drop drops the texts whose keep is over. The reminder of a text that nothing has carried is armed again.
func (m *Machine) drop(compacted bool, out *Result) {
	m.unread = map[string]bool{}
	m.kept = slices.DeleteFunc(m.kept, func(t text) bool {
		over := t.turn != m.turn && !t.missed && (compacted || m.over(t))
		if over && t.waiting {
			out.Undelivered = append(out.Undelivered, t.ID)
			for _, r := range m.rules {
				if r.ID == t.ID && !t.hand {
					r.before.disarmed = false
					m.unread[r.ID] = true
				}
			}
		}
		return over
	})
}

// waits reports whether nothing has carried the text of a reminder that its trigger has fired.
func (m *Machine) waits(id string) bool {
	return slices.ContainsFunc(m.kept, func(t text) bool { return t.ID == id && t.waiting && !t.hand })
}

// withdraw drops the expectation of a firing whose text nobody will read.
func (m *Machine) withdraw(r *rule, open *[]expectation, firing int) {
	*open = slices.DeleteFunc(slices.Clone(*open), func(x expectation) bool {
		return x.ended == "" && x.firing == firing
	})
	if firing > 0 && len(m.fires[r.ID]) >= firing {
		m.fires[r.ID][firing-1].expects = false
	}
}

func (m *Machine) over(t text) bool {
	switch k := t.Keep.Or(t.Mode); k.Unit {
	case reminder.KeepTurns: // a turn that carries nothing is not the one that the text stays for
		return m.turn-t.turn >= k.N && !(k.N == 1 && t.waiting)
	case reminder.KeepUserTurns:
		return m.userTurns-t.userTurn >= k.N
	default:
		return false
	}
}

// due are the texts that are put before the model, which this turn carries.
func (m *Machine) due() (out []string) {
	var list []text
	for i := range m.kept {
		t := &m.kept[i]
		shown := !t.heldOut && slices.ContainsFunc(m.rules, func(r *rule) bool { return r.ID == t.ID })
		if t.missed || t.turn == m.turn { // it stays from now on
			t.userTurn = m.userTurns
		}
		t.missed = false
		if shown && !m.silent {
			t.waiting = false
			list = append(list, *t)
		}
	}
	slices.SortFunc(list, func(a, b text) int { return m.order(a.rule, b.rule) })
	for _, t := range list {
		out = append(out, t.ID+": "+t.words)
	}
	return out
}

// arm is step 4 of §4: between turns no event holds, and before a new text there is none.
func (m *Machine) arm(r *rule) {
	r.after.ends = nil
	if r.moment != fact.Turn || r.rearm != nil || r.For.Turns > 1 || r.For.Time > 0 {
		return
	}
	fails := func(absent ...string) bool {
		return r.trigger.Truth(m.view(m.now.AfterEvents(m.schema, absent...), r)) == fact.False
	}
	if fails() {
		r.after.disarmed = false
	}
	for _, absent := range [][]string{{"prompt"}, {"response"}, {"prompt", "response"}} {
		if r.after.disarmed && fails(absent...) {
			r.after.ends = append(r.after.ends, strings.Join(absent, " "))
		}
	}
}

// playMoment plays the moment before a call, or before the agent ends.
func (m *Machine) playMoment(s Step) (out Result) {
	host, at, started := s.Occasion.complete(), s.At, m.turn == 1
	if host.Moment == fact.Stopping {
		started = m.turn > 0 && m.userTurns <= 1
	}
	o := &Occasion{Facts: map[string]any{"started": started}, Place: host.Place, Moment: host.Moment,
		Before: host.Before}
	if m.host != nil {
		for name, v := range m.host.AfterEvents(m.schema).Facts {
			if !slices.Contains(unkept, name) {
				o.Facts[name] = v
			}
		}
	}
	maps.Copy(o.Facts, host.Facts)
	told := *host
	told.Moment, o.story = fact.Turn, &story{m.story.turns, &told}
	m.fill(o, at)
	m.momentAt = at
	var list []candidate
	for _, r := range m.rules {
		if r.moment != host.Moment {
			continue
		}
		if host.Moment == fact.Stopping && m.answered[r.ID] || r.trigger.Truth(m.view(o, r)) != fact.True {
			continue
		}
		c := candidate{rule: r, auto: true}
		fires := m.limits(r, at)
		if r.Pause {
			var again bool
			c.asks, again = m.asksAgain(r, o, s)
			fires = again || fires && len(c.asks) > 0
		}
		if fires {
			list = append(list, c)
		}
	}
	m.fire(list, o, &out)
	slices.Sort(out.Paused)
	return out
}
