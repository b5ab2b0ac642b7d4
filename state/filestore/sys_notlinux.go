//go:build !linux

package filestore

import "os"

// holderOf names the process that holds the lock on a file, "" if that is not known. These systems do not
// tell.
func holderOf(string) string { return "" }

func syncData(f *os.File) error { return f.Sync() }
