// Package hook is the program that a coding agent runs at each of its events. The event comes in on stdin as
// that agent's JSON, and the text of due reminders goes out on stdout in the form that this agent takes.
//
//	stdin → agent.Agent.Decode → Event → what the run has seen (notes.go)
//	      → eval: decided and committed → Agent.Encode → stdout
//
// A hook delays somebody's tool call, many times a minute and several at once, so it is quick: it opens the
// run's state, the rules, and at most the end of a transcript. And it never breaks the agent: whatever
// happens, it exits with 0 and prints nothing that the agent could misread (main.go). Errors go to a log that
// `aside setup --check` shows.
//
// A turn is committed before its text is printed, and what a hook that was killed left undone, the next one
// does (spool.go).
package hook
