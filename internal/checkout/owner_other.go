//go:build !unix

package checkout

import "io/fs"

// names is one: this system does not say.
func names(fs.FileInfo) uint64 { return 1 }

// foreign is false: this system does not say.
func foreign(fs.FileInfo) bool { return false }
