package hook

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

const (
	// sameStep is how long what was put into an agent's file stays there at least. No model answers as fast, so an event that comes
	// sooner is of a call that ran beside the one before, and the model has not read the file yet.
	sameStep = 2 * time.Second
	maxFile  = 64 << 10 // bytes that such a file may hold
)

// errForeign says whose text an agent's file holds.
var errForeign = errors.New("the agent's file for texts holds a text that aside did not write, and was left alone: empty it, or name another file")

// put puts the text that is due into the file that an agent reads before each model call, or empties the file where none is due. At
// the end of a turn it is emptied in any case: no call follows. A file with anything in it that is not told of in the directory of
// written texts is somebody else's, and stays as it is.
func put(path, written string, text []byte, now time.Time, end bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if len(text) == 0 {
			return nil
		}
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("the agent's file for texts is no regular file")
	case info.Size() == 0 && len(text) == 0:
		return nil
	}
	f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = fill(f, filepath.Join(written, "written-"+digest(path)), text, now, end)
	return errors.Join(err, f.Close())
}

// fill writes a file that is locked. The record says what the file holds by our own hand: the digests of what stood there and of what
// is written now, so that a process that dies between the two leaves a file that is still known.
func fill(f *lockedfile.File, record string, text []byte, now time.Time, end bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() >= maxFile { // never ours
		return errForeign
	}
	old, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	stays := 0 // bytes of it
	if len(old) > 0 {
		ours, err := os.ReadFile(record)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if !slices.Contains(strings.Fields(string(ours)), digest(string(old))) {
			return errForeign
		}
		if age := now.Sub(info.ModTime()); !end && age > -sameStep && age < sameStep {
			more := added(string(old), string(text))
			if more == "" {
				return nil
			}
			stays = len(old)
			text = slices.Concat(old, []byte(between[1:]+more+"\n"))
		}
	}
	if len(text) >= maxFile {
		return errors.New("the agent's file for texts would become too long")
	}
	if err := os.WriteFile(record, []byte(digest(string(old))+" "+digest(string(text))+"\n"), 0o600); err != nil {
		return err
	}
	if err := f.Truncate(int64(stays)); err != nil {
		return err
	}
	_, err = f.WriteAt(text[stays:], int64(stays))
	return err
}

// added returns the paragraphs of a text that do not stand in an older one: what is kept is due again.
func added(old, text string) string {
	paragraphs := strings.Split(strings.TrimSuffix(text, "\n"), between)
	return strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return strings.Contains(old, p) }), between)
}
