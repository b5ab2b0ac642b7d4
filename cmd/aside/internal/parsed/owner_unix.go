//go:build unix

package parsed

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether a file is this user's, has a single name, and cannot be read or written by others.
func private(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && st.Nlink == 1 && info.Mode().Perm()&0o077 == 0
}
