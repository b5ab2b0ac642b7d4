package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/replay"
	"github.com/aside-go/aside/cmd/aside/internal/report"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/internal/atomicfile"
)

// replayHTML is "aside replay --html".
type replayHTML struct {
	HTML *string `name:"html" placeholder:"FILE" help:"Write a page for a browser, all in one file, instead of the timeline; - is stdout."`

	name string
	page *report.Page
}

// stdoutName is the file name that stands for stdout.
const stdoutName = "-"

func (x *replayHTML) check(json bool) error {
	switch {
	case x.HTML == nil:
		return nil
	case *x.HTML == "":
		return command.Usage("--html needs the name of a file")
	case *x.HTML != stdoutName:
		return writable(*x.HTML)
	case json:
		return command.Usage("--html - and --json would both write to stdout")
	}
	return nil
}

func (x *replayHTML) begin(o *replay.Options) {
	if x.HTML == nil {
		return
	}
	if x.name = *x.HTML; !o.JSON {
		o.Out = io.Discard
	}
	x.page = report.New(o.Set)
	o.Views = append(o.Views, x.page)
}

// writable returns why no page can be written to the file name, nil where nothing is known to prevent it.
func writable(name string) error {
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

// replaceable returns an error where the file name exists and is no HTML: it is likely to be the recording, given as the value of --html
// by mistake.
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
		return command.No("%s exists and is no page: --html takes the name of the file to write", name)
	}
	return nil
}

// finish writes the page. Where the replay was interrupted, an existing page stays as it was.
func (x *replayHTML) finish(e *command.Env, err error) error {
	switch {
	case x.page == nil:
		return nil
	case errors.Is(err, replay.ErrInterrupted), err != nil && x.page.Turns() == 0:
		if x.name != stdoutName {
			e.Note("%s: not written", e.Short(x.name))
		}
		return nil
	}
	var page bytes.Buffer
	if _, err := x.page.WriteTo(&page); err != nil {
		return err
	}
	if x.name == stdoutName {
		_, err := e.Out.Write(page.Bytes())
		return err
	}
	if err := putPage(x.name, page.Bytes()); err != nil {
		return err
	}
	e.Note("%s: %s in %s, %s; %s", e.Short(x.name), terminal.Count(x.page.Turns(), "turn"), terminal.Count(x.page.Runs(), "run"), terminal.Count(x.page.Fires(), "firing"), bytesize(page.Len()))
	return nil
}

// putPage replaces the file name by a page, whole or not at all. What is not a regular file, such as a pipe, is written to.
func putPage(name string, page []byte) error {
	mode := fs.FileMode(0o600) // the page quotes the session
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.Write(page)
			return errors.Join(err, f.Close())
		}
		mode = info.Mode()
	}
	return atomicfile.Write(name, page, mode)
}

func bytesize(n int) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%d kB", (n+999)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
