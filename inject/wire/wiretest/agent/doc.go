// Package agent plays the client's side of a coding agent against any http.RoundTripper, for tests: user turns, tool loops,
// parallel and failing calls, thinking that goes back as it came, retries, requests that fail for good, compaction, titles,
// counted tokens, resume, rewind, fork, subagents, and a change of model.
//
// An Agent keeps a clean history of its own and writes all of it anew into each request, with the differences in spelling
// that real agents have from one request to the next (WIRE.md §2.2). One file for each API writes requests and reads
// answers; all else is the same for all.
//
// What the model is to answer, the last message says: a Cue stands in the text of each prompt and tool result, and Script,
// which the fakes of package wiretest are given, reads it there. So an answer depends on the conversation alone, and not on
// what anybody puts into it. Everything an Agent does follows from Options.Seed; it reads no clock and never sleeps.
//
// An Agent belongs to one goroutine; several may share a RoundTripper.
package agent
