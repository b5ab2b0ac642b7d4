// Package trust remembers which rule files of which projects a person has approved, and reads these files and
// no others.
//
// Rules of a project are somebody else's words in an agent's ear. A Store holds, in a directory of the user's
// own, one record a project: its path without links, and for each approved file its name, where it really
// lies, its size and the SHA-256 of its bytes. A Store is a load.Gate: it gives the bytes it has hashed, so
// what was approved is what is parsed (law T2). A file that no record names is not opened (T1); one whose
// bytes, size or place are others than those approved is not used, and the others go on (T4). Projects are
// compared by whole paths without links, so trust in one directory says nothing of those above, below or
// beside it (T5).
//
// Nothing inside a project can change the answer (T3). Records are no part of any project: where the store
// lies inside the project that is asked about, nothing of it is trusted. A record that others could write to,
// or that cannot be read, trusts nothing.
//
// Of a project it opens regular files of at most 256 KiB that lie below the project's directory once every
// link is followed, and have one name only: a second hard link may be a file of another place, and is told by
// nothing else. Names that differ in nothing but case or spelling are all refused, since on some machines
// they are one file; so are names with characters that cannot be seen. Owners and modes of a project's files
// say nothing, since every reading hashes the bytes. Links are followed one component at a time below an
// os.Root, nothing that is not a regular file is opened, what was looked at is compared with what was opened,
// and that again with what lies there after the reading.
//
// A Store may be used concurrently, by any number of goroutines and processes.
package trust
