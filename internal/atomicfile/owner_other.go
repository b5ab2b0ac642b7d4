//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

func copyOwner(*os.File, fs.FileInfo) error { return nil }
