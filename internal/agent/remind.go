package agent

import (
	"cmp"
	"strings"
)

// RemindBody begins the text that an agent's /remind command expands to, up to the double quote before the
// name. A hook that sees only the expansion reads the name from there.
const RemindBody = `The user asked for the reminder named "`

// RemindList is what Event.Manual is where /remind names no reminder: the person asks which there are.
const RemindList = "?"

// Reminded returns NAME of a prompt that begins with "/remind NAME" or with what that command expands to,
// RemindList where there is no NAME, and "" of any other.
func Reminded(prompt string) string {
	prompt = strings.TrimLeft(prompt, " \t\r\n")
	if rest, ok := strings.CutPrefix(prompt, RemindBody); ok {
		name, _, ok := strings.Cut(rest, `"`)
		if ok {
			return remindName(name)
		}
		return ""
	}
	if strings.TrimRight(prompt, " \t\r\n") == "/remind" {
		return RemindList
	}
	line, _, _ := strings.Cut(prompt, "\n")
	if command, args, ok := strings.Cut(strings.TrimRight(line, "\r"), " "); ok && command == "/remind" {
		return remindName(args)
	}
	return ""
}

// remindName returns the first of the arguments of /remind, without quotes; RemindList where there is none,
// and "" where it is longer than maxName.
func remindName(args string) string {
	words := strings.Fields(args)
	switch {
	case len(words) == 0:
		return RemindList
	case len(words[0]) > maxName:
		return ""
	}
	return cmp.Or(strings.Trim(words[0], `"'`), RemindList)
}
