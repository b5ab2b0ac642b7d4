package words

import (
	"math/bits"
	"slices"
	"strconv"
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
		for behind < len(r.ts)-1 && r.ts[behind].sort == word && load().stops[r.ts[behind].text] {
			behind++ // 3 files were changed
		}
		for _, h := range r.hits { // 20 edits
			if h.m.Kind == Call && h.m.Text != "*" && h.on>>behind&1 == 1 && !n.clock {
				r.numbers[i].of = h.on
			}
		}
	}
	if l := r.loose.line; len(r.numbers) == 0 && r.op.line == "" && l != "" && strings.Contains("smhd", l) {
		i := bits.TrailingZeros64(r.loose.on)
		next := r.ts[min(i+1, len(r.ts)-1)].part // every second turn
		if i > 0 && slices.Contains([]string{"every", "each", "per"}, r.ts[i-1].text) &&
			next != "user" && Of(Counted, next) == "" {
			r.numbers, r.loose.weak = []candidate{{line: "1"}}, false // every hour
		}
	}
	counts := func(h hit) bool { // min_turns: 3
		return shapeOf(h.m) == "number" && len(r.numbers) > 0 && between(r.loose.on, h.on, r.numbers[0].on)
	}
	if slices.ContainsFunc(r.hits, counts) {
		r.loose.weak = true
	}
	for i, n := range r.numbers {
		if i == 0 && r.loose.line != "" && !r.loose.weak && !n.clock {
			r.numbers[0] = candidate{line: withUnit(n.line, r.loose.line), on: n.on | r.loose.on}
			n = r.numbers[0]
		}
		sort := shape(n.line)
		if sort != "number" && sort != "text" && !r.since(n) &&
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

// since reports whether a number is the time for which a call was not made, or since it, of which no fact
// tells.
func (r *reading) since(n candidate) bool {
	return shape(n.line) == "time" && slices.ContainsFunc(r.hits, func(f hit) bool {
		behind := func(c candidate) bool { return between(f.on, c.on, n.on) }
		return f.m.Kind == frame && (f.denies() || strings.HasPrefix(f.m.Text, "turns_since")) &&
			slices.ContainsFunc(r.calls, behind)
	})
}

// shapeOf is the shape of the value that a fact is compared with.
func shapeOf(m *Meaning) string {
	if m.Kind != Fact {
		return ""
	}
	return shape(m.Text[strings.LastIndex(m.Text, " ")+1:])
}

// shape is what kind of value a text of the language is: $, %, time, number or text.
func shape(value string) string {
	digits := strings.TrimLeft(value, "$0123456789.")
	switch {
	case digits == value:
		return "text"
	case value[0] == '$':
		return "$"
	case digits == "%":
		return "%"
	case digits == "" || digits == "k" || digits == "M":
		return "number"
	case load().exact[Unit][digits] != nil:
		return "time"
	}
	return "text"
}

// fit returns a number as it stands in place of another; "" where it is of another kind.
func fit(n, instead string) string {
	v, err := strconv.ParseFloat(n, 64)
	switch want, is := shape(instead), shape(n); {
	case is == want:
		return n
	case want == "%" && err == nil && v <= 1:
		return strconv.FormatFloat(100*v, 'f', -1, 64) + "%"
	case want == "%" && err == nil && v <= 100:
		return n + "%"
	case want == "$" && err == nil:
		return "$" + n
	case is == "time" && strings.HasSuffix(instead, "k") && strings.HasSuffix(n, "m"): // of tokens
		return strings.TrimSuffix(n, "m") + "M"
	}
	return ""
}

// hour writes a time of the day as an hour of 24; it leaves any other number as it is.
func hour(n string) string {
	digits, minutes, half := strings.TrimRight(n, "apm"), "", strings.TrimLeft(n, "0123456789:")
	digits, minutes, _ = strings.Cut(digits, ":")
	h, err := strconv.Atoi(digits)
	switch {
	case err != nil || half == "" && minutes == "" || half != "" && half != "am" && half != "pm":
		return n
	case half != "":
		h %= 12
	}
	if half == "pm" {
		h += 12
	}
	return strconv.Itoa(h)
}

// withUnit writes a number with its unit.
func withUnit(n, unit string) string {
	v, err := strconv.ParseFloat(n, 64)
	switch {
	case err != nil:
		return n
	case unit == "am" || unit == "pm":
		return hour(n + unit)
	case unit == "$":
		return "$" + n
	case unit == "c":
		return "$" + strconv.FormatFloat(v/100, 'f', 2, 64)
	case unit == "w":
		return strconv.FormatFloat(7*v, 'f', -1, 64) + "d"
	case v < 1 && unit == "h":
		return strconv.FormatFloat(60*v, 'f', -1, 64) + "m"
	}
	return n + unit
}
