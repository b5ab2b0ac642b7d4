package hook

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/aside-go/aside/compile/reminder"
	tag "github.com/aside-go/aside/internal/mark"
)

// maxText is how many characters go out with one event, in UTF-16 code units, as agents count them. It is a
// little below the smallest limit that an agent has.
const maxText = 8000

// separator stands between two texts that go out together.
const separator = "\n\n"

// fit joins first and the texts of due, in the order given, to a text of at most maxText. Where they do not
// fit, texts of due are left out, from the lowest tier, then the lowest priority, then the last id on; missed
// are their ids. The last remaining text, which is first where there is one, is never left out: rest is what
// of it does not fit.
func fit(first string, due []reminder.Due) (text, rest string, missed []string) {
	var texts []string
	total := 0
	add := func(s string) {
		if total > 0 {
			total += len(separator)
		}
		total += utf16Len(s)
		texts = append(texts, s)
	}
	if first != "" {
		add(first)
	}
	left := slices.Clone(due)
	for i := range left {
		if left[i].Text = strings.Trim(left[i].Text, "\r\n"); strings.TrimSpace(left[i].Text) == "" {
			left[i].Text = ""
		}
	}
	left = slices.DeleteFunc(left, func(d reminder.Due) bool { return d.Text == "" })
	weakest := slices.Clone(left)
	slices.SortStableFunc(weakest, func(a, b reminder.Due) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Priority, b.Priority), cmp.Compare(b.ID, a.ID))
	})
	for _, d := range left {
		add(d.Text)
	}
	for _, d := range weakest {
		if total <= maxText || len(texts) == 1 {
			break
		}
		i := slices.IndexFunc(left, func(l reminder.Due) bool { return l.ID == d.ID })
		total -= utf16Len(d.Text) + len(separator)
		at := i + len(texts) - len(left)
		texts, left = slices.Delete(texts, at, at+1), slices.Delete(left, i, i+1)
		missed = append(missed, d.ID)
	}
	text, rest = cut(strings.Join(texts, separator))
	return text, rest, missed
}

// utf16Len returns the length of a text in UTF-16 code units.
func utf16Len(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// cut divides a text after maxText characters, or before them at the last newline or blank in the second
// half, which is dropped.
func cut(text string) (head, rest string) {
	n, end := 0, len(text)
	for i, r := range text {
		if n += utf16.RuneLen(r); n > maxText {
			end = i
			break
		}
	}
	if end == len(text) {
		return text, ""
	}
	for _, sep := range []string{"\n", " "} {
		if i := strings.LastIndex(text[:end], sep); i > end/2 {
			return text[:i], text[i+len(sep):]
		}
	}
	return text[:end], text[end:]
}

// tagged wraps a text in the tag of reminders, which nothing in the text can close.
func tagged(text string) string { return tag.New(tag.Options{}).Wrap(text) }

const (
	// sameStep is how long a text stays in an agent's file at least. No model answers as fast, so an event that
	// comes sooner belongs to a tool call that ran in parallel with the one before, and the file has not been
	// read in between.
	sameStep = 2 * time.Second
	maxFile  = 64 << 10 // length in bytes that such a file stays below
)

// errForeign is returned for a file that holds what aside did not write.
var errForeign = errors.New("the agent's file for texts holds a text that aside did not write, " +
	"and was left " +
	"alone: empty it, or name another file")

// updateFile writes the text that is due into the file that an agent reads before each model call, or empties
// that file where text is empty. end says that the user turn is over: no model call follows, so text should
// be empty, and what the file holds goes at once. What the file holds must be recorded in stateDir as written
// by aside; anything else stays as it is, and is errForeign.
func updateFile(path, stateDir string, text []byte, now time.Time, end bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if len(text) == 0 {
			return nil
		}
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("the agent's file for texts is not a regular file")
	case info.Size() == 0 && len(text) == 0:
		return nil
	}
	f, err := lockedfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	err = rewrite(f, filepath.Join(stateDir, "written-"+digest(path)), text, now, end)
	return errors.Join(err, f.Close())
}

// rewrite is updateFile on the locked file f. record is the path of a file with digests of what aside wrote
// to f: of the text before and of the text now, so that f is known even if the process dies between writing
// the one and the other.
func rewrite(f *lockedfile.File, record string, text []byte, now time.Time, end bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() >= maxFile { // aside writes none as long
		return errForeign
	}
	old, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	stays := 0 // bytes of old
	if len(old) > 0 {
		ours, err := os.ReadFile(record)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if !slices.Contains(strings.Fields(string(ours)), digest(string(old))) {
			return errForeign
		}
		if age := now.Sub(info.ModTime()); !end && age > -sameStep && age < sameStep {
			more := newParagraphs(string(old), string(text))
			if more == "" {
				return nil
			}
			stays = len(old)
			text = slices.Concat(old, []byte(separator[1:]+more+"\n")) // old ends in a newline
		}
	}
	if len(text) >= maxFile {
		return errors.New("the agent's file for texts would become too long")
	}
	if err := os.WriteFile(record, []byte(digest(string(old))+" "+digest(string(text))+"\n"),
		0o600); err != nil {
		return err
	}
	if err := f.Truncate(int64(stays)); err != nil {
		return err
	}
	_, err = f.WriteAt(text[stays:], int64(stays))
	return err
}

// newParagraphs returns the paragraphs of text that old does not hold. A reminder with keep is due, and so in
// text, on each turn.
func newParagraphs(old, text string) string {
	paragraphs := strings.Split(strings.TrimSuffix(text, "\n"), separator)
	return strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return strings.Contains(old, p) }),
		separator)
}
