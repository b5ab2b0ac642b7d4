// Package filestore keeps runs in a directory, one file each, for many short processes at once.
//
// For a run there may be, all named after it:
//
//	NAME.run      its snapshot and revision
//	NAME.lock     locked by whoever changes NAME.run; beside it, because a rename gives NAME.run another inode
//	NAME.corrupt  what was in NAME.run when it could not be read; as long as it is there the run is ErrCorrupt, until it is deleted
//	tmp/NAME.*    a save under way, or what a killed process left of one; Open removes those that are old
//
// A save compares the revision under the lock, writes a temporary file, syncs it, renames it, and syncs the directory:
// after a fault or a loss of power a run has its old value or its new one, whole. Files are created 0600, directories
// 0700. Readers take no lock.
//
// A Store may be used concurrently, by any number of goroutines and processes of one machine. The directory must be on a
// file system where locks and renames work across processes, which some network file systems are not.
package filestore
