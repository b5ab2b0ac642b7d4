//go:build unix

package parsed

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether a file is this user's, and nobody else may read or write it.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && st.Nlink == 1 && info.Mode().Perm()&0o077 == 0
}
