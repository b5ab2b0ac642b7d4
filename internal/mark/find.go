package mark

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The name of a tag, as the steps of a match: slashes, "system", a dash or more, "reminder".
const (
	atName     = 0
	atDash     = 6
	pastDash   = 7
	matched    = 15
	mismatched = -1
	bang       = -2 // seen <!
	bangDash   = -3 // seen <!-
	comment    = -4 // seen <!--
)

const letters = "system-reminder"

// step takes a match one character further.
func step(at int8, c byte) int8 {
	switch {
	case at == atName && (c == '/' || c == '\\'):
		return at
	case at == atDash || at == pastDash:
		switch {
		case c == '-' || c == '_' || c == softHyphen:
			return pastDash
		case c == 'r' && at == pastDash:
			return pastDash + 1
		}
	case c == softHyphen || c == letters[at]:
		if c == softHyphen {
			return at
		}
		return at + 1
	}
	return mismatched
}

// open is a < that has not been closed. It is small, for a hostile text is all of them.
type open struct {
	start int
	more  uint32 // so many others outside of it, all of them without a match; a text is shorter than 4 GiB
	size  uint8  // in bytes
	at    int8   // how far its name matches
	live  bool   // a <; else &lt;, which takes part in the nesting and is harmless
}

// tagFinder reads a text once. It keeps a stack of what is open: characters go to the innermost one, a >
// closes it, and the one around it goes on where it was, so that markup inside a tag's name is skipped. A
// neutralised tag keeps its place in the nesting; so a second pass sees what the first one saw, and
// Neutralise is idempotent.
//
// The outermost entry is always one that may still match: one that does not is forgotten when nothing is
// around it, and counted only when the one around it does not match either.
type tagFinder struct {
	stack []open
	// index in stack of the <!-- that is open, 0 if none; the outermost can be left out, it is inside of nothing
	comment int
	dashes  int // just before, for -->
	found   []Forged

	wide bool // the text may hold more than < that opens
}

// Tags finds the reminder tags of a text, in order: those that Neutralise makes harmless.
func Tags(text string) []Forged {
	wide := slices.ContainsFunc([]string{"＜", "﹤", "≮"}, // which read as the one that opens
		func(sign string) bool { return strings.Contains(text, sign) })
	if !wide && strings.IndexByte(text, '<') < 0 {
		return nil
	}
	f := tagFinder{wide: wide}
	f.find(text)
	slices.SortFunc(f.found, func(a, b Forged) int { return cmp.Compare(a.Start, b.Start) })
	return f.found
}

// find reads a text.
func (f *tagFinder) find(text string) {
	live, dead := -1, -1 // the next < and &lt;, as far as looked for
	i := 0
	for i < len(text) {
		if len(f.stack) == 0 && !f.wide {
			if live = next(text, "<", i, live); live == len(text) {
				break
			}
			dead = next(text, Harmless, i, dead)
			i = min(live, dead)
		}
		if text[i] == '&' && strings.HasPrefix(text[i:], Harmless) {
			f.push(i, len(Harmless), false)
			i += len(Harmless)
			continue
		}
		if c := text[i]; c < utf8.RuneSelf {
			if s := reads[c]; s != "" {
				f.read(s[0], i, i+1)
			}
			i++
			continue
		}
		s, size := reading(text[i:])
		for j := range len(s) {
			f.read(s[j], i, i+size)
		}
		i += size
	}
}

// next returns where sub stands next from i on, len(text) if nowhere; known is an earlier answer.
func next(text, sub string, i, known int) int {
	if known >= i {
		return known
	}
	if n := strings.Index(text[i:], sub); n >= 0 {
		return i + n
	}
	return len(text)
}

func (f *tagFinder) push(start, size int, live bool) {
	n := len(f.stack)
	if n == cap(f.stack) {
		// twice as many: of a quarter more at a time all would be copied too often
		f.stack = slices.Grow(f.stack, n+8)
	}
	f.stack = f.stack[:n+1]
	f.stack[n] = open{start: start, size: uint8(size), live: live}
	f.dashes = 0
}

// read takes in a character of the reading, which stands at start to end of the text.
func (f *tagFinder) read(c byte, start, end int) {
	top := len(f.stack) - 1
	switch {
	case c == '<':
		f.push(start, end-start, true)
		return
	case top < 0:
		return
	case c == '>':
		switch {
		case f.comment > 0 && f.dashes >= 2:
			f.stack, f.comment = f.stack[:f.comment], 0
		case f.stack[top].more > 0:
			f.stack[top].more--
		case top > f.comment || f.comment == 0:
			f.stack = f.stack[:top]
		}
		f.dashes = 0
		return
	}
	if c == '-' {
		f.dashes++
	} else if c != softHyphen {
		f.dashes = 0
	}
	o := &f.stack[top]
	if o.at == mismatched {
		return
	}
	f.advance(o, c, end)
	switch {
	case top == 0 && o.at < 0:
		f.stack = f.stack[:0]
	case top > 0 && o.at == mismatched && f.stack[top-1].at == mismatched:
		f.stack = f.stack[:top]
		f.stack[top-1].more++
	}
}

// advance takes the innermost match one character further, which ends at end of the text.
func (f *tagFinder) advance(o *open, c byte, end int) {
	switch {
	case o.at >= 0:
		if o.at == atName && c == '!' && o.live && o.size == 1 {
			o.at = bang
			return
		}
		if o.at = step(o.at, c); o.at == matched {
			if o.live {
				f.found = append(f.found, Forged{o.start, o.start + int(o.size), end})
			}
			o.at = mismatched
		}
	case o.at == bang && c == '-':
		o.at = bangDash
	case o.at == bangDash && c == '-':
		if o.at = mismatched; f.comment == 0 && len(f.stack) > 1 {
			f.comment, f.dashes, o.at = len(f.stack)-1, 0, comment
		}
	case o.at != comment:
		o.at = mismatched
	}
}
