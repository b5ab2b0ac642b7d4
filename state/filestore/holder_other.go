//go:build !linux

package filestore

// holderOf names the process that holds the lock on a file, "" if that is not known. These systems do not
// tell.
func holderOf(string) string { return "" }
