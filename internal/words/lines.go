package words

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// MaxLine is how many bytes a text may have that Lines looks into: what is longer was not written in a hurry.
const MaxLine = 300

// most is how many lines are shown.
const most = 3

// An Answer is what a text may mean.
type Answer struct {
	Lines   []string   // at most three triggers, the one that answers to most words first
	Without [][]string // of each line, the parts of the text that it does not answer to
	Sure    bool       // the first line answers to all words, and no other does
	Example bool       // the first line has a value, or a call, that the text does not have
	Left    []string   // the parts of the text that no line answers to
	Parts   bool       // the first line leaves out a word that another line has
	Unseen  string     // the reason why a word of Left has no line
	Unknown string     // the first name of the text that nothing here knows
}

// Lines returns triggers that share words with a text; none for a text of more than MaxLine bytes. Numbers,
// texts and operators of the text stand in a line where the line has such.
//
// A line may be about a call and about what holds at it, as in "fridays before deploy". Lines leaves out
// those that do not compile; a nil compiles leaves out none.
func Lines(text string, compiles func(line string) bool) (a Answer) {
	if len(text) > MaxLine {
		return a
	}
	r := read(text)
	all := r.ranked(compiles)
	foreign := len(all) > 0 && r.foreign(all[0])
	if i := slices.IndexFunc(r.ts, r.unknown); i >= 0 && (foreign || len(all) == 0) {
		a.Unknown = r.text[r.ts[i].from:r.ts[i].to]
	}
	first := -1
	if len(all) > 0 {
		first, a.Example = r.score(all[0]), all[0].weak
		rival := func(c candidate) bool {
			return r.score(c) == first && c.line != all[0].line &&
				bits.OnesCount64(c.on) == bits.OnesCount64(all[0].on)
		}
		a.Sure = r.asks&^all[0].on == 0 && !a.Example && !slices.ContainsFunc(all, rival)
	}
	left, answers := r.asks, uint64(0)
	for _, h := range r.hits {
		if strings.HasPrefix(h.m.Text, "after_tool") { // a condition fires after what makes it true
			left &^= h.on
		}
	}
	if r.op.line == "==" || r.op.line == "contains" { // a line with the value says them, too
		left &^= r.op.on
	}
	asked := left &^ r.joints()
	for i, c := range all {
		again := slices.Contains(a.Lines, c.line) || slices.Contains(a.Lines, negated(c.line))
		if len(a.Lines) < most && !again && (i == 0 || !a.Sure || c.recipe) {
			a.Lines, a.Without = append(a.Lines, c.line), append(a.Without, r.parts(asked&^c.on))
			left, answers = left&^c.on, answers|c.on&left
		}
	}
	a.Left, a.Unseen = r.parts(left), r.unseen(left)
	a.Parts = len(all) > 0 && len(a.Lines) > 1 && answers&^all[0].on != 0
	if first < bits.OnesCount64(left) || foreign { // it is about something else
		a.Lines, a.Without = nil, nil
	}
	return a
}

// ranked returns the lines that share words with the text, the one that answers to most words first, without
// those that do not compile and those that are far behind the first.
func (r *reading) ranked(compiles func(line string) bool) []candidate {
	all := r.candidates()
	for i, c := range all { // on main branch; the context is nearly full
		for k := range all[:i] {
			if o := &all[k]; o.line == c.line && !strings.Contains(r.text, "(") {
				o.on, o.weak = o.on|c.on, o.weak && c.weak
			}
		}
	}
	last := func(is bool) int { return map[bool]int{true: 1}[is] }
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(r.score(b), r.score(a)), last(a.weak)-last(b.weak),
			last(a.recipe)-last(b.recipe), bits.OnesCount64(b.on)-bits.OnesCount64(a.on))
	})
	first := -1 // the score of the first line; those that are far behind it are not compiled
	return slices.DeleteFunc(all, func(c candidate) bool {
		if r.score(c) < first-1 || compiles != nil && !compiles(c.line) {
			return true
		}
		first = max(first, r.score(c))
		return false
	})
}

// Clause returns where the condition stands that a byte of a trigger belongs to: between and, or and what
// other languages have for them, outside quotes and brackets.
func Clause(text string, at int) (from, to int) {
	depth, between := 0, false
	for _, t := range tokens(text) {
		if t.sort == sign {
			depth += strings.Count("([", t.text) - strings.Count(")]", t.text)
		}
		between = between || t.text == "between"
		if load().exact[Join][t.text] == nil || depth != 0 {
			continue
		}
		if between {
			between = false
			continue
		}
		if t.to > at {
			return from, t.from
		}
		from = t.to
	}
	return from, len(text)
}
