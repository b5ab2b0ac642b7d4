package words

import (
	"slices"
	"strconv"
	"strings"
)

// marks returns what the forms of the file ask of a line, and what stands for the names in braces.
func (s *sense) marks() (marks []string, names map[string]string) {
	calls := s.patterns()
	names = map[string]string{"ALL": strings.Join(calls, ","), "N": s.count, ">": s.than(">"),
		">=": s.than(">=")}
	mark := func(m string, holds bool) {
		if holds {
			marks = append(marks, m)
		}
	}
	put := func(m, name, text string) {
		mark(m, text != "")
		names[name] = text
	}
	marks = append(marks, s.when...)
	marks = append(marks, s.ofFacts()...)
	for _, f := range s.does {
		mark(f+"()", true)
	}
	if len(calls) > 0 {
		names["A"], names["B"] = calls[0], calls[len(calls)-1]
		mark("call", true)
		mark("special", calls[0] != "*")
		mark("two", len(calls) == 2)
	}
	mark("failed", slices.Contains(marks, "last_tool_call_failed"))
	mark("n", s.count != "" && strings.Trim(s.count, "0123456789") == "")
	mark("counted", s.count != "")
	mark("time", shape(s.count) == "time")
	mark(s.op, s.op != "")
	mark("signed", s.signed)
	mark("compared", strings.ContainsAny(s.op, "<>"))
	mark("single", len(s.stems) == 1)
	mark("code", strings.ContainsAny(s.text, ".(["))
	mark("named", len(s.files) > 0 || slices.ContainsFunc(s.ts, func(t token) bool {
		return t.sort == tool
	}))
	mark("numeric", s.fact(isCount) != nil)
	if m := s.fact(func(m *Meaning) bool {
		return !strings.Contains(m.Text, " ") && m.Text != "calls"
	}); m != nil {
		put("event", "EVENT", m.Text)
	}
	put("cron", "CRON", cron(s.text))
	put("field", "FIELD", s.field(marks))
	put("text", "TEXT", s.ofTexts())
	put("fit", "FIT", s.fitting())
	put("bag", "BAG", strings.Join(s.phrases(), " ; "))
	names["NOUNS"] = strings.Join(s.nouns(false), " ; ")
	return marks, names
}

// formed returns the lines of the first form of the file that fits.
func (s *sense) formed() (lines []string) {
	marks, names := s.marks()
	for _, m := range All() {
		if m.Kind != form || slices.ContainsFunc(strings.Fields(m.Words[0]), func(w string) bool {
			not, is := strings.CutPrefix(w, "!")
			return slices.Contains(marks, not) == is
		}) {
			continue
		}
		var pairs []string
		for name, value := range names {
			pairs = append(pairs, "{"+name+"}", value)
		}
		for l := range strings.SplitSeq(strings.NewReplacer(pairs...).Replace(m.Text), " ; ") {
			if l != "" {
				lines = append(lines, l)
			}
		}
		return lines
	}
	return nil
}

// cron reads the five fields of a cron table.
func cron(text string) string {
	f := strings.Fields(text)
	if len(f) != 5 || strings.Trim(text, "0123456789*/,- ") != "" {
		return ""
	}
	for i, unit := range []string{"m", "h"} {
		if n, ok := strings.CutPrefix(f[i], "*/"); ok {
			return "every " + n + unit
		}
	}
	if f[1] != "*" {
		return "hour == " + f[1]
	}
	return "every 1h"
}

// field is the condition on one call that a question about calls asks for, as other languages do.
func (s *sense) field(marks []string) (field string) {
	for _, f := range append(s.ofFacts(), marks...) {
		if field == "" {
			field = Of("field", strings.Replace(f, "failed", "last_tool_call_failed", 1))
		}
	}
	if field != "" && field != ".failed" && len(s.texts) > 0 {
		op := s.op
		if op == "" {
			op = "=="
		}
		return field + " " + op + " " + strconv.Quote(s.texts[0])
	}
	return field
}

// fitting is the comparison of the line's number with its fact, or with the first one that has such numbers.
func (s *sense) fitting() string {
	for _, m := range s.facts {
		if out := s.fit(m.Text); out != "" {
			return out
		}
	}
	for _, m := range All() {
		if m.Kind == Fact && shape(s.count) != "0" {
			if out := s.fit(m.Text); out != "" {
				return out
			}
		}
	}
	return ""
}
