package grammar

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/code"
)

// word reads a keyword, a name, a bare word or a shorthand: see scanner for which.
func (s *scanner) word() {
	rest := s.src[s.pos:]
	if !s.wantsLiteral() && (s.shorthand(rest) || s.every(rest)) {
		return
	}
	long := span(rest, isBareword)
	if long < len(rest) && rest[long] >= utf8.RuneSelf && isLetterRune(rest[long:]) {
		s.foreign()
		return
	}
	name := nameLen(rest)
	switch {
	case long > name && s.wantsLiteral() && s.bare(rest[long:]):
		s.keywordOr(tokWord, long)
	case long > name && s.begins(len(s.tokens)) && comparedWithName(rest[long:]):
		s.emit(tokWord, long) // mcp__a-b == tool_used
	default:
		s.keywordOr(tokWord, name)
	}
}

// every reads the word every, and reports another case of it before a number.
func (s *scanner) every(rest string) bool {
	n := span(rest, isName)
	switch after := strings.TrimLeft(rest[n:], " \t\r\n"); {
	case rest[:n] == "every":
		s.emit(tokEvery, n)
	case strings.EqualFold(rest[:n], "every") && after != "" && isDigit(after[0]):
		s.emitReported(tokEvery, n, Diagnostic{Code: code.KeywordCase, Hint: "write every",
			Message: quoted(rest[:n]) + " is written in lower case",
			Fix:     s.edit(s.pos, s.pos+n, "every")})
	default:
		return false
	}
	return true
}

// nameLen returns how much of s is a name: words with points between them, and no keyword in front.
func nameLen(s string) int {
	n := span(s, isName)
	if _, keyword := keywords[s[:n]]; keyword {
		return n // not.failed
	}
	for n+1 < len(s) && s[n] == '.' && isLetter(s[n+1]) {
		n += 1 + span(s[n+1:], isName)
	}
	return n
}

// comparedWithName reports whether ==, != or in follows, and then a name that is no keyword and that nothing
// computes with.
func comparedWithName(s string) bool {
	trimmed := strings.TrimLeft(s, " \t\r\n")
	after, ok := strings.CutPrefix(trimmed, "==")
	if !ok {
		after, ok = strings.CutPrefix(trimmed, "!=")
	}
	if !ok {
		after, ok = strings.CutPrefix(trimmed, "in")
		ok = ok && trimmed != s && after != "" && isBlank(after[0])
	}
	if !ok {
		return false
	}
	after = strings.TrimLeft(after, " \t\r\n")
	if after == "" || !isLetter(after[0]) {
		return false
	}
	n := nameLen(after)
	_, keyword := keywords[after[:n]]
	return !keyword && !computes(after[n:])
}

// keywords are the words that are never names, whatever stands around them.
var keywords = map[string]kind{"and": tokAnd, "or": tokOr, "not": tokNot, "in": tokOp, "true": tokBool,
	"false": tokBool}

// wordSigns are the operators of expressions that are words; behind a value they are nothing else.
var wordSigns = []string{"contains", "startsWith", "endsWith", "matches"}

// keywordOr makes a token of the next n bytes: a keyword, else a token of the given kind.
func (s *scanner) keywordOr(k kind, n int) {
	text := s.src[s.pos : s.pos+n]
	if keyword, ok := keywords[text]; ok {
		s.emit(keyword, n).op = Op(text)
		if keyword == tokOp {
			s.joinNot()
		}
		return
	}
	afterValue := s.previous().endsValue() || s.previous() == tokNot
	for _, sign := range wordSigns {
		if text == sign && afterValue {
			s.emit(tokSign, n)
			s.joinNot()
			return
		}
	}
	if s.wantsLiteral() {
		s.emit(k, n)
		return
	}
	lower := strings.ToLower(text)
	keyword, ok := keywords[lower]
	if !ok || keyword == tokBool || keyword == tokOp && !afterValue {
		s.emit(k, n)
		return
	}
	p := Diagnostic{Code: code.KeywordCase, Message: fmt.Sprintf("%s is written in lower case", quoted(text)),
		Hint: "write " + lower}
	p.Fix = s.edit(s.pos, s.pos+n, lower)
	s.emitReported(keyword, n, p).op = Op(lower)
	if keyword == tokOp {
		s.joinNot()
	}
}

// joinNot makes one operator of the word that was just read and a "not" before it, behind a value.
func (s *scanner) joinNot() {
	n := len(s.tokens)
	if n < 3 || s.tokens[n-2].kind != tokNot || !s.tokens[n-3].kind.endsValue() ||
		!strings.EqualFold(s.tokens[n-2].text(s.src), "not") {
		return
	}
	s.tokens[n-1].start, s.tokens[n-1].op = s.tokens[n-2].start, NotIn
	s.tokens[n-1].reported = s.tokens[n-1].reported || s.tokens[n-2].reported
	s.tokens[n-2] = s.tokens[n-1]
	s.tokens = s.tokens[:n-1]
}

// shorthand reads a name with a colon directly behind it, and its arguments. It reports whether there is one.
func (s *scanner) shorthand(rest string) bool {
	n := span(rest, func(c byte) bool { return isName(c) || c == '-' })
	if n == len(rest) || rest[n] != ':' {
		return false
	}
	name := rest[:n]
	keyword, reserved := keywords[strings.ToLower(name)]
	if reserved && keyword != tokBool {
		p := Diagnostic{Code: code.ShorthandForm,
			Message: fmt.Sprintf("%s is an operator, not a shorthand", quoted(strings.ToLower(name))),
			Hint:    "write a blank in place of the colon"}
		p.Range = s.between(s.pos, s.pos+n+1)
		p.Fix = s.edit(s.pos, s.pos+n+1, strings.ToLower(name)+" ")
		s.problems = append(s.problems, p)
		t := s.emit(keyword, n)
		t.reported, t.op = true, Op(strings.ToLower(name))
		s.pos++
		return true
	}
	if long := span(rest, isBareword); long > n+1 && comparedWithName(rest[long:]) {
		s.emit(tokWord, long) // mcp:a == tool_used
		return true
	}
	switch name {
	case "every":
		p := Diagnostic{Code: code.ShorthandForm, Message: `"every" has no colon`,
			Hint: "write a blank in place of the colon"}
		p.Range = s.between(s.pos, s.pos+n+1)
		p.Fix = s.edit(s.pos, s.pos+n+1, "every ")
		s.problems = append(s.problems, p)
		s.emit(tokEvery, n)
		s.pos++
		return true
	case "always", "never", "manual", "true", "false":
		p := Diagnostic{Code: code.ShorthandForm, Message: fmt.Sprintf("%s is a whole condition", quoted(name)),
			Hint: "leave out the colon and what follows it"}
		s.emitReported(tokShorthand, n+1, p)
	default:
		s.emit(tokShorthand, n+1)
	}
	s.args()
	return true
}

// args reads the arguments of a shorthand, as far as there are any, and the commas between them.
func (s *scanner) args() {
	for {
		direct := s.pos
		s.blanks()
		s.arg(s.pos > direct)
		s.blanks()
		if s.peek(0) != ',' {
			return
		}
		s.emit(tokComma, 1)
	}
}

// arg reads one argument, if there is one: a quoted text, or everything up to a blank, a comma, a closing
// parenthesis, && or ||. A call pattern, such as Bash(git push*), goes to the parenthesis that closes it,
// whatever stands within. Behind a blank, and and or are not arguments: somebody forgot one.
func (s *scanner) arg(blankBefore bool) {
	rest := s.src[s.pos:]
	if rest == "" {
		return
	}
	if rest[0] == '"' || rest[0] == '\'' {
		s.quoted(rest[0])
		if t := &s.tokens[len(s.tokens)-1]; t.kind == tokText {
			t.kind = tokArg
			if n := repeatLen(s.src[s.pos:]); n > 0 &&
				s.tokens[len(s.tokens)-2].text(s.src) == "repeated_tool_chain:" { // "Read > my tool"|3
				t.end, s.pos = t.end+n, s.pos+n
			}
		}
		return
	}
	n := rawArg(rest)
	if n == 0 || blankBefore && (rest[:n] == "and" || rest[:n] == "or") {
		return
	}
	for i, r := range rest[:n] {
		if isLookalike(r) || isBinary(rest[i:]) {
			if i > 0 {
				s.emit(tokArg, i)
			}
			s.foreign()
			return
		}
	}
	s.emit(tokArg, n)
}

// repeatLen returns how much of s is | and a whole number, right behind a quoted text; 0 if something else
// follows.
func repeatLen(s string) int {
	if s == "" || s[0] != '|' {
		return 0
	}
	n := 1 + digitsOf(s[1:])
	if n == 1 || rawArg(s) != n {
		return 0
	}
	return n
}

// rawArg returns how much of s is one argument without quotes.
func rawArg(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '(':
			n := i + parenthesised(s[i:])
			if i == 0 || n == i || rawArg(s[n:]) > 0 {
				return i
			}
			return n
		case isBlank(c), c == ',', c == ')':
			return i
		case (c == '&' || c == '|') && i+1 < len(s) && s[i+1] == c:
			return i
		}
	}
	return len(s)
}

// parenthesised returns how much of s, which begins with a parenthesis, goes to the one that closes it; 0 if
// none does on this line. Within a quoted word, as a shell reads it, parentheses mean nothing; the
// apostrophe of don't quotes none.
func parenthesised(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\n':
			return 0
		case '"', '\'', '`':
			if !isName(s[i-1]) {
				i += max(quotedWord(s[i:])-1, 0)
			}
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// quotedWord returns how much of s, which begins with a quote, goes to the one that ends it on this line; 0
// if none does.
func quotedWord(s string) int {
	for i := 1; i < len(s) && s[i] != '\n'; i++ {
		switch {
		case s[i] == s[0]:
			return i + 1
		case s[i] == '\\' && s[0] != '\'':
			i++
		}
	}
	return 0
}

// opensQuote reports whether a quote in the parentheses of an argument has no end there, so that it might
// find one in the text behind the argument.
func opensQuote(s string) bool {
	for i := max(strings.IndexByte(s, '('), 0) + 1; i < len(s); i++ {
		if c := s[i]; (c == '"' || c == '\'' || c == '`') && !isName(s[i-1]) {
			n := quotedWord(s[i:])
			if n == 0 {
				return true
			}
			i += n - 1
		}
	}
	return false
}
