package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
)

// ErrForeign is for a file that must have one certain name, where a file of that name is somebody else's.
var ErrForeign = errors.New("is not from aside")

// owned is a file that is ours alone. One of its lines is the mark followed by a sum of all other lines, by
// which a later version tells a file that some version has written from one that somebody has changed. A file
// without a mark, such as the command behind /remind, which a mark would be part of, is ours as long as it
// holds exactly what this version of aside writes.
type owned struct {
	path  string
	mode  os.FileMode
	text  string // holds the line mark+"\n" once
	mark  string // "": none
	spare bool   // hooks work without the file
	event string
	words func(text string) []string // returns the command that a file runs; nil: it runs none
}

func (o *owned) file() string { return o.path }

// ourMark is what each mark begins with, after the characters that begin a comment.
const ourMark = "written by aside install; sum "

func sum(rest []byte) string {
	s := sha256.Sum256(rest)
	return hex.EncodeToString(s[:8])
}

// content returns the text with its sum.
func (o *owned) content() []byte {
	if o.mark == "" {
		return []byte(o.text)
	}
	before, behind, _ := strings.Cut(o.text, o.mark+"\n")
	return []byte(before + o.mark + sum([]byte(before+behind)) + "\n" + behind)
}

// state reports whether now, what a file holds, has our mark, which any content has where there is none, and
// whether it is still as some version of aside has written it.
func (o *owned) state(now []byte) (asWritten, ours bool) {
	if o.mark == "" {
		return string(now) == o.text, now != nil
	}
	i := bytes.Index(now, []byte(o.mark))
	if i < 0 {
		return false, false
	}
	end := lineEnd(now, i)
	was := strings.TrimSpace(string(now[i+len(o.mark) : end]))
	return sum(slices.Concat(now[:i], now[end:])) == was, true
}

func (o *owned) install(now, _ []byte) ([]byte, error) {
	asWritten, ours := o.state(now)
	switch {
	case now == nil || asWritten:
		return o.content(), nil
	case ours:
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

// errKept is returned with a file's bytes where the file stays as it is, because somebody has changed it.
var errKept = errors.New("was changed by somebody else, and stays as it is")

// scriptWords returns the command that a script runs, nil where there is none.
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

// pluginWords returns the command that a plugin runs, which stands behind a text, nil where there is none.
func pluginWords(text, before string) (list []string) {
	_, rest, _ := strings.Cut(text, before)
	line, _, _ := strings.Cut(rest, "\n")
	if json.Unmarshal([]byte(line), &list) != nil {
		return nil
	}
	return list
}
