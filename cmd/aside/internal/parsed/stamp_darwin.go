package parsed

import (
	"io/fs"
	"syscall"
)

// stampOf returns the stamp of a file; false where the system does not give all of it.
func stampOf(info fs.FileInfo) (stamp, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, false
	}
	return stamp{int64(st.Dev), int64(st.Ino), st.Size, syscall.TimespecToNsec(st.Mtimespec), syscall.TimespecToNsec(st.Ctimespec)}, true
}
