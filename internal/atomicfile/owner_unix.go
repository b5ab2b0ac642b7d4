//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// copyOwner gives f the owner and group of the file that as describes. A group that the process may not
// assign is not an error.
func copyOwner(f *os.File, as fs.FileInfo) error {
	want, ok := as.Sys().(*syscall.Stat_t)
	fi, err := f.Stat()
	if err != nil || !ok {
		return err
	}
	have, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || have.Uid == want.Uid && have.Gid == want.Gid {
		return nil
	}
	if err := f.Chown(int(want.Uid), int(want.Gid)); err != nil && have.Uid != want.Uid {
		return err
	}
	return f.Chmod(as.Mode().Perm()) // since chown may clear mode bits
}
