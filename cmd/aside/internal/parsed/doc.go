// Package parsed caches the results of parsing rule files from one process to the next: a hook lives for a few milliseconds, most of
// which parsing twenty rule files would take.
//
// A file of the user's own is taken for unchanged, and not opened, where its device, inode, size, mtime and ctime are those that it had
// right before it was read, as in git's index. No program can set the ctime, so a file that was edited in place, replaced, or given its
// old mtime again is read. A file that has changed less than two seconds before, or in the future, is read each time until it has
// settled: of two changes within the clock's resolution the second would not show. What a program writes through a memory mapping of the
// file may show only once the system has written it out. Where the system does not give all five values, every file is read.
//
// All other files are read by whoever loads them, a project's always, and always through its gate. Their results are found by the SHA-256
// of the file's path and bytes, and a trigger's tree by the trigger's whole text. So there is nothing for a changed file, or for one that
// is no longer trusted. A memory belongs to one build of one program, since another build may parse the same bytes differently.
//
// The memory is a file that only the user can read and write. Any other file is ignored, and so is one that is cut off, changed or too
// large. What had a diagnostic is not remembered.
package parsed
