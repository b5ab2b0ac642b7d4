package reference

import (
	"crypto/sha256"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Options draws the options of a run.
func (d *Draw) Options() Options {
	d.tells, d.moments, d.lists, d.repeats = d.chance(2), d.chance(2), d.chance(3), d.chance(3)
	o := Options{Run: "run" + d.one("", "1", "2", "3", "4"), Root: d.one("", "", "root")}
	if d.chance(3) {
		o.Order = reminder.ByTier
	}
	if d.chance(4) {
		o.Budget.Turn = 1 + d.Below(12)
	}
	if d.chance(6) {
		o.Budget.Run = 1 + d.Below(40)
	}
	return o
}

// Rules draws the reminders of a run, whose ids are r, a and b.
func (d *Draw) Rules() []reminder.Reminder {
	list := make([]reminder.Reminder, 1+d.Below(3))
	d.drawn, d.here, d.own = map[string]reminder.Reminder{}, nil, nil
	for i := range list {
		list[i] = d.rule([]string{"r", "a", "b"}[i])
		d.here = append(d.here, list[i].ID)
	}
	return list
}

func (d *Draw) rule(id string) reminder.Reminder {
	r := reminder.Reminder{ID: id, Trigger: d.Trigger(2), Priority: d.Below(3) - 1,
		Tier: reminder.Tier(d.Below(3)), Text: d.words(), Keep: d.keep()}
	kind := d.Below(9)
	if d.moments && d.Below(4) > 0 {
		kind = 1
	}
	switch kind {
	case 1, 2:
		r.Trigger = d.Momentary()
		r.Pause = strings.HasPrefix(r.Trigger, "before_tool") && !d.chance(4)
	case 3: // nothing but what a model does with it
		r.Mode, r.Trigger = reminder.While, "always"
		r.Expect = d.one("vars.flag", "user_message", "after_tool:Edit")
	case 4:
		r.Trigger = d.said()
	case 6:
		r.Trigger, r.Mode = d.happening(), reminder.While
	default:
		d.turns(&r)
	}
	few := 6
	if kind == 1 { // so that most truths show
		few = 12
	}
	switch d.Below(few) {
	case 0:
		r.Cooldown = reminder.Span{Turns: 1 + d.Below(3)}
	case 1:
		r.Cooldown = reminder.Span{Time: 3 * time.Minute}
	case 2:
		r.Cooldown = reminder.Span{UserTurns: 1 + d.Below(2)}
	}
	if d.chance(few) {
		r.MaxFires = 1 + d.Below(2)
	}
	if r.Expect == "" && d.chance(2) {
		r.Expect = d.Trigger(d.Below(2))
	}
	d.effect(&r)
	d.drawn[id] = r
	return r
}

// effect draws what becomes of a firing. Safety is always sent.
func (d *Draw) effect(r *reminder.Reminder) {
	if r.Within = 0; r.Expect != "" {
		r.Within = d.Below(4)
	}
	if r.Tier == reminder.Safety {
		return
	}
	if r.MaxIgnored = 0; r.Expect != "" {
		r.MaxIgnored = d.Below(3)
	}
	r.Holdout = []float64{0, 0, 0.25, 0.5, 0, 1}[d.Below(6)]
}

// turns draws what a reminder that is read on turns alone may say.
func (d *Draw) turns(r *reminder.Reminder) {
	switch d.Below(4) {
	case 0:
		r.Mode = reminder.While
	case 1:
		r.Rearm = d.Trigger(1)
	}
	switch d.Below(6) {
	case 0:
		r.For = reminder.Span{Turns: 1 + d.Below(3)}
	case 1:
		r.For = reminder.Span{Time: 2 * time.Minute}
	}
}

func (d *Draw) words() string {
	return d.one("x", "a longer text", "on {{.branch}}", "a text of some forty bytes, which costs ten", "y")
}

func (d *Draw) keep() reminder.Keep {
	switch d.Below(6) {
	case 1, 2:
		return reminder.Keep{Unit: reminder.KeepTurns, N: 1 + d.Below(3)}
	case 3, 4:
		return reminder.Keep{Unit: reminder.KeepUserTurns, N: 1 + d.Below(3)}
	case 5:
		return reminder.Keep{Unit: reminder.KeepConversation}
	}
	return reminder.Keep{}
}

// reload draws the reminders of a reload of the set.
func (d *Draw) reload() []reminder.Reminder {
	list := []reminder.Reminder{}
	d.here = nil
	for _, id := range []string{"r", "a", "b"} {
		if r, here := d.changed(id); here {
			list = append(list, r)
			d.here = append(d.here, id)
		}
	}
	return list
}

// change draws a reload, a change of the run's own reminders, or texts that reached nobody.
func (d *Draw) change() (s Step) {
	id := d.one("o", "a", "b")
	switch own := slices.Contains(d.own, id); d.Below(6) {
	case 1, 2, 3:
		if slices.Contains(d.here, id) {
			break
		}
		r, here := d.changed(id)
		switch {
		case here && !own:
			d.own = append(d.own, id)
			fallthrough
		case here:
			return Step{Add: &r}
		case own:
			d.own = slices.DeleteFunc(d.own, func(o string) bool { return o == id })
			return Step{Remove: id}
		}
	case 4, 5:
		return Step{Missed: d.ids(2)}
	}
	return Step{Rules: d.reload()}
}

// ids draws some of the reminders that there are.
func (d *Draw) ids(in int) []string {
	list := []string{}
	for _, id := range slices.Concat(d.here, d.own) {
		if d.chance(in) && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// changed draws what becomes of a reminder: it is as it was, says the same in other words, has other terms or
// another trigger, is gone or comes back.
func (d *Draw) changed(id string) (r reminder.Reminder, here bool) {
	r, here = d.drawn[id]
	switch d.Below(8) {
	case 0, 1:
	case 2:
		r.Trigger, r.Expect = d.respelled(r.Trigger), d.respelled(r.Expect)
	case 3:
		r.Priority, r.Text, r.Keep = d.Below(3)-1, d.words(), d.keep()
	case 4:
		if here && momentOf(r.Trigger) == fact.Turn {
			r.Trigger = d.another(d.Trigger(1))
		}
	case 5:
		r, here = d.rule(id), true
		r.Trigger = d.another(r.Trigger)
	case 6:
		return r, false
	case 7:
		d.effect(&r)
	}
	if here {
		d.drawn[id] = r
	}
	return r, here
}

// another returns a trigger that means something else than all before.
func (d *Draw) another(source string) string {
	d.changes++
	return "(" + source + ") and message_count != " + strconv.Itoa(100+d.changes)
}

func momentOf(source string) fact.Moment {
	switch {
	case strings.Contains(source, "before_tool:"):
		return fact.BeforeTool
	case strings.Contains(source, "stopping"):
		return fact.Stopping
	}
	return fact.Turn
}

// respelled draws another spelling of a trigger.
func (d *Draw) respelled(source string) string {
	switch {
	case source == "":
		return ""
	case momentOf(source) == fact.Turn && d.chance(3):
		return d.one("not not (", "! not(") + source + ")"
	}
	switch d.Below(4) {
	case 1:
		return "(" + source + " )"
	case 2:
		return strings.ReplaceAll(source, " and ", " && ")
	case 3:
		return "((" + strings.ReplaceAll(source, " or ", "  ||\n") + "))"
	}
	return otherwise.Replace(source)
}

// otherwise spells conditions otherwise; sameAgain undoes that in a trigger without blanks.
var (
	otherwise = strings.NewReplacer("every 5m", "every 300s", "every 90s", "every 1m30s", "turn_gt:4k",
		"turn_gt:4000", " 90s", " 1m30s", " 2d", " 48h", "user_turn_gt:1", "user_turn_count > 1", "turn_gt:2",
		"turn_count > 2")
	sameAgain = strings.NewReplacer("300s", "5m", "1m30s", "90s", "4000", "4k", "48h", "2d",
		"user_turn_count>1", "user_turn_gt:1", "turn_count>2", "turn_gt:2", "&&", "and", "||", "or", "!", "not")
)

// plainly is a trigger without what a reload does not look at.
func plainly(source string) string {
	s := sameAgain.Replace(strings.Join(strings.Fields(source), ""))
	for {
		inner := strings.TrimPrefix(s, "notnot")
		if !strings.HasPrefix(inner, "(") || closing(inner) != len(inner)-1 {
			return s
		}
		s = inner[1 : len(inner)-1]
	}
}

// asking finds the patterns that functions of the past ask for.
var asking = regexp.MustCompile(
	`(?:used|tool_count|turns_since_tool|called_since)\(\s*"([^"]*)"(?:,\s*"([^"]*)")?`)

// share is the fraction that the first 53 bits of the hash of a text are.
func share(text string) float64 {
	sum, out, weight := sha256.Sum256([]byte(text)), 0.0, 0.5
	for bit := range 53 {
		if sum[bit/8]&(0x80>>(bit%8)) != 0 {
			out += weight
		}
		weight /= 2
	}
	return out
}

// key draws the key of a turn, and one of an older turn. Keys of a run end in the number of the turn, of
// which every second one is passed over, or hide it.
func (d *Draw) key(s *Step) {
	if d.keys == 0 {
		d.behind = d.one("", "x")
	}
	if d.keys++; d.keys > 1 && d.chance(2) {
		n := 2 * (1 + d.Below(d.keys-1))
		if d.behind == "" && d.chance(2) {
			n-- // a turn that was never seen
		}
		s.OldKey = "k" + strconv.Itoa(n) + d.behind
	}
	s.Key, s.Again = "k"+strconv.Itoa(2*d.keys)+d.behind, d.chance(2)
}

// Step draws what happens next, and when.
func (d *Draw) Step(last time.Time) Step {
	s := Step{Occasion: &Occasion{Facts: map[string]any{}, Place: d.place()},
		At: last.Add([]time.Duration{time.Minute, 0, time.Second, 4 * time.Minute, time.Hour}[d.Below(5)])}
	s.Silent, s.Discarded = d.chance(4), d.chance(6)
	kind := d.Below(12)
	if d.moments && kind < 3 {
		kind = 7
	}
	switch kind {
	case 7, 8, 11:
		if s.Moment = fact.Stopping; d.chance(2) {
			if d.before == nil || d.chance(2) { // else the same call again
				c := d.call()
				d.before = &c
			}
			s.Moment, s.Before, s.More = fact.BeforeTool, d.before, d.chance(4)
			if c := *d.before; c.Command != "" && d.chance(4) { // in other words
				c.Command = d.one(" ", "cd x ; ", "true && sudo ") + c.Command + d.one("", "  ", "/")
				s.Before = &c
			}
		}
		switch d.Below(6) {
		case 1:
			s.Facts["prompt"] = d.one("x", "please deploy now")
		case 2:
			d.calls(s.Occasion)
		case 3:
			d.facts(s.Occasion)
		}
		return s
	case 9, 6, 3:
		s.More = true
	case 5:
		s.Forgets = true
	case 4, 10:
		if !d.lists {
			c := d.change()
			c.At = s.At
			return c
		}
	}
	if d.chance(2) {
		d.key(&s)
	}
	d.calls(s.Occasion)
	d.facts(s.Occasion)
	if d.chance(3) {
		s.Facts["last_response_tokens"] = float64(d.Below(4))
	}
	s.Remind = d.ids(12)
	return s
}
