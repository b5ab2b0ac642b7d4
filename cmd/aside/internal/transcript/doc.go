// Package transcript reads recorded conversations: session files of Claude Code, Codex and Gemini CLI with those of their subagents,
// logs of requests to model APIs, and logs of conversations. It turns each into turns, one for each model call, each with what
// stood before it. A file's content says what it is, its name does not.
//
// The package owns the file formats and what a session's files are; it knows nothing of reminders and triggers.
// Files are read a line at a time in bounded memory, and only what a fact or a timeline needs is decoded. What it does not
// know it skips: new record types come with every version of an agent. A fact that a file does not hold stays unknown.
// What requests and responses say is read by package wire, as it is for a request on its way.
//
// A Reader is for one goroutine; the functions may be called concurrently.
package transcript
