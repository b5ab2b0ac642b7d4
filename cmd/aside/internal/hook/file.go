package hook

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

const (
	// sameStep is how long what was put into an agent's file stays there at least. No model answers as fast, so an event that comes
	// sooner is of a call that ran beside the one before, and the model has not read the file yet.
	sameStep = 2 * time.Second
	maxFile  = 64 << 10 // bytes of such a file that are added to
)

// put puts the text that is due into the file that an agent reads before each model call, or empties the file where none is due. At
// the end of a turn it is emptied in any case: no call follows.
func put(path string, text []byte, now time.Time, end bool) error {
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
	err = fill(f, text, now, end)
	return errors.Join(err, f.Close())
}

// fill writes a file that is locked.
func fill(f *lockedfile.File, text []byte, now time.Time, end bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	age := now.Sub(info.ModTime())
	if size := info.Size(); !end && size > 0 && size < maxFile && age > -sameStep && age < sameStep {
		old := make([]byte, size)
		if _, err := f.ReadAt(old, 0); err != nil {
			return err
		}
		more := added(string(old), string(text))
		if more == "" {
			return nil
		}
		_, err := f.WriteAt([]byte(between[1:]+more+"\n"), size)
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.Write(text)
	return err
}

// added returns the paragraphs of a text that do not stand in an older one: what is kept is due again.
func added(old, text string) string {
	paragraphs := strings.Split(strings.TrimSuffix(text, "\n"), between)
	return strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return strings.Contains(old, p) }), between)
}
