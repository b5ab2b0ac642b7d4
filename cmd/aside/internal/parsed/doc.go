// Package parsed remembers what rule files were parsed to, from one process to the next: a hook lives for a few milliseconds, and to
// read twenty rule files anew would be most of them.
//
// Nothing is taken for unchanged. Each file is still read by who loads it, and a project's through its gate; what is remembered is found
// by the SHA-256 of a file's path and bytes, and a trigger's tree by the trigger's whole text. So a changed file, or one that is not
// trusted any more, finds nothing, and a wrong memory can do no more than be of no use. It belongs to one build of one program, since
// another may read the same bytes otherwise.
//
// The memory is a file of the user's own, that nobody else may read or write; any other is passed over, and so is one that is cut off,
// changed or too large. What had anything wrong with it is not remembered.
package parsed
