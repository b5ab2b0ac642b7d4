package wire

import (
	"strings"

	"github.com/aside-go/aside/internal/outline"
)

// class is who speaks in a message, as editing sees it. See actor for the facts.
type class uint8

const (
	classOther class = iota
	classUser
	classTool // a message that is the result of a call
	classSystem
	classAssistant // what the model says, thinks or calls
)

// classOf returns the class of a message whose members have been read.
func (d *body) classOf(m *message) class {
	f, kind, role := d.f, d.word(m.kind), d.word(m.role)
	if f.items && kind != "" && kind != "message" {
		switch {
		case strings.HasSuffix(kind, "_output") || kind == "mcp_approval_response":
			return classTool
		case strings.HasSuffix(kind, "_call") || kind == "reasoning":
			return classAssistant
		}
		return classOther
	}
	switch role {
	case "user":
		return classUser
	case "assistant", "model":
		return classAssistant
	case "system", "developer":
		return classSystem
	case "tool", "function":
		switch {
		case f.promptParts != "": // Gemini: an older role of results
			return classUser
		case f.keyed || f.anthropic:
			return classOther
		}
		m.nameless = m.nameless || role == "function"
		return classTool
	case "":
		if f.promptParts != "" && m.form == outline.BlockContent { // Gemini: a content without a role is the user's
			return classUser
		}
	}
	return classOther
}
