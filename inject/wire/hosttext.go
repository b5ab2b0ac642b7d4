package wire

import (
	"bytes"
	"strings"
)

// hostTags are the names of the tags in which agents put, in a user's place, what nobody typed. A message that is nothing but
// such tags is the host's. Tags may have attributes; only the name is compared.
//
// Sources: WIRE.md §2, HOOKS.md; captures of the agents named there.
var hostTags = [...]string{
	"system-reminder", "context-update",
	"command-name", "command-message", "command-args", "local-command-stdout", "local-command-stderr", "local-command-caveat",
	"bash-input", "bash-stdout", "bash-stderr", "task-notification", "background-task", "teammate-message", "user-prompt-submit-hook",
	"hook_context", "hook_result", "session_context", "state_snapshot", "qwen:user-prompt-submit-context",
	"environment_context", "user_instructions", "turn_aborted", "subagent_notification", "current_datetime",
}

// preamble is the tag that a host puts in front of what a person typed, in the same text: Copilot CLI 1.0.102.
const preamble = "current_datetime"

// hostNotes are the texts that hosts write in a user's place without a tag. They age, so each names its source.
var hostNotes = [...]struct {
	words   string
	ends    bool // words end the text; else they begin it
	summary bool // the text stands in place of earlier messages
	source  string
}{
	{"[Request interrupted by user", false, false, "Claude Code"},
	{"This session is being continued from a previous conversation", false, true, "Claude Code 2.1.329"},
	{"Another language model started to solve this problem and produced a summary", false, true, "Codex 0.169.0"},
	{"Some of the conversation history has been summarized to free up context.", false, true, "Copilot CLI 1.0.102"},
	{"Resume the prior task using the summary above. Continue from the last in-flight step; do not acknowledge the summary, do not re-introduce, do not greet the user again.", true, true, "Qwen Code 0.24.4"},
	{"Continue if you have next steps, or stop and ask for clarification", false, false, "opencode 1.18.33"},
	{"You have stopped calling tools without finishing. You have one final chance", false, false, "Gemini CLI 0.61.0, to a subagent"},
}

// isHostNote reports whether a text is one of hostNotes, and whether that stands in place of earlier messages. raw is the text as
// it stands in the body: none of the words has anything to escape.
func isHostNote(raw []byte) (yes, summary bool) {
	raw = bytes.TrimLeft(raw, " ")
	for i := range hostNotes {
		n := &hostNotes[i]
		if n.ends && bytes.HasSuffix(raw, []byte(n.words)) || !n.ends && bytes.HasPrefix(raw, []byte(n.words)) {
			return true, n.summary
		}
	}
	return false, false
}

// afterPreamble returns what a person typed behind a host's preamble, all of s if there is no preamble.
func afterPreamble(s string) string {
	behind, ok := strings.CutPrefix(s, "<"+preamble+">")
	if !ok {
		return s
	}
	if _, rest, ok := strings.Cut(behind, "</"+preamble+">"); ok {
		return strings.TrimLeft(rest, " \r\n")
	}
	return s
}

// isHostName reports whether the name of a message says that a harness wrote the message.
func isHostName(name []byte) bool {
	switch string(name) {
	case "system", "hook", "hooks", "context", "harness", "automation", "reminder", "notification":
		return true
	}
	return false
}

// isHostText reports whether a text is a host's: nothing but hostTags, or one of hostNotes. raw is the text as it stands in the
// body.
func isHostText(raw []byte) bool {
	if yes, _ := isHostNote(raw); yes {
		return true
	}
	raw = bytes.TrimLeft(raw, " ")
	if len(raw) == 0 || raw[0] != '<' && raw[0] != '&' && raw[0] != '\\' {
		return false // the common case, without decoding
	}
	s := strings.TrimSpace(decode(raw, span{0, len(raw)}).s)
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

// afterTag returns what follows the tag of a host with which s begins; ok is false if it begins with none. A reminder tag that
// was neutralised counts too.
func afterTag(s string) (rest string, ok bool) {
	open := "<"
	if strings.HasPrefix(s, "&lt;") {
		open = "&lt;"
	}
	s, ok = strings.CutPrefix(s, open)
	if !ok {
		return "", false
	}
	for _, name := range hostTags {
		behind, is := strings.CutPrefix(s, name)
		if !is || behind == "" || !strings.ContainsRune("> \n\t/", rune(behind[0])) {
			continue
		}
		_, rest, ok = strings.Cut(behind, open+"/"+name+">")
		return rest, ok
	}
	return "", false
}
