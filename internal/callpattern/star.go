package callpattern

import "strings"

// star is a text in which * stands for any text and every other character for itself.
type star struct {
	text  string
	parts []string // the texts between the wildcards; nil without any
}

func newStar(text string) star {
	for strings.Contains(text, "**") {
		text = strings.ReplaceAll(text, "**", "*")
	}
	s := star{text: text}
	if strings.Contains(text, "*") {
		s.parts = strings.Split(text, "*")
	}
	return s
}

// Wild returns whether a text is as one in which * stands for any text.
func Wild(text string) (match func(text string) bool) {
	s := newStar(text)
	switch {
	case s.parts == nil:
		return func(other string) bool { return other == text }
	case s.any():
		return func(string) bool { return true }
	}
	return s.match
}

// Covers returns whether wide matches every text that narrow matches; * stands for any text in both.
func Covers(wide, narrow string) bool {
	w, n := newStar(wide), newStar(narrow)
	return w.covers(&n)
}

func (s *star) any() bool { return s.text == "*" }

// match takes the first place at which each part stands; with nothing but * between them that finds a match
// if there is one.
func (s *star) match(text string) bool {
	if s.parts == nil {
		return s.text == text
	}
	head, tail := s.parts[0], s.parts[len(s.parts)-1]
	if len(text) < len(head)+len(tail) || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) {
		return false
	}
	rest := text[len(head) : len(text)-len(tail)]
	for _, part := range s.parts[1 : len(s.parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return true
}

// covers reports whether s matches every text that other matches. A literal part of s holds no *, so a * of
// other can only be covered by a * of s: that is enough, but not needed, for true.
func (s *star) covers(other *star) bool { return s.match(other.text) }

// meets reports whether some text may be matched by both. It compares what stands before the first wildcard
// and behind the last; true may be wrong, false is not.
func (s *star) meets(other *star) bool {
	switch {
	case s.parts == nil:
		return other.match(s.text)
	case other.parts == nil:
		return s.match(other.text)
	}
	a, b := s.parts[0], other.parts[0]
	c, d := s.parts[len(s.parts)-1], other.parts[len(other.parts)-1]
	return (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && (strings.HasSuffix(c, d) ||
		strings.HasSuffix(d, c))
}
