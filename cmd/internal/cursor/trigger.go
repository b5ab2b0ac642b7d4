package cursor

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/vocabulary"
)

// Want is the kind of word that the trigger language expects at a place of a trigger.
type Want struct {
	What Wanted
	From int       // the offset in the trigger where the word at the place begins
	Fact fact.Fact // for an operator or a value: the fact on the left
	Tool string    // for a subject: the tool or the class before the parenthesis
	Done bool      // for an operator: the fact alone is a condition already
}

// Wanted is a kind of word that the trigger language expects.
type Wanted uint8

const (
	WantNothing  Wanted = iota
	WantOperand         // the beginning of a condition
	WantOperator        // after a fact: the operator
	WantValue           // the other side of a comparison
	WantJoin            // after a condition: and, or
	WantUnit            // after every N: the unit that is counted
	WantTool            // a call pattern up to its parenthesis
	WantSubject         // a call pattern within its parentheses
	WantLink            // a tool of a chain
	WantThread
	WantID
	WantSet // the first argument of any( and the like
)

// WantAt returns the kind of word that is expected after before, the beginning of a trigger as written in the
// file. Inside YAML's quotes that may have \" for ". It looks at the end of before alone: at the word that
// has begun, and at what stands before it.
func WantAt(before string, schema *fact.Schema) Want {
	p := triggerPlace{schema: schema, src: strings.ReplaceAll(before, `\"`, ` "`)}
	if name, from := p.shorthand(); name != nil {
		return argument(name, from, p.src[from:])
	}
	open, quote, closed := brackets(p.src)
	if quote >= 0 && !closed {
		return p.inString(open, quote)
	}
	from := wordStart(p.src)
	if number := strings.TrimLeft(p.src[from:], "-"); number != "" && number[0] >= '0' && number[0] <= '9' {
		return Want{}
	}
	w := p.after(p.src[:from])
	w.From = from
	return w
}

// triggerPlace is the beginning of a trigger.
type triggerPlace struct {
	schema *fact.Schema
	src    string
}

// brackets returns where brackets are open at the end of a text, outermost first, where its last string
// begins, -1 where it has none, and whether that is closed.
func brackets(src string) (open []int, quote int, closed bool) {
	quote, closed = -1, true
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case !closed:
			closed = c == src[quote]
		case c == '"' || c == '\'':
			quote, closed = i, false
		case c == '(' || c == '[':
			open = append(open, i)
		case (c == ')' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	return open, quote, closed
}

// wordStart returns where the word at the end of a text begins.
func wordStart(text string) int {
	return len(text) - len(text[strings.LastIndexFunc(text, func(r rune) bool {
		return r < 0x80 && !IsWord(byte(r)) && !strings.ContainsRune(".*%-/:", r)
	})+1:])
}

// shorthand returns the shorthand whose arguments the text ends with, and where those begin; nil where it
// ends with none.
func (p *triggerPlace) shorthand() (name *vocabulary.Word, from int) {
	for at, c := range p.src {
		if c != ':' {
			continue
		}
		word := p.src[wordStart(p.src[:at]):at]
		if name = vocabulary.Find(vocabulary.Shorthands(), word); name == nil {
			continue
		}
		for from = at + 1; at < len(p.src) && inArguments(p.src, at); at++ {
			if p.src[at] == '(' {
				at = closing(p.src, at) - 1
			}
		}
		if at >= len(p.src) {
			return name, from
		}
	}
	return nil, 0
}

// inArguments reports whether the character at at may stand in the arguments of a shorthand.
func inArguments(src string, at int) bool {
	c := src[at]
	return IsWord(c) || c >= 0x80 || strings.IndexByte(".*%-/:,>|@(", c) >= 0 ||
		c == ' ' && (src[at-1] == ',' || src[at-1] == ':')
}

// closing returns the offset behind the parenthesis that closes the one at open, or the end of the text.
func closing(src string, open int) int {
	depth := 0
	for i := open; i < len(src); i++ {
		switch src[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(src)
}

// argument returns the kind of word that is expected at the end of the unfinished arguments of a shorthand or
// a function, which begin at from.
func argument(of *vocabulary.Word, from int, text string) Want {
	switch {
	case of.Takes == vocabulary.CallPattern:
		return pattern(from, text)
	case of.Takes == vocabulary.Chain:
		if strings.Contains(text, "|") {
			return Want{}
		}
		return Want{What: WantLink, From: from + strings.LastIndexAny(text, ",>: ") + 1}
	case of.Name == "thread":
		return Want{What: WantThread, From: from + strings.LastIndexAny(text, ",>: ") + 1}
	}
	return Want{}
}

// pattern returns the kind of word that is expected at the end of unfinished call patterns with commas
// between them, which begin at from.
func pattern(from int, text string) Want {
	last := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			end, open := closing(text, i), strings.Count(text[last:], "(") > strings.Count(text[last:], ")")
			switch {
			case end < len(text):
				i = end - 1
			case open || text[end-1] != ')':
				return Want{What: WantSubject, From: from + i + 1, Tool: text[last:i]}
			default:
				return Want{}
			}
		case ',', ' ', '"', '\'':
			last = i + 1
		}
	}
	return Want{What: WantTool, From: from + last}
}

// inString returns the kind of word that is expected in an unfinished string, whose quote stands at quote.
func (p *triggerPlace) inString(open []int, quote int) Want {
	at := quote + 1
	text := p.src[at:]
	for _, i := range slices.Backward(open) {
		if p.src[i] != '(' {
			continue
		}
		switch fn := vocabulary.Find(vocabulary.Functions(), p.src[wordStart(p.src[:i]):i]); {
		case fn == nil:
		case fn.Takes == vocabulary.CallPattern || fn.Takes == vocabulary.Chain:
			return argument(fn, at, text)
		default:
			return Want{What: WantID, From: at}
		}
		break
	}
	switch w := p.after(p.src[:quote]); {
	case w.What != WantValue:
		return Want{}
	case w.Fact.Name == "tool_used":
		return pattern(at, text)
	default:
		w.From = at
		return w
	}
}

// comparing are the operators in words.
var comparing = []string{"in", "matches", "contains", "startsWith", "endsWith"}

// cadence matches an unfinished every at the end of a text.
var cadence = regexp.MustCompile(`\bevery(\s+[0-9]+)?(\s+user)?$`)

// after returns the kind of word that is expected behind a text of whole words and signs.
func (p *triggerPlace) after(text string) Want {
	text = strings.TrimRight(text, " \t\r\n")
	if text == "" {
		return Want{What: WantOperand}
	}
	open, quote, _ := brackets(text)
	from := wordStart(text)
	if from == len(text) {
		from--
	}
	before, last := text[:from], text[from:]
	in := -1 // the bracket of a list
	if n := len(open); n > 0 && text[open[n-1]] == '[' {
		in = open[n-1]
	}
	switch {
	case last == "(":
		switch name := before[wordStart(before):]; {
		case slices.Contains([]string{"any", "all", "none", "one", "count", "len"}, name):
			return Want{What: WantSet}
		case slices.Contains([]string{"", "and", "or", "not", "lower", "upper"}, name):
			return Want{What: WantOperand}
		}
		return Want{}
	case last == ")":
		start := opening(text)
		name := text[wordStart(text[:start]):start]
		fn := vocabulary.Find(vocabulary.Functions(), name)
		if fn != nil && !fn.Asks || slices.Contains([]string{"len", "count", "lower", "upper"}, name) {
			return Want{What: WantOperator, Fact: fact.Fact{Type: fact.Int}}
		}
	case last == "]":
	case in >= 0:
		return p.after(text[:in])
	case strings.Contains("=<>", last), slices.Contains(comparing, last):
		return Want{What: WantValue, Fact: p.after(strings.TrimRight(before, "=!<>")).Fact}
	case last == "not":
		if w := p.after(before); w.What == WantOperator {
			return w
		}
		return Want{What: WantOperand}
	case slices.Contains([]string{"and", "or", "&", "|", "!"}, last):
		return Want{What: WantOperand}
	case last == ",":
		return Want{}
	case last == `"` || last == "'":
		switch w := p.after(text[:quote]); w.What {
		case WantOperand:
			return Want{What: WantOperator}
		case WantNothing:
			return w
		}
	case strings.Trim(last, "+-*/%") == "": // a value follows
		if w := p.after(before); w.What != WantOperator && w.What != WantJoin {
			return w
		}
		return Want{What: WantOperand}
	case len(last) == 1 && !IsWord(last[0]): // a sign that means nothing
		return p.after(before)
	case cadence.MatchString(text):
		return Want{What: WantUnit}
	case p.after(before).What == WantValue:
	default:
		if ft, ok := p.schema.Lookup(last); ok {
			return Want{What: WantOperator, Fact: ft, Done: ft.Type == fact.Bool}
		}
	}
	return Want{What: WantJoin}
}

// opening returns the offset of the parenthesis that the last character of a text closes, 0 where there is
// none.
func opening(text string) int {
	depth := 0
	for i := len(text) - 1; i > 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}
