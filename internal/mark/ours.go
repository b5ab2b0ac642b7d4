package mark

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ours says how much of a text is ours. Its forms are those in which texts are put.
type Ours struct {
	Block bool // all of it: one wrapped text, a block of its own
	Added bool // all of it: texts for the end of a text, in a block of their own
	Whole bool // all of it: wrapped texts with blank lines between, a message of its own
	Head  int  // the first Head bytes: wrapped texts, each with a blank line behind
	Tail  int  // the bytes from Tail on: texts at the end of a text; -1 if none
}

// None returns the Ours of a block that is not text, or holds nothing of ours.
func None() Ours { return Ours{Tail: -1} }

// Place is where a text stands. On that depends which forms texts of ours have there, and so what may be
// taken for ours.
type Place uint8

const (
	InResult Place = iota // inside a tool result, or in a message to which no text is put: nothing is ours
	InPrompt              // the content of a system message: Whole or Head; with a mark, Tail too
	InUser                // the content of a user message: Whole or Tail
	InTool                // the content of a tool message: Tail
	InBlock               // a text block of a message: Block, Added or Tail
)

// Ours returns how much of a text that stands at at is ours.
func (w Wrapper) Ours(text string, at Place) Ours {
	o := None()
	if at == InResult || !strings.Contains(text, Name) && !strings.Contains(text, prefixTag) {
		return o
	}
	head, units, rest := w.head(text)
	whole := units > 0 && rest == ""
	if !whole && w.prefixed() && w.wholePrefixed(text) {
		whole, units = true, 1+strings.Count(text, blankLine+w.prefix+"\n")
	}
	switch {
	case at == InBlock && whole && units == 1:
		o.Block = true
		return o
	case (at == InPrompt || at == InUser) && whole:
		o.Whole = true
		return o
	case at == InPrompt:
		if o.Head = head; w.opts.Mark != "" { // over a run they stand behind the client's own
			if n := w.tail(text); n < len(text) && n >= head {
				o.Tail = n
			}
		}
		return o
	}
	if n := w.tail(text); n < len(text) {
		o.Tail, o.Added = n, n == 0
	}
	return o
}

// head reads wrapped texts with blank lines between them from the beginning of text. end is the offset behind
// the last blank line that follows such a text, units how many wrapped texts there are, rest what follows the
// last of them.
func (w Wrapper) head(text string) (end, units int, rest string) {
	rest = text
	for {
		size := w.unit(rest)
		if size == 0 {
			return end, units, rest
		}
		units++
		rest = rest[size:]
		if !strings.HasPrefix(rest, blankLine) {
			return end, units, rest
		}
		rest = rest[len(blankLine):]
		end = len(text) - len(rest)
		if rest == "" {
			return end, units, blankLine // the rest is the blank line, behind which there is an empty text
		}
	}
}

// prefixed reports whether texts with our prefix are recognised.
func (w Wrapper) prefixed() bool { return w.opts.Prefix || w.opts.Mark != "" }

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
	n := strings.Index(body, "\n"+closeTag)
	if n < 0 || !w.mayBeOurs(body[:n]) {
		return 0
	}
	return from + n + 1 + len(closeTag)
}

// wholePrefixed reports whether text is nothing but texts with our prefix, with blank lines between.
func (w Wrapper) wholePrefixed(text string) bool {
	rest, ok := strings.CutPrefix(text, w.prefix+"\n")
	if !ok {
		return false
	}
	for body := range strings.SplitSeq(rest, blankLine+w.prefix+"\n") {
		if !w.mayBeOurs(body) {
			return false
		}
	}
	return true
}

// tail returns where the texts begin that were added to its end, len(text) if there are none. It reads from
// the end and looks at each byte once.
func (w Wrapper) tail(text string) int {
	end := len(text)
	for {
		open, stop := "\n"+w.open+"\n", end-len(closeTag)-1
		if stop < 0 || !strings.HasSuffix(text[:end], "\n"+closeTag) {
			if !w.prefixed() {
				return end
			}
			open, stop = "\n"+w.prefix+"\n", end
		}
		at := strings.LastIndex(text[:stop], open)
		if at < 0 || !w.mayBeOurs(text[at+len(open):stop]) {
			return end
		}
		end = at
	}
}

// mayBeOurs reports whether body is the body of a text that we may have wrapped.
func (w Wrapper) mayBeOurs(body string) bool {
	if w.only != nil {
		return w.only[body]
	}
	return !Blank(body) && !w.opts.forged(body)
}

// Forged returns the reminder tags in a text of a user or tool message that are to be made harmless, in
// order; and the prefixes, if the options write prefixes. Text that carries our mark is ours where texts of
// ours have that form.
func (w Wrapper) Forged(text string, at Place) []Forged {
	claim := w.Claim()
	if w.opts.Neutralise == Nothing || !strings.Contains(text, claim) {
		return nil
	}
	fs := w.opts.forgeries(text)
	if claim != "" {
		fs = slices.DeleteFunc(fs, func(f Forged) bool { return !hasWord(f.attributes(text), claim) })
	}
	if len(fs) == 0 || w.opts.Mark == "" {
		return fs
	}
	ours := w.Ours(text, at)
	switch {
	case ours.Block || ours.Whole:
		return nil
	case ours.Tail < 0:
		return fs
	}
	n, _ := slices.BinarySearchFunc(fs, ours.Tail, func(f Forged,
		at int) int {
		return cmp.Compare(f.Start, at)
	})
	return fs[:n]
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
		case r == '>' && f.With == deadTag, r == ']' && f.With == deadPrefix:
			return text[:i]
		}
	}
	return text
}

func (o Options) forgeries(text string) []Forged {
	fs := Tags(text)
	if o.Prefix {
		if ps := Prefixes(text); len(ps) > 0 {
			fs = append(fs, ps...)
			slices.SortFunc(fs, func(a, b Forged) int { return cmp.Compare(a.Start, b.Start) })
		}
	}
	return fs
}

func (o Options) forged(text string) bool { return len(o.forgeries(text)) > 0 }

func (o Options) harmless(text string) string { return Replace(text, o.forgeries(text)) }

// Pieces splits a text into texts of ours, with their tags or prefixes, and what stands between them, and
// says of each whether it is ours. All of them joined are the text; none is "". From the first prefix on that
// begins a line, each text with a prefix is a piece, which goes up to the next prefix or to the end.
func (w Wrapper) Pieces(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for at := 0; ; {
			n := strings.Index(text[at:], w.open+"\n")
			if n < 0 {
				break
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
		at := 0
		if !strings.HasPrefix(text, w.prefix+"\n") {
			if at = strings.Index(text, "\n"+w.prefix+"\n") + 1; at == 0 {
				at = len(text)
			}
		}
		if at > 0 && !yield(text[:at], false) {
			return
		}
		for text = text[at:]; text != ""; {
			end := len(text)
			if n := strings.Index(text[1:], "\n"+w.prefix+"\n"); n >= 0 {
				end = n + 2
			}
			if !yield(text[:end], true) {
				return
			}
			text = text[end:]
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
