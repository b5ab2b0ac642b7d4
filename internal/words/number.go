package words

import (
	"math/bits"
	"slices"
	"strings"
)

// bind finds what each number counts, and gives it a unit that stands before it. What is compared is the
// number behind the operator.
func (r *reading) bind() {
	behindOp := func(n candidate) bool { return n.on > r.op.on }
	if at := slices.IndexFunc(r.numbers, behindOp); at > 0 && r.op.on != 0 && r.op.line != "between" {
		r.numbers = append(r.numbers[at:], r.numbers[:at]...)
	}
	for i, n := range r.numbers {
		r.counts |= n.on
		behind := bits.Len64(n.on)
		unseen := func() bool { // 500 lines
			return behind < len(r.ts) && Of(Unseen, r.ts[behind].part) != ""
		}
		if subject := bits.TrailingZeros64(r.op.on) - 1; r.op.on != 0 && n.on > r.op.on && !unseen() {
			switch {
			case subject >= 0 && strings.HasSuffix(r.ts[subject].part, "s"): // edits > 10 without a commit
				behind = subject
			case behind == len(r.ts) && strings.HasSuffix(r.ts[0].part, "s"): // edits since the commit > 10
				behind = 0
			}
		}
		if behind == len(r.ts) || behind > 0 && r.ts[behind].part == "" {
			continue
		}
		if r.ts[behind].text == "times" {
			r.numbers[i].on |= 1 << behind
		}
		known := func(h hit) bool { return h.on>>behind&1 == 1 }
		if unseen() && !slices.ContainsFunc(r.hits, known) {
			r.numbers[i].of = 1 << behind
		}
		for _, h := range r.hits { // 20 edits
			if h.m.Kind == call && h.m.Text != "*" && h.on>>behind&1 == 1 {
				r.numbers[i].of = h.on
			}
		}
	}
	if l := r.loose.line; len(r.numbers) == 0 && r.op.line == "" && l != "" && strings.Contains("smhd", l) {
		i := bits.TrailingZeros64(r.loose.on)
		if i > 0 && slices.Contains([]string{"every", "each", "per"}, r.ts[i-1].text) {
			r.numbers, r.loose.weak = []candidate{{line: "1"}}, false // every hour
		}
	}
	for i, n := range r.numbers {
		if i == 0 && r.loose.line != "" && !r.loose.weak {
			r.numbers[0] = candidate{line: withUnit(n.line, r.loose.line), on: n.on | r.loose.on}
			n = r.numbers[0]
		}
		sort := shape(n.line)
		if sort != "number" && sort != "text" &&
			!slices.ContainsFunc(r.hits, func(h hit) bool { return shapeOf(h.m) == sort }) {
			// 5m is a time, $5 is money
			for _, m := range load().all {
				if shapeOf(&m) == sort {
					r.hits = append(r.hits, hit{load().exact[Fact][fold(m.Name())], n.on, true})
				}
			}
		}
	}
}
