// Package filestore keeps runs in a directory, with one file for each run: Open it, and give eval.Options the
// Store. It is made for many short processes at once, such as the hooks of a coding agent.
//
// # Files
//
// NAME is made of the name of the run.
//
//	NAME.run        the snapshot of the run and its revision, beside it room for the next one, and at the end a
//	                mark that says whether what can be read is durable
//	NAME.corrupt-N  a NAME.run that could not be read; at most three. While there is one and no NAME.run,
//	                the run is ErrCorrupt, until it is begun anew, is deleted or expires
//	lock/00 to ff   one of them is locked while NAME.run is changed: NAME.run itself cannot be locked, since
//	                some saves replace it. Runs share them, so that no run needs one of its own
//	keys            by what runs are found, see state.Store: what each save has changed of it, in lines of
//	                JSON; lock/keys is locked while it is changed
//	tmp/NAME.*      a save that is under way, or the rest of a killed process, which Open removes
//	aside-store     exists once the directory is complete and durable. It says which directory this is, and
//	                its time is that of the last search for old runs
//
// Files have mode 0600 and directories 0700, whatever the umask is.
//
// # Durability
//
// NAME.run holds the last two snapshots that were saved, each with a revision and a checksum. A save takes
// the lock, compares the revision, marks the file, writes over the older snapshot, syncs that, and removes
// the mark: it waits for the disk once. If it is cut short, its snapshot has a wrong checksum, and the other
// one counts. A first save, and one that needs more room, writes a temporary file with the mark and syncs it,
// renames it, syncs the directory, and removes the mark. So after a crash or a loss of power a run has either
// its old value or its new one, and never a part of one. With Durability Process or OnSync no save waits for
// the disk, and the mark stays.
//
// Readers take no lock, unless the mark or a checksum says that a save is under way. They then wait for the
// save, or complete the save of a killed process: a host must not act on a decision that can still be lost.
// Where no save waits for the disk, readers do not look at the mark.
//
// A snapshot that was damaged after it was saved looks like one whose save was cut short. The run then has
// the value before. Only if both are damaged, the run is corrupt.
//
// A Store keeps the last snapshot of the 4096 runs that it has used last. Where the disk has lost what the
// Store knows (both halves of a file are damaged, the directory was removed, an older copy of it came back),
// Load returns what is known, and the next Save puts it in place. A run that was deleted stays deleted, and a
// process that does not know a corrupt run gets ErrCorrupt.
//
// Save, Load and Delete return when their context ends, even if another process holds the lock or the disk is
// slow, and after five seconds where the context has no deadline. The error names the holder of the lock, if
// the system tells. They return state.ErrIndeterminate only if the new value may have been saved, and after a
// sync that failed. After any other error the run has its old value.
//
// A Store may be used concurrently, by any number of goroutines and processes of one machine. The directory
// must be on a file system on which locks and renames work across processes, which is not so on some network
// file systems.
package filestore
