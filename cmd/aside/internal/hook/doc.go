// Package hook is what a coding agent runs at each of its events: what happened comes in on stdin, in that agent's own words, and
// the text of due reminders goes out on stdout, in the form in which that agent takes it.
//
//	stdin → Dialect.Decode → Event → what the run has seen (notes.go) → eval: decided and committed → Dialect.Encode → stdout
//
// A hook stands in the way of somebody's tool call, many times a minute and several at once. It is quick: it opens the run's
// state, the rules, and at most the end of a transcript. And it never breaks the agent: whatever happens, it exits with 0 and
// prints nothing wrong (main.go); what went wrong stands in a log that `aside doctor` shows.
//
// Delivery is at most once: a turn is committed before its text is printed.
package hook
