//go:build !unix

package trust

import "io/fs"

// names is one: this system does not say.
func names(fs.FileInfo) uint64 { return 1 }

// foreign says nothing: modes mean nothing on this system.
func foreign(fs.FileInfo) string { return "" }
