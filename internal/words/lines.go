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
	all := r.candidates()
	for i, c := range all { // on main branch; the context is nearly full
		for k := range all[:i] {
			if o := &all[k]; o.line == c.line && !strings.Contains(text, "(") {
				o.on, o.weak = o.on|c.on, o.weak && c.weak
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		order := cmp.Compare(r.score(b), r.score(a))
		if order == 0 && a.weak != b.weak {
			order = map[bool]int{true: 1, false: -1}[a.weak]
		}
		order = cmp.Or(order, bits.OnesCount64(b.on)-bits.OnesCount64(a.on))
		if order == 0 && a.recipe != b.recipe {
			order = map[bool]int{true: 1, false: -1}[a.recipe]
		}
		return order
	})
	first := -1 // the score of the first line; those that are far behind it are not compiled
	all = slices.DeleteFunc(all, func(c candidate) bool {
		if r.score(c) < first-1 || compiles != nil && !compiles(c.line) {
			return true
		}
		first = max(first, r.score(c))
		return false
	})
	a.Example = len(all) > 0 && all[0].weak
	a.Sure = len(all) > 0 && r.asks&^all[0].on == 0 && !a.Example &&
		!slices.ContainsFunc(all, func(c candidate) bool {
			return r.score(c) == first && c.line != all[0].line &&
				bits.OnesCount64(c.on) == bits.OnesCount64(all[0].on)
		})
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
	if first < bits.OnesCount64(left) { // it is about something else
		a.Lines, a.Without = nil, nil
	}
	return a
}

// A candidate is a line that a text may mean. on has a bit for each token of the text that it answers to.
type candidate struct {
	line   string
	on     uint64
	recipe bool
	weak   bool   // the text does not say all of it: not its value, or another call
	holds  bool   // it may hold when something else happens
	clock  bool   // a number that is a time of the day
	of     uint64 // the tokens of the noun that a number counts
}

// score is how many tokens a line answers to; a number of the text counts for two, since it is about that.
func (r *reading) score(c candidate) int {
	n := bits.OnesCount64(c.on & r.asks)
	if c.on&r.counts != 0 {
		n++
	}
	return n
}

// candidates returns the lines that share words with the text: calls in frames, facts, and whole lines.
func (r *reading) candidates() (all []candidate) {
	frames := slices.DeleteFunc(slices.Clone(r.hits), func(h hit) bool { return h.m.Kind != frame })
	all, moments := r.framed(frames)
	add := func(line string, on uint64) *candidate {
		all = append(all, r.fill(line, on))
		return &all[len(all)-1]
	}
	if len(frames) == 0 && len(r.calls) == 1 && strings.ContainsAny(r.op.line, "<>") &&
		r.calls[0].line != "*" && Of(Unseen, r.parts(r.calls[0].on)[0]) == "" { // commits > 3
		add(`tool_count("`+r.calls[0].line+`") >= 10`, r.calls[0].on)
	}
	for _, n := range r.numbers { // turn_count mod 5 = 0
		for _, h := range r.hits {
			turns, is := strings.CutSuffix(h.m.Name(), "turn_count")
			if is && h.m.Kind == Fact && r.mod != 0 && bits.Len64(r.mod) == bits.TrailingZeros64(n.on) {
				all = append(all, candidate{line: "every " + n.line + " " + strings.ReplaceAll(turns, "_", " ") + "turns",
					on: h.on | r.mod | r.counts | r.op.on})
			}
		}
	}
	others := r.asks &^ (r.counts | r.op.on) // what a number alone does not answer to
	for _, h := range r.hits {
		if h.m.Kind == frame || h.m.Kind == Fact {
			others &^= h.on
		}
	}
	for _, h := range r.hits {
		if h.m.Kind != Fact {
			continue
		}
		for _, f := range frames {
			call := func(c candidate) bool { // nothing committed for an hour; stopping without tests
				return between(f.on, c.on, h.on) || between(h.on, f.on, c.on)
			}
			// says no; no answer for 10m
			said := h.guess || bits.TrailingZeros64(f.on) == bits.Len64(r.op.on) && slices.Contains(verbs, r.op.line)
			if denied := r.fill(h.m.Text, 0); denies(f.m) && !said && !slices.ContainsFunc(r.calls, call) {
				line := negated(h.m.Text)
				if denied.weak && strings.Contains(line, `"`) { // no output
					line = h.m.Name() + ` == ""`
				}
				add(line, h.on|f.on)
			}
		}
		last := add(h.m.Text, h.on)
		if h.m.Text == h.m.Name() { // stopping
			moments = append(moments, *last)
			continue
		}
		// in plan mode; when the context is full
		value := stemsOf(fold(strings.Trim(h.m.Text[strings.LastIndex(h.m.Text, " ")+1:], `"`)))
		if on := r.bag(value); last.weak && on != 0 && !strings.Contains(h.m.Text, "!=") {
			last.weak, last.on = false, last.on|on
		}
		last.weak = last.weak || h.guess && others != 0
		last.holds = !last.weak || shapeOf(h.m) != "text" && len(r.numbers) == 0
	}
	text := func(on uint64) string { return strings.Join(r.parts(on), "") }
	has := func(h hit) bool { // what is compared
		value := h.m.Kind == Fact && (strings.Contains(h.m.Text, `"`) ||
			strings.HasSuffix(text(h.on), h.m.Text)) // has compacted
		if h.m.Kind == Fact && (h.m.Text == h.m.Name() || shapeOf(h.m) != "text") { // user message contains urgent
			return value
		}
		return value || h.m.Kind != Operator && h.m.Kind != frame && h.on < r.op.on
	}
	if r.op.on != 0 && slices.Contains(verbs, r.op.line) && !slices.ContainsFunc(r.hits, has) {
		for _, fact := range []string{"prompt", "response", "output"} { // says "done"
			add(fact+` contains "deploy"`, r.op.on)
		}
	}
	for i := range r.ts {
		for _, p := range load().nouns[r.ts[i].text] {
			if p.m.Kind == line || p.m.Kind == recipe {
				if on := r.bag(p.stems); on != 0 {
					for _, f := range frames {
						if denies(f.m) && p.m.Kind == line && len(r.calls) == 0 { // not on main
							add(negated(p.m.Text), on|f.on).weak = false
						}
					}
					last := add(p.m.Text, on)
					last.weak = last.weak && p.m.Kind == recipe
					last.recipe = p.m.Kind == recipe
					last.holds = p.m.Kind == line && !strings.HasPrefix(p.m.Text, "every") && p.m.Text != "always"
				}
			}
		}
	}
	if r.chained.on != 0 {
		add(r.chained.line, r.chained.on)
	}
	for _, c := range r.calls {
		if len(frames) == 0 {
			add("after_tool:"+c.line, c.on)
			add("before_tool:"+c.line, c.on)
			add(`used("`+c.line+`")`, c.on)
		}
	}
	or := func(t token) bool { m := load().exact[Join][t.text]; return m != nil && m.Text == "or" }
	denied := func(f hit) bool { return denies(f.m) }
	if !slices.ContainsFunc(r.ts, or) && (len(moments) == 0 || slices.ContainsFunc(frames, denied) ||
		len(at(r.ts, moment, 0, len(r.ts))) > 0) {
		all = append(all, r.joined(moments, frames, all)...)
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return c.on == 0 })
}

// verbs are the operators between two texts.
var verbs = []string{"contains", "startsWith", "endsWith"}

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
