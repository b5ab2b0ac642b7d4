// Package lsp is the language server of rule files, `aside lsp`: diagnostics as you type, completion, hover,
// formatting, fixes, symbols and definitions.
//
// It owns the session with an editor (the Language Server Protocol 3.17 over one stream) and the answers
// about a text and a place in it. Diagnostics are not its own: they come from the packages that `aside check`
// uses, over the same files, with the editor's unsaved texts in place of those on the disk.
//
// # The files that are served
//
// Files of a directory named reminders, those that Options.Rules names, and rule tests. Markdown there counts
// as a rule file if it has a front matter, or lies in one of the standard directories, where everything is a
// reminder. Nothing is ever said about any other file: a server for rules has no business with somebody's
// README.
//
// A reminder is checked together with those that it will be loaded with: for a file in a standard directory
// those of all six, the project being the one that the file lies in; for any other file those of its own
// directory. Opening a file of a directory names that directory, as `aside check DIR` does; other directories
// of a project are read as far as they are trusted (law T1).
//
// # The way through
//
//   - server.go and dispatch.go keep the order: notifications are handled one after the other, and a request
//     is answered from the state at its arrival, several at a time;
//   - view.go is that state, an immutable value; text.go is a text with its places in the editor's units;
//   - files.go tells the kind of a file, and which reminders are loaded with it; ruleset.go loads the
//     reminders of a scope, with their diagnostics;
//   - the package cursor describes a place in a text, and knows the words that may stand there;
//   - publish.go sends diagnostics to the editor; each other file answers one kind of request.
//
// A panic in a request becomes an error as its answer, and a line in the log; the server goes on.
package lsp
