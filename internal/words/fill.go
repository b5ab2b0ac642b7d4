package words

import (
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// comparison cuts a line before its last operator, and before and behind its value.
var comparison = sync.OnceValue(func() *regexp.Regexp {
	const operators = `==|!=|<=?|>=?|contains|startsWith|endsWith|matches`
	return regexp.MustCompile(`^(.*) (` + operators + `) ("[^"]*"|[^ )]+)(\)?)$`)
})

// figure matches a number of a line without an operator.
var figure = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+(?:[smhd]\b)?`) })

// fill puts the operator, the number and the text of r in place of those of a line, where they are of its
// kind.
func (r *reading) fill(line string, on uint64) candidate {
	m := comparison().FindStringSubmatch(line)
	switch {
	case m == nil:
		for _, n := range r.numbers {
			if n.of != 0 || n.clock {
				continue
			}
			if at := figure().FindStringIndex(line); at != nil && !strings.Contains(line, "(") {
				if v := fit(n.line, line[at[0]:at[1]]); v != "" {
					return candidate{line: line[:at[0]] + v + line[at[1]:], on: on | n.on}
				}
			}
		}
		return candidate{line: line, on: on}
	case shape(m[3]) != "text":
		numbers := slices.Clone(r.numbers)
		if i := slices.IndexFunc(numbers, func(n candidate) bool { return shape(n.line) == shape(m[3]) }); i > 0 {
			numbers = numbers[i:] // one of the same unit before others
		}
		for _, n := range numbers {
			v := fit(n.line, m[3])
			often := n.on != 0 && r.op.on == 0 && r.ts[bits.TrailingZeros64(n.on)].sort == word &&
				shape(n.line) == "number" && n.line[0] != '0'
			switch {
			case v == "", n.of != 0 && (n.of&on == 0 || !strings.HasPrefix(line, "tool_count")),
				n.clock && !strings.HasPrefix(line, "hour "), // 16 turns after 4pm
				often && shape(m[3]) == "%":                  // the context was compacted twice
				continue
			}
			if both := r.between(m[1], m[3]); both.on != 0 {
				both.on |= on
				return both
			}
			// 80% of it are used: what grows by fractions is never just a number, unless == is written
			reached := r.op.line == "==" && shape(m[3]) != "number" && !strings.Contains(r.text, "=")
			if strings.ContainsAny(r.op.line, "<>=") && !reached {
				m[2] = r.op.line
			}
			if m[2] == ">" && n.clock { // 18:05 is after 18:00
				m[2] = ">="
			}
			for _, h := range r.hits { // before 9am
				if n.clock && r.op.on == 0 && h.m.Kind == frame && strings.HasPrefix(h.m.Text, "before_") &&
					bits.Len64(h.on) == bits.TrailingZeros64(n.on) {
					m[2], on = "<", on|h.on
				}
			}
			if n.on != 0 && n.on < r.op.on && r.op.on < on { // 22:00 < hour
				m[2] = strings.NewReplacer("<", ">", ">", "<").Replace(m[2])
			}
			on |= r.op.on
			return candidate{line: m[1] + " " + m[2] + " " + v + m[4], on: on | n.on}
		}
		return candidate{line: line, on: on, weak: true}
	}
	if r.op.line == "<" && slices.Contains([]string{"path", "cwd", "branch"}, m[1]) && len(r.numbers) == 0 &&
		!strings.Contains(r.text, "<") { // under src/
		r.op.line = "contains"
	}
	own := m[2]
	if op := r.op.line; !strings.ContainsAny(op, "<>") && op != "between" && op != "" &&
		(op != "==" || m[3][0] != '"' ||
			strings.Contains(r.text, "==")) {
		m[2], on = r.op.line, on|r.op.on
	}
	value := ""
	if len(r.texts) > 0 {
		value, on = r.texts[0].line, on|r.texts[0].on
	} else if strings.ContainsAny(r.op.line, "<>") {
		return candidate{line: line, on: on, weak: true}
	} else if verb := !strings.Contains("== !=", r.op.line); r.opEnd > 0 && (verb || !r.known(r.opEnd)) {
		value = strings.TrimSpace(r.text[r.opEnd:])
		if inner, ok := strings.CutPrefix(value, "("); ok && strings.HasSuffix(inner, ")") {
			value = inner[:len(inner)-1]
		}
		for { // is the frontend
			first, rest, more := strings.Cut(value, " ")
			if !more || !load().stops[strings.ToLower(first)] {
				break
			}
			value = rest
		}
		if !verb && !strings.Contains(r.text, "==") { // the model is haiku keep it simple
			if value, _, _ = strings.Cut(value, " "); value != "" && unicode.IsDigit(rune(value[0])) {
				value = "" // the diff is 500 lines
			}
		}
		for _, h := range r.hits { // says done without tests; contains error ignoring case
			first := bits.TrailingZeros64(h.on)
			if from := r.ts[first].from; h.m.Kind == frame && first > 0 && r.ts[first-1].from >= r.opEnd {
				value = strings.TrimSpace(r.text[r.opEnd:max(r.opEnd, min(from, r.opEnd+len(value)+1))])
				if last := value[strings.LastIndex(value, " ")+1:]; load().exact[Join][last] != nil {
					value = strings.TrimSpace(strings.TrimSuffix(value, last)) // done, but no tests ran
				}
			}
		}
		if strings.ContainsAny(value, "\"'`[]~") || strings.Count(value, "(") != strings.Count(value, ")") {
			value = "" // several, or a quote or a bracket that is open
		}
	}
	if len(r.texts) == 0 && Of(Fact, value) == m[1] { // has(prompt)
		value = ""
	}
	counted := func(n candidate) bool { return n.line == value && bits.OnesCount64(n.on) > 1 }
	if len(r.texts) == 0 && slices.ContainsFunc(r.numbers, counted) {
		value = "" // asked 5 times
	}
	if value == "" && r.op.line == "==" { // a subagent is started
		m[2] = own
	}
	bare, not := strings.Trim(value, "%*/"), ""
	if !strings.Contains(value, "*") && strings.HasPrefix(value, "/") != strings.HasSuffix(value, "/") {
		bare = value // src/ and /srv are places, /deploy/ is a pattern
	}
	if m[2] == "!=" {
		not = "not "
	}
	if strings.Contains("== !=", m[2]) && IsEnding(value) { // the extension is .go
		m[2] = not + "endsWith"
	}
	truth := ""
	if value != "" && len(r.texts) == 0 && unicode.IsLetter(rune(value[0])) {
		truth = Of(Truth, value)
	}
	switch {
	case strings.Contains("== !=", m[2]) && Of(Agent, value) != "": // no fact says which agent it is
		return candidate{line: line, on: on, weak: true}
	case strings.Contains("== !=", m[2]) && truth != "": // it is, or is not, what the line says
		if (truth == "false") != (m[2] == "!=") {
			line = negated(line)
		}
		return candidate{line: line, on: on | r.within(r.opEnd, len(r.text))}
	case m[2] == "contains":
		value = bare
	case strings.Contains("== != matches endsWith", m[2]) && strings.HasPrefix(value, "*") &&
		!strings.ContainsAny(bare, "*("): // a glob
		if m[2] = not + "endsWith"; strings.HasSuffix(value, "*") {
			m[2] = not + "contains"
		}
		value = bare
	case strings.Contains("== !=", m[2]) && bare != "" && (value == bare+"*" || value == bare+"/*"):
		m[2], value = not+"startsWith", strings.TrimSuffix(value, "*")
	case m[2] != "matches" && strings.Contains(value, "*"): // the name of files
		return candidate{line: line, on: on, weak: true}
	}
	if value != "" {
		if len(r.texts) == 0 {
			on |= r.within(r.opEnd, strings.Index(r.text[r.opEnd:], value)+r.opEnd+len(value))
		}
		m[3] = strconv.Quote(value)
		if in := map[string]string{"==": " in ", "!=": " not in "}[m[2]]; in != "" && strings.Contains(value, "|") {
			return candidate{line: m[1] + in + "[" + strings.ReplaceAll(value, "|", ", ") + "]", on: on}
		}
	}
	return candidate{line: m[1] + " " + m[2] + " " + m[3] + m[4], on: on, weak: value == "" && m[3] != `""`}
}

// between returns the line in which what is compared lies between the first two numbers; its on is 0 where
// the text does not say so. value is what stands in their place.
func (r *reading) between(compared, value string) (both candidate) {
	if r.op.line != "between" || len(r.numbers) < 2 || strings.Contains(compared, " and ") {
		return both
	}
	first, second := r.numbers[0], r.numbers[1]
	from, to := fit(first.line, value), fit(second.line, value)
	if from == "" { // between 10 and 20 minutes
		from = fit(first.line+strings.TrimLeft(to, "$0123456789."), value)
	}
	below := " <= "
	if second.clock {
		below = " < "
	}
	if from != "" && to != "" {
		join := " and "
		start, _ := strconv.Atoi(from)
		if end, _ := strconv.Atoi(to); compared == "hour" && start > end { // between 22 and 6
			join, below = " or ", " < "
		}
		both.line = compared + " >= " + from + join + compared + below + to
		both.on = first.on | r.op.on | second.on
	}
	return both
}

// negated is the line that holds where another one does not.
func negated(line string) string {
	if strings.Contains(line, " and ") || strings.Contains(line, " or ") {
		return "not (" + line + ")"
	}
	opposites := [][2]string{{" != ", " == "}, {" == ", " != "}, {" not in ", " in "}, {" in ", " not in "}}
	for _, ops := range opposites {
		if before, after, ok := strings.Cut(line, ops[0]); ok {
			return before + ops[1] + after
		}
	}
	return "not " + line
}

// within are the tokens that begin in a part of the text.
func (r *reading) within(from, to int) (on uint64) {
	for i, t := range r.ts {
		if t.from >= from && t.from < to {
			on |= 1 << i
		}
	}
	return on
}

// known reports whether words behind a byte of the text have a meaning.
func (r *reading) known(from int) bool {
	behind := func(on uint64) bool { return on != 0 && r.ts[bits.Len64(on)-1].from >= from }
	return slices.ContainsFunc(r.hits, func(h hit) bool { return behind(h.on) }) ||
		slices.ContainsFunc(r.ts, func(t token) bool { // is stuck
			return slices.ContainsFunc(load().nouns[t.text], func(p phrase) bool {
				value := strings.Contains(p.m.Text, t.text) // mode == plan
				return (p.m.Kind == line || p.m.Kind == recipe) && !value && behind(r.bag(p.stems))
			})
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
