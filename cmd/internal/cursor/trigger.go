package cursor

import (
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
	In   bool      // for a value: it is an element of a list
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
// file. Inside YAML's quotes that may have \" for ".
func WantAt(before string, schema *fact.Schema) Want {
	p := triggerPlace{schema: schema, src: before}
	return p.run()
}

// triggerPlace reads a trigger from its beginning up to a place.
type triggerPlace struct {
	schema *fact.Schema
	src    string
	at     int

	state Want
	calls []string // the open parentheses: the names of their functions, "" for plain ones
	list  bool     // within [ ]
}

func (p *triggerPlace) run() Want {
	p.state = Want{What: WantOperand}
	for {
		for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
			p.at++
		}
		from := p.at
		switch word, closed := p.word(); {
		case word == "":
			p.state.From = from
			return p.state
		case word[0] == '"' || word[0] == '\'' || word[0] == '\\':
			if !closed {
				return p.inString(from, word)
			}
			p.literal()
		case IsWord(word[0]) || word[0] == '.':
			if p.at == len(p.src) {
				return p.typing(from, word)
			}
			p.name(word)
		default:
			p.sign(word)
		}
	}
}

// word reads the next token. closed is false for a string without its closing quote.
func (p *triggerPlace) word() (word string, closed bool) {
	from := p.at
	if from >= len(p.src) {
		return "", true
	}
	if quote := p.src[from:]; strings.HasPrefix(quote, `\"`) || quote[0] == '"' || quote[0] == '\'' {
		mark := quote[:1]
		if quote[0] == '\\' {
			mark = `\"`
		}
		end := strings.Index(p.src[from+len(mark):], mark)
		if end < 0 {
			p.at = len(p.src)
			return p.src[from:], false
		}
		p.at = from + len(mark) + end + len(mark)
		return p.src[from:p.at], true
	}
	for p.at < len(p.src) && isPart(p.src, from, p.at) {
		p.at++
		if p.at < len(p.src) && p.src[p.at] == '(' && inShorthand(p.src[from:p.at]) {
			p.at = closing(p.src, p.at)
		}
	}
	if p.at > from {
		return p.src[from:p.at], true
	}
	p.at++
	for p.at < len(p.src) && strings.IndexByte("=&|", p.src[p.at]) >= 0 && strings.IndexByte("=!<>&|",
		p.src[p.at-1]) >= 0 {
		p.at++
	}
	return p.src[from:p.at], true
}

// isPart reports whether the character at at belongs to the word that begins at from: a name, a bare word, or
// a shorthand with its arguments.
func isPart(src string, from, at int) bool {
	c := src[at]
	if IsWord(c) || c >= 0x80 {
		return true
	}
	shorthand := inShorthand(src[from:at])
	switch c {
	case '.', '*', '%', '-', '/':
		return at > from || c == '.'
	case ':':
		return at > from
	case ',', '>', '|', '@':
		return shorthand
	case ' ':
		return shorthand && (src[at-1] == ',' || src[at-1] == ':')
	}
	return false
}

// inShorthand reports whether a word is a shorthand with its colon, and perhaps arguments.
func inShorthand(word string) bool {
	name, _, colon := strings.Cut(word, ":")
	return colon && vocabulary.Find(vocabulary.Shorthands(), name) != nil
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

// pattern returns the kind of word that is expected at the end of an unfinished call pattern, which begins at
// from.
func pattern(from int, text string) Want {
	if open := strings.IndexByte(text, '('); open >= 0 && closing(text, open) == len(text) {
		if strings.HasSuffix(text, ")") && strings.Count(text, "(") <= strings.Count(text, ")") {
			return Want{}
		}
		return Want{What: WantSubject, From: from + open + 1, Tool: text[:open]}
	}
	return Want{What: WantTool, From: from}
}

// lastPattern returns the offset of the last of several call patterns, which commas separate.
func lastPattern(text string) int {
	last := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			i = closing(text, i) - 1
		case ',', ' ', '"', '\'':
			last = i + 1
		}
	}
	return last
}

// typing returns the kind of word that is expected at the end of an unfinished word, which begins at from.
func (p *triggerPlace) typing(from int, word string) Want {
	if inShorthand(word) {
		name, args, _ := strings.Cut(word, ":")
		behind := from + len(name) + 1
		at := behind + strings.LastIndexAny(args, ",>: ") + 1
		switch takes := vocabulary.Find(vocabulary.Shorthands(), name).Takes; {
		case takes == vocabulary.CallPattern:
			last := lastPattern(args)
			return pattern(behind+last, args[last:])
		case takes == vocabulary.Chain:
			if !strings.Contains(args, "|") {
				return Want{What: WantLink, From: at}
			}
		case name == "thread":
			return Want{What: WantThread, From: at}
		}
		return Want{}
	}
	if word[0] >= '0' && word[0] <= '9' {
		return Want{}
	}
	w := p.state
	w.From = from
	return w
}

// inString returns the kind of word that is expected in an unfinished string, which begins at from.
func (p *triggerPlace) inString(from int, word string) Want {
	at := from + 1
	if word[0] == '\\' {
		at++
	}
	if len(p.calls) > 0 {
		switch fn := vocabulary.Find(vocabulary.Functions(), p.calls[len(p.calls)-1]); {
		case fn == nil:
		case fn.Takes == vocabulary.CallPattern:
			return pattern(at, p.src[at:])
		case fn.Takes == vocabulary.Chain:
			text := p.src[at:]
			link := strings.LastIndexByte(text, '>') + 1
			return Want{What: WantLink, From: at + link + len(text[link:]) - len(strings.TrimLeft(text[link:], " "))}
		default:
			return Want{What: WantID, From: at}
		}
	}
	if p.state.What == WantValue && p.state.Fact.Name == "tool_used" {
		return pattern(at, p.src[at:])
	}
	if p.state.What == WantValue {
		w := p.state
		w.From = at
		return w
	}
	return Want{}
}

// literal reads a string.
func (p *triggerPlace) literal() {
	switch {
	case p.list:
	case p.state.What == WantValue:
		p.state = Want{What: WantJoin}
	case p.state.What == WantOperand:
		p.state = Want{What: WantOperator}
	}
}

// name reads a finished word or number.
func (p *triggerPlace) name(word string) {
	switch word {
	case "not":
		if p.state.What == WantOperator {
			return // not in
		}
		p.state = Want{What: WantOperand}
		return
	case "and", "or":
		p.state = Want{What: WantOperand}
		return
	case "every":
		p.state = Want{What: WantUnit}
		return
	case "in", "matches", "contains", "startsWith", "endsWith":
		p.state = Want{What: WantValue, Fact: p.state.Fact}
		return
	}
	switch {
	case p.list:
	case p.state.What == WantUnit && (word == "turns" || word == "turn" ||
		strings.Trim(word, "0123456789") != "" && word != "user"):
		p.state = Want{What: WantJoin}
	case p.state.What == WantUnit:
	case p.state.What == WantValue:
		p.state = Want{What: WantJoin}
	case p.src[p.at] == '(':
		p.calls = append(p.calls, word)
		p.at++
		p.state = Want{What: WantNothing}
		if slices.Contains([]string{"any", "all", "none", "one", "count", "len"}, word) {
			p.state = Want{What: WantSet}
		} else if word == "lower" || word == "upper" {
			p.state = Want{What: WantOperand}
		}
	case word == "stopping":
		p.state = Want{What: WantJoin}
	default:
		if ft, ok := p.schema.Lookup(word); ok {
			p.state = Want{What: WantOperator, Fact: ft, Done: ft.Type == fact.Bool}
			return
		}
		p.state = Want{What: WantJoin}
	}
}

// sign reads a token that is neither a word nor a string.
func (p *triggerPlace) sign(s string) {
	switch s {
	case "(":
		p.calls = append(p.calls, "")
		p.state = Want{What: WantOperand}
	case ")":
		name := ""
		if n := len(p.calls); n > 0 {
			name, p.calls = p.calls[n-1], p.calls[:n-1]
		}
		p.state = Want{What: WantJoin}
		fn := vocabulary.Find(vocabulary.Functions(), name)
		if fn != nil && !fn.Asks || slices.Contains([]string{"len", "count", "lower", "upper"}, name) {
			p.state = Want{What: WantOperator, Fact: fact.Fact{Type: fact.Int}}
		}
	case "[":
		p.list = true
		p.state.In = true
	case "]":
		p.list = false
		p.state = Want{What: WantJoin}
	case ",":
		if !p.list {
			p.state = Want{What: WantNothing}
		}
	case "==", "!=", "<", "<=", ">", ">=", "=":
		p.state = Want{What: WantValue, Fact: p.state.Fact}
	case "&&", "||", "!", "&", "|":
		p.state = Want{What: WantOperand}
	}
}
