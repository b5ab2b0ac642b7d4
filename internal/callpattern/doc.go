// Package callpattern owns the call pattern: Edit, mcp__*, @shell, Bash(git push*), @edit(db/**), as
// LANGUAGE.md §2 and §6 describe it. It parses the text of a pattern, holds a pattern against a call, and
// compares patterns with each other. For that it also owns the list of simple commands in a command line and
// the form in which paths are compared.
//
// It refuses to know which agent calls which tool by which name: the class of a call comes with the call. It
// keeps nothing of a command, path or output beyond the call of a function; the commands of a line are
// remembered by the frame that a fact.Place comes from, and are gone with it.
//
// The package is pure. Patterns are immutable; all functions and methods may be called concurrently.
package callpattern
