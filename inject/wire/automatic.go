package wire

import (
	"bytes"
	"strings"
)

// hostTexts are the tags in which agents put, in a user's place, what nobody typed; a message that is nothing but such is
// the host's. Of those with attributes the name alone is compared.
//
// Sources: WIRE.md §2, HOOKS.md; captures of the agents named there.
var hostTexts = [...]string{
	"system-reminder", "context-update",
	"command-name", "command-message", "command-args", "local-command-stdout", "local-command-stderr", "local-command-caveat",
	"bash-input", "bash-stdout", "bash-stderr", "task-notification", "background-task", "teammate-message", "user-prompt-submit-hook",
	"hook_context", "hook_result", "session_context", "state_snapshot", "qwen:user-prompt-submit-context",
	"environment_context", "user_instructions", "turn_aborted", "subagent_notification",
}

// hostNotes open texts that are the host's without a tag.
var hostNotes = [...]string{"[Request interrupted by user"}

// hostName reports whether a message's name says that a harness wrote it.
func hostName(name []byte) bool {
	switch string(name) {
	case "system", "hook", "hooks", "context", "harness", "automation", "reminder", "notification":
		return true
	}
	return false
}

// tagged reports whether a text is nothing but tags of a host.
func (r *factReader) tagged(at span) bool {
	raw := bytes.TrimLeft(at.of(r.b), " ")
	if len(raw) == 0 || raw[0] != '<' && raw[0] != '[' && raw[0] != '&' && raw[0] != '\\' {
		return false // the common case, without decoding
	}
	s := strings.TrimSpace(decode(r.b, at).s)
	for _, n := range hostNotes {
		if strings.HasPrefix(s, n) {
			return true
		}
	}
	found := false
	for s != "" {
		rest, ok := afterTag(s)
		if !ok {
			return false
		}
		s, found = strings.TrimSpace(rest), true
	}
	return found
}

// afterTag returns what stands behind the tag of a host that s begins with. A reminder tag that was neutralised counts too.
func afterTag(s string) (rest string, ok bool) {
	open := "<"
	if strings.HasPrefix(s, "&lt;") {
		open = "&lt;"
	}
	s, ok = strings.CutPrefix(s, open)
	if !ok {
		return "", false
	}
	for _, name := range hostTexts {
		behind, is := strings.CutPrefix(s, name)
		if !is || behind == "" || !strings.ContainsRune("> \n\t/", rune(behind[0])) {
			continue
		}
		_, rest, ok = strings.Cut(behind, open+"/"+name+">")
		return rest, ok
	}
	return "", false
}
