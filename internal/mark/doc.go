// Package mark owns the reminder tag: how a text is wrapped in it, how a text of ours is known again, and how
// a tag that somebody else wrote is made harmless.
//
// A text of ours is known by the mark of its run, which the opening tag carries, and by its exact form; never
// by what it says. A forged tag is text of a user, a tool or a file that reads as a reminder tag. The
// injector needs all of this for messages; the compiler neutralises the values of facts that it writes into a
// text.
//
// Every function is pure, may be called concurrently, and takes time linear in the length of the text.
package mark
