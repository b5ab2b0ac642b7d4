package document

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
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
		x := d.add(code.YAMLShape, d.value(p), "schedule takes keys, not a value", "write `schedule: {kind: always}`, or the like")
		if _, ok := indexOf(scheduleKinds, n.Value); ok && n.Kind == yaml.ScalarNode {
			x.Fix = &grammar.Edit{Range: x.Range, Text: "{kind: " + n.Value + "}"}
		}
		return
	}
	flow := d.flow
	d.flow = flow || n.Style&yaml.FlowStyle != 0
	defer func() { d.flow = flow }()

	ps := d.pairs(n, scheduleKeys, "schedule")
	kind, ok := kindOneshot, true
	if k := ps[scheduleKind]; k.key != nil {
		kind, ok = d.oneOf(code.ScheduleKind, "kind", k, scheduleKinds...)
	}
	turns, interval := it.turnInterval(ps[scheduleTurns]), it.interval(ps[scheduleInterval])
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
	it.r.Mode, it.r.Trigger = reminder.While, "always"
	switch kind {
	case kindTurn:
		it.r.Trigger = fmt.Sprintf("every %d turns", turns)
	case kindTimer:
		it.r.Trigger = "every " + interval
	case kindOneshot:
		it.r.Mode = reminder.When
	}
	if c := ps[scheduleCondition]; kind != kindCondition || !it.scheduledTrigger(c) {
		from, to := d.extent(schedulePlace(kind, p, ps))
		it.o.spots = append(it.o.spots, spot{field: "trigger", from: from, to: to})
	}
	it.otherKinds(kind, ps)
}

// schedulePlace returns where the trigger of a schedule stands: in the value that belongs to its kind, else in the kind, else at
// the key of the schedule itself.
func schedulePlace(kind int, schedule pair, ps []pair) *yaml.Node {
	place := map[int]int{kindTurn: scheduleTurns, kindTimer: scheduleInterval}
	if key, ok := place[kind]; ok && ps[key].key != nil {
		return ps[key].value
	}
	if k := ps[scheduleKind]; k.key != nil {
		return k.value
	}
	return schedule.key
}

// scheduledTrigger reads the trigger of a schedule of kind condition. It reports false if there is none.
func (it *item) scheduledTrigger(c pair) bool {
	if c.key == nil {
		return false
	}
	s, ok := it.d.scalar("condition", c)
	if !ok || strings.Trim(s, blanks) == "" {
		return false
	}
	it.r.Trigger, _ = it.trigger("trigger", c)
	return true
}

// turnInterval reads the number of turns between two firings, 1 if it is missing.
func (it *item) turnInterval(p pair) int {
	if p.key == nil {
		return 1
	}
	d := it.d
	before := len(d.ds)
	turns, ok := d.whole("turn_interval", p, 1)
	if !ok && len(d.ds) > before {
		d.ds[before].Code = code.ScheduleInterval
	}
	return turns
}

// interval reads the time between two firings, 5m if it is missing.
func (it *item) interval(p pair) string {
	if p.key == nil {
		return "5m"
	}
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
		x := d.add(code.ScheduleInterval, at, fmt.Sprintf("interval has no unit: %q", s), fmt.Sprintf("write `%ss` for seconds, `%sm` for minutes", num, num))
		x.Fix = &grammar.Edit{Range: at, Text: num + "s"}
	case wrong == "" && span.Turns != 0:
		d.add(code.ScheduleInterval, at, fmt.Sprintf("interval is a time, not %q", s), "use `kind: turn` with `turn_interval`")
	case wrong == "" && span.Time <= 0 || wrong != "" && strings.HasPrefix(num, "-"):
		d.add(code.ScheduleInterval, at, fmt.Sprintf("interval must be longer than 0, not %q", s), hint)
	case wrong != "" && fixOf(better) != "" && !strings.Contains(better, "turn"):
		d.mended(code.ScheduleInterval, p, fmt.Sprintf("interval cannot be %q", clip(s)), better)
	case wrong != "":
		d.add(code.ScheduleInterval, at, fmt.Sprintf("interval cannot be %q", clip(s)), hint)
	default:
		return strings.TrimSpace(s)
	}
	return ""
}

// otherKinds warns of keys that the schedule's kind does not read.
func (it *item) otherKinds(kind int, ps []pair) {
	for _, other := range []struct{ key, kind int }{{scheduleTurns, kindTurn}, {scheduleInterval, kindTimer}, {scheduleCondition, kindCondition}} {
		if k := ps[other.key].key; k != nil && kind != other.kind {
			x := it.d.add(code.KeyOfOtherKind, it.d.where(k), fmt.Sprintf("%s is read with `kind: %s` alone, and this is %s", scheduleKeys[other.key], scheduleKinds[other.kind], scheduleKinds[kind]),
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
