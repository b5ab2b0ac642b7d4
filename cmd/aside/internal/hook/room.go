package hook

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/aside-go/aside/compile/terms"
)

// maxText is how many characters go out at a time, as agents count them, in UTF-16: the least that any of them takes whole,
// with some room.
const maxText = 8000

const between = "\n\n" // two texts

// fit puts those of due together that may go out at a time, in the order given. Left out first is the lowest tier, then the lowest
// priority, then the last id, until the others fit. first goes before all of them and is never left out. Of what is too long by
// itself as much goes out as fits, and the rest comes back.
func fit(first string, due []terms.Due) (text, rest string, missed []string) {
	var texts []string
	total := 0
	add := func(s string) {
		if total > 0 {
			total += len(between)
		}
		total += size(s)
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
	left = slices.DeleteFunc(left, func(d terms.Due) bool { return d.Text == "" })
	weakest := slices.Clone(left)
	slices.SortStableFunc(weakest, func(a, b terms.Due) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Priority, b.Priority), cmp.Compare(b.ID, a.ID))
	})
	for _, d := range left {
		add(d.Text)
	}
	for _, d := range weakest {
		if total <= maxText || len(texts) == 1 {
			break
		}
		i := slices.IndexFunc(left, func(l terms.Due) bool { return l.ID == d.ID })
		total -= size(d.Text) + len(between)
		at := i + len(texts) - len(left)
		texts, left = slices.Delete(texts, at, at+1), slices.Delete(left, i, i+1)
		missed = append(missed, d.ID)
	}
	text, rest = cut(strings.Join(texts, between))
	return text, rest, missed
}

// size is how many characters a text has.
func size(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// cut divides a text that is too long, behind a line or a word where it can.
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
