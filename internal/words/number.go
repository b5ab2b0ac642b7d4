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
		if behind == len(r.ts) && r.op.on != 0 && strings.HasSuffix(r.ts[0].part, "s") {
			behind = 0 // edits since the commit > 10
		}
		if behind == len(r.ts) || behind > 0 && r.ts[behind].part == "" {
			continue
		}
		if r.ts[behind].text == "times" {
			r.numbers[i].on |= 1 << behind
		}
		if Of(Unseen, r.ts[behind].part) != "" { // 500 lines
			r.numbers[i].of = ^uint64(0)
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
