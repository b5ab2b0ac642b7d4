package words

import (
	"slices"
	"strings"
)

// A Part is a condition of a trigger.
type Part struct {
	From, To int      // where it stands
	Join     string   // what joins it with the part before, right before From; "" for the first one
	Instead  string   // the words of the language for Join
	Lines    []string // what it may mean, see Lines
	Sure     bool
}

// First is the likeliest line, "" without any.
func (p *Part) First() string {
	if len(p.Lines) == 0 {
		return ""
	}
	return p.Lines[0]
}

// Joins are what stands between two conditions, and what the language has for it.
var joins = [][2]string{{" and ", " and "}, {" or ", " or "}, {"&&", "&&"}, {"||", "||"},
	{" unless ", " and not "}, {" except ", " and not "}, {" while ", " and "}}

// Parts cuts a trigger into its conditions, outside quotes and brackets, and says what each may mean.
func Parts(text string) []Part {
	parts := []Part{{}}
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '"' || c == '`':
			quote = c
			continue
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		}
		if depth != 0 || strings.Contains(strings.ToLower(text), "between") {
			continue
		}
		for _, j := range joins {
			if n := len(j[0]); len(text) >= i+n && strings.EqualFold(text[i:i+n], j[0]) &&
				!strings.HasPrefix(text[i+n:], "more") {
				parts[len(parts)-1].To = i
				parts = append(parts, Part{From: i + n, Join: text[i : i+n], Instead: j[1]})
				i += n - 1
				break
			}
		}
	}
	parts[len(parts)-1].To = len(text)
	parts = slices.DeleteFunc(parts, func(p Part) bool { return strings.TrimSpace(text[p.From:p.To]) == "" })
	for i := 0; i < len(parts); i++ {
		p := &parts[i]
		if i > 0 && strings.TrimSpace(p.Join) == "or" && value(text[p.From:p.To]) && text[parts[i-1].To-1] != ')' {
			if before := read(text[parts[i-1].From:parts[i-1].To]); before.fact(isText) != nil && before.opEnd > 0 {
				parts[i-1].To = p.To
				parts = slices.Delete(parts, i, i+1)
				i--
				p = &parts[i]
			}
		}
		cut := text[p.From:p.To]
		p.From += len(cut) - len(strings.TrimLeft(cut, " \t"))
		p.To -= len(cut) - len(strings.TrimRight(cut, " \t"))
	}
	var before *sense
	for i := range parts {
		p := &parts[i]
		own := text[p.From:p.To]
		s := read(own)
		switch { // what the condition before says, and this one leaves out
		case before == nil:
		case before.has("every") && len(s.ts) == 1 && s.count != "":
			own = "every " + own
		case before.fact(isText) != nil && len(s.facts) == 0 && len(s.texts) > 0 && s.op != "":
			own = before.fact(isText).Name() + " " + own
		}
		p.Lines, p.Sure = Lines(own)
		before = s
	}
	return parts
}

// value reports whether a text is one word that no fact has, or one quoted text.
func value(text string) bool {
	ts := tokens(text)
	return len(ts) == 1 && (ts[0].sort == quoted || ts[0].sort == word &&
		Of(Fact, text) != strings.TrimSpace(text))
}

// Limit cuts off the words behind a trigger that are a key of its reminder: of "compacted once" it returns
// compacted and max_fires: 1. Without such words key is "".
func Limit(text string) (trigger, key string) {
	ts := tokens(text)
	for i := len(ts) - 1; i > 0 && i >= len(ts)-5; i-- {
		var stems []string
		n := ""
		for j, t := range ts[i:] {
			switch {
			case t.sort == number && n == "":
				n = text[t.from:t.to]
			case n != "" && t.sort == word && ts[len(ts)-1].text == "turn":
				n = strings.TrimSpace(n) + " " + text[t.from:t.to]
			case t.sort != word:
				return strings.TrimRight(trigger, " ,"), key
			default:
				stems = append(stems, ts[i+j].text)
			}
		}
		for _, m := range All() {
			if m.Kind == limit && (n != "") == strings.HasSuffix(m.Text, "N") && slices.ContainsFunc(m.Words,
				func(w string) bool { return slices.Equal(stemsOf(fold(w)), stems) }) {
				trigger, key = text[:ts[i].from], strings.Replace(m.Text, "N", n, 1)
			}
		}
	}
	return strings.TrimRight(trigger, " ,"), key
}
