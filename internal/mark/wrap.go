package mark

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/reminder"
)

// ClosingTag is the closing tag.
const ClosingTag = "</" + Name + ">"

const blankLine = "\n\n"

// Options say how texts are wrapped.
type Options struct {
	Mark       string
	Neutralise Policy
}

// Policy says which reminder tags that are not ours are made harmless in the texts of users and tools.
type Policy uint8

// The policies.
const (
	ByMark  Policy = iota // those that claim our mark; all where we have none
	All                   // all
	Nothing               // none
)

// Wrapper wraps texts, and recognises texts that it has wrapped. A Wrapper is immutable.
type Wrapper struct {
	open  string // the opening tag, with the mark if there is one
	claim string // the mark as a tag carries it; "": there is none
	opts  Options
	only  map[string]bool // if not nil, the only texts that it recognises
}

// New returns the wrapper of these options. With a mark it recognises whatever carries the mark, without one
// every bare form.
func New(o Options) Wrapper {
	if o.Mark == "" {
		return Wrapper{open: "<" + Name + ">", opts: o}
	}
	mark := attribute(o.Mark)
	return Wrapper{open: "<" + Name + ` mark="` + mark + `">`, claim: mark, opts: o}
}

// Only returns the wrapper for a pass that puts due. Without a mark it recognises only the texts of due, so
// that a bare tag of somebody else is not taken for ours.
func (w Wrapper) Only(due []reminder.Due) Wrapper {
	if w.opts.Mark != "" {
		return w
	}
	w.only = make(map[string]bool, len(due))
	for _, d := range due {
		if text := bodyOf(d.Text); text != "" {
			w.only[text] = true
		}
	}
	return w
}

// Claim returns the string without which no text of others has a tag that is made harmless: the mark as tags
// carry it. It is "" where that does not depend on the mark.
func (w Wrapper) Claim() string {
	if w.opts.Neutralise != ByMark {
		return ""
	}
	return w.claim
}

// Any returns the wrapper that recognises whatever has our form, as that of New does.
func (w Wrapper) Any() Wrapper {
	w.only = nil
	return w
}

// attribute returns a mark as it is written into the tag, with the characters escaped that could end the
// attribute or the tag.
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

// bodyOf returns what goes between the tags: the text without a tag that it has already, with other tags
// neutralised, as valid UTF-8; "" if there is nothing to say.
func bodyOf(text string) string {
	if inner, ok := Unwrap(text); ok {
		text = inner
	}
	if Blank(text) {
		return ""
	}
	return Neutralise(strings.ToValidUTF8(text, "\ufffd"))
}

// Wrap returns text as it is put: neutralised, in the tag; "" if there is nothing to say.
func (w Wrapper) Wrap(text string) string {
	if body := bodyOf(text); body != "" {
		return w.open + "\n" + body + "\n" + ClosingTag
	}
	return ""
}

// OpeningTag returns the opening tag.
func (w Wrapper) OpeningTag() string { return w.open }
