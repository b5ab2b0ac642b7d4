// Package session reads the files that coding agents keep of their sessions. Each form of file stands in one
// place, with one reader: a Source returns a turn for each model call, for replay. Read, for hooks, gives the
// end of a file to the same Source, and more of it until what is known of the past no longer depends on the
// rest. So hooks and replay know the same.
//
// These files grow to hundreds of megabytes, a line at a time, while they are read, and their forms change
// from one version of an agent to the next (HOOKS.md §4.8, §5, §6). So lines are read one by one, only what a
// fact or a timeline needs is decoded, and of the end no more than needed and never without bound.
// Records of unknown kinds, and lines that are cut off, are passed over. A fact that a file does not tell is
// unknown, which is not 0.
//
// The package writes nothing, and opens regular files only. A Source is for one goroutine; all functions may
// be called concurrently.
package session
