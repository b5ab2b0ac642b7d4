package grammar

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aside-go/aside/internal/code"
)

// lookalikes are the characters that word processors, phones and keyboards of other scripts put in place of ours.
var lookalikes = map[rune]string{
	'＝': "==", '≠': "!=", '≤': "<=", '≦': "<=", '⩽': "<=", '≥': ">=", '≧': ">=", '⩾': ">=", '＜': "<", '＞': ">", '∈': "in",
	'∧': "and", '∨': "or", '¬': "not", '！': "not", '＆': "and", '｜': "or",
	'（': "(", '）': ")", '［': "[", '］': "]", '，': ",", '、': ",", '：': ":", '％': "%",
	'−': "-", '–': "-", '—': "-", '‐': "-", '‑': "-", '－': "-", '＋': "+", '×': "*", '∗': "*", '＊': "*", '÷': "/", '／': "/", '∕': "/",
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
	s.emitReported(k, n, problem{
		code: code.Lookalike, message: fmt.Sprintf("%s only looks like %s", quoted(string(r)), plain), hint: "write " + plain,
		fix: &patch{start: s.pos, end: s.pos + n, text: written},
	})
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
		s.emitReported(tokUnknown, n, problem{
			code: code.Lookalike, message: fmt.Sprintf("%s is not a plain quote", quoted(string(r))), hint: "write " + plain,
			fix: &patch{start: s.pos, end: s.pos + n, text: plain},
		})
		return
	}
	body := line[:closing]
	n += closing + runeLen(line, closing)
	s.emitReported(tokText, n, problem{
		code: code.Lookalike, message: fmt.Sprintf("the quotes around %s are not plain quotes", quoted(body)), hint: "write " + quote(body),
		fix: &patch{start: s.pos, end: s.pos + n, text: quote(body)},
	})
}

// unquoteLike returns what stands between typographic quotes, if s has them.
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
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'у': 'y', 'х': 'x', 'і': 'i', 'ј': 'j', 'ѕ': 's', 'ԁ': 'd', 'ɡ': 'g', 'һ': 'h', 'ո': 'n',
	'А': 'A', 'В': 'B', 'Е': 'E', 'К': 'K', 'М': 'M', 'Н': 'H', 'О': 'O', 'Р': 'P', 'С': 'C', 'Т': 'T', 'Х': 'X',
	'ο': 'o', 'α': 'a', 'ν': 'v', 'ρ': 'p', 'ι': 'i', 'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N',
	'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X', 'ı': 'i', 'ſ': 's',
}

// plainLetters returns word in plain letters, if each of its letters has a twin there. A word wholly in another script
// is more likely meant.
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
