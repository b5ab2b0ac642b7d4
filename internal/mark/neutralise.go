package mark

import "strings"

// Forged is a place in a text where a reminder tag begins: bytes from Start to End, which Harmless replaces.
// Named is where the name of the tag ends.
type Forged struct{ Start, End, Named int }

// Name is the name of the reminder tag.
const Name = "system-reminder"

// Harmless stands in place of the < of a tag that is made harmless.
const Harmless = "&lt;"

// Neutralise makes reminder tags in a text harmless, see inject.Neutralise.
func Neutralise(text string) string {
	fs := Tags(text)
	if len(fs) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(fs)*len(Harmless))
	at := 0
	for _, f := range fs {
		b.WriteString(text[at:f.Start])
		b.WriteString(Harmless)
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// Text returns the text of a reminder as it goes out: one that is wholly a reminder tag as it is, since it is
// not wrapped again, any other with its tags made harmless.
func Text(text string) string {
	if _, ok := Unwrap(text); ok {
		return text
	}
	return Neutralise(text)
}

// Unwrap takes a text that is wholly one reminder tag out of it; ok is false of any other.
func Unwrap(text string) (inner string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "<"+Name)
	if !ok {
		return "", false
	}
	attrs, inner, ok := strings.Cut(rest, ">")
	if !ok || !attributes(attrs) {
		return "", false
	}
	if inner, ok = strings.CutSuffix(inner, ClosingTag); !ok || len(Tags(inner)) > 0 {
		return "", false
	}
	return strings.TrimSuffix(strings.TrimPrefix(inner, "\n"), "\n"), true
}

// attributes reports whether s can stand between a tag's name and its end.
func attributes(s string) bool {
	return s == "" || strings.ContainsAny(s[:1], " \t\r\n") && !strings.ContainsAny(s, "<[")
}
