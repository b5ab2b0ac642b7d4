// Package machines tells the prompts of agents' own machinery from those of persons.
package machines

import "strings"

// tags open the messages that agents write in a user's place (HOOKS.md §4.8, WIRE.md §2).
var tags = [...]string{
	"<command-name>", "<command-message>", "<command-args>",
	"<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>",
	"<bash-input>", "<bash-stdout>", "<bash-stderr>",
	"<task-notification>", "<background-task", "<subagent_notification>", "<teammate-message",
	"<system-reminder>", "<context-update>", "<user-prompt-submit-hook>", "<hook_context>",
	"[Request interrupted by user",
}

// Wrote reports whether a message in a user's place was written by the agent's own machinery: the echo of a command, its
// output, a notification, a note that the user interrupted. It looks at the opening alone.
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
