// Package parsed remembers what rule files were parsed to, from one process to the next: a hook lives for a few milliseconds, and to
// read twenty rule files anew would be most of them.
//
// A file of the user's own is taken for unchanged, and not opened, where its device, inode, size, time of change of its bytes and time
// of change of anything are those that it had right before it was read, as git's index does it. The last of these is the system's: no
// program can set it back, so a file that was edited in place, replaced, or given its old time again is read. A file that had changed
// less than two seconds before, or in the future, is read each time, until it has settled: between two changes in one moment nothing
// of this would tell. What a program writes through a mapping of the file into memory may be seen only once the system has written it
// out. Where the system does not tell all of this, every file is read.
//
// All other files are read by who loads them, a project's always, and always through its gate; what is remembered of them is found by
// the SHA-256 of the file's path and bytes, and a trigger's tree by the trigger's whole text. So a changed file, or one that is not
// trusted any more, finds nothing. A memory belongs to one build of one program, since another may read the same bytes otherwise.
//
// The memory is a file of the user's own, that nobody else may read or write; any other is passed over, and so is one that is cut off,
// changed or too large. What had anything wrong with it is not remembered.
package parsed
