//go:build unix

package trust

import (
	"io/fs"
	"os"
	"syscall"
)

// names is how many hard links a file has.
func names(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// foreign says why something of the user's own may be somebody else's by its owner or its mode; "" if it is
// not.
func foreign(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(st.Uid) != os.Geteuid():
		return "it belongs to somebody else"
	case info.Mode().Perm()&0o022 != 0:
		return "others can write to it"
	}
	return ""
}
