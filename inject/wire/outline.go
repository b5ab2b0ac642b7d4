package wire

import (
	"bytes"
	"strings"

	"github.com/aside-go/aside/inject"
)

// outlines describes the messages to the planner.
func (d *body) outlines(seal inject.Seal) []inject.Outline {
	ours := bytes.Contains(d.b, []byte("system-reminder")) || bytes.Contains(d.b, []byte("SYSTEM REMINDER"))
	out := make([]inject.Outline, len(d.messages))
	pieces := make([]inject.Piece, len(d.blocks))
	for i := range d.messages {
		m := &d.messages[i]
		own := ours && m.role != "assistant"
		for j, b := range d.of(m) {
			p := &pieces[m.blocks.from+j]
			p.Own = inject.NoOwn
			if b.isText {
				p.Text, p.Empty = true, b.text.from == b.text.to
				if own {
					p.Own = seal.Own(decode(d.b, b.text).s)
				}
			}
		}
		out[i] = inject.Outline{
			Role: m.role, Form: m.form, ToolResult: m.toolResult,
			Theirs: m.form == inject.FormBlocks && (m.blocks.from == m.blocks.to || d.apart(m)),
			Auto:   m.role == "user" && d.automatic(m),
			Pieces: pieces[m.blocks.from:m.blocks.to:m.blocks.to],
		}
	}
	return out
}

// of returns the blocks of a message.
func (d *body) of(m *message) []block { return d.blocks[m.blocks.from:m.blocks.to] }

// automatic reports whether nobody submitted this user message, as far as its form tells: it answers tool calls, or it is
// nothing but tags that hosts write.
func (d *body) automatic(m *message) bool {
	if m.toolResult {
		return true
	}
	blocks := d.of(m)
	for _, b := range blocks {
		if !b.isText || !hosts(decode(d.b, b.text).s) {
			return false
		}
	}
	return len(blocks) > 0
}

// hostTags are the tags in which hosts put what nobody typed.
var hostTags = [...]string{
	"system-reminder", "context-update", "command-name", "command-message", "command-args", "local-command-stdout",
	"local-command-stderr", "hook_context", "environment_context", "subagent_notification",
}

// hosts reports whether a text is wholly such a tag.
func hosts(s string) bool {
	s = strings.TrimSpace(s)
	for _, name := range hostTags {
		if strings.HasPrefix(s, "<"+name) && strings.HasSuffix(s, "</"+name+">") {
			return true
		}
	}
	return false
}
