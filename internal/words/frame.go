package words

import (
	"math/bits"
	"slices"
	"strings"
)

// joined returns the lines that say of a moment what holds then. Without one, a call is the moment, or what
// holds first.
func (r *reading) joined(moments []candidate, frames []hit, all []candidate) (both []candidate) {
	about := func(f hit) bool { return !strings.Contains(f.m.Text, "_tool:") }
	if len(moments) == 0 && !slices.ContainsFunc(frames, about) {
		for _, c := range r.calls { // pushing on friday
			if len(at(r.ts, Moment, 0, len(r.ts))) > 0 {
				moments = append(moments, candidate{line: "before_tool:" + c.line, on: c.on})
			}
		}
		for _, c := range all { // monday morning
			if c.holds && ofTime(c.line) {
				moments = append(moments, c)
			}
		}
	}
	for _, at := range all { // more than 10 edits without a test
		if strings.HasPrefix(at.line, "tool_count(") && at.on&r.counts != 0 {
			at.holds = false
			moments = append(moments, at)
		}
	}
	if len(moments) == 0 && len(r.calls) == 0 { // in plan mode after 10 turns
		asks := r.asks
		for _, f := range frames {
			asks &^= f.on
		}
		for i, at := range all {
			for _, c := range all[i+1:] {
				if at.holds && c.holds && !at.weak && !c.weak && at.on&c.on == 0 && asks&^(at.on|c.on) == 0 {
					both = append(both, at.and(c))
				}
			}
		}
	}
	for _, at := range moments {
		counts := strings.HasPrefix(at.line, "tool_count(")
		for _, c := range all {
			if counts && !strings.HasPrefix(c.line, "not used(") {
				continue
			}
			if at.holds && (at.on > c.on || !ofTime(c.line) || at.line[0] == c.line[0]) ||
				at.line == "stopping" && strings.HasPrefix(c.line, "thread_type != ") { // a subagent has no end
				continue
			}
			better := func(d candidate) bool { // a failed call, for failures in a row
				return c.weak && !d.weak && d.on&c.on == c.on && d.on&at.on == 0
			}
			if c.holds && at.on&c.on == 0 && !slices.ContainsFunc(all, better) {
				both = append(both, at.and(c))
			}
		}
	}
	// A day and an hour may both stand beside a call. A sentence has few pairs.
	for _, at := range slices.Clone(both[:min(len(both), 32)]) {
		for _, c := range all {
			again := func(d candidate) bool { return d.on == at.on|c.on } // in another order
			if c.holds && !c.weak && ofTime(c.line) && at.on&c.on == 0 && !slices.ContainsFunc(both, again) {
				both = append(both, at.and(c))
			}
		}
	}
	return both
}

// and is a candidate with what holds at it.
func (at candidate) and(c candidate) candidate {
	left := at.line
	if !strings.Contains(left, " and ") {
		left = operand(left)
	}
	return candidate{line: left + " and " + operand(c.line), on: at.on | c.on, weak: at.weak || c.weak}
}

// ofTime reports whether a line is about the time of the day or the day.
func ofTime(line string) bool {
	return strings.HasPrefix(line, "hour ") || strings.HasPrefix(line, "weekday ")
}

// operand is a line as it stands beside and.
func operand(line string) string {
	if strings.Contains(line, " or ") {
		return "(" + line + ")"
	}
	return line
}

// framed returns the lines that frames make of calls and of facts that are texts, and those of them that are
// the moment before or after a call.
func (r *reading) framed(frames []hit) (all, moments []candidate) {
	for _, f := range frames {
		for i, c := range r.calls {
			line, on := r.frame(f, i, frames)
			if line == "" {
				continue
			}
			all = append(all, r.fill(line, on))
			last := &all[len(all)-1]
			switch {
			case strings.HasPrefix(line, "after_tool:"), strings.HasPrefix(line, "before_tool:"):
				nearer := func(d candidate) bool { return between(f.on, d.on, c.on) }
				other := func(g hit) bool { // after 4pm before a deploy
					return strings.HasSuffix(g.m.Text, "_tool:{call}") && between(f.on, g.on, c.on)
				}
				n, _ := longest(r.ts[bits.TrailingZeros64(f.on):], Moment)
				switch { // what stands behind before
				case slices.ContainsFunc(r.calls, nearer), slices.ContainsFunc(frames, other), n > 0 && f.on > c.on:
					last.weak = true
				case f.on < c.on:
					moments = append(moments, *last)
				}
			default:
				last.holds = true
			}
			for _, not := range frames {
				if not.denies() && strings.HasPrefix(line, "called_since") && not.on != f.on {
					all = append(all, candidate{line: "not " + line, on: on | not.on, holds: true})
				}
			}
		}
		for _, h := range r.hits {
			if before, after, ok := strings.Cut(f.m.Text, "{text}"); ok && h.m.Kind == Fact &&
				shapeOf(h.m) == "text" {
				all = append(all, r.fill(before+h.m.Name()+after, f.on|h.on))
			}
		}
	}
	return all, moments
}

// frame puts call i, the one behind it and a number into a frame; the line is "" where they do not fit.
func (r *reading) frame(f hit, i int, frames []hit) (line string, on uint64) {
	c := r.calls[i]
	line, on = strings.ReplaceAll(f.m.Text, "{call}", c.line), f.on|c.on
	if strings.Contains(line, "{other}") && i+1 < len(r.calls) && between(c.on, f.on, r.calls[i+1].on) {
		other := r.calls[i+1]
		since := func(g hit) bool { // tests not run since the edit
			return f.denies() && strings.HasPrefix(g.m.Text, "called_since") && between(c.on, g.on, other.on)
		}
		if slices.ContainsFunc(frames, since) {
			return "", 0
		}
		line, on = strings.Replace(line, "{other}", other.line, 1), on|other.on
	}
	// 20 turns without commit; but also: no commit, tests not run, or a failure, in 20 turns
	not := strings.Contains(strings.Join(r.parts(f.on), " "), "not")
	fits := f.on < c.on || not || strings.HasPrefix(line, "tool_failed")
	if !fits && strings.HasPrefix(f.m.Text, "not used") && bits.Len64(f.on) < len(r.ts) {
		return "", 0 // an install without a lock
	}
	if strings.Contains(line, " <= ") && slices.ContainsFunc(frames, hit.denies) {
		return "", 0 // no tests in the last 10 turns
	}
	for _, n := range r.numbers {
		// two edits in a row fail, but not: 20 edits without a failure
		failed := n.of == c.on && strings.HasPrefix(line, "tool_failed") && !slices.ContainsFunc(frames, hit.denies)
		if fits && shape(n.line) == "number" && (n.of == 0 || failed) && !n.clock &&
			strings.Contains(line, "{n}") {
			line, on = strings.ReplaceAll(line, "{n}", n.line), on|n.on
		}
	}
	for _, h := range r.hits { // in a row
		if h.m.Name() == "failures_in_row" && strings.Contains(line, h.m.Name()) {
			on |= h.on
		}
	}
	if strings.HasPrefix(line, "turns") {
		on |= r.bag([]string{"turn"})
	}
	for _, g := range frames { // a call that has failed is over; none in the last 10 turns
		if strings.HasPrefix(line, "tool_failed") && strings.HasPrefix(g.m.Text, "after_tool") ||
			strings.HasPrefix(line, "turns") && strings.HasPrefix(g.m.Text, "turns") {
			on |= g.on
		}
	}
	hole := func(h string) bool { return strings.Contains(line, h) }
	if line == f.m.Text || slices.ContainsFunc([]string{"{call}", "{other}", "{n}", "{text}"}, hole) {
		return "", 0
	}
	return line, on
}

// denies reports whether the words of a frame say that something is not so.
func (h hit) denies() bool { return strings.HasPrefix(h.m.Text, "not ") }

// cuts reports whether the words of a frame end a text before them: done without tests, but not: all done.
func (h hit) cuts() bool {
	return h.m.Kind == frame && (h.denies() || strings.Contains(h.m.Text, "{text}"))
}

// between reports whether tokens stand behind others and before third ones.
func between(before, on, behind uint64) bool {
	return bits.TrailingZeros64(before) < bits.TrailingZeros64(on) &&
		bits.TrailingZeros64(on) < bits.TrailingZeros64(behind)
}
