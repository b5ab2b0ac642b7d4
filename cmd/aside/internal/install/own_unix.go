//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// own gives f the owner that another file has. A group that we are not in is let go.
func own(f *os.File, as fs.FileInfo) error {
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
	return f.Chmod(as.Mode().Perm()) // a change of owner may have taken bits away
}
