package inject

import (
	"strings"

	"github.com/aside-go/aside/internal/mark"
)

// Segment is a piece of a text as it stands: a reminder of ours, with its tags, or text between reminders.
type Segment struct {
	Text     string
	Reminder bool
}

// Segments splits a text for display, so that reminders can be shown smaller or collapsed. Ours are those
// that carry the mark; everything else, also tags that somebody else wrote, is not a reminder. Without a mark
// nothing is. The texts of all segments joined are the text; an empty text has no segments.
func Segments(text, runMark string) []Segment {
	if runMark == "" {
		if text == "" {
			return nil
		}
		return []Segment{{Text: text}}
	}
	var out []Segment
	for piece, ours := range mark.New(mark.Options{Mark: runMark}).Pieces(text) {
		out = append(out, Segment{piece, ours})
	}
	return out
}

// Body returns the text of a reminder without its tag or prefix; of any other segment its text.
func (g Segment) Body() string {
	if !g.Reminder {
		return g.Text
	}
	_, body, _ := strings.Cut(g.Text, "\n")
	return strings.Trim(strings.TrimSuffix(body, mark.Wrapper{}.ClosingTag()), "\n")
}
