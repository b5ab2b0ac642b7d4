// Package transcript reads recorded conversations: session files of Claude Code, Codex and Gemini CLI with
// those of their subagents, logs of requests to model APIs, and logs of conversations. It returns a turn for
// each model call, with what was known before that call. The format of a file is told by its content, never
// by its name.
//
// The package owns the file formats, and knows which files belong to a session; it knows nothing of reminders
// and triggers. Files are read a line at a time in bounded memory, and only what a fact or a timeline needs
// is decoded. Records of unknown types are skipped, since new types come with every version of an agent. A
// fact that a file does not hold stays unknown. Requests and responses of model APIs are read by package
// wire, as they are where they are sent.
//
// A Reader is for one goroutine; the functions may be called concurrently.
package transcript
