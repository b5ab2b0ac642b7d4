// Package transcript reads recorded conversations: session files of agents with those of their
// subagents, logs of requests to model APIs, and logs of conversations. It returns a turn for
// each model call, with what was known before that call. The format of a file is told by its content, never
// by its name.
//
// The package finds the files that belong to a session, cuts them into lines in bounded memory, and reads
// logs of requests, with package wire. The forms of session files are known to package
// internal/agent/session. A fact that a file does not hold stays unknown. The package knows nothing of
// reminders and triggers.
//
// A Reader is for one goroutine; the functions may be called concurrently.
package transcript
