package wire

import (
	"bytes"
	"strings"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/internal/agent"
)

// outlines describes the messages of a body of the generic shape to package inject.
func (d *body) outlines(seal inject.Seal) []inject.Outline {
	ours := bytes.Contains(d.b, []byte("system-reminder")) || bytes.Contains(d.b, []byte("SYSTEM REMINDER"))
	out := make([]inject.Outline, len(d.messages))
	pieces := make([]inject.Piece, len(d.blocks))
	for i := range d.messages {
		m := &d.messages[i]
		role := d.word(m.role)
		for j, b := range d.of(m) {
			p := &pieces[m.blocks.from+j]
			p.Own = inject.NoOwn()
			if b.isText {
				p.Text, p.Empty = true, b.text.from == b.text.to
				if ours {
					p.Own = seal.Own(decode(d.b, b.text).s, inject.StandOf(role, m.form))
				}
			}
		}
		if role == "tool" && d.wasString(m) && pieces[m.blocks.from].Own.Block {
			pieces[m.blocks.from].Own = inject.NoOwn() // the string that the tool said, whatever it looks like
		}
		out[i] = inject.Outline{
			Role: role, Form: m.form, ToolResult: m.toolResult,
			Theirs: m.form == inject.FormBlocks && (m.blocks.from == m.blocks.to || d.markedTheirs(m)),
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
func (d *body) automatic(m *message, pieces []inject.Piece) bool {
	if m.toolResult {
		return true
	}
	theirs := 0
	for j, b := range d.of(m) {
		own := pieces[j].Own
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
	s = strings.ReplaceAll(inject.Neutralise(strings.TrimSpace(s)), "&lt;", "<")
	for _, t := range agent.Tags() {
		if strings.HasPrefix(s, "<"+t.Name) && strings.HasSuffix(s, "</"+t.Name+">") {
			return true
		}
	}
	return false
}
