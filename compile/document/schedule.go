package document

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
)

// The keys and kinds of a schedule, as other tools write it.
const (
	scheduleKind = iota
	scheduleTurns
	scheduleInterval
	scheduleMaxFires
	scheduleCondition
)

var scheduleKeys = []string{"kind", "turn_interval", "interval", "max_fires", "condition"}

const (
	kindAlways = iota
	kindTurn
	kindTimer
	kindOneshot
	kindCondition
)

var scheduleKinds = []string{"always", "turn", "timer", "oneshot", "condition"}

// schedule reads the value of schedule into the trigger and mode that it stands for.
func (it *item) schedule(p pair) {
	d, n := it.d, p.value
	if !d.unnamed(n, "schedule") {
		return
	}
	if n.Kind != yaml.MappingNode {
		x := d.add(codeShape, d.value(p), "schedule takes keys, not a value", "write `schedule: {kind: always}`, or the like")
		if _, ok := indexOf(scheduleKinds, n.Value); ok && n.Kind == yaml.ScalarNode {
			x.Fix = &grammar.Edit{Range: x.Range, Text: "{kind: " + n.Value + "}"}
		}
		return
	}
	flow := d.flow
	d.flow = flow || n.Style&yaml.FlowStyle != 0
	defer func() { d.flow = flow }()
	ps := d.pairs(n, scheduleKeys, "schedule")

	kind, ok, where := kindOneshot, true, p.key
	if k := ps[scheduleKind]; k.key != nil {
		kind, ok = d.oneOf(codeKind, "kind", k, scheduleKinds...)
		where = k.value
	}
	turns, interval, turnsOK := 1, "5m", true
	if t := ps[scheduleTurns]; t.key != nil {
		before := len(d.ds)
		if turns, turnsOK = d.whole("turn_interval", t, 1); !turnsOK && len(d.ds) > before {
			d.ds[before].Code = codeInterval
		}
	}
	if i := ps[scheduleInterval]; i.key != nil {
		interval = it.interval(i)
	}
	if m := ps[scheduleMaxFires]; m.key != nil {
		if it.has(keyMaxFires) {
			d.twice(m.key, it.keys[keyMaxFires].key)
		}
		it.r.MaxFires, _ = d.whole("max_fires", m, 0)
		it.spot("max_fires", m, 0)
	}
	if !ok {
		return
	}
	it.r.Mode = compile.While
	switch kind {
	case kindAlways:
		it.r.Trigger = "always"
	case kindTurn:
		it.r.Trigger = fmt.Sprintf("every %d turns", turns)
		if t := ps[scheduleTurns]; t.key != nil {
			where = t.value
		}
	case kindTimer:
		it.r.Trigger = "every " + interval
		if i := ps[scheduleInterval]; i.key != nil {
			where = i.value
		}
	case kindOneshot:
		it.r.Trigger, it.r.Mode = "always", compile.When
	case kindCondition:
		it.r.Trigger = "always"
		if c := ps[scheduleCondition]; c.key != nil {
			if s, ok := d.scalar("condition", c); ok && strings.Trim(s, blanks) != "" {
				it.r.Trigger, _ = it.trigger("trigger", c)
				where = nil
			}
		}
	}
	if where != nil {
		from, to := d.extent(where)
		it.o.spots = append(it.o.spots, spot{field: "trigger", from: from, to: to})
	}
	it.otherKinds(kind, ps)
}

// interval reads the time between two firings.
func (it *item) interval(p pair) string {
	d := it.d
	s, ok := d.scalar("interval", p)
	if !ok {
		return ""
	}
	span, wrong, better := parseSpan(s)
	num, unit := splitNumber(strings.TrimSpace(s))
	const hint = "write a time such as `5m` or `1h30m`"
	switch at := d.value(p); {
	case num != "" && strings.TrimSpace(unit) == "" && !strings.HasPrefix(num, "-") && strings.Trim(num, "0.+") != "":
		x := d.add(codeInterval, at, fmt.Sprintf("interval has no unit: %q", s), fmt.Sprintf("write `%ss` for seconds, `%sm` for minutes", num, num))
		x.Fix = &grammar.Edit{Range: at, Text: num + "s"}
	case wrong == "" && span.Turns != 0:
		d.add(codeInterval, at, fmt.Sprintf("interval is a time, not %q", s), "use `kind: turn` with `turn_interval`")
	case wrong == "" && span.Time <= 0 || wrong != "" && strings.HasPrefix(num, "-"):
		d.add(codeInterval, at, fmt.Sprintf("interval must be longer than 0, not %q", s), hint)
	case wrong != "" && fixOf(better) != "" && !strings.Contains(better, "turn"):
		d.mended(codeInterval, p, fmt.Sprintf("interval cannot be %q", clip(s)), better)
	case wrong != "":
		d.add(codeInterval, at, fmt.Sprintf("interval cannot be %q", clip(s)), hint)
	default:
		return strings.TrimSpace(s)
	}
	return ""
}

// otherKinds warns of keys that the schedule's kind does not read.
func (it *item) otherKinds(kind int, ps []pair) {
	for _, other := range []struct{ key, kind int }{{scheduleTurns, kindTurn}, {scheduleInterval, kindTimer}, {scheduleCondition, kindCondition}} {
		if k := ps[other.key].key; k != nil && kind != other.kind {
			x := it.d.add(codeNotItsKind, it.d.where(k), fmt.Sprintf("%s is read with `kind: %s` alone, and this is %s", scheduleKeys[other.key], scheduleKinds[other.kind], scheduleKinds[kind]),
				"remove it, or change the kind")
			x.Severity = grammar.Warning
		}
	}
}

func indexOf(words []string, s string) (int, bool) {
	for i, w := range words {
		if w == s {
			return i, true
		}
	}
	return 0, false
}
