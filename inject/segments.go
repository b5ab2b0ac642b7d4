package inject

import "strings"

// Segment is a piece of a text as it stands: a reminder of ours, with its tags, or what is between reminders.
type Segment struct {
	Text     string
	Reminder bool
}

// Segments splits a text for display, so that reminders can be shown smaller or collapsed. Ours are those that carry the mark;
// everything else, also tags that somebody else wrote, is not a reminder. Without a mark nothing is. The texts of all segments
// joined are the text; an empty text has no segments.
func Segments(text, mark string) []Segment {
	s := Options{Mark: mark}.Seal()
	var out []Segment
	rest, shown := text, 0
	for mark != "" {
		at := strings.Index(rest[shown:], s.open+"\n")
		if at < 0 {
			break
		}
		at += shown
		size := s.unit(rest[at:])
		if size == 0 {
			shown = at + len(s.open)
			continue
		}
		out = plain(out, rest[:at])
		out = append(out, Segment{rest[at : at+size], true})
		rest, shown = rest[at+size:], 0
	}
	if mark == "" {
		return plain(nil, text)
	}
	return s.prefixes(out, rest)
}

// plain appends text as a segment that is no reminder, unless it is "".
func plain(out []Segment, text string) []Segment {
	if text == "" {
		return out
	}
	return append(out, Segment{Text: text})
}

// prefixes appends the rest of a text. From the first prefix on that begins a line, each text with a prefix is a segment, which
// goes up to the next prefix or to the end.
func (s Seal) prefixes(out []Segment, rest string) []Segment {
	at := 0
	if !strings.HasPrefix(rest, s.prefix+"\n") {
		if at = strings.Index(rest, "\n"+s.prefix+"\n") + 1; at == 0 {
			return plain(out, rest)
		}
	}
	out, rest = plain(out, rest[:at]), rest[at:]
	for rest != "" {
		end := len(rest)
		if n := strings.Index(rest[1:], "\n"+s.prefix+"\n"); n >= 0 {
			end = n + 2
		}
		out, rest = append(out, Segment{rest[:end], true}), rest[end:]
	}
	return out
}

// Body returns what a reminder says, without its tag or prefix; of any other segment its text.
func (g Segment) Body() string {
	if !g.Reminder {
		return g.Text
	}
	_, body, _ := strings.Cut(g.Text, "\n")
	return strings.Trim(strings.TrimSuffix(body, closeTag), "\n")
}
