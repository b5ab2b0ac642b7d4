package lint

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/analysis"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/duration"
)

// repetition looks at how often a reminder will fire: more often than meant, or less.
func (s *subject) repetition() {
	s.joinedManual()
	limited := !s.Cooldown.IsZero() && s.Cooldown != eachTurn || s.MaxFires > 0 && s.Tier != reminder.Safety
	if s.Mode == reminder.While {
		if !limited {
			s.endless()
		}
		return
	}
	if s.Rearm != "" || limited || !s.For.IsZero() {
		return
	}
	s.absence()
	s.flapping()
}

// absence reports an edge on the absence of an event, which is nearly always absent.
func (s *subject) absence() {
	cadence := false // which is false between two turns, whatever is absent
	s.trigger.Leaves(func(l *condition.Leaf) { cadence = cadence || l.Kind == condition.Cadence })
	if _, fails := analysis.Between(s.predicate); fails || cadence || !s.predicate.Events() {
		return
	}
	hint := "say when it is due, with a fact that counts or with every N turns"
	n, _ := s.trigger.Expr.(*grammar.Not)
	if n == nil {
		n = &grammar.Not{}
	}
	if x, ok := n.X.(*grammar.Shorthand); ok && x.Name == "after_tool" && len(x.Args) == 1 {
		hint = fmt.Sprintf("write `not used(%q)` for a tool that was never used, `turns_since_tool(%[1]q) > 10` "+
			"for one that was not used lately", x.Args[0].Text)
	}
	s.add(finding{code: code.EdgeOnAbsence, field: "trigger", hint: hint,
		message: "this is true on the first turn and on nearly all others: not means that it did not happen on " +
			"the previous turn alone"})
}

// flapping reports a limit on a number that rises and falls around it.
func (s *subject) flapping() {
	var l limit
	var gauges []fact.ID
	s.trigger.Walk(func(n *condition.Node) {
		g, ok := s.limitOf(n)
		if !ok || g.x == nil || !g.above() && !g.below() || g.all() || g.fact.Kind != fact.Gauge {
			return
		}
		switch id := g.fact.ID; {
		case id == fact.ContextUsage, id == fact.ContextTokens, id == fact.MessageCount,
			strings.HasPrefix(g.fact.Name, "vars."): // declared by the host
			if gauges == nil {
				l = g
			}
			gauges = append(gauges, id)
		}
	})
	if gauges == nil || analysis.Stays(s.predicate) || !analysis.Stays(s.predicate, gauges...) {
		return
	}
	hint := "add `cooldown: 10 turns`, or a `rearm` some way off the limit"
	other, written := back(l)
	if other != "" {
		hint = fmt.Sprintf("add `rearm: %s`, or a cooldown", other)
	}
	d := s.add(finding{code: code.Flapping, field: "trigger", at: l.x.Range, hint: hint,
		message: fmt.Sprintf("%s goes up and down, and this fires each time that it comes past %s", l.fact.Name,
			written)})
	if other != "" {
		d.Fix = s.addKey("rearm", other).Doubtful()
	}
}

// back returns a limit at some distance from l, for rearm, and l's own limit as people write it.
func back(l limit) (other, written string) {
	away, op := -1.0, "<"
	if l.below() {
		away, op = 1, ">"
	}
	n, unit := l.n+away*max(1, math.Round(l.n/10)), ""
	written = strconv.FormatFloat(l.n, 'f', -1, 64)
	switch l.fact.Type {
	case fact.Duration:
		return "", duration.Format(time.Duration(l.n))
	case fact.Ratio:
		n, unit, written = math.Round(100*(l.n+away*0.10)), "%", fact.Percent(l.n)
	default:
		if n >= 1e3 && math.Mod(n, 1e3) == 0 {
			n, unit = n/1e3, "k"
		}
	}
	if n <= 0 || unit == "%" && n >= 100 {
		return "", written
	}
	return fmt.Sprintf("%s %s %v%s", l.fact.Name, op, n, unit), written
}

// endless reports a level that lasts to the end of the run.
func (s *subject) endless() {
	if !analysis.Stays(s.predicate) {
		return
	}
	message := "this fires on every turn for the rest of the run"
	if c, ok := s.trigger.Expr.(*grammar.Constant); ok && c.Name == "always" {
		message = "this fires on every turn"
	}
	if s.agent != nil && s.agent.Keeps {
		message += fmt.Sprintf(", and in %s each text stays in the conversation", s.agent.Title)
	}
	d := s.add(finding{code: code.EndlessRepetition, field: "trigger", message: message,
		hint: "add `cooldown: 10 turns` or `max_fires`, or write `every 10 turns`"})
	d.Fix = s.addKey("cooldown", "10 turns").Doubtful()
}

// joinedManual reports manual beside other conditions.
func (s *subject) joinedManual() {
	if _, alone := s.trigger.Expr.(*grammar.Constant); alone {
		return
	}
	walk(s.trigger, 0, func(n *condition.Node, not int) {
		c, ok := n.Expr.(*grammar.Constant)
		if !ok || c.Name != "manual" {
			return
		}
		message := "manual means never, so this fires only by name"
		if _, or := s.trigger.Expr.(*grammar.Or); or {
			message = "manual means never, so it adds nothing here"
		}
		if not%2 == 1 {
			message = "not manual means always"
		}
		s.add(finding{code: code.ManualBesideOthers, field: "trigger", at: c.Range, message: message,
			hint: "leave manual out: every reminder can be fired by name"})
	})
}

// eachTurn is the least distance between two turns, which no reminder comes below.
var eachTurn = reminder.Span{Turns: 1}

// idleKeys reports keys that have no effect beside this trigger.
func (s *subject) idleKeys() {
	idle := func(key, message, hint string) {
		s.add(finding{code: code.IdleKey, field: key, message: message, hint: hint})
	}
	dead := func(key, why, hint string) { idle(key, key+" cannot matter: "+why, hint) }
	if c, ok := s.trigger.Expr.(*grammar.Constant); ok {
		if c.Name == "always" {
			return
		}
		given := map[string]bool{"cooldown": !s.Cooldown.IsZero(), "max_fires": s.MaxFires > 0,
			"for": !s.For.IsZero(), "rearm": s.Rearm != ""}
		for _, key := range []string{"cooldown", "max_fires", "for", "rearm"} {
			if given[key] {
				dead(key, "the reminder is fired by name, which asks for none of these", "leave it out")
			}
		}
		return
	}
	if once := s.MaxFires == 1 && s.Tier != reminder.Safety; once && !s.Cooldown.IsZero() {
		dead("cooldown", "max_fires: 1 lets the reminder fire once a run", "leave one of the two out")
		return
	} else if once && s.Rearm != "" {
		dead("rearm", "max_fires: 1 lets the reminder fire once a run", "leave one of the two out")
	}
	if c, ok := s.trigger.Expr.(*grammar.Cadence); ok && !s.For.IsZero() {
		idle("for", cadenceText(c)+" stays true until the reminder fires, so for only delays it",
			"write a longer time behind every, and leave `for` out")
	}
	if m := s.predicate.Moment(); m != fact.Turn {
		why := fmt.Sprintf("a reminder at %s is decided each time alone", m)
		if !s.For.IsZero() {
			dead("for", why, "leave it out, or compare how long in the trigger, as in failures_in_row >= 3")
		}
		if s.Rearm != "" {
			dead("rearm", why, "leave it out, or join its condition to the trigger with and")
		}
		return
	}
	if s.Cooldown == eachTurn {
		dead("cooldown", "a reminder fires once on a turn at most",
			"leave it out; `cooldown: 2 turns` is silent on the next turn")
	} else if c, ok := s.trigger.Expr.(*grammar.Cadence); ok && !s.Cooldown.IsZero() {
		turns, span := s.Cooldown.Turns, s.Cooldown.Time
		switch {
		case c.Unit == grammar.Turns && turns > 0 && turns <= c.N, c.Unit == grammar.Elapsed && span > 0 &&
			span <= c.Duration:
			dead("cooldown", cadenceText(c)+" alone leaves as much between two firings",
				"leave it out, or write a longer one")
		case c.Unit == grammar.Turns && turns > c.N, c.Unit == grammar.Elapsed && span > c.Duration:
			idle("cooldown",
				fmt.Sprintf("the cooldown of %s is longer, so %s cannot matter", spanText(s.Cooldown), cadenceText(c)),
				"write the longer of the two behind every, and leave cooldown out")
		}
	}
	if (s.For.Time > 0 || s.For.Turns > 1 && needs(s.predicate, rare...)) && onEvent(s.predicate) {
		idle("for", "an event is over before the next turn, so the trigger is hardly ever true for "+
			spanText(s.For), "leave `for` out")
	}
}

func cadenceText(c *grammar.Cadence) string { return written(c) }

// spanText is a span as people write it: "2m" and not "2m0s".
func spanText(s reminder.Span) string {
	if s.Turns != 0 {
		return s.String()
	}
	return duration.Format(s.Time)
}

// noTrigger reports a reminder of a file that says nothing of when it is due.
func (s *subject) noTrigger() {
	said := func(d grammar.Diagnostic) bool { return d.Code == code.FileForPeople || d.Code == code.KeysInText }
	if s.Origin == nil || s.src == "" || slices.ContainsFunc(s.found, said) {
		return
	}
	at := s.Place("mode")
	switch key := s.src[at.Start.Offset:max(at.Start.Offset, at.End.Offset)]; strings.Trim(key, `"'`) {
	case "when", "trigger", "while", "schedule":
		return
	}
	f := finding{code: code.NoTrigger, field: "id",
		message: "there is no when, so the text is sent once, on the first turn of each run",
		hint:    "write `when: always` if that is meant, or say when it is due"}
	if s.Rearm != "" {
		f = finding{code: code.NoTrigger, severity: grammar.Warning, field: "rearm",
			message: "there is no when, so the text is sent each time that rearm is true",
			hint:    "write the condition behind when"}
	}
	s.add(f)
}

// rearmOnPurpose reports a rearm that is never true and says so.
func (s *subject) rearmOnPurpose() {
	if c, ok := s.rearm.Expr.(*grammar.Constant); ok && c.Name != "always" {
		s.add(finding{code: code.RearmOnPurpose, field: "rearm", message: "only a compaction re-arms this reminder",
			hint: "write `max_fires: 1` for once a run; leave rearm out to fire whenever the trigger becomes true"})
	}
}
