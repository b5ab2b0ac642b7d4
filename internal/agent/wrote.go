package agent

import "strings"

// Tag is a tag in which an agent writes by itself in a person's place. Tags may have attributes; only the
// name is compared.
type Tag struct {
	Name string
	// Beside says that a person's words may stand behind the closing tag, in the same text. A text that
	// begins with any other tag is the agent's to its end.
	Beside bool
	// Preamble says that the tag with its content is no part of the words behind it.
	Preamble bool
}

// Note is a text without a tag that an agent writes by itself in a person's place. Its words have nothing
// that JSON escapes. They age, so each note names its source.
type Note struct {
	Words   string
	Ends    bool // the words end the text; else they begin it
	Summary bool // the text stands in place of earlier messages
	Source  string
}

var (
	tags  = gather(func(a *Agent) []Tag { return a.Tags })
	notes = gather(func(a *Agent) []Note { return a.Notes })
)

// gather joins the lists of all agents.
func gather[T any](of func(*Agent) []T) (all []T) {
	for _, a := range agents {
		all = append(all, of(a)...)
	}
	return all
}

// Tags returns the tags of all agents. The caller must not change them.
func Tags() []Tag { return tags }

// Wrote says who wrote a message that stands in a user's place: the name of the tag, or the words of the
// note, by which the text is an agent's own, and "" for a person's text. It is the one answer to this
// question: hooks, session files and requests to model APIs all ask here, since none of their formats
// tells.
//
// A tag counts where the text begins with it, after blanks; so does a tag whose "<" was neutralised as
// "&lt;".
func Wrote(text string) string {
	text = strings.TrimLeft(text, " \t\r\n")
	if n := noteOf([]byte(edges(text))); n != nil {
		return n.Words
	}
	by := ""
	for rest := strings.TrimSpace(text); rest != ""; {
		tag, behind, closed := cutTag(rest)
		switch {
		case tag == nil:
			return ""
		case !tag.Beside:
			return tag.Name
		case !closed:
			return ""
		}
		by, rest = tag.Name, strings.TrimSpace(behind)
	}
	return by
}

// edge is a length in bytes that no note's words exceed.
const edge = 256

// edges returns a text of at most twice the edge that begins and ends like text.
func edges(text string) string {
	if len(text) <= 2*edge {
		return text
	}
	return text[:edge] + text[len(text)-edge:]
}

// WroteNote is Wrote for notes alone, which need no decoding: text may be the inside of a JSON string.
// summary says that the text stands in place of earlier messages.
func WroteNote(text []byte) (yes, summary bool) {
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	n := noteOf(text)
	return n != nil, n != nil && n.Summary
}

func noteOf(text []byte) *Note {
	for i := range notes {
		n := &notes[i]
		at := 0
		if n.Ends {
			at = len(text) - len(n.Words)
		}
		if at >= 0 && len(text) >= len(n.Words) && string(text[at:at+len(n.Words)]) == n.Words {
			return n
		}
	}
	return nil
}

// cutTag returns the tag with which s begins, nil for none, and the text behind its end; closed is false
// where s has no such end.
func cutTag(s string) (t *Tag, behind string, closed bool) {
	open := "<"
	if strings.HasPrefix(s, "&lt;") {
		open = "&lt;"
	}
	s, ok := strings.CutPrefix(s, open)
	if !ok {
		return nil, "", false
	}
	for i := range tags {
		rest, is := strings.CutPrefix(s, tags[i].Name)
		if !is || rest == "" || !strings.ContainsRune("> \r\n\t/", rune(rest[0])) {
			continue
		}
		_, behind, closed = strings.Cut(rest, open+"/"+tags[i].Name+">")
		return &tags[i], behind, closed
	}
	return nil, "", false
}

// TrimPreamble returns a person's words behind the preamble that an agent puts in front of them, all of s
// if there is none.
func TrimPreamble(s string) string {
	if !strings.HasPrefix(s, "<") {
		return s
	}
	for i := range tags {
		if !tags[i].Preamble {
			continue
		}
		if behind, ok := strings.CutPrefix(s, "<"+tags[i].Name+">"); ok {
			if _, rest, ok := strings.Cut(behind, "</"+tags[i].Name+">"); ok {
				return strings.TrimLeft(rest, " \r\n")
			}
		}
	}
	return s
}
