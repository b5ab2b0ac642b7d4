// Package filestore keeps runs in a directory, one file each, for many short processes at once.
//
// For a run there may be, all named after it:
//
//	NAME.run        its snapshot and revision
//	NAME.lock       locked by whoever changes NAME.run; beside it, because a rename gives NAME.run another inode. One byte
//	                in it says that NAME.run may not be durable yet, two that a sync failed
//	NAME.corrupt-N  what was in NAME.run when it could not be read, at most three; as long as there is one and no NAME.run
//	                the run is ErrCorrupt, until it is deleted or expires
//	tmp/NAME.*      a save under way, or what a killed process left of one, which Open removes
//	aside-store     made when the directory is complete and durable; touched when old runs were last looked for
//
// A save compares the revision under the lock, writes a temporary file, syncs it, marks the lock file, renames, syncs the
// directory, and takes the mark back: after a fault or a loss of power a run has its old value or its new one, whole.
// Readers take no lock, unless the mark tells them that what they read could still be lost with the power: then they
// wait for the save, or finish what a killed process left, since a decision must not be acted on before it is durable.
//
// Save, Load and Delete return when their context ends, whoever holds a lock and however slow the disk is. ErrIndeterminate
// comes only where the new value may be there, and after a sync that failed; after any other error the old one is.
//
// Files are made 0600 and directories 0700, whatever the umask.
//
// A Store may be used concurrently, by any number of goroutines and processes of one machine. The directory must be on a
// file system where locks and renames work across processes, which some network file systems are not.
package filestore
