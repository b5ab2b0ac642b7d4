package words

import (
	"slices"
	"strconv"
	"strings"
)

// most is how many lines are shown.
const most = 3

// sense is what the words of a line say, whatever their order.
type sense struct {
	modulo  bool     // the second number is a rest
	literal []string // the facts that stand there by their names
	loose   string   // the name of a unit before the number
	signed  bool     // the operator is a sign
	quoted  []string // those of calls that are quoted
	text    string
	ts      []token
	facts   []*Meaning
	calls   []string // call patterns
	does    []string // functions
	when    []string
	op      string
	opEnd   int      // where the operator ends in text, -1 without one
	count   string   // the first number
	other   string   // the second one
	texts   []string // values
	regex   bool     // the values are regular expressions
	files   []string
	stems   []string // of words that say something
	lost    int      // how many words nobody knows
}

func (s *sense) has(w string) bool { return slices.Contains(s.when, w) }

// read reads a line word by word, the longest phrase that is known first.
func read(text string) *sense {
	s := &sense{text: text, ts: tokens(text), opEnd: -1}
	x := load()
	for i := 0; i < len(s.ts); {
		t := s.ts[i]
		i++
		switch t.sort {
		case number:
			s.setCount(t.text)
		case quoted:
			s.texts = append(s.texts, t.text)
			s.quote(t.text)
		case pattern:
			s.texts, s.regex = append(s.texts, t.text), true
		case glob:
			s.files = append(s.files, t.text)
		case tool:
			s.calls = append(s.calls, t.text)
		case sign:
			s.sign(t)
		default:
			i--
			n := 1
			var ms []*Meaning
			for size := min(5, len(s.ts)-i); size >= 1; size-- {
				phrase, ok := phraseAt(s.ts[i:], size)
				if found := x.phrases[phrase]; ok && len(found) > 0 {
					n, ms = size, found
					break
				}
			}
			s.phrase(i, n, ms)
			i += n
		}
	}
	if s.loose != "" && (len(s.facts) == 0 || s.facts[0].Name() == "elapsed") {
		s.count = withUnit(s.count, s.loose)
	}
	if s.fact(isText) != nil { // the texts are values of a fact
		s.calls = slices.DeleteFunc(s.calls, func(p string) bool { return slices.Contains(s.quoted, p) })
	}
	return s
}

// quote notes a quoted text that may be a call.
func (s *sense) quote(text string) {
	program, _, _ := strings.Cut(text, " ")
	name, _, _ := strings.Cut(text, "(")
	if load().exact[Program][program] != nil {
		text = "@shell(" + text + "*)"
	} else if strings.Contains(text, "*") && !strings.ContainsAny(text, " (") {
		s.files = append(s.files, text)
		return
	} else if text == "" || !isTool(name) && !s.asks() {
		return
	}
	s.calls, s.quoted = append(s.calls, text), append(s.quoted, text)
}

// asks reports whether a function of the line takes a call pattern.
func (s *sense) asks() bool {
	return slices.ContainsFunc(s.does, func(f string) bool {
		return slices.Contains([]string{"used", "tool_count", "turns_since_tool", "called_since"}, f)
	})
}

// phraseAt returns the first n tokens, if they are words.
func phraseAt(ts []token, n int) (string, bool) {
	stems := make([]string, n)
	for i := range stems {
		if ts[i].sort != word {
			return "", false
		}
		stems[i] = ts[i].text
	}
	return strings.Join(stems, " "), true
}

func (s *sense) sign(t token) {
	switch op := t.text; op {
	case "===", "=":
		s.setOp("==", t.to)
		s.signed = true
	case "!==", "<>":
		s.setOp("!=", t.to)
	case "=>":
	case "%":
		s.when = append(s.when, "every")
		s.modulo = true
	case "!":
		s.when = append(s.when, "not")
	case "==", "!=", "<", "<=", ">", ">=":
		s.setOp(op, t.to)
		s.signed = true
	case "~":
		s.setOp("contains", t.to)
	case "+", "{", "[", "?", "*", "-":
		if op == "-" && !strings.HasPrefix(s.text[t.to:], " ") {
			break // a flag
		}
		if op != "[" || t.from > 0 && !strings.ContainsRune(" (", rune(s.text[t.from-1])) &&
			!slices.Contains(s.ofFacts(), "calls") {
			s.lost++ // an expression
		}
	}
}

func (s *sense) setOp(op string, end int) {
	if op == ">=" && s.op == ">" { // > 75% or more
		s.op = op
	}
	if s.op == "" || strings.ContainsAny(s.op, "=") && strings.ContainsAny(op, "cmsE<>") {
		s.op = op
	}
	s.opEnd = max(s.opEnd, end)
}

func (s *sense) setCount(n string) {
	if s.count == "" {
		s.count = n
	} else if s.other == "" {
		s.other = n
	}
}

// phrase notes what the words from i on mean.
func (s *sense) phrase(i, n int, ms []*Meaning) {
	for _, t := range s.ts[i : i+n] {
		s.stems = append(s.stems, t.text)
	}
	behind := i > 0 && s.ts[i-1].sort == number
	if len(ms) == 0 {
		if !slices.ContainsFunc(load().bags, func(b bag) bool { return slices.Contains(b.stems, s.ts[i].text) }) {
			s.lost++
		}
		return
	}
	for _, m := range ms {
		switch m.Kind {
		case Fact:
			s.facts = append(s.facts, m)
			last := s.ts[i+n-1]
			if s.text[s.ts[i].from:last.to] == m.Name() && strings.Contains(m.Name(), "_") {
				s.literal = append(s.literal, m.Name())
			}
			if says := load().phrases[last.text]; n > 1 && slices.ContainsFunc(says, func(o *Meaning) bool {
				return o.Kind == Operator
			}) {
				s.setOp("contains", last.to) // user says
			}
		case Function: // called is not calls
			if load().exact[Function][fold(s.text[s.ts[i].from:s.ts[i+n-1].to])] == m {
				s.does = append(s.does, m.Text)
			}
		case call:
			s.calls = append(s.calls, m.Text)
		case when:
			s.when = append(s.when, m.Text)
		case Operator:
			s.setOp(m.Text, s.ts[i+n-1].to)
		case Program:
			s.calls = append(s.calls, "@shell("+s.command(i)+"*)")
		case Unit:
			if !behind {
				s.unit(m.Text)
			} else {
				s.count = withUnit(s.ts[i-1].text, m.Text)
			}
		case Number:
			if w := s.ts[i].text; len(w) > 2 || i+1 < len(s.ts) && load().exact[Unit][s.ts[i+1].text] != nil {
				s.setCount(m.Text)
			}
		}
	}
}

// unit is for the name of a unit that stands away from its number, as in minutes > 30 and five minutes.
func (s *sense) unit(unit string) {
	before := slices.ContainsFunc(s.ts, func(t token) bool { return t.sort == number })
	switch {
	case s.count != "" && strings.Trim(s.count, "0123456789.") == "":
		s.count = withUnit(s.count, unit)
	case s.count == "" && before:
		s.loose = unit
	case s.count == "" && !strings.Contains("% $ k M c am pm", unit):
		s.count = withUnit("1", unit)
	}
}

// withUnit writes a number with its unit.
func withUnit(n, unit string) string {
	if strings.Trim(n, "0123456789.") != "" {
		return n
	}
	v, err := strconv.ParseFloat(n, 64)
	switch {
	case err != nil:
		return n
	case unit == "$":
		return "$" + n
	case unit == "c":
		return "$" + strconv.FormatFloat(v/100, 'f', 2, 64)
	case unit == "w":
		return strconv.FormatFloat(7*v, 'f', -1, 64) + "d"
	case v < 1 && unit == "h":
		return strconv.FormatFloat(60*v, 'f', -1, 64) + "m"
	case v < 1 && unit == "m":
		return strconv.FormatFloat(60*v, 'f', -1, 64) + "s"
	}
	return n + unit
}

// command is the words of a command line, from token i on.
func (s *sense) command(i int) string {
	end := i
	for end+1 < len(s.ts) && s.ts[end+1].sort == word && !ends(s.ts[end+1].text) && end < i+2 {
		end++
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(s.text[s.ts[i].from:s.ts[end].to], `"`, "")), " ")
}

// ends reports whether a word goes on with the line behind a command, and is none of its words.
func ends(w string) bool {
	return slices.ContainsFunc(load().phrases[w], func(m *Meaning) bool {
		return m.Kind == stop || m.Kind == Operator || m.Kind == when && m.Text != "after"
	})
}

// covers reports whether a line has the facts that are named in the text, and both of its numbers.
func (s *sense) covers(line string) bool {
	return (s.other == "" || s.modulo || strings.Contains(line, s.other)) &&
		!slices.ContainsFunc(s.literal, func(name string) bool { return !strings.Contains(line, name) })
}

// MaxLine is how many bytes a line may have that Lines looks into: what is longer was not written in a hurry.
const MaxLine = 300

// Lines returns up to three triggers that a line of text may mean, the likeliest first; none of a text of
// more than MaxLine bytes. sure says that the first is the only one, and that all words of the text are
// known.
func Lines(text string) (lines []string, sure bool) {
	if len(text) > MaxLine {
		return nil, false
	}
	s := read(text)
	lines = s.formed()
	facts := slices.Compact(s.ofFacts())
	if len(facts) > 1 && strings.ContainsAny(text, "[,") && !slices.Contains(facts, "calls") &&
		!strings.Contains(text, "(") ||
		strings.Contains(text, "[]") || strings.Count(text, "tool:")+strings.Count(text, "failed:") > 1 {
		return nil, false // a list of facts, or several conditions
	}
	sure = len(lines) == 1 && s.lost == 0
	if !sure {
		sure = len(lines) == 0 && len(s.nouns(true)) == 1 && s.lost == 0 && s.count == "" && len(s.texts) == 0
		lines = append(lines, s.nouns(len(lines) == 0)...)
	}
	if len(lines) == 0 && len(s.texts) > 0 && len(s.stems) == 0 && s.lost == 0 && s.op == "" {
		lines, sure = []string{"prompt contains " + strconv.Quote(s.texts[0])}, true
	}
	var out []string
	for _, l := range lines {
		if !slices.Contains(out, l) && len(out) < most && s.covers(l) {
			out = append(out, l)
		}
	}
	return out, sure && len(out) == 1
}
