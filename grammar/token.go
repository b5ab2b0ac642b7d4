package grammar

import (
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
	tokWhole // the numbers stand in the order of LiteralKind
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
	op         Op   // of a tokOp: the one that is meant
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
	case tokArg, tokEvery, tokBad, tokPointer, tokUnknown:
		return true
	default:
		return isLiteral(k)
	}
}

// isLiteral reports whether a token of this kind can be one side of a comparison, or a member of a list.
func isLiteral(k kind) bool {
	return k.isNumber() || k == tokWord || k == tokText || k == tokRaw || k == tokBool
}

// isNumber reports whether a token of this kind begins with a digit, perhaps behind a point or a dollar sign.
func (k kind) isNumber() bool {
	return k >= tokWhole && k <= tokDollars || k == tokNumber
}

// token is the kind of a token that is a number of this kind.
func (k LiteralKind) token() kind { return tokWhole + kind(k) }

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
	for {
		before, _, escaped := strings.Cut(s, `\`)
		b.WriteString(before)
		if s = s[len(before):]; !escaped {
			return b.String()
		}
		n := escapeLen(s)
		if n > 0 {
			writeEscape(&b, s[:n])
		} else {
			n = 1
			b.WriteByte('\\')
		}
		s = s[n:]
	}
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
