// Package agent plays a coding agent, the client of a model API, against any http.RoundTripper, for tests:
// user turns, tool loops, parallel and failing calls, thinking that is sent back as it came, retries,
// requests that fail for good, compaction, titles, token counts, resume, rewind, fork, subagents, and a
// change of model.
//
// An Agent keeps a clean history and writes all of it anew into each request, with the differences in
// spelling that real agents have from one request to the next (WIRE.md §2.2). One file for each API writes
// requests and reads answers; everything else is the same for all APIs.
//
// The last message says what the model is to answer: the text of each prompt and tool result holds a Cue.
// Script, which is given to the fakes of package modelapi, reads it there. So an answer depends on the
// conversation alone, and not on what anybody puts into it. Everything an Agent does follows from
// Options.Seed; it reads no clock and never sleeps.
//
// An Agent belongs to one goroutine; several Agents may share a RoundTripper.
package client
