package grammar

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/code"
)

// lookalikes are the characters that word processors, phones and keyboards of other scripts put in place of
// ours.
var lookalikes = map[rune]string{
	'＝': "==", '≠': "!=", '≤': "<=", '≦': "<=", '⩽': "<=", '≥': ">=", '≧': ">=", '⩾': ">=", '＜': "<",
	'＞': ">", '∈': "in",
	'∧': "and", '∨': "or", '¬': "not", '！': "not", '＆': "and", '｜': "or",
	'（': "(", '）': ")", '［': "[", '］': "]", '，': ",", '、': ",", '：': ":", '％': "%",
	'−': "-", '–': "-", '—': "-", '‐': "-", '‑': "-", '－': "-", '＋': "+", '×': "*", '∗': "*", '＊': "*",
	'÷': "/", '／': "/", '∕': "/",
}

// lookalike reads the operator or bracket that r stands for.
func (s *scanner) lookalike(r rune, n int) {
	plain := lookalikes[r]
	k, ok := keywords[plain]
	for _, sign := range signs {
		if !ok && sign.text == plain {
			k = sign.kind
		}
	}
	written := plain
	if ok {
		written = s.spaced(plain, n)
	}
	s.emitReported(k, n, Diagnostic{
		Code: code.Lookalike, Message: fmt.Sprintf("%s only looks like %s", quoted(string(r)),
			plain), Hint: "write " + plain, Fix: s.edit(s.pos, s.pos+n, written)}).op = Op(plain)
}

// quoteLike returns the quote that r stands for, 0 if it is none.
func quoteLike(r rune) byte {
	switch r {
	case '“', '”', '„', '‟', '«', '»', '″', '＂':
		return '"'
	case '‘', '’', '‚', '‛', '‹', '›', '′', '＇':
		return '\''
	default:
		return 0
	}
}

// quotedLike reads a text between typographic quotes.
func (s *scanner) quotedLike(r rune) {
	rest := s.src[s.pos:]
	n := runeLen(rest, 0)
	line, _, _ := strings.Cut(rest[n:], "\n")
	closing := strings.IndexFunc(line, func(o rune) bool { return quoteLike(o) == quoteLike(r) })
	if closing < 0 {
		plain := string(quoteLike(r))
		s.emitReported(tokUnknown, n, Diagnostic{
			Code: code.Lookalike, Message: fmt.Sprintf("%s is not a plain quote",
				quoted(string(r))), Hint: "write " + plain, Fix: s.edit(s.pos, s.pos+n, plain)})
		return
	}
	body := line[:closing]
	n += closing + runeLen(line, closing)
	s.emitReported(tokText, n, Diagnostic{
		Code: code.Lookalike, Message: fmt.Sprintf("the quotes around %s are not plain quotes",
			quoted(body)), Hint: "write " + quote(body),
		Fix: s.edit(s.pos, s.pos+n, quote(body))})
}

// unquoteLike returns the text between typographic quotes, if s has them.
func unquoteLike(s string) (string, bool) {
	first, n := utf8.DecodeRuneInString(s)
	if quoteLike(first) == 0 {
		return "", false
	}
	_, m := utf8.DecodeLastRuneInString(s)
	return s[n : len(s)-m], true
}

func isBlankLike(r rune) bool { return r >= utf8.RuneSelf && unicode.IsSpace(r) }

func isInvisible(r rune) bool {
	return r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r) || r == '\u3164' || r == '\u115f' || r == '\u1160'
}

// isLookalike reports whether r has no place in an argument without quotes.
func isLookalike(r rune) bool {
	return r >= utf8.RuneSelf && (isBlankLike(r) || isInvisible(r) || quoteLike(r) != 0 || lookalikes[r] != "")
}

// twins are letters of other scripts that are drawn like ours.
var twins = map[rune]byte{
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'у': 'y', 'х': 'x', 'і': 'i', 'ј': 'j', 'ѕ': 's',
	'ԁ': 'd', 'ɡ': 'g', 'һ': 'h', 'ո': 'n',
	'А': 'A', 'В': 'B', 'Е': 'E', 'К': 'K', 'М': 'M', 'Н': 'H', 'О': 'O', 'Р': 'P', 'С': 'C', 'Т': 'T',
	'Х': 'X',
	'ο': 'o', 'α': 'a', 'ν': 'v', 'ρ': 'p', 'ι': 'i', 'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H',
	'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N',
	'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X', 'ı': 'i', 'ſ': 's',
}

// plainLetters returns word in plain letters, if each of its letters has a twin there. A word wholly in
// another script is more likely meant.
func plainLetters(word string) (string, bool) {
	var b strings.Builder
	ours := false
	for _, r := range word {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
			ours = ours || isName(byte(r))
		case r >= '！' && r <= '～': // the wide forms of ASCII
			b.WriteRune(r - '！' + '!')
			ours = true
		case twins[r] != 0:
			b.WriteByte(twins[r])
		default:
			return "", false
		}
	}
	return b.String(), ours
}

// foreign reads text outside quotes that is not plain ASCII: bytes that are not text, characters that only
// look like ours, and words in other scripts. All of it is a problem; its meaning is usually clear.
func (s *scanner) foreign() {
	rest := s.src[s.pos:]
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case isLetter(rest[0]) || isLetterRune(rest):
		s.foreignWord()
	case isBinary(rest):
		s.binary()
	case isBlankLike(r):
		n := spanRunes(rest, isBlankLike)
		s.skip(n, " ", Diagnostic{Code: code.Lookalike, Hint: "write a plain blank",
			Message: fmt.Sprintf("%U is not the blank of the keyboard", r)})
	case isInvisible(r):
		n := spanRunes(rest, isInvisible)
		s.skip(n, "", Diagnostic{Code: code.Lookalike,
			Message: fmt.Sprintf("there is an invisible character here, %U", r), Hint: "delete it"})
	case quoteLike(r) != 0:
		s.quotedLike(r)
	case lookalikes[r] != "":
		s.lookalike(r, n)
	default:
		n := spanRunes(rest, func(o rune) bool { return o == r })
		s.emitReported(tokUnknown, n, Diagnostic{Code: code.StrayCharacter,
			Message: fmt.Sprintf("%s means nothing here", quoted(rest[:n])),
			Hint:    "quote it if it is part of a text"})
	}
}

// skip passes over n bytes that are no token, and in whose place the other text belongs.
func (s *scanner) skip(n int, instead string, p Diagnostic) {
	p.Range = s.between(s.pos, s.pos+n)
	p.Fix = s.edit(s.pos, s.pos+n, instead)
	s.problems = append(s.problems, p)
	s.pos += n
}

// isBinary reports whether s begins with a byte that is not text: not UTF-8, NUL, or a control character.
func isBinary(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return r == utf8.RuneError && n == 1 || unicode.IsControl(r) && !isBlank(s[0])
}

func (s *scanner) binary() {
	n := 0
	for s.pos+n < len(s.src) && isBinary(s.src[s.pos+n:]) {
		n += runeLen(s.src, s.pos+n)
	}
	s.skip(n, "", Diagnostic{Code: code.TriggerBytes,
		Message: fmt.Sprintf("%s is not text", quoted(s.src[s.pos:s.pos+n])),
		Hint:    "delete it, and save the file as UTF-8"})
}

// checkTexts reports bytes that are not text inside quotes, where scanning passed over them.
func (s *scanner) checkTexts() {
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.kind != tokText && t.kind != tokArg && t.kind != tokRaw && t.kind != tokUnknown {
			continue
		}
		for s.pos = t.start; s.pos < t.end; {
			if isBinary(s.src[s.pos:]) {
				s.binary()
				t.reported = true
			} else {
				s.pos += runeLen(s.src, s.pos)
			}
		}
	}
}

// foreignWord reads a word with letters that are not A to Z.
func (s *scanner) foreignWord() {
	rest := s.src[s.pos:]
	n := 0
	for n < len(rest) && (isBareword(rest[n]) || isLetterRune(rest[n:])) {
		n += runeLen(rest, n)
	}
	word := rest[:n]
	p := Diagnostic{Code: code.StrayCharacter,
		Message: fmt.Sprintf("names are written with A to Z, digits and _: %s is not", quoted(word)),
		Hint:    "quote it if it is a text"}
	switch plain, ok := plainLetters(word); {
	case ok:
		p.Code = code.Lookalike
		p.Message = fmt.Sprintf("%s has letters that only look like %s", quoted(word), plain)
		p.Hint = "write " + plain
		p.Fix = s.edit(s.pos, s.pos+n, plain)
	case s.wantsLiteral():
		p.Message = fmt.Sprintf("text with other letters than A to Z is quoted: %s is not", quoted(word))
		p.Hint = "write " + quote(word)
		p.Fix = s.edit(s.pos, s.pos+n, quote(word))
	}
	s.emitReported(tokUnknown, n, p)
}

// isLetterRune reports whether s begins with a letter, digit or accent beyond ASCII.
func isLetterRune(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) ||
		unicode.IsMark(r)) && lookalikes[r] == ""
}

func spanRunes(s string, is func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !is(r) }); n >= 0 {
		return n
	}
	return len(s)
}
