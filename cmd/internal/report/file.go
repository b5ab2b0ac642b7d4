package report

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/internal/atomicfile"
)

// Writable returns why no page can be written to the file name, nil where nothing is known to prevent it.
func Writable(name string) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return command.No("%s is a directory: --html takes the name of a file", name)
	case err == nil && info.Mode().IsRegular():
		if err := replaceable(name); err != nil {
			return err
		}
		return atomicfile.Check(name)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	dir := filepath.Dir(name)
	if info, err = os.Stat(dir); err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return err
	}
	return atomicfile.Check(name)
}

// replaceable returns an error where the file name exists and is no HTML: it is likely to be the recording,
// given as the value of --html by mistake.
func replaceable(name string) error {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".html", ".htm":
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	const mark = "<!doctype html>"
	head, err := io.ReadAll(io.LimitReader(f, int64(len(mark))))
	if err != nil {
		return err
	}
	if len(head) > 0 && !strings.EqualFold(string(head), mark) {
		return command.No("%s exists and is not a page: --html takes the name of the file to write", name)
	}
	return nil
}

// Put replaces the file name by a page, whole or not at all; a new file is for nobody else, since the page
// quotes the session. A file that is not regular, such as a pipe, is written to.
func Put(name string, page []byte) error {
	if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
		return atomicfile.Write(name, page, 0o600)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(page)
	return errors.Join(err, f.Close())
}
