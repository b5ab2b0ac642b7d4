package inject

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/forgery"
)

const (
	tagName   = forgery.Tag
	closeTag  = "</" + tagName + ">"
	prefixTag = "SYSTEM REMINDER"
	blankLine = "\n\n"
)

// Seal is the form of our reminders: it wraps texts, and recognises texts that it has wrapped. A Seal is immutable.
type Seal struct {
	open   string // the opening tag, with the mark if there is one
	prefix string // the prefix, with the mark if there is one
	opts   Options
	only   map[string]bool // if not nil, the only texts that it recognises
}

// Seal returns the seal of these options. With a mark it recognises whatever carries the mark, without one every bare form.
func (o Options) Seal() Seal {
	if o.Mark == "" {
		return Seal{open: "<" + tagName + ">", prefix: "[" + prefixTag + "]", opts: o}
	}
	mark := attribute(o.Mark)
	return Seal{open: "<" + tagName + ` mark="` + mark + `">`, prefix: "[" + prefixTag + ` mark="` + mark + `"]`, opts: o}
}

// Among returns the seal for a pass that puts due. Without a mark it recognises only the texts of due, so that a bare tag of
// somebody else is not taken for ours.
func (s Seal) Among(due []reminder.Due) Seal {
	if s.opts.Mark != "" {
		return s
	}
	s.only = make(map[string]bool, len(due))
	for _, d := range due {
		if text := s.body(d.Text); text != "" {
			s.only[text] = true
		}
	}
	return s
}

// Any returns the seal that recognises whatever has our form, as that of Options.Seal does.
func (s Seal) Any() Seal {
	s.only = nil
	return s
}

// attribute returns a mark as it is written into the tag, with the characters escaped that could end the attribute or the tag.
func attribute(mark string) string {
	ends := func(r rune) bool { return r < ' ' || strings.ContainsRune(`&"<>[]`, r) || r == 0x7f }
	if !strings.ContainsFunc(mark, ends) && utf8.ValidString(mark) { // the common case
		return mark
	}
	var b strings.Builder
	for _, r := range mark {
		if ends(r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// body returns what goes between the tags: the text without a tag that it has already, with other tags neutralised, as valid
// UTF-8; "" if there is nothing to say.
func (s Seal) body(text string) string {
	if inner, ok := s.unwrap(text); ok {
		text = inner
	}
	if Blank(text) {
		return ""
	}
	return s.opts.neutralise(strings.ToValidUTF8(text, "\ufffd"))
}

// unwrap returns the inside of a text that is wholly one reminder tag; ok is false if it is not.
func (s Seal) unwrap(text string) (inside string, ok bool) {
	t := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(t, "["+prefixTag); ok && s.opts.Prefix {
		if attrs, inner, ok := strings.Cut(rest, "]"); ok && forgery.Attributes(attrs) && !s.opts.forged(inner) {
			return strings.TrimPrefix(strings.TrimPrefix(inner, " "), "\n"), true
		}
		return "", false
	}
	inner, ok := forgery.Unwrap(t)
	return inner, ok && !s.opts.forged(inner)
}

// tag wraps a body in the tag.
func (s Seal) tag(body string) string { return s.open + "\n" + body + "\n" + closeTag }

// wrap wraps a body in the tag or puts the prefix in front, as the options say.
func (s Seal) wrap(body string) string {
	if s.opts.Prefix {
		return s.prefix + "\n" + body
	}
	return s.tag(body)
}

// Wrap returns text as it is put behind or beside a message: neutralised, in the tag or behind the prefix; "" if there is nothing
// to say.
func (s Seal) Wrap(text string) string {
	if body := s.body(text); body != "" {
		return s.wrap(body)
	}
	return ""
}

// Tag returns text as it is put into a system prompt: as Wrap does, but always in the tag.
func (s Seal) Tag(text string) string {
	if body := s.body(text); body != "" {
		return s.tag(body)
	}
	return ""
}

// Own says how much of a text is ours. Its forms are those in which texts are put; see Edit.
type Own struct {
	Block bool // all of it: one wrapped text, a block of its own
	Added bool // all of it: what PlaceText adds, a block of its own
	Whole bool // all of it: wrapped texts with blank lines between, a message of its own
	Head  int  // the first Head bytes: wrapped texts, each with a blank line behind
	Tail  int  // the bytes from Tail on: what PlaceText adds; -1 if nothing
}

// NoOwn returns the Own of what is no text, or holds nothing of ours.
func NoOwn() Own { return Own{Tail: -1} }

// Stand is where a text stands. On that depends which forms texts of ours have there, and so what may be taken for ours.
type Stand uint8

const (
	StandResult Stand = iota // inside a tool result, or in a message to which no text is put: nothing is ours
	StandPrompt              // the content of a system message: Whole or Head
	StandUser                // the content of a user message: Whole or Tail
	StandTool                // the content of a tool message: Tail
	StandBlock               // a text block of a message: Block, Added or Tail
)

// StandOf returns the stand of the direct texts of a message with this role and form of content.
func StandOf(role string, form Form) Stand {
	var at Stand
	switch role {
	case roleSystem:
		at = StandPrompt
	case roleUser:
		at = StandUser
	case roleTool:
		at = StandTool
	default:
		return StandResult
	}
	if form == FormBlocks {
		return StandBlock
	}
	return at
}

// Own returns how much of a text that stands at at is ours.
func (s Seal) Own(text string, at Stand) Own {
	o := NoOwn()
	if at == StandResult || !strings.Contains(text, tagName) && !strings.Contains(text, prefixTag) {
		return o
	}
	head, units, rest := s.head(text)
	whole := units > 0 && rest == ""
	if !whole && s.prefixed() && s.wholePrefixed(text) {
		whole, units = true, 1+strings.Count(text, blankLine+s.prefix+"\n")
	}
	switch {
	case at == StandBlock && whole && units == 1:
		o.Block = true
		return o
	case (at == StandPrompt || at == StandUser) && whole:
		o.Whole = true
		return o
	case at == StandPrompt:
		o.Head = head
		return o
	}
	if n := s.tail(text); n < len(text) {
		o.Tail, o.Added = n, n == 0
	}
	return o
}

// head reads wrapped texts with blank lines between them from the beginning of text. end is the offset behind the last blank line
// that follows such a text, units how many wrapped texts there are, rest what follows the last of them.
func (s Seal) head(text string) (end, units int, rest string) {
	rest = text
	for {
		size := s.unit(rest)
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
			return end, units, blankLine // what follows is the blank line, behind which there is an empty text
		}
	}
}

// prefixed reports whether texts with our prefix are recognised.
func (s Seal) prefixed() bool { return s.opts.Prefix || s.opts.Mark != "" }

// unit returns the length of the wrapped text with which text begins, 0 if it begins with none.
func (s Seal) unit(text string) int {
	if !strings.HasPrefix(text, s.open+"\n") {
		return 0
	}
	from := len(s.open) + 1
	body := text[from:]
	if n := strings.Index(body, s.open); n >= 0 { // a body holds no tag; and so each byte is searched for one unit only
		body = body[:n]
	}
	n := strings.Index(body, "\n"+closeTag)
	if n < 0 || !s.ours(body[:n]) {
		return 0
	}
	return from + n + 1 + len(closeTag)
}

// wholePrefixed reports whether text is nothing but texts with our prefix, with blank lines between.
func (s Seal) wholePrefixed(text string) bool {
	rest, ok := strings.CutPrefix(text, s.prefix+"\n")
	if !ok {
		return false
	}
	for body := range strings.SplitSeq(rest, blankLine+s.prefix+"\n") {
		if !s.ours(body) {
			return false
		}
	}
	return true
}

// tail returns where the texts begin that PlaceText has added, len(text) if there are none. It reads from the end and looks at
// each byte once.
func (s Seal) tail(text string) int {
	end := len(text)
	for {
		open, stop := "\n"+s.open+"\n", end-len(closeTag)-1
		if stop < 0 || !strings.HasSuffix(text[:end], "\n"+closeTag) {
			if !s.prefixed() {
				return end
			}
			open, stop = "\n"+s.prefix+"\n", end
		}
		at := strings.LastIndex(text[:stop], open)
		if at < 0 || !s.ours(text[at+len(open):stop]) {
			return end
		}
		end = at
	}
}

// ours reports whether body is the body of a text that we may have wrapped.
func (s Seal) ours(body string) bool {
	if s.only != nil {
		return s.only[body]
	}
	return !Blank(body) && !s.opts.forged(body)
}
