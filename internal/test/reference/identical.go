package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// identical is how often the call was made in this user turn that an occasion sees and that was made most
// often, itself included (LANGUAGE.md §1, identical_calls); nil is unknown.
func (m *Machine) identical(o *Occasion) any {
	if m.turn == 0 || m.asksFrom == 0 || m.userStart < m.asksFrom {
		return nil
	}
	counts, now, told := map[string]int{}, []fact.Call{}, map[int]bool{}
	count := func(calls []fact.Call) bool {
		for k := range calls {
			key := identityOf(&calls[k])
			if counts[key]++; key == "" {
				return false
			}
		}
		return true
	}
	for _, t := range m.turns {
		if t.turn < m.userStart || !t.Tools {
			continue
		}
		if told[t.turn] = true; !count(t.Calls) {
			return nil
		}
		if t.turn == m.turn {
			now = append(now, t.Calls...)
		}
	}
	for turn := m.userStart + 1; turn <= m.turn; turn++ {
		if !told[turn] {
			return nil
		}
	}
	switch {
	case o.Moment == fact.BeforeTool:
		now = []fact.Call{*o.Before}
		if !count(now) {
			return nil
		}
	case o.Moment == fact.Stopping:
		if !count(o.story.host.Calls) {
			return nil
		}
		return float64(most(counts, nil))
	case !told[m.turn]:
		return nil
	}
	return float64(most(counts, now))
}

// most is the greatest count, or that of some calls.
func most(counts map[string]int, calls []fact.Call) (n int) {
	for key, count := range counts {
		if calls == nil || slices.ContainsFunc(calls, func(c fact.Call) bool { return identityOf(&c) == key }) {
			n = max(n, count)
		}
	}
	return n
}

// identityOf tells a call from others by what is told of it; "" where nothing is.
func identityOf(c *fact.Call) string {
	switch {
	case c.Input != "":
		return fmt.Sprintf("%q %v", c.Tool, inputOf(c))
	case c.Told:
		return fmt.Sprintf("%q %q %q %q %q", c.Tool, c.Command, c.Subject, c.Paths, c.Written)
	}
	return ""
}

// inputOf is the input of a call, which fmt writes with its members in order.
func inputOf(c *fact.Call) (input map[string]any) {
	if err := json.Unmarshal([]byte(c.Input), &input); err != nil {
		panic(err)
	}
	return input
}

// asksIdentical notes from which turn on a rule asks for identical calls: the run counts none before it.
func (m *Machine) asksIdentical(first bool) {
	asks := func(r *rule) bool {
		return strings.Contains(r.Trigger+r.Rearm+r.Expect, "identical_calls")
	}
	switch {
	case !slices.ContainsFunc(m.rules, asks):
		m.asksFrom = 0
	case m.asksFrom == 0 && first:
		m.asksFrom = m.turn
	case m.asksFrom == 0:
		m.asksFrom = m.turn + 1
	}
}
