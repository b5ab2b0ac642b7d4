//go:build unix

package checkout

import (
	"io/fs"
	"os"
	"syscall"
)

// Links is how many hard links a file has.
func Links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// Foreign reports whether a file is somebody else's. Its mode does not count: with the umask of many machines
// a group, in which there is nobody else, can write to all that git writes.
func Foreign(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) != os.Geteuid()
}
