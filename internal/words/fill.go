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

// comparison is a line that compares something: what stands before its last operator, the value, and the
// bracket behind it.
type comparison struct{ left, op, value, end string }

var comparisons = sync.OnceValue(func() *regexp.Regexp {
	const operators = `==|!=|<=?|>=?|contains|startsWith|endsWith|matches`
	return regexp.MustCompile(`^(.*) (` + operators + `) ("[^"]*"|[^ )]+)(\)?)$`)
})

// comparisonOf returns the comparison that a line is; ok is false if it is none.
func comparisonOf(line string) (c comparison, ok bool) {
	m := comparisons().FindStringSubmatch(line)
	if m == nil {
		return c, false
	}
	return comparison{m[1], m[2], m[3], m[4]}, true
}

func (c comparison) line() string { return c.left + " " + c.op + " " + c.value + c.end }

// equality reports whether an operator is == or !=.
func equality(op string) bool { return op == "==" || op == "!=" }

// ordered reports whether an operator is an order.
func ordered(op string) bool { return strings.ContainsAny(op, "<>") }

// fill puts the operator, the number and the text of r in place of those of a line, where they are of its
// kind.
func (r *reading) fill(line string, on uint64) candidate {
	c, compares := comparisonOf(line)
	is := candidate{line: line, on: on}
	switch {
	case !compares:
		r.fillAmount(&is)
	case shape(c.value) == "text":
		r.fillText(&is, c)
	default:
		r.fillNumber(&is, c)
	}
	return is
}

// figure matches a number of a line without an operator.
var figure = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+(?:[smhd]\b)?`) })

// fillAmount is fill for a line that compares nothing, such as every 5 turns.
func (r *reading) fillAmount(is *candidate) {
	at := figure().FindStringIndex(is.line)
	if at == nil || strings.Contains(is.line, "(") {
		return
	}
	v := is.line[at[0]:at[1]]
	if v == "5" && len(r.numbers) == 0 && bits.OnesCount64(is.on) > 1 { // every prompt
		v = "1"
	}
	for _, n := range r.numbers {
		if fits := fit(n.line, v); fits != "" && n.of == 0 && !n.clock {
			v, is.on = fits, is.on|n.on
			break
		}
	}
	is.line = is.line[:at[0]] + v + is.line[at[1]:]
	if v == "1" {
		is.line = strings.TrimSuffix(is.line, "s")
	}
}

// fillNumber is fill for a line that compares with a number.
func (r *reading) fillNumber(is *candidate, c comparison) {
	numbers := r.numbers
	same := func(n candidate) bool { return shape(n.line) == shape(c.value) }
	if i := slices.IndexFunc(numbers, same); i > 0 {
		numbers = numbers[i:] // one of the same unit before others
	}
	for _, n := range numbers {
		v := fit(n.line, c.value)
		if v == "" || !r.about(n, c, is.on) {
			continue
		}
		if both := r.between(c.left, c.value); both.on != 0 {
			is.line, is.on = both.line, is.on|both.on
			return
		}
		op, by := r.order(n, c, is.on)
		c.op, c.value = op, v
		is.line, is.on = c.line(), is.on|by|n.on
		return
	}
	is.weak = c.op != "==" // the first edit
}

// about reports whether a number may be the one that a line, which answers to tokens, compares with.
func (r *reading) about(n candidate, c comparison, on uint64) bool {
	often := n.on != 0 && r.op.on == 0 && r.ts[bits.TrailingZeros64(n.on)].sort == word &&
		shape(n.line) == "number" && n.line[0] != '0'
	switch {
	case n.of != 0 && (n.of&on == 0 || !strings.HasPrefix(c.left, "tool_count") &&
		!strings.HasPrefix(c.left, "tool_failed")):
		return false
	case n.clock && c.left != "hour": // 16 turns after 4pm
		return false
	}
	return !often || shape(c.value) != "%" // the context was compacted twice
}

// order returns the operator before a number, and the tokens that say so.
func (r *reading) order(n candidate, c comparison, on uint64) (op string, by uint64) {
	op, by = c.op, r.op.on
	// 80% of it are used: what grows by fractions is never just a number, unless == is written
	reached := r.op.line == "==" && shape(c.value) != "number" && !strings.Contains(r.text, "=")
	if strings.ContainsAny(r.op.line, "<>=") && !reached {
		op = r.op.line
	}
	if op == ">" && n.clock { // 18:05 is after 18:00
		op = ">="
	}
	for _, h := range r.hits { // before 9am
		if n.clock && r.op.on == 0 && h.m.Kind == frame && strings.HasPrefix(h.m.Text, "before_") &&
			bits.Len64(h.on) == bits.TrailingZeros64(n.on) {
			op, by = "<", by|h.on
		}
	}
	first := bits.TrailingZeros64(r.op.on)
	if n.on != 0 && n.on < r.op.on && r.op.on < on && r.ts[first].sort == sign { // 22:00 < hour
		op = strings.NewReplacer("<", ">", ">", "<").Replace(op)
	}
	return op, by
}

// fillText is fill for a line that compares with a text.
func (r *reading) fillText(is *candidate, c comparison) {
	own, said := c.op, r.op.line
	if said != "" && said != "between" && !ordered(said) &&
		(said != "==" || c.value[0] != '"' || strings.Contains(r.text, "==")) {
		c.op, is.on = said, is.on|r.op.on
	}
	value := ""
	switch {
	case len(r.texts) > 0:
		value, is.on = r.texts[0].line, is.on|r.texts[0].on
	case ordered(said):
		is.weak = true
		return
	default:
		if value = r.unquoted(c.left, said); value == "" && r.op.on == 0 {
			if name, on := r.called(c.left, is.on); name != "" {
				c.op, c.value = "contains", strconv.Quote(name)
				is.line, is.on = c.line(), is.on|on
				return
			}
		}
	}
	if value == "" && said == "==" { // a subagent is started
		c.op = own
	}
	if truth := Of(Truth, value); equality(c.op) && truth != "" && len(r.texts) == 0 &&
		unicode.IsLetter(rune(value[0])) && Of(Agent, value) == "" { // it is, or is not, what the line says
		if (truth == "false") != (c.op == "!=") {
			is.line = negated(is.line)
		}
		is.on |= r.within(r.opEnd, len(r.text))
		return
	}
	if text := strings.Trim(value, "%"); r.op.on != 0 &&
		strings.EqualFold(r.ts[bits.TrailingZeros64(r.op.on)].part, "like") { // of SQL
		switch starts, ends := strings.HasSuffix(value, "%"), strings.HasPrefix(value, "%"); {
		case starts && !ends:
			c.op = "startsWith"
		case ends && !starts:
			c.op = "endsWith"
		}
		value = text
	}
	value, files := c.with(value)
	if files || equality(c.op) && Of(Agent, value) != "" { // no fact says which agent it is
		is.weak = true
		return
	}
	if i := bits.TrailingZeros64(r.op.on) - 1; r.op.on != 0 && i >= 0 && slices.Contains(verbs, c.op) &&
		strings.EqualFold(r.ts[i].part, "not") && !strings.HasPrefix(c.left, "not ") { // NOT LIKE
		c.op, is.on = "not "+c.op, is.on|1<<i
	}
	if value != "" && len(r.texts) == 0 {
		is.on |= r.within(r.opEnd, strings.Index(r.text[r.opEnd:], value)+r.opEnd+len(value))
	}
	is.weak = value == "" && c.value != `""`
	is.line = c.line()
}

// called returns the name before the noun of a branch or a directory, which stands at the tokens on, as in
// the billing branch; "" where it has none.
func (r *reading) called(fact string, on uint64) (name string, tokens uint64) {
	i := bits.TrailingZeros64(on) - 1
	says := func(p phrase) bool { // the docs folder
		return fact != "cwd" || p.m.Kind != Call && len(p.stems) == 1
	}
	if fact != "branch" && fact != "cwd" || !r.isName(i, says) {
		return "", 0
	}
	t := r.ts[i]
	if strings.HasSuffix(t.part, "ly") || // directly to main
		// switching branches, but the billing branch
		strings.HasSuffix(t.part, "ing") && (i == 0 || !slices.Contains([]string{"a", "the"}, r.ts[i-1].text)) {
		return "", 0
	}
	return t.part, 1 << i
}

// unquoted returns the text without quotes that stands behind the operator, for something that is compared;
// "" where there is none.
func (r *reading) unquoted(left, op string) (value string) {
	verb := op != "" && !equality(op)
	if r.opEnd == 0 || !verb && r.known(r.opEnd) {
		return ""
	}
	value = strings.TrimSpace(strings.TrimPrefix(r.text[r.opEnd:], ":"))
	if inner, ok := strings.CutPrefix(value, "("); ok && strings.HasSuffix(inner, ")") {
		value = inner[:len(inner)-1]
	}
	for !strings.Contains(r.text, "==") { // is the frontend
		first, rest, more := strings.Cut(value, " ")
		one := strings.HasPrefix(value, "one of ") || strings.HasPrefix(value, "either ") // opus, sonnet
		if !more || !one && !load().stops[strings.ToLower(first)] {
			break
		}
		value = rest
	}
	if !verb && !strings.Contains(r.text, "==") { // the model is haiku keep it simple
		if value, _, _ = strings.Cut(value, " "); value != "" && unicode.IsDigit(rune(value[0])) {
			return "" // the diff is 500 lines
		}
		if strings.HasSuffix(value, "ed") { // an agent is spawned
			return ""
		}
	}
	for _, h := range r.hits { // says done without tests; contains error ignoring case
		first := bits.TrailingZeros64(h.on)
		if from := r.ts[first].from; h.cuts() && first > 0 && r.ts[first-1].from >= r.opEnd &&
			r.text[from-1] == ' ' {
			value = strings.TrimSpace(r.text[r.opEnd:max(r.opEnd, min(from, r.opEnd+len(value)+1))])
			if last := value[strings.LastIndex(value, " ")+1:]; load().exact[Join][last] != nil {
				value = strings.TrimSpace(strings.TrimSuffix(value, last)) // done, but no tests ran
			}
		}
	}
	counted := func(n candidate) bool { return n.line == value && bits.OnesCount64(n.on) > 1 }
	switch {
	case strings.HasPrefix(value, "all of "),
		strings.ContainsAny(apostrophe().ReplaceAllString(value, ""), "\"'`[]~"),
		strings.Count(value, "(") != strings.Count(value, ")"):
		return "" // several, or a quote or a bracket that is open
	case Of(Fact, value) == left, // has(prompt)
		slices.ContainsFunc(r.numbers, counted): // asked 5 times
		return ""
	}
	return value
}

// apostrophe matches one within a word.
var apostrophe = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b'\b`) })

// with puts a text into a comparison, with the operator that its form asks for: an ending, a glob, or one of
// several. It returns what it has put there, "" if that is nothing, and whether the text is the name of
// files, with which nothing is compared.
func (c *comparison) with(value string) (put string, files bool) {
	bare, not := strings.Trim(value, "%*/"), ""
	if !strings.Contains(value, "*") && strings.HasPrefix(value, "/") != strings.HasSuffix(value, "/") {
		bare = value // src/ and /srv are places, /deploy/ is a pattern
	}
	if c.op == "!=" {
		not = "not "
	}
	if equality(c.op) && IsEnding(value) { // the extension is .go
		c.op = not + "endsWith"
	}
	if equality(c.op) && c.left == "model" && Of(Agent, value) == "" &&
		!strings.ContainsAny(value, "0123456789*|") { // no id is gpt alone
		c.op = not + "contains"
	}
	switch {
	case c.op == "contains" && strings.ContainsAny(bare, ",|"): // opus, sonnet
		c.op, value = "matches", strings.NewReplacer(", ", "|", ",", "|", `\|`, "|").Replace(regexp.QuoteMeta(bare))
	case c.op == "contains":
		value = bare
	case (equality(c.op) || c.op == "matches" || c.op == "endsWith") && strings.HasPrefix(value, "*") &&
		!strings.ContainsAny(bare, "*("): // a glob
		if c.op = not + "endsWith"; strings.HasSuffix(value, "*") {
			c.op = not + "contains"
		}
		value = bare
	case equality(c.op) && bare != "" && (value == bare+"*" || value == bare+"/*"):
		c.op, value = not+"startsWith", strings.TrimSuffix(value, "*")
	case c.op != "matches" && strings.Contains(value, "*"):
		return value, true
	}
	if value == "" {
		return "", false
	}
	c.value = strconv.Quote(value)
	if in := map[string]string{"==": "in", "!=": "not in"}[c.op]; in != "" && strings.Contains(value, "|") {
		c.op, c.value, c.end = in, "["+strings.ReplaceAll(value, "|", ", ")+"]", ""
	}
	return value, false
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

// known reports whether the words behind a byte of the text have a meaning.
func (r *reading) known(from int) bool {
	next := slices.IndexFunc(r.ts, func(t token) bool { return t.from >= from && !load().stops[t.text] })
	behind := func(on uint64) bool { return next >= 0 && on>>next&1 == 1 }
	return slices.ContainsFunc(r.hits, func(h hit) bool { return behind(h.on) }) ||
		slices.ContainsFunc(r.ts, func(t token) bool { // is stuck
			return slices.ContainsFunc(load().nouns[t.text], func(p phrase) bool {
				value := strings.Contains(p.m.Text, t.text) // mode == plan
				return (p.m.Kind == line || p.m.Kind == recipe) && !value && behind(r.bag(p.stems))
			})
		})
}
