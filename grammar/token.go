package grammar

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	tokEnd kind = iota

	tokOr    // or, ||
	tokAnd   // and, &&
	tokNot   // not, !
	tokOpen  // (
	tokClose // )

	tokShorthand // NAME:
	tokArg       // an argument of a shorthand
	tokEvery

	tokOp // == != < <= > >= in, not in
	tokWord
	tokWhole
	tokDecimal
	tokPercent
	tokDuration
	tokDollars
	tokText
	tokBool
	tokOpenList
	tokCloseList
	tokComma
	tokSign     // + - * / and other signs between or before values, and operators that are words
	tokPointer  // #, .field
	tokRaw      // `text`
	tokNumber   // a number in a form that is not taken everywhere: 1e3, .5, 0x10
	tokOpenMap  // {
	tokCloseMap // }

	tokBad     // stands where no operand could be read
	tokUnknown // something that was reported and means nothing

	// Kinds of tokSign for the grammar.
	tokAdd
	tokMultiply
)

// token is a stretch of the source, which is neither copied nor decoded. A token that Parse inserts is empty.
type token struct {
	kind       kind
	reported   bool // a problem was reported for it; its meaning is clear all the same
	start, end int  // offsets in the source
}

func (t token) text(src string) string { return src[t.start:t.end] }

// endsValue reports whether a value can end with a token of this kind: an operator or the end follows it.
func (k kind) endsValue() bool {
	switch k {
	case tokClose, tokCloseList, tokCloseMap:
		return true
	default:
		return k.isValue()
	}
}

// isValue reports whether a token of this kind is a value by itself.
func (k kind) isValue() bool {
	switch k {
	case tokArg, tokEvery, tokBad, tokPointer, tokRaw, tokUnknown:
		return true
	default:
		return isLiteral(k)
	}
}

// isLiteral reports whether a token of this kind can be one side of a comparison, or a member of a list.
func isLiteral(k kind) bool { return k.isNumber() || k == tokWord || k == tokText || k == tokBool }

// isNumber reports whether a token of this kind begins with a digit, perhaps behind a point or a dollar sign.
func (k kind) isNumber() bool {
	return k == tokWhole || k == tokDecimal || k == tokPercent || k == tokDuration || k == tokDollars ||
		k == tokNumber
}

// operatorOf returns the operator that text stands for, rightly written or not: the lexer reports it where it
// is not.
func operatorOf(text string) Op {
	text = strings.ToLower(strings.Join(strings.Fields(text), ""))
	for _, r := range text[:min(1, len(text))] {
		text = cmp.Or(lookalikes[r], text)
	}
	if i := slices.IndexFunc(signs, func(s sign) bool { return strings.HasPrefix(text, s.text) }); i >= 0 {
		text = cmp.Or(signs[i].right, signs[i].text) // ====
	}
	if text == "notin" {
		return NotIn
	}
	if _, is := ops[Op(text)]; is {
		return Op(text)
	}
	return Equal
}

// ordering reports whether op compares by order: <, <=, >, >=.
func (o Op) ordering() bool { return o != "" && (o[0] == '<' || o[0] == '>') }

// unquote returns the meaning of a quoted text. The lexer has made sure that it is closed and its escapes
// are right. (Participle's own Unquote is quadratic.)
func unquote(s string) string {
	if body, ok := unquoteLike(s); ok {
		return body
	}
	s = s[1 : len(s)-1]
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		plain := strings.IndexByte(s, '\\')
		if plain < 0 {
			plain = len(s)
		}
		b.WriteString(s[:plain])
		s = s[plain:]
		if s == "" {
			break
		}
		n := escapeLen(s)
		if n == 0 {
			n = 1
			b.WriteByte('\\')
		} else {
			writeEscape(&b, s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func writeEscape(b *strings.Builder, s string) {
	if s[1] == '"' || s[1] == '\'' {
		b.WriteByte(s[1])
		return
	}
	r, multibyte, _, _ := strconv.UnquoteChar(s, 0)
	if multibyte || r < utf8.RuneSelf {
		b.WriteRune(r)
	} else {
		b.WriteByte(byte(r))
	}
}

// escapeLen returns how long the escape is that s begins with, 0 if it is none. They are Go's, and either
// quote.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] == '"' || s[1] == '\'' {
		return 2
	}
	_, _, rest, err := strconv.UnquoteChar(s[:min(len(s), len(`\U0010ffff`))], 0)
	if err != nil {
		return 0
	}
	return min(len(s), len(`\U0010ffff`)) - len(rest)
}

// quote is the canonical form of a text in quotes; unquote reads it back to the same bytes.
func quote(s string) string { return strconv.Quote(s) }
