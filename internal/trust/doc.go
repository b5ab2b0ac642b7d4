// Package trust remembers which rule files of which projects a person has approved, and reads these files and
// no others.
//
// Rules of a project are somebody else's words in an agent's ear. A Store holds, in a directory of the
// user's own, one record a project: its path without links, and for each approved text its file's name,
// the place of that after resolving links, its size and the SHA-256 of its bytes. A project in a linked
// worktree of a git repository is the project at the same path of the main worktree (package checkout):
// what is approved in one checkout is approved in all, to the byte, and texts of a file that differ stand
// side by side. A Store is a load.Gate: it returns the bytes that it has hashed, so the approved bytes are
// the parsed bytes (law T2). A file that no record names is not opened (T1). A file whose bytes, size or
// place differ from the approved ones is not used, and the others stay in use (T4). Projects are compared
// by whole paths without links, so trust in one directory says nothing of those above, below or beside it
// (T5), but for the worktrees that its own git directory lists.
//
// Nothing inside a project can change the answer (T3). Records are not part of any project: where the store
// lies inside the project that is asked about, nothing of it is trusted. A record that others could write to,
// or that cannot be read, trusts nothing.
//
// Of a project the package opens only regular files of at most 256 KiB that lie below the project's directory
// once every link is followed, and that have one name: a second hard link may be a file of another place.
// Names that differ only in case or spelling are all refused, since on some machines they are one file; so
// are names with invisible characters. Owners and modes of a project's files do not count, since every
// reading hashes the bytes. Links are followed one component at a time below an os.Root. The file that was
// looked at is compared with the one that was opened, and again with the one at that name after the reading.
//
// A Store may be used concurrently, by any number of goroutines and processes.
package trust
