package callpattern

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// words appends the texts of the words.
func (s *shell) words(list []string, words []*syntax.Word) []string {
	list = slices.Grow(list, len(words))
	for _, word := range words {
		list = append(list, s.word(word))
	}
	return list
}

// source returns the node as it is written.
func (s *shell) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	to = min(to, len(s.src))
	return s.src[min(from, to):to]
}

// word returns the text of a word: its quotes are removed, its expansions stay as they are written.
func (s *shell) word(word *syntax.Word) string {
	if len(word.Parts) == 1 {
		return s.part(word.Parts[0])
	}
	var b strings.Builder
	for _, part := range word.Parts {
		b.WriteString(s.part(part))
	}
	return b.String()
}

func (s *shell) part(part syntax.WordPart) string {
	switch part := part.(type) {
	case *syntax.Lit:
		return unescape(part.Value, "")
	case *syntax.SglQuoted:
		if part.Dollar {
			return unescapeC(part.Value)
		}
		return part.Value
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 {
			return s.quoted(part.Parts[0])
		}
		var b strings.Builder
		for _, inner := range part.Parts {
			b.WriteString(s.quoted(inner))
		}
		return b.String()
	default:
		return s.source(part)
	}
}

// quoted returns the text of a part between double quotes.
func (s *shell) quoted(part syntax.WordPart) string {
	if lit, ok := part.(*syntax.Lit); ok {
		return unescape(lit.Value, "$`\"\\\n")
	}
	return s.source(part)
}

// assign returns the text of an argument of export and its like.
func (s *shell) assign(a *syntax.Assign) string {
	switch {
	case a.Value == nil:
		return s.source(a)
	case a.Naked:
		return s.word(a.Value)
	default:
		from, to := int(a.Pos().Offset()), int(a.Value.Pos().Offset())
		to = min(to, len(s.src))
		return s.src[min(from, to):to] + s.word(a.Value)
	}
}

// unescape removes the backslashes of s that stand before one of these characters; "" is any. A newline
// behind one goes too.
func unescape(s, before string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (before == "" || strings.IndexByte(before, s[i+1]) >= 0) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// unescapeC returns the text of $'s', which ends at a zero byte, as in bash. The shell's parser has no such
// function, and package expand beside it links what starts processes.
func unescapeC(s string) string {
	var b strings.Builder
	for {
		before, escape, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found || escape == "" {
			text, _, _ := strings.Cut(b.String(), "\x00")
			return text
		}
		text, n := charC(escape)
		b.WriteString(text)
		s = escape[n:]
	}
}

// charC returns the character that is written behind a backslash, and in how many bytes.
func charC(s string) (text string, n int) {
	const hex, named, chars = "0123456789abcdefABCDEF", `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	digits, base, from, most := hex, 16, 1, map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]
	if most == 0 {
		digits, base, from, most = hex[:8], 8, 0, 3
	}
	end := from
	for end < len(s) && end < from+most && strings.IndexByte(digits, s[end]) >= 0 {
		end++
	}
	code, err := strconv.ParseUint(s[from:end], base, 32)
	switch i := strings.IndexByte(named, s[0]); {
	case i >= 0:
		return chars[i : i+1], 1
	case err != nil:
		return `\` + s[:1], 1
	case most > 3:
		return string(rune(code)), end
	}
	return string([]byte{byte(code)}), end
}
