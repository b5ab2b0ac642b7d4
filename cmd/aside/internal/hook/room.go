package hook

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

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
	if len(text) <= maxText {
		return text, ""
	}
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
