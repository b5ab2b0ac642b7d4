package grammar

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/code"
)

// scanner cuts a source into tokens, in one pass that never goes back over more than one word.
//
// The kind of a word depends on the tokens before it. Where an operand may begin, a name directly before a
// colon is a shorthand, and its arguments follow raw. As the other side of a comparison with a word, and in
// lists there, a bare word may contain . : / * and -, so that mcp__a-b/c needs no quotes. Everywhere else
// those characters are operators.
type scanner struct {
	src string
	places
	pos      int
	tokens   []token
	problems Diagnostics
}

// scan returns the tokens of a trigger, the last of them tokEnd, and the mistakes of single tokens.
func scan(src string, at places) ([]token, Diagnostics) {
	s := &scanner{src: src, places: at, tokens: make([]token, 0, 8+len(src)/4)}
	s.run()
	s.checkTexts()
	s.signNumbers()
	return s.tokens, s.problems
}

// signNumbers makes one token of a sign and the number behind it, where no value stands before them from
// which the number could be taken away.
func (s *scanner) signNumbers() {
	out := s.tokens[:0]
	for i, t := range s.tokens {
		if n := len(out); t.kind.isNumber() && n > 0 && isUnary(out[n-1].text(s.src)) && !out[n-1].reported &&
			(n == 1 || beginsLiteral(out[n-2].kind)) {
			t.start = out[n-1].start
			t.kind = tokNumber
			if num, f := readNumber(t.text(s.src)); f == nil {
				t.kind = num.Kind.token()
			}
			out[n-1] = t
			continue
		}
		out = append(out, s.tokens[i])
	}
	s.tokens = out
}

// beginsLiteral reports whether one side of a comparison, or a value of a list, may begin behind a token of
// this kind.
func beginsLiteral(before kind) bool {
	switch before {
	case tokOp, tokOpenList, tokComma, tokOpen, tokAnd, tokOr, tokNot:
		return true
	default:
		return false
	}
}

func (s *scanner) run() {
	for {
		s.blanks()
		if s.pos >= len(s.src) {
			s.emit(tokEnd, 0)
			return
		}
		s.token()
	}
}

// token reads the token that begins here.
func (s *scanner) token() {
	switch c := s.src[s.pos]; {
	case isLetter(c):
		s.word()
	case isDigit(c), c == '.' && isDigit(s.peek(1)) && !s.previous().endsValue(),
		c == '$' && (isDigit(s.peek(1)) || s.peek(1) == '.' && isDigit(s.peek(2))):
		s.number()
	case c == '.' && isLetter(s.peek(1)) && !s.previous().endsValue():
		n := 1 + span(s.src[s.pos+1:], isName) // the field of a call, or a member of one
		if rest := s.src[s.pos+n:]; len(rest) > 1 && rest[0] == '.' && isLetter(rest[1]) {
			n += 1 + span(rest[1:], isName)
		}
		s.emit(tokPointer, n)
	case c == '@' && isLetter(s.peek(1)) && s.wantsLiteral():
		s.emit(tokWord, 1+span(s.src[s.pos+1:], isBareword)) // a class of tools
	case c == '"' || c == '\'':
		s.quoted(c)
	case c == '`':
		s.raw()
	case c == '#' && s.peek(1) == '.' && isLetter(s.peek(2)):
		s.emit(tokPointer, 2+span(s.src[s.pos+2:], isName))
	case c == '#':
		s.emit(tokPointer, 1+span(s.src[s.pos+1:], isName))
	case c >= utf8.RuneSelf || c < ' ' || c == 0x7f:
		s.foreign()
	default:
		s.sign()
	}
}

// emit makes a token of the next n bytes and moves on.
func (s *scanner) emit(k kind, n int) *token {
	s.tokens = append(s.tokens, token{kind: k, start: s.pos, end: s.pos + n})
	s.pos += n
	return &s.tokens[len(s.tokens)-1]
}

// emitReported emits a token and reports a problem with it, at the range of the token.
func (s *scanner) emitReported(k kind, n int, p Diagnostic) *token {
	t := s.emit(k, n)
	t.reported = true
	p.Range = s.between(t.start, t.end)
	s.problems = append(s.problems, p)
	return t
}

// previous is the kind of the token before.
func (s *scanner) previous() kind {
	if len(s.tokens) == 0 {
		return tokEnd
	}
	return s.tokens[len(s.tokens)-1].kind
}

// wantsLiteral reports whether the next token stands after an operator or in a list.
func (s *scanner) wantsLiteral() bool {
	switch s.previous() {
	case tokOp, tokSign, tokOpenList, tokOpenMap, tokComma:
		return true
	default:
		return false
	}
}

// bare reports whether a bare word with other characters than those of a name may stand here, before rest: as
// the other side of a comparison with a word, or as a member of a list that is a side, unless a sign computes
// with it.
func (s *scanner) bare(rest string) bool {
	if computes(rest) {
		return false
	}
	i := len(s.tokens) - 1
	for i > 0 && s.tokens[i].kind == tokComma && isLiteral(s.tokens[i-1].kind) {
		i -= 2
	}
	if i >= 0 && s.tokens[i].kind == tokOpenList {
		if i--; s.begins(i + 1) {
			return true
		}
	}
	return i > 0 && s.tokens[i].kind == tokOp && s.tokens[i-1].kind == tokWord && s.begins(i-1)
}

// computes reports whether rest, which stands behind a word, makes an expression of it.
func computes(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest != "" && strings.IndexByte("+-*/%(", rest[0]) >= 0
}

// begins reports whether an operand begins with the token at i: nothing before goes on there.
func (s *scanner) begins(i int) bool {
	if i == 0 {
		return true
	}
	switch s.tokens[i-1].kind {
	case tokOpen:
		return i == 1 || !continues(s.tokens[i-2].kind, tokOpen)
	case tokOp, tokSign, tokComma, tokOpenList, tokOpenMap, tokShorthand:
		return false
	}
	return true
}

func (s *scanner) peek(n int) byte {
	if s.pos+n < len(s.src) {
		return s.src[s.pos+n]
	}
	return 0
}

func (s *scanner) blanks() {
	for s.pos < len(s.src) && isBlank(s.src[s.pos]) {
		s.pos++
	}
}

// number reads a number, or a word that begins like one. 10-3 is a number and an operator; 4o-mini is one
// mistake, not three.
func (s *scanner) number() {
	rest := s.src[s.pos:]
	n := 0
	if rest[0] == '$' {
		n = 1
	}
	for n < len(rest) {
		c := rest[n]
		exponent := (c == '+' || c == '-') && n > 1 && (rest[n-1] == 'e' || rest[n-1] == 'E') &&
			isDecimal(rest[:n-1]) && n+1 < len(rest) && isDigit(rest[n+1])
		if !isName(c) && c != '.' && !exponent || strings.HasPrefix(rest[n:], "..") {
			break
		}
		n++
	}
	if n < len(rest) && rest[n] == '%' && (n+1 == len(rest) || !isName(rest[n+1]) && rest[n+1] != '(' &&
		rest[n+1] != '.') {
		n++
	}
	if n < len(rest) && rest[n] == '$' && rest[0] != '$' { // 5$
		n++
	}
	num, f := readNumber(rest[:n])
	if f == nil {
		s.emit(num.Kind.token(), n)
		return
	}
	if long := span(rest, isBareword); long > n && f.instead == quote(rest[:n]) && s.bare(rest[long:]) {
		n = long
	}
	s.emit(tokNumber, n)
}

// quoted reads a text in quotes. It ends with its line at the latest.
func (s *scanner) quoted(quote byte) {
	from, wrong := s.pos, len(s.problems)
	i, pattern := from+1, s.isPattern()
	for i < len(s.src) && s.src[i] != quote && s.src[i] != '\n' {
		if s.src[i] != '\\' {
			i++
			continue
		}
		n := escapeLen(s.src[i:])
		if pattern && i+1 < len(s.src) && s.src[i+1] != '\n' {
			n = 1 + runeLen(s.src, i+1)
		}
		if n == 0 {
			n = 1
			if i+1 < len(s.src) && s.src[i+1] != '\n' {
				n += runeLen(s.src, i+1)
				s.badEscape(i, n)
			}
		}
		i += n
	}
	if i < len(s.src) && s.src[i] == quote {
		s.emit(tokText, i+1-from).reported = len(s.problems) > wrong
		return
	}
	end := from + len(strings.TrimRight(s.src[from:i], " \t\r"))
	fix := s.insert(end, string(quote))
	if strings.HasSuffix(s.src[from:end], `\`) || strings.ContainsAny(s.src[from:end], ")]}") && s.inBracket() {
		fix = nil // the quote would be part of an escape, or the closing bracket of the text
	}
	s.emitReported(tokUnknown, end-from, Diagnostic{Code: code.UnclosedQuote,
		Message: "the quoted text is not closed", Hint: fmt.Sprintf("put a %c at its end", quote), Fix: fix})
}

// isPattern reports whether the next token stands behind matches: its backslashes are those of a pattern.
func (s *scanner) isPattern() bool {
	n := len(s.tokens)
	return n > 0 && s.tokens[n-1].kind == tokSign && strings.HasSuffix(s.tokens[n-1].text(s.src), "matches")
}

// inBracket reports whether a bracket is open.
func (s *scanner) inBracket() bool {
	open := 0
	for _, t := range s.tokens {
		switch t.kind {
		case tokOpen, tokOpenList, tokOpenMap:
			open++
		case tokClose, tokCloseList, tokCloseMap:
			open--
		}
	}
	return open > 0
}

func (s *scanner) badEscape(at, n int) {
	s.problems = append(s.problems, Diagnostic{Code: code.BadEscape, Range: s.between(at, at+n),
		Message: fmt.Sprintf("%s is not an escape", quoted(s.src[at:at+n])), Hint: `write \\ for a backslash`,
		Fix: s.insert(at, `\`)})
}

// raw reads a text in backquotes, in which nothing is escaped. It may span lines.
func (s *scanner) raw() {
	n := strings.IndexByte(s.src[s.pos+1:], '`')
	if n < 0 {
		n := len(strings.TrimRight(s.src[s.pos:], " \t\r\n"))
		s.emitReported(tokUnknown, n, Diagnostic{
			Code:    code.UnclosedQuote,
			Message: "the quoted text is not closed",
			Hint:    "put a ` at its end",
			Fix:     s.insert(s.pos+n, "`"),
		})
		return
	}
	s.emit(tokRaw, n+2)
}

// sign is a token that is written with signs. One with a right form is a slip of the pen.
type sign struct {
	text  string
	kind  kind
	right string
}

// signs are all of them, longest first.
var signs = []sign{
	{"===", tokOp, "=="}, {"!==", tokOp, "!="},
	{"==", tokOp, ""}, {"!=", tokOp, ""}, {"<=", tokOp, ""}, {">=", tokOp, ""},
	{"=>", tokOp, ">="}, {"=<", tokOp, "<="}, {"<>", tokOp, "!="}, {"=!", tokOp, "!="},
	{"=~", tokSign, "matches"}, {"!~", tokSign, "not matches"},
	{"&&", tokAnd, ""}, {"||", tokOr, ""},
	{"??", tokSign, ""}, {"?.", tokSign, ""}, {"..", tokSign, ""}, {"**", tokSign, ""}, {"::", tokSign, ""},
	{"//", tokSign, ""}, {"/*", tokSign, ""},
	{"<", tokOp, ""}, {">", tokOp, ""}, {"=", tokOp, "=="},
	{"!", tokNot, ""}, {"&", tokAnd, "and"}, {"|", tokOr, "or"},
	{"(", tokOpen, ""}, {")", tokClose, ""}, {"[", tokOpenList, ""}, {"]", tokCloseList, ""},
	{"{", tokOpenMap, ""}, {"}", tokCloseMap, ""}, {",", tokComma, ""},
	{"+", tokSign, ""}, {"-", tokSign, ""}, {"*", tokSign, ""}, {"/", tokSign, ""}, {"%", tokSign, ""},
	{"^", tokSign, ""}, {"?", tokSign, ""}, {":", tokSign, ""}, {".", tokSign, ""},
}

func (s *scanner) sign() {
	if s.torn() {
		return
	}
	for _, sign := range signs {
		if !strings.HasPrefix(s.src[s.pos:], sign.text) {
			continue
		}
		if sign.right == "" {
			s.emit(sign.kind, len(sign.text)).op = Op(sign.text)
			return
		}
		right, n := sign.right, len(sign.text)
		if n == 3 { // ===, !== and longer ones
			n += span(s.src[s.pos+n:], func(c byte) bool { return c == '=' })
		}
		if sign.kind != tokOp { // a & b, but also a&b
			right = s.spaced(right, n)
		}
		p := Diagnostic{Code: code.ForeignOperator,
			Message: fmt.Sprintf("%s is not an operator", quoted(s.src[s.pos:s.pos+n])), Hint: "write " + sign.right}
		p.Fix = s.edit(s.pos, s.pos+n, right)
		s.emitReported(sign.kind, n, p).op = Op(sign.right)
		return
	}
	n := 1
	if s.src[s.pos] == '$' { // $env
		n += span(s.src[s.pos+1:], isName)
	}
	p := Diagnostic{
		Code: code.StrayCharacter, Message: fmt.Sprintf("%s means nothing here", quoted(s.src[s.pos:s.pos+n])),
		Hint: "quote text that has other characters than letters, digits and _ . : / * -"}
	switch c, rest := s.src[s.pos], s.src[s.pos+1:]; {
	case c == ';' && strings.Trim(rest, " \t\r\n;") == "" && len(s.tokens) > 0:
		n = 1 + len(strings.TrimRight(rest, " \t\r\n"))
		p.Message, p.Hint, p.Fix = "nothing ends a trigger", "delete it", s.edit(s.pos, s.pos+n, "")
	case c == '$' && n == 1 && rest != "" && rest[0] == ' ' && len(rest) > 1 && isDigit(rest[1]):
		number := rest[1 : 1+span(rest[1:], func(c byte) bool { return isDigit(c) || c == '.' })]
		p.Hint, p.Fix = fmt.Sprintf("write $%s, without a blank", number), s.edit(s.pos+1, s.pos+2, "")
	case n > 1 && isLetter(rest[0]) && (n > len(rest) || strings.IndexByte("[.(", rest[n-1]) < 0):
		p.Hint, p.Fix = "write "+rest[:n-1]+": names have no sign before them", s.edit(s.pos, s.pos+1, "")
	case c == '@' && rest != "" && isLetter(rest[0]) && (s.pos == 0 || isBlank(s.src[s.pos-1])):
		p.Hint, p.Fix = "delete it: names have no sign before them", s.edit(s.pos, s.pos+1, "")
	}
	s.emitReported(tokUnknown, n, p)
}

// torn reads the second half of an operator that has a blank in it, such as "> =", and reports whether this
// is one.
func (s *scanner) torn() bool {
	if s.src[s.pos] != '=' || len(s.tokens) == 0 || s.peek(1) == '=' {
		return false
	}
	last := &s.tokens[len(s.tokens)-1]
	first := last.text(s.src)
	if last.end == s.pos || strings.TrimLeft(s.src[last.end:s.pos], " \t\r\n") != "" || !strings.Contains("<>!=",
		first) || len(first) != 1 {
		return false
	}
	right := first + "="
	if last.reported { // "=" by itself was a mistake already; now it is part of this one
		s.problems = s.problems[:len(s.problems)-1]
	}
	s.pos++
	last.kind, last.op, last.end, last.reported = tokOp, Op(right), s.pos, true
	s.problems = append(s.problems, Diagnostic{Code: code.ForeignOperator, Hint: "write " + right,
		Range: s.between(last.start, last.end), Message: quoted(right) + " has no blank inside",
		Fix: s.replace(*last, right)})
	return true
}

// spaced puts blanks around a word that takes the place of the next n bytes, where there are none.
func (s *scanner) spaced(word string, n int) string {
	if s.pos > 0 && !isBlank(s.src[s.pos-1]) {
		word = " " + word
	}
	if s.pos+n < len(s.src) && !isBlank(s.src[s.pos+n]) {
		word += " "
	}
	return word
}

func span(s string, is func(byte) bool) int {
	n := 0
	for n < len(s) && is(s[n]) {
		n++
	}
	return n
}

func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isName(c byte) bool   { return isLetter(c) || isDigit(c) }

// isBareword reports whether a bare word may contain c after its first character.
func isBareword(c byte) bool {
	return isName(c) || c == '.' || c == ':' || c == '/' || c == '*' || c == '-'
}
