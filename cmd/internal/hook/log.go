package hook

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aside-go/aside/internal/excerpt"
)

const (
	logName = "hook.log"
	maxLog  = 256 << 10 // bytes: a longer file becomes hook.log.1, in place of the one before
	maxLine = 500       // bytes of an error on its line
)

// LogFiles returns the paths of the log in the order in which they are tried: a line goes to the first that
// can be written. Each home has its own.
func (h *Host) LogFiles() (paths []string) {
	if dir, err := h.stateDir(); err == nil {
		paths = append(paths, filepath.Join(dir, logName))
	}
	if h.Home != "" {
		paths = append(paths, filepath.Join(h.Home, ".cache", "aside", logName))
	}
	// the name of the home is hashed, since others may list the directory for temporary files
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("aside-%d", os.Getuid()))
	if h.Home != "" {
		dir = filepath.Join(dir, digest(h.Home))
	}
	return append(paths, filepath.Join(dir, logName))
}

// log writes the error of a call as one line: the time, the agent ("-" where none is known), the error. err
// must quote nothing that the agent sent, and nothing of the environment.
func (h *Host) log(agent string, err error) {
	line := fmt.Sprintf("%s %s %s\n", h.Clock().UTC().Format(time.RFC3339), plain(agent, 32),
		plain(err.Error(), maxLine))
	for _, path := range h.LogFiles() {
		if appendLine(path, line) == nil {
			return
		}
	}
}

// plain returns s on one line, without control characters, cut off after most bytes; "-" for "".
func plain(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return ';'
		case r < ' ' || r == 0x7f:
			return ' '
		}
		return r
	}, s)
	return cmp.Or(excerpt.Of(s, most), "-")
}

// appendLine appends a line to a file that only the user can read. Hooks may do so at the same time: a line
// is a single write. Where two of them rename a full file at once, the second renames the new, short one, and
// the older lines are lost.
func appendLine(path, line string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil {
		switch {
		case !info.Mode().IsRegular():
			return errors.New("not a file")
		case info.Size() > maxLog:
			if err := os.Rename(path, path+".1"); err != nil {
				return err
			}
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}
