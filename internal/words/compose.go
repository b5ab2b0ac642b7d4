package words

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fact returns the first fact of the line that holds, nil if none does.
func (s *sense) fact(holds func(*Meaning) bool) *Meaning {
	for _, m := range s.facts {
		if holds(m) {
			return m
		}
	}
	return nil
}

// operand cuts a condition such as cost > $5 in three; ok is false for any other.
func operand(text string) (name, op, value string, ok bool) {
	name, rest, _ := strings.Cut(text, " ")
	op, value, ok = strings.Cut(rest, " ")
	return name, op, value, ok && !strings.Contains(value, " and ") && !strings.Contains(value, " or ")
}

// shape is what kind of number a value is: %, $, time, or 0 for a plain one; "x" if it is none.
func shape(value string) string {
	digits := strings.TrimLeft(value, "$0123456789.")
	switch {
	case value == "" || digits == value:
		return "x"
	case strings.Contains(value, "$"):
		return "$"
	case digits == "%":
		return "%"
	case strings.HasPrefix(digits, ":"), digits == "am", digits == "pm":
		return "clock"
	case load().exact[Unit][digits] != nil && digits != "k" && digits != "M":
		return "time"
	}
	return "0"
}

func isText(m *Meaning) bool {
	_, _, value, ok := operand(m.Text)
	return ok && shape(value) == "x"
}

func isCount(m *Meaning) bool {
	_, _, value, ok := operand(m.Text)
	return ok && shape(value) != "x"
}

func isEvent(m *Meaning) bool { return !strings.Contains(m.Text, " ") && m.Text != "calls" }

// table reads the five fields of a cron table.
func (s *sense) table() []string {
	fields := strings.Fields(s.text)
	if len(fields) != 5 || strings.Trim(s.text, "0123456789*/,- ") != "" {
		return nil
	}
	if n, ok := strings.CutPrefix(fields[0], "*/"); ok {
		return []string{"every " + n + "m"}
	}
	if n, ok := strings.CutPrefix(fields[1], "*/"); ok {
		return []string{"every " + n + "h"}
	}
	if fields[1] != "*" {
		return []string{"hour == " + fields[1]}
	}
	return []string{"every 1h"}
}

// ofCalls is for questions about the list of calls, as other languages ask them.
func (s *sense) ofCalls() []string {
	if !slices.Contains(s.ofFacts(), "calls") || !strings.ContainsAny(s.text, ".([") {
		return nil
	}
	field := ""
	fields := map[string]string{"tool_used": ".tool", "command": ".command", "path": ".path", "output": ".output",
		"last_tool_call_failed": ".failed"}
	for _, f := range s.ofFacts() {
		field = cmp.Or(field, fields[f])
	}
	if s.has("failed") {
		field = cmp.Or(field, ".failed")
	}
	switch {
	case field != "" && field != ".failed" && len(s.texts) > 0:
		field += " " + cmp.Or(s.op, "==") + " " + strconv.Quote(s.texts[0])
	case field != "" && field != ".failed":
		return nil
	case field == "" && s.count != "":
		return []string{"len(calls) " + s.than(">") + " " + s.count}
	case field == "" && !slices.Contains(s.does, "len"):
		return nil
	case field == "":
		return []string{"len(calls) > 1"}
	}
	switch {
	case s.count != "" && slices.ContainsFunc([]string{">", ">=", "<", "<="}, func(op string) bool { return op == s.op }):
		return []string{"count(calls, " + field + ") " + s.op + " " + s.count}
	case slices.Contains(s.does, "all"):
		return []string{"all(calls, " + field + ")"}
	}
	return []string{"any(calls, " + field + ")"}
}

func (s *sense) ofFacts() (names []string) {
	for _, m := range s.facts {
		names = append(names, m.Name())
	}
	return names
}

// than is the operator of the line that compares numbers, or other.
func (s *sense) than(other string) string {
	if s.op != "" && strings.ContainsAny(s.op, "<>=!") {
		return s.op
	}
	return other
}

// ofTexts is for a fact that is a text and a value that it is compared with.
func (s *sense) ofTexts() []string {
	m := s.fact(isText)
	verb := s.op != "" && !strings.ContainsAny(s.op, "<>=!")
	switch {
	case m != nil:
	case verb && len(s.texts) > 0 && len(s.calls) > 0 && (s.calls[0] == "@shell" || s.calls[0] == "Bash"):
		m = load().exact[Fact]["command"]
	case len(s.texts) > 0 && slices.Contains(s.ofFacts(), "user_message"):
		m = load().exact[Fact]["prompt"]
	default:
		return nil
	}
	name, op, _, _ := operand(m.Text)
	plain := op
	switch {
	case name == "path" && s.op == "<" && len(s.texts) > 0: // under
		return []string{"after_tool:@edit(" + strings.TrimSuffix(s.texts[0], "/") + "/**)"}
	case name == "path" && len(s.files) > 0 && !verb && (s.op == "" || strings.ContainsAny(s.files[0], "*/")):
		return []string{"after_tool:" + s.patterns()[0]}
	case name == "path" && len(s.files) > 0 && len(s.texts) == 0:
		return []string{"path endsWith " + strconv.Quote(s.files[0])}
	case slices.Contains(s.does, "len") && s.count != "" && op != "==":
		return []string{"len(" + name + ") " + s.than(">") + " " + s.count}
	case s.has("empty") && (s.op == "!=" || s.has("not")):
		return []string{name + ` != ""`}
	case s.has("empty"):
		return []string{name + ` == ""`}
	case s.regex:
		op = "matches"
	case s.op != "" && !strings.ContainsAny(s.op, "<>=!"):
		op = s.op
	case s.op == "!=", s.op == "==" && s.signed:
		op = s.op
	}
	if name == "tool_used" && len(s.when) > 0 && len(s.texts) == 0 {
		return nil
	}
	values := s.texts
	if len(values) == 0 && s.opEnd > 0 {
		values = s.rest()
	}
	if len(values) == 0 && name == "tool_used" && s.op != "" {
		values = s.calls
	}
	if len(values) == 0 || len(values) > 3 || len(s.texts) == 0 && strings.ContainsAny(s.op, "<>") {
		return nil
	}
	if op == "matches" && !s.regex && len(s.ts) > 0 && s.ts[len(s.ts)-1].text == "i" {
		values[0] = "(?i)" + values[0]
	}
	if name == "tool_used" && op == "contains" {
		op = "=="
	}
	if slices.Contains(s.does, "lower") {
		name = "lower(" + name + ")"
	}
	var sides []string
	for _, v := range values {
		op := op
		bare := strings.Trim(v, "%*")
		switch {
		case bare == "":
			return nil
		case op == "matches" && !s.regex && strings.HasPrefix(v, "**/"), strings.HasPrefix(v, "*") && bare != v &&
			!strings.HasSuffix(v, "*") && (name != "path" || op == "matches"):
			v, op = v[strings.LastIndex(v, "*")+1:], "endsWith"
		case op == "matches" && !s.regex && bare != v && !strings.ContainsAny(bare, "%*("):
			v, op = bare, "contains"
		case op == "!=" && !strings.HasSuffix(plain, "="):
			op = "contains"
		}
		if name == "path" && strings.ContainsAny(v, "*") && op != "matches" {
			return []string{"after_tool:@edit(" + v + ")"}
		}
		value := strconv.Quote(v)
		if strings.HasSuffix(plain, "=") && (op == "==" || op == "!=") && strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			value = v
		}
		sides = append(sides, name+" "+op+" "+value)
	}
	out := strings.Join(sides, map[bool]string{true: " and ", false: " or "}[strings.Contains(sides[0], " != ")])
	if (s.has("not") || s.op == "!=") && !strings.Contains(out, " != ") {
		if out = "not " + sides[0]; len(sides) > 1 {
			out = "not (" + strings.Join(sides, " or ") + ")"
		}
	}
	return []string{out}
}

// rest returns the texts behind the operator, which nobody has quoted.
func (s *sense) rest() (values []string) {
	if s.op == "matches" {
		if text := strings.TrimSuffix(strings.TrimSpace(s.text[s.opEnd:]), ".*"); !strings.ContainsAny(text, `" `) && text != "" {
			return []string{text}
		}
	}
	text := strings.NewReplacer("(", " ", ")", " ", `"`, " ", "[", " ", "]", " ").Replace(s.text[s.opEnd:])
	text = strings.TrimSuffix(strings.TrimSpace(text), ".*")
	for _, v := range strings.FieldsFunc(strings.ReplaceAll(text, " or ", ","), func(r rune) bool { return r == ',' }) {
		v = strings.TrimSpace(v)
		for v != "" {
			first, more, _ := strings.Cut(v, " ")
			if !load().stops[stem(strings.ToLower(first))] {
				break
			}
			v = more
		}
		if v != "" {
			values = append(values, v)
		}
	}
	return values
}

// cadence is for every and its like.
func (s *sense) cadence() []string {
	if !s.has("every") {
		return nil
	}
	facts, n := s.ofFacts(), cmp.Or(s.count, "1")
	calls := s.patterns()
	unit := " turn"
	if n != "1" {
		unit = " turns"
	}
	switch {
	case shape(n) == "time":
		return []string{"every " + n}
	case shape(n) == "%", shape(n) == "$", strings.HasSuffix(n, "k"):
		return append([]string{"every 20 turns"}, s.ofCounts()...)
	case shape(n) != "0":
		return nil
	case slices.ContainsFunc(facts, func(f string) bool {
		return slices.Contains([]string{"user_turn_count", "message_count", "prompt", "user_message"}, f)
	}):
		if s.count == "" {
			return []string{"user_message"}
		}
		return []string{"every " + n + " user" + unit}
	case slices.Contains(facts, "turn_count"), slices.Contains(facts, "calls"), slices.Contains(facts, "tool_calls"),
		slices.Contains(calls, "*"):
		return []string{"every " + n + unit}
	case len(calls) > 0 && s.count != "":
		return []string{"after_tool:" + calls[0] + ` and tool_count("` + calls[0] + `") % ` + n + " == 0"}
	case len(calls) > 0:
		return []string{"after_tool:" + calls[0]}
	}
	return nil
}

// ofCounts is for numbers, with the fact that they are compared with or without it.
func (s *sense) ofCounts() []string {
	if s.count == "" {
		return nil
	}
	if slices.Contains(s.does, "called_since") {
		return nil
	}
	calls := s.patterns()
	specific := len(calls) > 0 && calls[0] != "*"
	switch {
	case shape(s.count) == "clock":
		return slices.DeleteFunc([]string{s.clock()}, func(line string) bool { return line == "" })
	case (s.has("failed") || slices.Contains(s.ofFacts(), "last_tool_call_failed")) && shape(s.count) == "0":
		if specific {
			return []string{"tool_failed:" + calls[0] + " and failures_in_row >= " + s.count}
		}
		if s.op == "==" || s.op == "!=" { // exit_code != 0
			return []string{"last_tool_call_failed"}
		}
		return []string{"failures_in_row " + s.than(">=") + " " + s.count}
	case specific && s.has("within"):
		return []string{`turns_since_tool("` + calls[0] + `") <= ` + s.count}
	case specific && s.has("since") && shape(s.count) == "0":
		return []string{`turns_since_tool("` + calls[0] + `") ` + s.than(">") + " " + s.count}
	case len(calls) == 2 && slices.Contains(s.does, "tool_count"):
		return []string{fmt.Sprintf("tool_count(%q) + tool_count(%q) %s %s", calls[0], calls[1], s.than(">="), s.count)}
	case specific && slices.Contains(s.does, "turns_since_tool"):
		return []string{`turns_since_tool("` + calls[0] + `") ` + s.than(">") + " " + s.count}
	case specific && shape(s.count) == "0" && (s.fact(isCount) == nil || s.has("many") ||
		slices.Contains(s.does, "tool_count")):
		return []string{`tool_count("` + calls[0] + `") ` + s.than(">=") + " " + s.count}
	}
	for _, m := range s.facts {
		if out := s.fit(m.Text); out != "" {
			if strings.HasPrefix(out, "turn_count") && len(s.stems) == 1 { // 10 turns
				return []string{"every " + s.count + " turns", out}
			}
			if specific && s.named() && s.has("after") {
				out = "after_tool:" + calls[0] + " and " + out
			}
			return []string{out}
		}
	}
	for _, m := range All() { // the first fact with such numbers
		if m.Kind == Fact && shape(s.count) != "0" {
			if out := s.fit(m.Text); out != "" {
				return []string{out}
			}
		}
	}
	return nil
}

// fit returns a condition with the operator and the number of the line in place of its own; "" if its number
// is of another kind.
func (s *sense) fit(text string) string {
	name, op, value, ok := operand(text)
	wants, is, n := shape(value), shape(s.count), s.count
	if !ok || wants == "x" || is == "x" {
		return ""
	}
	v, err := strconv.ParseFloat(strings.TrimRight(strings.TrimPrefix(n, "$"), "%"), 64)
	switch {
	case name == "hour" && s.op == "" && is == "0" && v < 24:
		return s.clock()
	case wants == is:
	case wants == "%" && is == "0" && err == nil && v <= 1:
		n = strconv.FormatFloat(100*v, 'f', -1, 64) + "%"
	case wants == "%" && is == "0" && err == nil && v <= 100:
		n += "%"
	case wants == "$" && is == "0" && err == nil:
		n = "$" + n
	default:
		return ""
	}
	op = s.than(op)
	if s.has("left") && wants == "%" && err == nil {
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}[s.than("<")]
		n = strconv.FormatFloat(100-v, 'f', -1, 64) + "%"
	}
	if s.has("between") && s.other != "" {
		return name + " >= " + n + " and " + name + " <= " + s.other
	}
	return name + " " + op + " " + n
}

// clock is for a time of the day.
func (s *sense) clock() string {
	digits := strings.TrimRight(s.count, "apm")
	hour, minute, timed := strings.Cut(digits, ":")
	h, err := strconv.Atoi(hour)
	if err != nil || h > 23 {
		return ""
	}
	if m := s.fact(func(m *Meaning) bool { return m.Name() == "elapsed" || m.Name() == "idle" }); m != nil && timed {
		return m.Name() + " " + s.than(">") + " " + hour + "h" + minute + "m"
	}
	if strings.HasSuffix(s.count, "pm") && h < 12 {
		h += 12
	}
	op := s.than("==")
	switch {
	case s.has("before"):
		op = "<"
	case s.op == "" && !s.has("at"):
		op = ">="
	}
	return "hour " + op + " " + strconv.Itoa(h)
}

// patterns are the call patterns of the line: the special ones before the general ones, which go where a
// special one says the same, and files in their parentheses.
func (s *sense) patterns() []string {
	var out, any []string
	special := slices.ContainsFunc(s.calls, func(p string) bool { return strings.Contains(p, "(") })
	for _, p := range s.calls {
		switch {
		case slices.Contains(out, p) || p == "*" && len(s.calls) > 1:
		case special && (p == "@shell" || p == "Bash" || p == "*"):
		case slices.Contains(any, p):
		case p == "*":
			any = append(any, p)
		default:
			out = append(out, p)
		}
	}
	if len(s.files) > 0 {
		file := s.files[0]
		if strings.HasSuffix(file, "/") {
			file += "**"
		}
		if len(out) == 0 {
			return []string{"@edit(" + file + ")"}
		}
		if !strings.Contains(out[0], "(") && out[0] != "@shell" && out[0] != "Bash" {
			out[0] += "(" + file + ")"
		}
	}
	return append(out, any...)
}

// moments is for calls and the moments about them, and for events.
func (s *sense) moments() []string {
	calls := s.patterns()
	event := s.fact(isEvent)
	if len(calls) == 0 || calls[0] == "*" {
		switch {
		case event != nil && s.has("not") && event.Text != "stopping":
			return []string{"not " + event.Text}
		case event != nil:
			return []string{event.Text}
		}
	}
	if len(calls) == 0 {
		return nil
	}
	first, all := calls[0], strings.Join(calls, ",")
	quote := strconv.Quote
	switch {
	case len(calls) == 2 && s.op == ">" && s.signed && s.named():
		return []string{"repeated_tool_chain:" + first + ">" + calls[1] + "|3"}
	case s.has("not") && slices.Contains(s.does, "used"):
		return []string{"not used(" + quote(first) + ")"}
	case s.has("not") && s.has("after") && s.named() && len(calls) == 1:
		return []string{"not after_tool:" + first}
	case len(calls) == 2 && slices.Contains(s.does, "used") && strings.Contains(s.text, "("):
		return []string{"used(" + quote(first) + ") or used(" + quote(calls[1]) + ")"}
	case len(calls) == 2 && slices.Contains(s.does, "called_since") && !s.has("not"):
		return []string{"called_since(" + quote(first) + ", " + quote(calls[1]) + ")"}
	case len(calls) == 2 && slices.Contains(s.does, "called_since"):
		return []string{"not called_since(" + quote(first) + ", " + quote(calls[1]) + ")"}
	case len(calls) == 2 && s.has("since"):
		return []string{"not called_since(" + quote(first) + ", " + quote(calls[1]) + ")"}
	case slices.Contains(s.does, "used") && strings.Contains(s.text, "(") && !s.has("not"):
		return []string{"used(" + quote(first) + ")"}
	case len(calls) == 2 && s.has("not"):
		return []string{"not called_since(" + quote(calls[1]) + ", " + quote(first) + ")"}
	case s.has("not"):
		return []string{"not used(" + quote(first) + ")"}
	case s.has("since"):
		return []string{"turns_since_tool(" + quote(first) + ") > 5"}
	case s.has("before"):
		return []string{"before_tool:" + all}
	case s.has("failed"):
		return []string{"tool_failed:" + all}
	case s.has("many"):
		return []string{"tool_count(" + quote(first) + ") >= 10"}
	case s.has("after") && (first == "*" || s.named()):
		return []string{"after_tool:" + all}
	case s.has("after"):
		return append([]string{"after_tool:" + all}, append(s.nouns(false), "used("+quote(first)+")")...)
	case slices.Contains(s.does, "used"):
		return []string{"used(" + quote(first) + ")"}
	}
	return []string{"after_tool:" + all, "before_tool:" + all, "used(" + quote(first) + ")"}
}

// named reports whether the line names tools, classes or files themselves.
func (s *sense) named() bool {
	return len(s.files) > 0 || slices.ContainsFunc(s.ts, func(t token) bool { return t.sort == tool })
}

// phrases returns the line with most of the words of this one, at least two, where nothing is quoted.
func (s *sense) phrases() (lines []string) {
	if len(s.texts) > 0 || len(s.files) > 0 {
		return nil
	}
	found := s.bags()
	if len(found) == 0 || len(found[0].stems) < 2 {
		return nil
	}
	for _, b := range found {
		if len(b.stems) == len(found[0].stems) && b.m.Text != "calls" && (b.m.Kind == line || s.count == "" ||
			s.fit(b.m.Text) != "") {
			lines = append(lines, cmp.Or(s.fit(b.m.Text), b.m.Text))
		}
	}
	return lines
}

// bags are the meanings all of whose words stand in the line, those with most words first.
func (s *sense) bags() []bag {
	found := slices.Clone(load().bags)
	found = slices.DeleteFunc(found, func(b bag) bool {
		return slices.ContainsFunc(b.stems, func(stem string) bool { return !slices.Contains(s.stems, stem) })
	})
	slices.SortStableFunc(found, func(a, b bag) int { return len(b.stems) - len(a.stems) })
	return found
}

// nouns returns the lines that share the nouns of this one, those with most of them first, and those of facts
// if these are asked for.
func (s *sense) nouns(facts bool) (lines []string) {
	for _, b := range s.bags() {
		if b.m.Kind == Fact && !facts {
			continue
		}
		lines = append(lines, cmp.Or(s.fit(b.m.Text), b.m.Text))
	}
	for _, m := range s.facts {
		if facts && m.Text != "calls" {
			lines = append(lines, cmp.Or(s.fit(m.Text), m.Text))
		}
	}
	return lines
}
