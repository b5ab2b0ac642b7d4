package lint

import (
	"fmt"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/grammar"
)

// rearming tells of a rearm that can be true while the trigger is: then the reminder fires on every such turn.
func (s *subject) rearming() {
	r, ok := s.limitOf(s.rearm)
	if !ok || r.x == nil || s.Mode != compile.When || !s.Cooldown.IsZero() || s.MaxFires == 1 {
		return
	}
	parts := []grammar.Expr{s.trigger}
	if and, is := s.trigger.(*grammar.And); is {
		parts = and.Terms
	}
	for _, x := range parts {
		t, ok := s.limitOf(x)
		if !ok || t.x == nil || t.fact.ID != r.fact.ID {
			continue
		}
		if s.overlap(t, r) {
			_, written := back(t)
			s.add("R1012", grammar.Warning, "rearm", r.x.Range, "rearm can be true while the trigger is, and then the reminder fires on every turn",
				fmt.Sprintf("write a rearm that lies on the other side of %s", written))
			return
		}
		if t.fact.Kind == fact.Counter && t.above() && r.below() {
			s.add("R1012", grammar.Warning, "rearm", r.x.Range, fmt.Sprintf("%s only grows, so rearm is never true again", t.fact.Name), "leave rearm out: the reminder fires once")
			return
		}
	}
}

// overlap reports whether one number can be within both limits.
func (s *subject) overlap(a, b limit) bool {
	step := 0.0
	if a.fact.Type == fact.Int {
		step = 1
	}
	low := func(l limit) float64 { // the least number within it, or what no number goes below
		if l.op == grammar.Greater {
			return l.n + step
		}
		return l.n
	}
	high := func(l limit) float64 {
		if l.op == grammar.Less {
			return l.n - step
		}
		return l.n
	}
	switch {
	case a.above() && b.above(), a.below() && b.below():
		return true
	case a.above() && b.below():
		return low(a) < high(b) || low(a) == high(b) && (step == 1 || a.op == grammar.GreaterEqual && b.op == grammar.LessEqual)
	case a.below() && b.above():
		return s.overlap(b, a)
	}
	return false
}

// idleKeys tells of keys that cannot matter beside this trigger.
func (s *subject) idleKeys() {
	dead := func(key, why, hint string) {
		s.add("R1014", grammar.Warning, key, grammar.Range{}, key+" cannot matter: "+why, hint)
	}
	if c, ok := s.trigger.(*grammar.Constant); ok {
		switch {
		case c.Name != "always":
			why := "the reminder is fired by name, which asks for none of these"
			for _, k := range []struct {
				key   string
				given bool
			}{{"cooldown", !s.Cooldown.IsZero()}, {"max_fires", s.MaxFires > 0}, {"for", !s.For.IsZero()}, {"rearm", s.Rearm != ""}} {
				if k.given {
					dead(k.key, why, "leave it out")
				}
			}
		case s.Mode == compile.When && s.Rearm == "":
			const why = "always comes true once, so the reminder fires once"
			if !s.Cooldown.IsZero() {
				dead("cooldown", why, "write `while: always` to fire again and again, or leave cooldown out")
			}
			if s.MaxFires > 0 && s.Tier != terms.Safety {
				dead("max_fires", why, "leave it out, or write `while` to fire so often")
			}
		}
		return
	}
	if c, ok := s.trigger.(*grammar.Cadence); ok && !s.Cooldown.IsZero() {
		turns, span := s.Cooldown.Turns, s.Cooldown.Time
		switch {
		case c.Unit == grammar.Turns && turns > 0 && turns <= c.N, c.Unit == grammar.Elapsed && span > 0 && span <= c.Duration:
			dead("cooldown", fmt.Sprintf("%s leaves as much between two firings by itself", cadenceText(c)), "leave it out, or write a longer one")
		case c.Unit == grammar.Turns && turns > c.N, c.Unit == grammar.Elapsed && span > c.Duration:
			s.add("R1014", grammar.Warning, "cooldown", grammar.Range{}, fmt.Sprintf("the cooldown of %s is longer, so %s cannot matter", spanText(s.Cooldown), cadenceText(c)),
				"write the longer of the two behind every, and leave cooldown out")
		}
	}
	if p, pure := s.pulseOf(s.trigger); p == rare && pure && (s.For.Turns > 0 || s.For.Time > 0) {
		s.add("R1014", grammar.Warning, "for", grammar.Range{}, "the trigger is true on a single turn, never for "+spanText(s.For), "leave `for` out")
	}
}

func cadenceText(c *grammar.Cadence) string {
	return grammar.Format(&grammar.Trigger{Root: c})
}

// spanText is a span as people write it.
func spanText(s terms.Span) string {
	if s.Turns == 1 {
		return "1 turn"
	}
	if s.Turns > 0 {
		return fmt.Sprintf("%d turns", s.Turns)
	}
	return short(s.Time)
}

// short is a duration without zeros at its end.
func short(d time.Duration) string {
	text := d.String()
	if d >= time.Minute && d%time.Minute == 0 {
		text = text[:len(text)-2]
	}
	if d >= time.Hour && d%time.Hour == 0 {
		text = text[:len(text)-2]
	}
	return text
}
