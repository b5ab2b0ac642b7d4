package words

import (
	"cmp"
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
func (s *sense) ofTexts() string {
	m := s.fact(isText)
	verb := s.op != "" && !strings.ContainsAny(s.op, "<>=!")
	switch {
	case m != nil:
	case verb && len(s.texts) > 0 && len(s.calls) > 0 && (s.calls[0] == "@shell" || s.calls[0] == "Bash"):
		m = load().exact[Fact]["command"]
	case len(s.texts) > 0 && slices.Contains(s.ofFacts(), "user_message"):
		m = load().exact[Fact]["prompt"]
	default:
		return ""
	}
	name, op, _, _ := operand(m.Text)
	plain := op
	if s.op == "" && op == "!=" {
		op = "=="
	}
	switch {
	case name == "path" && s.op == "<" && len(s.texts) > 0: // under
		return "after_tool:@edit(" + strings.TrimSuffix(s.texts[0], "/") + "/**)"
	case name == "path" && len(s.files) > 0 && !verb && (s.op == "" || strings.ContainsAny(s.files[0], "*/")):
		return "after_tool:" + s.patterns()[0]
	case name == "path" && len(s.files) > 0 && len(s.texts) == 0:
		return "path endsWith " + strconv.Quote(s.files[0])
	case slices.Contains(s.does, "len") && s.count != "" && op != "==":
		return "len(" + name + ") " + s.than(">") + " " + s.count
	case s.has("empty") && (s.op == "!=" || s.has("not") || strings.Contains(strings.ToLower(s.text), " not ")):
		return name + ` != ""`
	case s.has("empty"):
		return name + ` == ""`
	case s.regex:
		op = "matches"
	case s.op != "" && !strings.ContainsAny(s.op, "<>=!"):
		op = s.op
	case s.op == "!=", s.op == "==" && (s.signed || strings.HasSuffix(op, "=")):
		op = s.op
	}
	if name == "tool_used" && len(s.texts) == 0 && (s.has("before") || s.has("after") || s.has("failed")) {
		return ""
	}
	if op == "contains" && strings.HasSuffix(plain, "=") && strings.Contains(s.text, "~") {
		return "" // ~= is unequal elsewhere
	}
	values := s.texts
	if len(values) == 0 && s.opEnd > 0 {
		values = s.rest()
	}
	if len(values) == 0 && name == "tool_used" && s.op != "" {
		values = s.calls
	}
	if len(values) == 0 || len(values) > 3 || len(s.texts) == 0 && strings.ContainsAny(s.op, "<>") {
		return ""
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
		case bare == "", len(s.texts) == 0 && Of(Fact, bare) == bare:
			return ""
		case op == "matches" && !s.regex && strings.HasPrefix(v, "**/"), strings.HasPrefix(v, "*") && bare != v &&
			!strings.HasSuffix(v, "*") && (name != "path" || op == "matches"):
			v, op = v[strings.LastIndex(v, "*")+1:], "endsWith"
		case op == "matches" && !s.regex && bare != v && !strings.ContainsAny(bare, "%*("):
			v, op = bare, "contains"
		case op == "!=" && !strings.HasSuffix(plain, "="):
			op = "contains"
		}
		if name == "path" && strings.ContainsAny(v, "*") && op != "matches" {
			return "after_tool:@edit(" + v + ")"
		}
		value := strconv.Quote(v)
		if strings.HasSuffix(plain, "=") && (op == "==" || op == "!=") &&
			strings.Trim(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz") == "" {
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
	return out
}

// rest returns the texts behind the operator, which nobody has quoted.
func (s *sense) rest() (values []string) {
	if s.op == "matches" {
		text := strings.TrimSuffix(strings.TrimSpace(s.text[s.opEnd:]), ".*")
		if text != "" && !strings.ContainsAny(text, `" `) {
			return []string{text}
		}
	}
	text := strings.NewReplacer("(", " ", ")", " ", `"`, " ", "[", " ", "]", " ").Replace(s.text[s.opEnd:])
	text = strings.TrimSuffix(strings.TrimSpace(text), ".*")
	for v := range strings.SplitSeq(strings.ReplaceAll(text, " or ", ","), ",") {
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
	case is == "clock" && (name == "hour" || name == "elapsed" || name == "idle"),
		name == "hour" && s.op == "" && is == "0" && v < 24 && !s.has("between"):
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
	for _, name := range s.ofFacts() {
		if timed && (name == "elapsed" || name == "idle") {
			return name + " " + s.than(">") + " " + hour + "h" + minute + "m"
		}
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
	facts = facts && !s.signed && !strings.ContainsAny(s.text, "~[\"")
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
