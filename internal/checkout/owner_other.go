//go:build !unix

package checkout

import "io/fs"

// Links is one: this system does not say.
func Links(fs.FileInfo) uint64 { return 1 }

// Foreign is false: this system does not say.
func Foreign(fs.FileInfo) bool { return false }
