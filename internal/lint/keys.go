package lint

import (
	"fmt"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// idleKeys tells of keys that cannot matter beside this trigger.
func (s *subject) idleKeys() {
	dead := func(key, why, hint string) {
		s.add(finding{
			code: code.IdleKey, field: key,
			message: key + " cannot matter: " + why,
			hint:    hint,
		})
	}
	if c, ok := s.trigger.(*grammar.Constant); ok {
		if c.Name == "always" {
			return
		}
		for _, k := range []struct {
			key   string
			given bool
		}{{"cooldown", !s.Cooldown.IsZero()}, {"max_fires", s.MaxFires > 0}, {"for", !s.For.IsZero()}, {"rearm", s.Rearm != ""}} {
			if k.given {
				dead(k.key, "the reminder is fired by name, which asks for none of these", "leave it out")
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
			s.add(finding{
				code: code.IdleKey, field: "cooldown",
				message: fmt.Sprintf("the cooldown of %s is longer, so %s cannot matter", spanText(s.Cooldown), cadenceText(c)),
				hint:    "write the longer of the two behind every, and leave cooldown out",
			})
		}
	}
	if p, pure := s.pulseOf(s.trigger); p == rare && pure && (s.For.Turns > 0 || s.For.Time > 0) {
		s.add(finding{
			code: code.IdleKey, field: "for",
			message: "the trigger is true on a single turn, hardly ever for " + spanText(s.For),
			hint:    "leave `for` out",
		})
	}
}

func cadenceText(c *grammar.Cadence) string {
	return grammar.Format(&grammar.Trigger{Root: c})
}

// spanText is a span as people write it: "2m" and not "2m0s".
func spanText(s reminder.Span) string {
	if s.Turns != 0 {
		return s.String()
	}
	return grammar.FormatDuration(s.Time)
}
