package wire

import (
	"bytes"

	"github.com/aside-go/aside/internal/agent"
)

// isHostName reports whether the name of a message says that a harness wrote the message.
func isHostName(name []byte) bool {
	switch string(name) {
	case "system", "hook", "hooks", "context", "harness", "automation", "reminder", "notification":
		return true
	}
	return false
}

// isHostText reports whether a text in a user's place is an agent's own. raw is the text as it stands in
// the body.
func isHostText(raw []byte) bool {
	if yes, _ := agent.WroteNote(raw); yes {
		return true
	}
	raw = bytes.TrimLeft(raw, " ")
	if len(raw) == 0 || raw[0] != '<' && raw[0] != '&' && raw[0] != '\\' {
		return false // the common case, without decoding
	}
	return agent.Wrote(decode(raw, span{0, len(raw)}).s) != ""
}
