package lsp

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// want is what the trigger language expects at a place of a trigger.
type want struct {
	what wanted
	from int       // the offset in the trigger where the word at the place begins
	fact fact.Fact // for an operator or a value: the fact on the left
	in   bool      // for a value: it is an element of a list
	done bool      // for an operator: the fact alone is a condition already
}

type wanted uint8

const (
	wantNothing  wanted = iota
	wantOperand         // the beginning of a condition
	wantOperator        // after a fact: the operator
	wantValue           // what a fact is compared with
	wantJoin            // after a condition: and, or
	wantUnit            // after every N: what is counted
	wantTool
	wantThread
	wantID
	wantSet // the first argument of any( and the like
)

// wantAt returns what is expected after before, the beginning of a trigger as written in the file. Inside
// YAML's quotes that may have \" for ".
func wantAt(before string, schema *fact.Schema) want {
	p := triggerPlace{schema: schema, src: before}
	return p.run()
}

// triggerPlace reads a trigger from its beginning up to a place.
type triggerPlace struct {
	schema *fact.Schema
	src    string
	at     int

	state want
	calls []string // the open parentheses: the names of their functions, "" for plain ones
	list  bool     // within [ ]
}

func (p *triggerPlace) run() want {
	p.state = want{what: wantOperand}
	for {
		for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
			p.at++
		}
		from := p.at
		switch word, closed := p.word(); {
		case word == "":
			p.state.from = from
			return p.state
		case word[0] == '"' || word[0] == '\'' || word[0] == '\\':
			if !closed {
				return p.inString(from, word)
			}
			p.literal()
		case isWord(word[0]) || word[0] == '.':
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
	if isWord(c) || c >= 0x80 {
		return true
	}
	shorthand := strings.IndexByte(src[from:at], ':') >= 0 && find(words().Shorthands,
		src[from:from+strings.IndexByte(src[from:at], ':')]) != nil
	switch c {
	case '.', '*', '%', '-', '/':
		return at > from || c == '.'
	case ':':
		return at > from
	case ',', '>', '|':
		return shorthand
	case ' ':
		return shorthand && (src[at-1] == ',' || src[at-1] == ':')
	}
	return false
}

// typing returns what is expected at the end of an unfinished word, which begins at from.
func (p *triggerPlace) typing(from int, word string) want {
	if name, args, ok := strings.Cut(word, ":"); ok && find(words().Shorthands, name) != nil {
		last := strings.LastIndexAny(args, ",>: ") + 1
		at := from + len(name) + 1 + last
		switch name {
		case "after_tool", "tool_failed", "repeated_tool_chain":
			if !strings.Contains(args, "|") {
				return want{what: wantTool, from: at}
			}
		case "thread":
			return want{what: wantThread, from: at}
		}
		return want{}
	}
	if word[0] >= '0' && word[0] <= '9' {
		return want{}
	}
	w := p.state
	w.from = from
	return w
}

// inString returns what is expected in an unfinished string, which begins at from.
func (p *triggerPlace) inString(from int, word string) want {
	at := from + 1
	if word[0] == '\\' {
		at++
	}
	if len(p.calls) > 0 {
		switch p.calls[len(p.calls)-1] {
		case "used", "tool_count", "turns_since_tool":
			return want{what: wantTool, from: at}
		case "tool_chain_repeats":
			text := p.src[at:]
			link := strings.LastIndexByte(text, '>') + 1
			return want{what: wantTool, from: at + link + len(text[link:]) - len(strings.TrimLeft(text[link:], " "))}
		case "turns_since", "output_tokens_since":
			return want{what: wantID, from: at}
		}
	}
	if p.state.what == wantValue {
		w := p.state
		w.from = at
		return w
	}
	return want{}
}

// literal reads a string.
func (p *triggerPlace) literal() {
	switch {
	case p.list:
	case p.state.what == wantValue:
		p.state = want{what: wantJoin}
	case p.state.what == wantOperand:
		p.state = want{what: wantOperator}
	}
}

// name reads a finished word or number.
func (p *triggerPlace) name(word string) {
	switch word {
	case "and", "or", "not":
		p.state = want{what: wantOperand}
		return
	case "every":
		p.state = want{what: wantUnit}
		return
	case "in", "matches", "contains", "startsWith", "endsWith":
		p.state = want{what: wantValue, fact: p.state.fact}
		return
	}
	switch {
	case p.list:
	case p.state.what == wantUnit && (word == "turns" || word == "turn" ||
		strings.Trim(word, "0123456789") != "" && word != "user"):
		p.state = want{what: wantJoin}
	case p.state.what == wantUnit:
	case p.state.what == wantValue:
		p.state = want{what: wantJoin}
	case p.src[p.at] == '(':
		p.calls = append(p.calls, word)
		p.at++
		p.state = want{what: wantNothing}
		if slices.Contains([]string{"any", "all", "none", "one", "count", "len"}, word) {
			p.state = want{what: wantSet}
		} else if word == "lower" || word == "upper" {
			p.state = want{what: wantOperand}
		}
	default:
		if ft, ok := p.schema.Lookup(word); ok {
			p.state = want{what: wantOperator, fact: ft, done: ft.Type == fact.Bool}
			return
		}
		p.state = want{what: wantJoin}
	}
}

// sign reads a token that is neither a word nor a string.
func (p *triggerPlace) sign(s string) {
	switch s {
	case "(":
		p.calls = append(p.calls, "")
		p.state = want{what: wantOperand}
	case ")":
		name := ""
		if n := len(p.calls); n > 0 {
			name, p.calls = p.calls[n-1], p.calls[:n-1]
		}
		p.state = want{what: wantJoin}
		if f := find(words().Functions, name); f != nil && name != "used" || name == "len" || name == "count" ||
			name == "lower" || name == "upper" {
			p.state = want{what: wantOperator, fact: fact.Fact{Type: fact.Int}}
		}
	case "[":
		p.list = true
		p.state.in = true
	case "]":
		p.list = false
		p.state = want{what: wantJoin}
	case ",":
		if !p.list {
			p.state = want{what: wantNothing}
		}
	case "==", "!=", "<", "<=", ">", ">=", "=":
		p.state = want{what: wantValue, fact: p.state.fact}
	case "&&", "||", "!", "&", "|":
		p.state = want{what: wantOperand}
	}
}
