// Package fact owns facts: named, typed values that triggers read, such as context_usage or
// turn_count.
//
// A Schema lists the facts there are: the built-in ones (LANGUAGE.md §1), and those that a host declares for
// itself. A Frame holds the values that they have on one turn. Any of them may be unknown, so what is
// computed from them is a Truth, which has three values: False, Unknown and True. Values are the facts of a
// frame apart from it, in the form in which a run keeps them.
//
// The package knows nothing of triggers, reminders, runs or messages. A Schema may be used concurrently. A
// Frame is filled by one goroutine and may then be read by any number.
package fact
