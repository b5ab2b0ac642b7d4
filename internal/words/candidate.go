package words

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

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
	frames := slices.DeleteFunc(slices.Clone(r.hits), func(h hit) bool {
		within := func(c candidate) bool { // npm start
			return strings.HasPrefix(c.line, "@shell(") && h.on&^c.on == 0
		}
		return h.m.Kind != frame || slices.ContainsFunc(r.calls, within)
	})
	all, moments := r.framed(frames)
	all = append(all, r.counted(frames)...)
	facts, happens := r.facts(frames)
	all, moments = slices.Concat(all, facts, r.said(), r.whole(frames)), append(moments, happens...)
	if r.chained.on != 0 {
		all = append(all, r.fill(r.chained.line, r.chained.on))
	}
	for _, c := range r.calls {
		if len(frames) == 0 {
			all = append(all, r.fill("after_tool:"+c.line, c.on), r.fill("before_tool:"+c.line, c.on),
				r.fill(`used("`+c.line+`")`, c.on))
		}
	}
	if !slices.ContainsFunc(r.ts, isOr) && (len(moments) == 0 || slices.ContainsFunc(frames, hit.denies) ||
		len(at(r.ts, Moment, 0, len(r.ts))) > 0) {
		all = append(all, r.joined(moments, frames, all)...)
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return c.on == 0 })
}

// counted returns the lines of a number of calls (commits > 3) and of turns (turn_count mod 5 = 0).
func (r *reading) counted(frames []hit) (all []candidate) {
	asks := func(f hit) bool { return !strings.HasPrefix(f.m.Text, "used(") } // used("Edit") > 3
	if !slices.ContainsFunc(frames, asks) && len(r.calls) == 1 &&
		(ordered(r.op.line) || len(r.numbers) > 0 && equality(r.op.line)) &&
		r.calls[0].line != "*" && Of(Unseen, r.parts(r.calls[0].on)[0]) == "" {
		all = append(all, r.fill(`tool_count("`+r.calls[0].line+`") >= 10`, r.calls[0].on))
	}
	after := uint64(0) // 3 web searches
	for _, f := range frames {
		if strings.HasPrefix(f.m.Text, "after_tool:") {
			after |= f.on
		}
	}
	others := func(f hit) bool { return f.on&after == 0 }
	for _, n := range r.numbers { // 3 files were changed
		for _, c := range r.calls {
			if n.of&c.on != 0 && !slices.ContainsFunc(frames, others) && r.op.line == "" &&
				shape(n.line) == "number" {
				at := bits.TrailingZeros64(n.on)
				if at > 0 && slices.Contains([]string{"every", "each"}, r.ts[at-1].part) { // every third edit
					all = append(all, candidate{on: c.on | after | n.on | 1<<(at-1),
						line: fmt.Sprintf("after_tool:%s and tool_count(%q) %% %s == 0", c.line, c.line, n.line)})
					continue
				}
				all = append(all, r.fill(`tool_count("`+c.line+`") >= 10`, c.on|after))
			}
		}
	}
	if truth := Of(Truth, r.unquoted("used", r.op.line)); truth != "" && len(r.calls) == 1 &&
		len(r.numbers) == 0 && len(frames) == 0 {
		line := `used("` + r.calls[0].line + `")` // tests_run == false
		if (truth == "false") != (r.op.line == "!=") {
			line = "not " + line
		}
		all = append(all, candidate{line: line, on: r.calls[0].on | r.op.on | r.within(r.opEnd, len(r.text))})
	}
	for _, n := range r.numbers {
		for _, h := range r.hits {
			turns, is := strings.CutSuffix(h.m.Name(), "turn_count")
			if is && h.m.Kind == Fact && r.mod != 0 && bits.Len64(r.mod) == bits.TrailingZeros64(n.on) {
				all = append(all, candidate{line: "every " + n.line + " " + strings.ReplaceAll(turns, "_", " ") + "turns",
					on: h.on | r.mod | r.counts | r.op.on})
			}
		}
	}
	return all
}

// facts returns the lines of facts, and which of them are a moment.
func (r *reading) facts(frames []hit) (all, moments []candidate) {
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
		all = append(all, r.deniedFact(h, frames)...)
		is := r.fill(h.m.Text, h.on)
		if h.m.Text == h.m.Name() { // stopping
			all, moments = append(all, is), append(moments, is)
			continue
		}
		// in plan mode; when the context is full
		value := stemsOf(fold(strings.Trim(h.m.Text[strings.LastIndex(h.m.Text, " ")+1:], `"`)))
		if on := r.bag(value); is.weak && on != 0 && !strings.Contains(h.m.Text, "!=") {
			is.weak, is.on = false, is.on|on
		}
		is.weak = is.weak || h.guess && others != 0
		is.holds = !is.weak || shapeOf(h.m) != "text" && len(r.numbers) == 0
		all = append(all, is)
	}
	return all, moments
}

// deniedFact returns the lines that say that a fact is not so, as in stopping without an answer.
func (r *reading) deniedFact(h hit, frames []hit) (all []candidate) {
	for _, f := range frames {
		call := func(c candidate) bool { // nothing committed for an hour; stopping without tests
			return between(f.on, c.on, h.on) || between(h.on, f.on, c.on)
		}
		// says no; no answer for 10m
		first := bits.TrailingZeros64(f.on)
		said := h.guess || first == bits.Len64(r.op.on) && slices.Contains(verbs, r.op.line) ||
			f.on > h.on && slices.Contains([]string{"no", "without"}, r.ts[first].part) // 30 calls without a question
		if denied := r.fill(h.m.Text, 0); f.denies() && !said && !slices.ContainsFunc(r.calls, call) {
			line := negated(h.m.Text)
			if denied.weak && strings.Contains(line, `"`) { // no output
				line = h.m.Name() + ` == ""`
			}
			all = append(all, r.fill(line, h.on|f.on))
		}
	}
	return all
}

// said returns the lines of all that may say something, where the text does not tell whose words it means, as
// in says "done".
func (r *reading) said() (all []candidate) {
	text := func(on uint64) string { return strings.Join(r.parts(on), "") }
	compared := func(h hit) bool {
		value := h.m.Kind == Fact && (strings.Contains(h.m.Text, `"`) ||
			strings.HasSuffix(text(h.on), h.m.Text)) // has compacted
		if h.m.Kind == Fact && (h.m.Text == h.m.Name() || shapeOf(h.m) != "text") { // user message contains urgent
			return value
		}
		return value || h.m.Kind != Operator && h.m.Kind != frame && h.on < r.op.on
	}
	named := func(t token) bool { return t.sort == tool && t.from < r.opEnd } // Bash contains "sudo"
	if r.op.on != 0 && slices.Contains(verbs, r.op.line) && !slices.ContainsFunc(r.hits, compared) &&
		!slices.ContainsFunc(r.ts, named) {
		for _, fact := range []string{"prompt", "response", "output"} {
			all = append(all, r.fill(fact+` contains "deploy"`, r.op.on))
		}
	}
	return all
}

// whole returns the lines that stand for a condition by themselves, and those of the cookbook.
func (r *reading) whole(frames []hit) (all []candidate) {
	const day = "weekday == "
	var days candidate // on mondays and thursdays
	for i := range r.ts {
		for _, p := range load().nouns[r.ts[i].text] {
			if p.m.Kind != line && p.m.Kind != recipe {
				continue
			}
			on := r.bag(p.stems)
			if on == 0 {
				continue
			}
			for _, f := range frames {
				if f.denies() && p.m.Kind == line && len(r.calls) == 0 { // not on main
					not := r.fill(negated(p.m.Text), on|f.on)
					not.weak = false
					all = append(all, not)
				}
			}
			is := r.fill(p.m.Text, on)
			if name, ok := strings.CutPrefix(is.line, day); ok && !strings.Contains(days.line, name) {
				days.line, days.on = strings.TrimPrefix(days.line+", "+name, ", "), days.on|on
			}
			is.recipe = p.m.Kind == recipe
			is.weak = is.weak && is.recipe
			is.holds = p.m.Kind == line && !strings.HasPrefix(p.m.Text, "every") && p.m.Text != "always"
			all = append(all, is)
		}
	}
	if strings.Contains(days.line, ",") {
		days.line, days.holds = "weekday in ["+days.line+"]", true
		all = append(all, days)
	}
	return all
}

// verbs are the operators between two texts.
var verbs = []string{"contains", "startsWith", "endsWith"}
