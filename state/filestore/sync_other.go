//go:build !linux

package filestore

import "os"

func syncData(f *os.File) error { return f.Sync() }
