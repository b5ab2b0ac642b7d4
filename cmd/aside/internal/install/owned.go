package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// ErrForeign says that a file which an agent gives one name only is somebody else's.
var ErrForeign = errors.New("is not from aside")

// owned is a file that is ours alone. The line with its mark holds a sum of all others, so that a later version knows its own from
// one that somebody has changed.
type owned struct {
	path  string
	mode  uint32
	text  string // holds the line mark+"\n" once
	mark  string
	needs bool // where it is somebody else's, nothing can be installed
	event string
	words func(text string) []string // reads the command from it
}

func (o *owned) file() string { return o.path }

// ourMark begins the marks, behind what begins a comment.
const ourMark = "written by aside install; sum "

func sum(text, mark string) string {
	rest := strings.Replace(text, mark+"\n", "", 1)
	s := sha256.Sum256([]byte(rest))
	return hex.EncodeToString(s[:8])
}

// content is the text with its sum.
func (o *owned) content() []byte {
	return []byte(strings.Replace(o.text, o.mark+"\n", o.mark+sum(o.text, o.mark)+"\n", 1))
}

// state says of a file whether it is as some version of ours wrote it, and whether it is one of ours at all.
func (o *owned) state(now []byte) (asWritten, ours bool) {
	i := bytes.Index(now, []byte(o.mark))
	if i < 0 {
		return false, false
	}
	end := lineEnd(now, i)
	was := strings.TrimSpace(string(now[i+len(o.mark) : end]))
	s := sha256.Sum256(slices.Concat(now[:i], now[end:]))
	return hex.EncodeToString(s[:8]) == was, true
}

func (o *owned) install(now, _ []byte) ([]byte, error) {
	asWritten, ours := o.state(now)
	switch {
	case now == nil || asWritten:
		return o.content(), nil
	case ours || !o.needs:
		return now, errKept
	}
	return nil, ErrForeign
}

func (o *owned) uninstall(now, _ []byte) ([]byte, error) {
	asWritten, ours := o.state(now)
	switch {
	case asWritten:
		return nil, nil
	case ours:
		return now, errKept
	}
	return now, nil
}

// errKept says that a file stays as it is because somebody has changed it.
var errKept = errors.New("was changed by somebody else, and stays as it is")

// remindFile is the command behind /remind: a file that is ours as long as it says what some version of ours wrote.
type remindFile struct {
	path string
	text string
	past []string // what earlier versions wrote
}

func (r *remindFile) file() string { return r.path }

func (r *remindFile) ours(now []byte) bool {
	return string(now) == r.text || slices.Contains(r.past, string(now))
}

func (r *remindFile) install(now, _ []byte) ([]byte, error) {
	if now != nil && !r.ours(now) {
		return now, errKept
	}
	return []byte(r.text), nil
}

func (r *remindFile) uninstall(now, _ []byte) ([]byte, error) {
	switch {
	case now == nil || r.ours(now):
		return nil, nil
	}
	return now, errKept
}

// scriptWords reads the command that a script runs.
func scriptWords(text string) []string {
	for line := range strings.Lines(text) {
		for _, before := range []string{"exec ", "$input | & "} {
			if rest, ok := strings.CutPrefix(line, before); ok {
				return words(strings.TrimSpace(rest))
			}
		}
	}
	return nil
}

// pluginWords reads the command that the plugin for opencode runs.
func pluginWords(text string) (list []string) {
	_, rest, _ := strings.Cut(text, "\nconst command = ")
	line, _, _ := strings.Cut(rest, "\n")
	if json.Unmarshal([]byte(line), &list) != nil {
		return nil
	}
	return list
}
