package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/words"
)

// The keys and kinds of a schedule, as other tools write it.
var (
	scheduleKeys  = []string{"kind", "turn_interval", "interval", "max_fires", "condition"}
	scheduleKinds = []string{"always", "turn", "timer", "oneshot", "condition"}
)

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
	kind, ok := "oneshot", true
	if k := ps["kind"]; k.key != nil {
		var i int
		i, ok = d.oneOf(code.ScheduleKind, "kind", k, scheduleKinds...)
		kind = scheduleKinds[i]
	}
	turns, interval := it.turnInterval(ps["turn_interval"]), it.interval(ps["interval"])
	if m := ps["max_fires"]; m.key != nil {
		if it.has("max_fires") {
			d.twice(m.key, it.keys["max_fires"].key)
		}
		it.r.MaxFires, _ = d.whole("max_fires", m, 0)
		it.spot("max_fires", m, 0)
	}
	if !ok {
		return
	}
	it.r.Mode, it.r.Trigger = reminder.While, "always"
	switch kind {
	case "turn":
		it.r.Trigger = fmt.Sprintf("started or every %d turns", turns)
	case "timer":
		it.r.Trigger = "started or every " + interval
	case "oneshot":
		it.r.Mode = reminder.When
	}
	if c := ps["condition"]; kind != "condition" || !it.scheduledTrigger(c) {
		from, to := d.extent(schedulePlace(kind, p, ps))
		it.o.spots = append(it.o.spots, spot{field: "trigger", from: from, to: to})
	}
	it.otherKinds(kind, ps)
}

// schedulePlace returns where the trigger of a schedule stands: in the value that belongs to its kind, else
// in the kind, else at the key of the schedule itself.
func schedulePlace(kind string, schedule pair, ps map[string]pair) *yaml.Node {
	place := map[string]string{"turn": "turn_interval", "timer": "interval"}
	if key, ok := place[kind]; ok && ps[key].key != nil {
		return ps[key].value
	}
	if k := ps["kind"]; k.key != nil {
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
	span, f := parseSpan(s)
	num, unit := splitNumber(strings.TrimSpace(s))
	const hint = "write a time such as `5m` or `1h30m`"
	switch at := d.value(p); {
	case num != "" && strings.TrimSpace(unit) == "" && !strings.HasPrefix(num, "-") &&
		strings.Trim(num, "0.+") != "":
		x := d.add(code.ScheduleInterval, at, fmt.Sprintf("interval has no unit: %q", s),
			fmt.Sprintf("write `%ss` for seconds, `%sm` for minutes", num, num))
		x.Fix = &grammar.Edit{Range: at, Text: num + "s"}
	case f == nil && span.Turns+span.UserTurns != 0:
		d.add(code.ScheduleInterval, at, fmt.Sprintf("interval is a time, not %q", s),
			"use `kind: turn` with `turn_interval`")
	case f == nil && span.Time <= 0 || f != nil && strings.HasPrefix(num, "-"):
		d.add(code.ScheduleInterval, at, fmt.Sprintf("interval must be longer than 0, not %q", s), hint)
	case f != nil && f.meant != "" && !strings.Contains(f.meant, "turn"):
		d.faulty(code.ScheduleInterval, p, "interval", f)
	case f != nil:
		d.add(code.ScheduleInterval, at, fmt.Sprintf("interval cannot be %q", clip(s)), hint)
	default:
		return strings.TrimSpace(s)
	}
	return ""
}

// otherKinds warns of keys that the schedule's kind does not read.
func (it *item) otherKinds(kind string, ps map[string]pair) {
	for _, other := range []struct{ key, kind string }{{"turn_interval", "turn"}, {"interval", "timer"},
		{"condition", "condition"}} {
		if k := ps[other.key].key; k != nil && kind != other.kind {
			x := it.d.add(code.KeyOfOtherKind, it.d.where(k), fmt.Sprintf(
				"%s is read with `kind: %s` alone, and this is %s",
				other.key, other.kind, kind),
				"remove it, or change the kind")
			x.Severity = grammar.Warning
		}
	}
}

// A fault is a mistake in a value: what is wrong, in words that follow the key's name, what to do, and the
// value that was probably meant; "" where a person has to choose.
type fault struct{ what, hint, meant string }

// write is the fault of a value in place of which another was meant.
func write(what, meant string) *fault { return &fault{what, "write `" + meant + "`", meant} }

// turns returns the fault where it was turns that were meant, else one with another hint.
func (f *fault) turns(hint string) *fault {
	if strings.Contains(f.meant, "turn") {
		return write(f.what, f.meant)
	}
	return &fault{what: f.what, hint: hint}
}

// faulty adds an error about the value of p.
func (d *decoder) faulty(id grammar.Code, p pair, name string, f *fault) {
	x := d.add(id, d.value(p), name+" "+f.what, f.hint)
	if f.meant != "" && p.value.Kind == yaml.ScalarNode {
		if from, end := d.extent(p.value); from < end {
			x.Fix = d.edit(from, end, f.meant)
		}
	}
}

// parseSpan reads a span as rule files write it: "3 turns", "1 turn", "2 user turns", "2m", "1h30m", "0".
func parseSpan(s string) (span reminder.Span, f *fault) {
	const forms = "write a number of turns such as `3 turns`, or a time such as `2m`"
	s = strings.TrimSpace(s)
	num, unit := splitNumber(s)
	unit = strings.Join(strings.Fields(unit), " ")
	counted := strings.TrimSuffix(unit, "s")
	switch time, err := duration.Parse(s); {
	case s == "0":
		return span, nil
	case s == "":
		return span, &fault{what: "is empty", hint: forms}
	case num == "":
		word, rest, _ := strings.Cut(s, " ")
		if n := words.Of(words.Number, word); n != "" && rest != "" {
			if _, f := parseSpan(n + " " + rest); f == nil { // ten turns
				return span, write(fmt.Sprintf("cannot be %q", s), n+" "+rest)
			}
		}
		return span, &fault{what: fmt.Sprintf("cannot be %q", s), hint: forms}
	case strings.HasPrefix(num, "-"):
		return span, &fault{what: fmt.Sprintf("cannot be negative: %q", s), hint: "write `0` or more"}
	case unit == "":
		f = write(fmt.Sprintf("has no unit: %q", s), num+" turns")
		f.hint += fmt.Sprintf(", or a time such as `%sm`", num)
		return span, f
	case counted == "turn" || counted == "user turn":
		n, err := strconv.Atoi(num)
		switch {
		case err != nil:
			return span, &fault{what: fmt.Sprintf("takes whole turns, not %q", s),
				hint: "write a number of turns such as `3 turns`"}
		case n > math.MaxInt32:
			return span, &fault{what: fmt.Sprintf("is too long: %q", s),
				hint: fmt.Sprintf("write at most `%d %ss`", math.MaxInt32, counted)}
		case counted == "turn":
			return reminder.Span{Turns: n}, nil
		}
		return reminder.Span{UserTurns: n}, nil
	case !duration.Written(s):
		return span, unitFault(s, num, unit)
	case err != nil:
		return span, &fault{what: fmt.Sprintf("is too long: %q", s), hint: "write at most `100000d`"}
	default:
		return reminder.Span{Time: time}, nil
	}
}

// parseWithin reads how long expect has: "3 turns".
func parseWithin(s string) (turns int, f *fault) {
	const hint = "write a number of turns such as `5 turns`"
	span, f := parseSpan(s)
	switch {
	case f != nil:
		return 0, f.turns(hint)
	case span.UserTurns != 0:
		return 0, &fault{what: fmt.Sprintf("counts turns, not user turns: %q", s), hint: hint}
	case span.Time != 0:
		return 0, &fault{what: fmt.Sprintf("counts turns, not time: %q", s), hint: hint}
	case span.Turns < 1:
		return 0, write(fmt.Sprintf("must be at least 1 turn, not %q", s), "1 turn")
	}
	return span.Turns, nil
}

// parseShare reads a share of runs: "20%", "0.2".
func parseShare(s string) (share float64, f *fault) {
	const hint = "write a percentage from `0%` to `50%`, or `100%` for a trial"
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share, err = strconv.ParseFloat(number+"e-2", 64)
	}
	switch {
	case strings.TrimSpace(s) == "":
		return 0, &fault{what: "is empty", hint: hint}
	case err != nil || strings.Trim(number, "+-0123456789.") != "":
		return 0, &fault{what: fmt.Sprintf("takes a percentage, not %q", clip(s)), hint: hint}
	case share > 1 && share <= 50 && !percent:
		return 0, write(fmt.Sprintf("cannot be %q", s), number+"%")
	case share < 0 || share > 0.5 && share != 1:
		return 0, &fault{what: fmt.Sprintf("cannot be %q: at most half of the runs are held out", s), hint: hint}
	}
	return share, nil
}

// unitFault is the fault of a number with a unit that does not exist.
func unitFault(s, num, unit string) *fault {
	f := &fault{what: fmt.Sprintf("cannot be %q", s),
		hint: "write a number of turns such as `3 turns`, or a time such as `2m` or `1h30m`"}
	n, err := strconv.Atoi(num)
	unit = strings.ToLower(unit)
	switch means := nearest(words.Unit, unit); {
	case err != nil || n < 0:
	case strings.HasPrefix(unit, "us"): // usr turns
		return write(f.what, fmt.Sprintf("%d user turns", n))
	case means == "w":
		return write(f.what, fmt.Sprintf("%dd", 7*n))
	case means == "s" || means == "m" || means == "h" || means == "d":
		return write(f.what, fmt.Sprintf("%d%s", n, means))
	case nearest(words.Counted, unit) != "":
		return write(f.what, fmt.Sprintf("%d turns", n))
	}
	return f
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
func parseKeep(s string) (keep reminder.Keep, f *fault) {
	const hint = "write a number of turns such as `3 turns`, `user turn`, `2 user turns` or `conversation`"
	switch s = strings.TrimSpace(s); s {
	case "":
		return keep, &fault{what: "is empty", hint: hint}
	case "user turn":
		return reminder.Keep{Unit: reminder.KeepUserTurns, N: 1}, nil
	case "conversation":
		return reminder.Keep{Unit: reminder.KeepConversation}, nil
	}
	if num, _ := splitNumber(s); num == "" {
		what, of := fmt.Sprintf("cannot be %q", s), words.ValueOf("keep")
		if to := words.Of(of, s); to != "" {
			return keep, write(what, to)
		}
		known := append([]string{"turn", "user turn", "conversation"}, words.List(of)...)
		if near := near.Names(s, known); len(near) > 0 {
			return keep, write(what, cmp.Or(words.Of(of, near[0]), near[0]))
		}
		return keep, &fault{what: what, hint: hint}
	}
	span, f := parseSpan(s)
	switch {
	case f != nil:
		return keep, f.turns(hint)
	case span.Time != 0:
		return keep, &fault{what: fmt.Sprintf("counts turns, not time: %q", s), hint: hint}
	case span.Turns+span.UserTurns < 1:
		return keep, &fault{what: fmt.Sprintf("must be at least 1 turn, not %q", s), hint: hint}
	case span.UserTurns > 0:
		return reminder.Keep{Unit: reminder.KeepUserTurns, N: span.UserTurns}, nil
	}
	return reminder.Keep{Unit: reminder.KeepTurns, N: span.Turns}, nil
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
