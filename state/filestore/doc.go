// Package filestore is a state.Store in a directory, with one file for each run. It is made for many short
// processes at once, such as the hooks of a coding agent.
//
// # Files
//
// NAME is made of the name of the run.
//
//	NAME.run        the snapshot of the run and its revision, and beside it room for the next one
//	NAME.lock       is locked while NAME.run is changed. NAME.run itself cannot be locked, since some saves
//	                replace it. The length of the file is a mark: one byte says that NAME.run may not be
//	                durable yet, two bytes that a sync failed
//	NAME.corrupt-N  a NAME.run that could not be read; at most three. While there is one and no NAME.run,
//	                the run is ErrCorrupt, until it is deleted or expires
//	tmp/NAME.*      a save that is under way, or the rest of a killed process, which Open removes
//	aside-store     exists once the directory is complete and durable; its time is that of the last Open
//	                that looked for old runs
//
// Files have mode 0600 and directories 0700, whatever the umask is.
//
// # Durability
//
// NAME.run holds the last two snapshots that were saved, each with a revision and a checksum. A save takes
// the lock, compares the revision, marks the lock file, writes over the older snapshot, syncs that, and
// removes the mark: it waits for the disk once. If it is cut short, its snapshot has a wrong checksum, and
// the other one counts. A first save, and one that needs more room, writes a temporary file and syncs it,
// marks the lock file, renames the temporary file, syncs the directory, and removes the mark. So after a
// crash or a loss of power a run has either its old value or its new one, and never a part of one.
//
// Readers take no lock, unless the mark or a checksum says that a save is under way. They then wait for the
// save, or complete the save of a killed process: a host must not act on a decision that can still be lost.
//
// A snapshot that was damaged after it was saved looks like one whose save was cut short. The run then has
// the value before. Only if both are damaged, the run is corrupt.
//
// Save, Load and Delete return when their context ends, even if another process holds the lock or the disk is
// slow. They return state.ErrIndeterminate only if the new value may have been saved, and after a sync that
// failed. After any other error the run has its old value.
//
// A Store may be used concurrently, by any number of goroutines and processes of one machine. The directory
// must be on a file system on which locks and renames work across processes, which is not so on some network
// file systems.
package filestore
