package callpattern

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// words appends the texts of the words.
func (w *walker) words(list []string, words []*syntax.Word) []string {
	if list == nil {
		list = make([]string, 0, len(words))
	}
	for _, word := range words {
		list = append(list, w.word(word))
	}
	return list
}

// source returns the node as it is written.
func (w *walker) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	to = min(to, len(w.src))
	return w.src[min(from, to):to]
}

// word returns the text of a word: its quotes are removed, its expansions stay as they are written.
func (w *walker) word(word *syntax.Word) string {
	if len(word.Parts) == 1 {
		return w.part(word.Parts[0])
	}
	var b strings.Builder
	for _, part := range word.Parts {
		b.WriteString(w.part(part))
	}
	return b.String()
}

func (w *walker) part(part syntax.WordPart) string {
	switch part := part.(type) {
	case *syntax.Lit:
		return unescape(part.Value, "")
	case *syntax.SglQuoted:
		if part.Dollar {
			text, _, _ := expand.Format(nil, part.Value, nil) // without arguments it reads backslashes alone
			return text
		}
		return part.Value
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 {
			return w.quoted(part.Parts[0])
		}
		var b strings.Builder
		for _, inner := range part.Parts {
			b.WriteString(w.quoted(inner))
		}
		return b.String()
	default:
		return w.source(part)
	}
}

// quoted returns the text of a part between double quotes.
func (w *walker) quoted(part syntax.WordPart) string {
	if lit, ok := part.(*syntax.Lit); ok {
		return unescape(lit.Value, "$`\"\\\n")
	}
	return w.source(part)
}

// assign returns the text of an argument of export and its like.
func (w *walker) assign(a *syntax.Assign) string {
	switch {
	case a.Value == nil:
		return w.source(a)
	case a.Naked:
		return w.word(a.Value)
	default:
		from, to := int(a.Pos().Offset()), int(a.Value.Pos().Offset())
		to = min(to, len(w.src))
		return w.src[min(from, to):to] + w.word(a.Value)
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
