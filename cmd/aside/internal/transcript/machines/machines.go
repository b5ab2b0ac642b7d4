// Package machines tells messages that an agent itself has written in the user's place from those that persons wrote.
package machines

import "strings"

// tags are what the messages begin with that agents write in the user's place (HOOKS.md §4.8, WIRE.md §2).
var tags = [...]string{
	"<command-name>", "<command-message>", "<command-args>",
	"<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>",
	"<bash-input>", "<bash-stdout>", "<bash-stderr>",
	"<task-notification>", "<background-task", "<subagent_notification>", "<teammate-message",
	"<system-reminder>", "<context-update>", "<user-prompt-submit-hook>", "<hook_context>",
	"[Request interrupted by user",
}

// Wrote reports whether the agent itself has written a message in the user's place: the echo of a command, a command's output, a
// notification, a note that the user has interrupted. It looks only at how the message begins.
func Wrote(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	if text == "" || (text[0] != '<' && text[0] != '[') {
		return false
	}
	for _, tag := range tags {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return false
}
