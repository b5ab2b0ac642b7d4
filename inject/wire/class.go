package wire

import (
	"strings"

	"github.com/aside-go/aside/inject"
)

// class is who speaks in a message.
type class uint8

const (
	classOther class = iota
	classUser
	classTool // the answer to a call, as a message of its own
	classSystem
	classAssistant // what the model says, thinks and calls
)

// classOf says who speaks in a message.
func (f *format) classOf(m *message) class {
	if f.items && m.kind != "" && m.kind != "message" {
		switch {
		case strings.HasSuffix(m.kind, "_output") || m.kind == "mcp_approval_response":
			return classTool
		case strings.HasSuffix(m.kind, "_call") || m.kind == "reasoning":
			return classAssistant
		}
		return classOther
	}
	switch m.role {
	case "user":
		return classUser
	case "assistant", "model":
		return classAssistant
	case "system", "developer":
		return classSystem
	case "tool", "function":
		switch {
		case f.parts != "": // Gemini's older name for it
			return classUser
		case f.keyed || f.merged:
			return classOther
		}
		m.nameless = m.nameless || m.role == "function"
		return classTool
	case "":
		if f.parts != "" && m.form == inject.FormBlocks { // Gemini: no role is the user's
			return classUser
		}
	}
	return classOther
}
