// Package analysis decides, before a reminder has run: whether its trigger can ever become true, whether it
// always is, how often it can fire, which of its parts have no effect, and how it relates to the other
// reminders of a set.
//
// It evaluates the conditions, as they were compiled, over representatives, and joins them as evaluation
// does. Between two neighbouring constants that a fact is compared with, nothing changes; so what lies at,
// between and beyond them stands for every number. A text of each kind that the conditions tell apart
// stands for every text, and calls stand for every call, told in each way in which hosts tell them. What
// arithmetic compares is looked into as far as it is a sum. Any other expression is a part that may be
// true, false or unknown on its own; the same text is the same part. So the package considers more turns
// than can occur, never fewer, and a part that it calls never true, always true or without effect is so on
// every turn. Work is bounded: past the bound a condition is a part that comes out in any way.
//
// A reminder that fires on edges is armed again where its trigger is false between two turns, when no event
// holds. So of such a reminder a part is without effect only if it has none there, too.
//
// A trigger of a moment beside the turn is examined at that moment. Before a call, the calls are the one at
// hand, which has no result yet. Whatever else happened is what the run's last turn told, and at the end of
// the work what the whole user turn told. A condition on it holds if it held on any part or turn, so that
// two values of one text can both hold. Only conditions on the members of a set are related to each other
// there, and comparisons of one number or bool. With a Host, the facts that it never reports are unknown.
//
// The package assumes of facts only this: counts, tokens, durations and dollars are not negative (facts
// that a host declares may be); an hour is one of 24, a weekday one of seven; counters never fall during a
// run; a tool that failed was used, and a tool that is used now was used once; whoever tells tools tells
// them from then on; a started turn is the first. What a call pattern asks of a subject may be true, false
// or unknown, as far as no other pattern says more. A ratio is not negative, and may be above 1: a host may
// count more tokens than it believes the window to hold. "Fires at most once" does not count texts that never
// got through, which are offered again.
//
// The package does no I/O, reads no clock and starts no goroutine; its functions are pure and may be called
// concurrently.
//
// Its codes are R0901 to R0914 (package internal/code).
package analysis
