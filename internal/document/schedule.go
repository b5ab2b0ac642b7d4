package document

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
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
		x := d.add(code.YAMLShape, d.value(p), "schedule takes keys, not a value",
			"write `schedule: {kind: always}`, or the like")
		switch {
		case n.Kind != yaml.ScalarNode:
		case slices.Contains(scheduleKinds, n.Value):
			x.Fix = &grammar.Edit{Range: x.Range, Text: "{kind: " + n.Value + "}"}
		case strings.Contains(n.Value, " "):
			x.Hint = "a condition stands behind while: write `while: " + n.Value + "`"
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
		it.r.Trigger = fmt.Sprintf("started or every %d turns", turns)
	case kindTimer:
		it.r.Trigger = "started or every " + interval
	case kindOneshot:
		it.r.Mode = reminder.When
	}
	if c := ps[scheduleCondition]; kind != kindCondition || !it.scheduledTrigger(c) {
		from, to := d.extent(schedulePlace(kind, p, ps))
		it.o.spots = append(it.o.spots, spot{field: "trigger", from: from, to: to})
	}
	it.otherKinds(kind, ps)
}

// schedulePlace returns where the trigger of a schedule stands: in the value that belongs to its kind, else
// in the kind, else at the key of the schedule itself.
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
	it.r.Trigger = it.trigger("trigger", c)
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
	case num != "" && strings.TrimSpace(unit) == "" && !strings.HasPrefix(num, "-") &&
		strings.Trim(num, "0.+") != "":
		x := d.add(code.ScheduleInterval, at, fmt.Sprintf("interval has no unit: %q", s),
			fmt.Sprintf("write `%ss` for seconds, `%sm` for minutes", num, num))
		x.Fix = &grammar.Edit{Range: at, Text: num + "s"}
	case wrong == "" && span.Turns+span.UserTurns != 0:
		d.add(code.ScheduleInterval, at, fmt.Sprintf("interval is a time, not %q", s),
			"use `kind: turn` with `turn_interval`")
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
	for _, other := range []struct{ key, kind int }{{scheduleTurns, kindTurn}, {scheduleInterval, kindTimer},
		{scheduleCondition, kindCondition}} {
		if k := ps[other.key].key; k != nil && kind != other.kind {
			x := it.d.add(code.KeyOfOtherKind, it.d.where(k), fmt.Sprintf(
				"%s is read with `kind: %s` alone, and this is %s",
				scheduleKeys[other.key],
				scheduleKinds[other.kind],
				scheduleKinds[kind]),
				"remove it, or change the kind")
			x.Severity = grammar.Warning
		}
	}
}

// firstWritten finds the text in a hint that says to write one thing, or the likeliest of two.
var firstWritten = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^write `([^`]+)`(?:$|: |, or a time)")
})

// fixOf returns the value that a hint says to write; "" where a person has to choose.
func fixOf(hint string) string {
	if m := firstWritten().FindStringSubmatch(hint); m != nil {
		return m[1]
	}
	return ""
}

// parseSpan reads a span as rule files write it: "3 turns", "1 turn", "2m", "1h30m", "0". It returns a
// mistake as words that follow the key's name, and a hint.
func parseSpan(s string) (span reminder.Span, wrong, hint string) {
	s = strings.TrimSpace(s)
	if s == "0" {
		return reminder.Span{}, "", ""
	}
	num, unit := splitNumber(s)
	switch word := strings.TrimSpace(unit); {
	case s == "":
		return span, "is empty", "write a number of turns such as `3 turns`, or a time such as `2m`"
	case num == "":
		return span, fmt.Sprintf("cannot be %q",
			s), "write a number of turns such as `3 turns`, or a time such as `2m`"
	case strings.HasPrefix(num, "-"):
		return span, fmt.Sprintf("cannot be negative: %q", s), "write `0` or more"
	case word == "":
		return span, fmt.Sprintf("has no unit: %q",
			s), fmt.Sprintf("write `%s turns`, or a time such as `%sm`", num, num)
	case isTurns(word):
		n, err := strconv.Atoi(num)
		unit, user := "turns", strings.HasPrefix(word, "user ")
		if user {
			unit = "user turns"
		}
		switch {
		case err != nil:
			return span, fmt.Sprintf("takes whole turns, not %q", s), "write a number of turns such as `3 turns`"
		case n > math.MaxInt32:
			return span, fmt.Sprintf("is too long: %q", s), fmt.Sprintf("write at most `%d %s`", math.MaxInt32, unit)
		case user:
			return reminder.Span{UserTurns: n}, "", ""
		}
		return reminder.Span{Turns: n}, "", ""
	}
	d, err := duration.Parse(s)
	switch {
	case !duration.Written(s):
		return span, fmt.Sprintf("cannot be %q", s), timeHint(num, strings.TrimSpace(unit))
	case err != nil:
		return span, fmt.Sprintf("is too long: %q", s), "write at most `100000d`"
	}
	return reminder.Span{Time: d}, "", ""
}

// isTurns reports whether word is the unit of a number of turns or of user turns.
func isTurns(word string) bool {
	fields := strings.Fields(word)
	if len(fields) == 2 && fields[0] == "user" {
		fields = fields[1:]
	}
	return len(fields) == 1 && (fields[0] == "turn" || fields[0] == "turns")
}

// parseWithin reads how long expect has: "3 turns". It returns a mistake as parseSpan does.
func parseWithin(s string) (turns int, wrong, hint string) {
	const hints = "write a number of turns such as `5 turns`"
	span, wrong, hint := parseSpan(s)
	switch {
	case wrong != "" && strings.Contains(fixOf(hint), "turn"):
		return 0, wrong, "write `" + fixOf(hint) + "`"
	case wrong != "":
		return 0, wrong, hints
	case span.UserTurns != 0:
		return 0, fmt.Sprintf("counts turns, not user turns: %q", s), hints
	case span.Time != 0:
		return 0, fmt.Sprintf("counts turns, not time: %q", s), hints
	case span.Turns < 1:
		return 0, fmt.Sprintf("must be at least 1 turn, not %q", s), "write `1 turn`"
	}
	return span.Turns, "", ""
}

// parseShare reads a share of runs: "20%", "0.2". It returns a mistake as parseSpan does.
func parseShare(s string) (share float64, wrong, hint string) {
	const hints = "write a percentage from `0%` to `50%`, or `100%` for a trial"
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share, err = strconv.ParseFloat(number+"e-2", 64)
	}
	switch {
	case strings.TrimSpace(s) == "":
		return 0, "is empty", hints
	case err != nil || strings.Trim(number, "+-0123456789.") != "":
		return 0, fmt.Sprintf("takes a percentage, not %q", clip(s)), hints
	case share > 1 && share <= 50 && !percent:
		return 0, fmt.Sprintf("cannot be %q", s), "write `" + number + "%`"
	case share < 0 || share > 0.5 && share != 1:
		return 0, fmt.Sprintf("cannot be %q: at most half of the runs are held out", s), hints
	}
	return share, "", ""
}

// canonicalSpan is s, a span, with its number of turns in canonical form. A time
// stays as its author wrote it, as numbers in triggers do: 90s may say more than 1m30s.
func canonicalSpan(s string) string {
	if span, wrong, _ := parseSpan(s); wrong == "" && span.Time == 0 {
		return span.String()
	}
	return s
}

// timeHint returns the hint for a number with a unit that does not exist.
func timeHint(num, unit string) string {
	n, err := strconv.Atoi(num)
	unit = strings.ToLower(unit)
	switch means := nearest(words.Unit, unit); {
	case err != nil || n < 0:
	case strings.HasPrefix(unit, "us"): // usr turns
		return fmt.Sprintf("write `%d user turns`", n)
	case means == "w":
		return fmt.Sprintf("write `%dd`", 7*n)
	case means == "s" || means == "m" || means == "h" || means == "d":
		return fmt.Sprintf("write `%d%s`", n, means)
	case nearest(words.Counted, unit) != "":
		return fmt.Sprintf("write `%d turns`", n)
	}
	return "write a number of turns such as `3 turns`, or a time such as `2m` or `1h30m`"
}

// nearest returns what a word of a kind means, be it misspelt; "" if it means nothing.
func nearest(k words.Kind, word string) string {
	means := words.Of(k, word)
	if like := near.Names(word, words.List(k)); means == "" && len(like) > 0 {
		means = words.Of(k, like[0])
	}
	return means
}

// splitNumber cuts s behind the number it begins with; num is "" if it begins with none.
func splitNumber(s string) (num, rest string) {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' || i == 0 && (s[i] == '-' || s[i] == '+')) {
		i++
	}
	if strings.Trim(s[:i], "+-.") == "" {
		return "", s
	}
	return s[:i], s[i:]
}

// parseKeep reads how long a text stays: "3 turns", "user turn", "2 user turns", "conversation".
func parseKeep(s string) (keep reminder.Keep, wrong, hint string) {
	const forms = "write a number of turns such as `3 turns`, `user turn`, `2 user turns` or `conversation`"
	switch s = strings.TrimSpace(s); s {
	case "user turn":
		return reminder.Keep{Unit: reminder.KeepUserTurns, N: 1}, "", ""
	case "conversation":
		return reminder.Keep{Unit: reminder.KeepConversation}, "", ""
	}
	if s == "" {
		return keep, "is empty", forms
	}
	num, _ := splitNumber(s)
	if num == "" {
		if to := words.Of(words.ValueOf("keep"), s); to != "" {
			return keep, fmt.Sprintf("cannot be %q", s), "write `" + to + "`"
		}
		known := append([]string{"turn", "user turn", "conversation"}, words.List(words.ValueOf("keep"))...)
		if near := near.Names(s, known); len(near) > 0 {
			to := cmp.Or(words.Of(words.ValueOf("keep"), near[0]), near[0])
			return keep, fmt.Sprintf("cannot be %q", s), "write `" + to + "`"
		}
		return keep, fmt.Sprintf("cannot be %q", s), forms
	}
	span, wrong, hint := parseSpan(s)
	switch {
	case wrong != "" && strings.Contains(fixOf(hint), "turn"):
		return keep, wrong, "write `" + fixOf(hint) + "`"
	case wrong != "":
		return keep, wrong, forms
	case span.Time != 0:
		return keep, fmt.Sprintf("counts turns, not time: %q", s), forms
	case span.Turns+span.UserTurns < 1:
		return keep, fmt.Sprintf("must be at least 1 turn, not %q", s), forms
	case span.UserTurns > 0:
		return reminder.Keep{Unit: reminder.KeepUserTurns, N: span.UserTurns}, "", ""
	}
	return reminder.Keep{Unit: reminder.KeepTurns, N: span.Turns}, "", ""
}

// parseWhole reads a whole number as YAML 1.2 writes it in decimal.
func parseWhole(s string) (int, bool) {
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 || digits == "" || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil
}
