package wire

import (
	"bytes"
	"strings"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// outlines describes the messages of a body of the generic shape to package inject.
func (d *body) outlines(seal mark.Wrapper) []outline.Message {
	ours := bytes.Contains(d.b, []byte("system-reminder")) || bytes.Contains(d.b, []byte("SYSTEM REMINDER"))
	out := make([]outline.Message, len(d.messages))
	pieces := make([]outline.Piece, len(d.blocks))
	for i := range d.messages {
		m := &d.messages[i]
		role := d.word(m.role)
		for j, b := range d.of(m) {
			p := &pieces[m.blocks.from+j]
			p.Ours = mark.None()
			if b.isText {
				p.Text, p.Empty = true, b.text.from == b.text.to
				if ours {
					p.Ours = seal.Ours(decode(d.b, b.text).s, outline.PlaceOf(role, m.form))
				}
			}
		}
		if role == "tool" && d.wasString(m) && pieces[m.blocks.from].Ours.Block {
			pieces[m.blocks.from].Ours = mark.None() // the string that the tool said, whatever it looks like
		}
		out[i] = outline.Message{
			Role: role, Form: m.form, ToolResult: m.toolResult,
			Theirs: m.form == outline.BlockContent && (m.blocks.from == m.blocks.to || d.markedTheirs(m)),
			Pieces: pieces[m.blocks.from:m.blocks.to:m.blocks.to],
		}
		out[i].Auto = role == "user" && d.automatic(m, out[i].Pieces)
	}
	return out
}

// wasString reports whether a content looks like string content that became a block when ours were put behind it.
func (d *body) wasString(m *message) bool {
	blocks := d.of(m)
	return len(blocks) > 1 && blocks[0].from == m.content.from+1 && d.compact(blocks) && d.b[blocks[len(blocks)-1].to] == ']'
}

// automatic reports whether a user message was submitted by nobody, as far as its form tells: it holds a tool result, or nothing
// but tags of hosts. Pieces that are ours do not count.
func (d *body) automatic(m *message, pieces []outline.Piece) bool {
	if m.toolResult {
		return true
	}
	theirs := 0
	for j, b := range d.of(m) {
		own := pieces[j].Ours
		if own.Block || own.Added {
			continue
		}
		if theirs++; !b.isText {
			return false
		}
		raw := b.text.of(d.b)
		if !mayOpen(raw) {
			return false // the common case, without decoding
		}
		s := decode(d.b, b.text).s
		if own.Tail >= 0 {
			s = s[:own.Tail]
		}
		if !isHostTag(s) {
			return false
		}
	}
	return theirs > 0
}

// mayOpen reports whether a JSON string may begin with a tag, after blanks.
func mayOpen(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " ")
	if len(raw) == 0 {
		return false
	}
	return raw[0] == '<' || raw[0] == '&' || raw[0] == '\\' || raw[0] >= 0x80
}

// isHostTag reports whether a text is wholly one tag of a host, neutralised or not.
func isHostTag(s string) bool {
	s = strings.ReplaceAll(mark.Neutralise(strings.TrimSpace(s)), "&lt;", "<")
	for _, t := range agent.Tags() {
		if strings.HasPrefix(s, "<"+t.Name) && strings.HasSuffix(s, "</"+t.Name+">") {
			return true
		}
	}
	return false
}
