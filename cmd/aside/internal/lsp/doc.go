// Package lsp is the language server of rule files, `aside lsp`: what is wrong as you type, what could stand here, what a word means,
// and where else it stands.
//
// It owns the conversation with an editor (the Language Server Protocol 3.17 over one stream) and what an editor asks about a text and
// a place in it. What is wrong with a file it does not decide itself: it asks the packages that `aside check` asks, over the same files,
// with the editor's unsaved texts in place of the disk's.
//
// # What is served
//
// Files of a directory named reminders, those that Options.Rules names, and rule tests. Markdown there counts as a rule file if it has a
// front matter, or lies in one of the standard directories, where everything is a reminder. Every other file is passed over without a
// word: a server for rules has nothing to say about somebody's README.
//
// A reminder is looked at among those that it will be loaded with: of the standard directories all six, the project being the one that
// the file lies in, else its own directory. To open a file of a directory is to name that directory, as `aside check DIR` does; other
// directories of a project are read as far as they are trusted (law T1).
//
// # The way through
//
//   - stream.go cuts the stream into messages, and answers what is none; server.go and dispatch.go keep the order: what an editor tells
//     (notifications) is taken in one after the other, what it asks is answered from what was told before, several at a time;
//   - view.go is what was told so far, a value that nobody changes; text.go is one text and its places in the editor's units;
//   - place.go says what kind of file a path is and where its reminders count, disk.go remembers the files beside it, study.go brings
//     both together to what is known of the reminders of a place;
//   - feed.go tells the editor what is wrong; each other file answers one kind of question.
//
// A panic over a question is the answer to that question, an error, and a line in the log; the server goes on.
package lsp
