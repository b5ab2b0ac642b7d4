package mark

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Block reports whether all of a text is ours: one wrapped text, a block of its own.
func (w Wrapper) Block(text string) bool {
	units, rest := w.head(text)
	return units == 1 && rest == ""
}

// Whole reports whether all of a text is ours: wrapped texts with blank lines between, a message of its own.
func (w Wrapper) Whole(text string) bool {
	units, rest := w.head(text)
	return units > 0 && rest == ""
}

// head reads wrapped texts with blank lines between them from the beginning of text: how many there are, and
// what follows the last of them.
func (w Wrapper) head(text string) (units int, rest string) {
	for rest = text; ; {
		size := w.unit(rest)
		if size == 0 {
			return units, rest
		}
		units++
		rest = rest[size:]
		behind, more := strings.CutPrefix(rest, blankLine)
		if !more || behind == "" {
			return units, rest
		}
		rest = behind
	}
}

// unit returns the length of the wrapped text with which text begins, 0 if it begins with none.
func (w Wrapper) unit(text string) int {
	if !strings.HasPrefix(text, w.open+"\n") {
		return 0
	}
	from := len(w.open) + 1
	body := text[from:]
	// a body holds no tag; and so each byte is searched for one unit only
	if n := strings.Index(body, w.open); n >= 0 {
		body = body[:n]
	}
	n := strings.Index(body, "\n"+ClosingTag)
	if n < 0 || !w.mayBeOurs(body[:n]) {
		return 0
	}
	return from + n + 1 + len(ClosingTag)
}

// Tail returns where the texts of ours begin that were added to the end of a text, -1 if there are none. It
// reads from the end and looks at each byte once.
func (w Wrapper) Tail(text string) int {
	tail, open := -1, "\n"+w.open+"\n"
	for {
		inner, ok := strings.CutSuffix(text, "\n"+ClosingTag)
		if !ok {
			return tail
		}
		at := strings.LastIndex(inner, open)
		if at < 0 || !w.mayBeOurs(inner[at+len(open):]) {
			return tail
		}
		tail, text = at, text[:at]
	}
}

// mayBeOurs reports whether body is the body of a text that we may have wrapped.
func (w Wrapper) mayBeOurs(body string) bool {
	if w.only != nil {
		return w.only[body]
	}
	return !Blank(body) && len(Tags(body)) == 0
}

// Forged returns the reminder tags in a text of a user or tool message that are to be made harmless, in
// order. Those of a text of ours are among them.
func (w Wrapper) Forged(text string) []Forged {
	claim := w.Claim()
	if w.opts.Neutralise == Nothing || !strings.Contains(text, claim) {
		return nil
	}
	fs := Tags(text)
	if claim != "" {
		fs = slices.DeleteFunc(fs, func(f Forged) bool { return !hasWord(f.attributes(text), claim) })
	}
	return fs
}

// hasWord reports whether word stands in text, and not within a longer word.
func hasWord(text, word string) bool {
	for at := 0; ; at++ {
		n := strings.Index(text[at:], word)
		if n < 0 {
			return false
		}
		at += n
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if !isWord(before) && !isWord(after) {
			return true
		}
	}
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// attributes returns what stands between the name of a tag and its end, in text. A tag that has no end has at
// most mostAttributes bytes of them, which keeps the search linear.
func (f Forged) attributes(text string) string {
	const mostAttributes = 512
	text = text[f.Named:min(len(text), f.Named+mostAttributes)]
	quote := rune(0)
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '>':
			return text[:i]
		}
	}
	return text
}

// Pieces splits a text into texts of ours, with their tags, and what stands between them, and says of each
// whether it is ours. All of them joined are the text; none is "".
func (w Wrapper) Pieces(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for at := 0; ; {
			n := strings.Index(text[at:], w.open+"\n")
			if n < 0 {
				if text != "" {
					yield(text, false)
				}
				return
			}
			at += n
			size := w.unit(text[at:])
			if size == 0 {
				at += len(w.open)
				continue
			}
			if at > 0 && !yield(text[:at], false) || !yield(text[at:at+size], true) {
				return
			}
			text, at = text[at+size:], 0
		}
	}
}

// Units splits a text that is ours, all of it, into its wrapped texts. All of them joined are the text: the
// blanks between two belong to the one behind.
func (w Wrapper) Units(text string) (units []string) {
	blank := ""
	for piece, ours := range w.Pieces(text) {
		if !ours {
			blank = piece
			continue
		}
		units, blank = append(units, blank+piece), ""
	}
	if n := len(units); n > 0 {
		units[n-1] += blank
		return units
	}
	return []string{text}
}
