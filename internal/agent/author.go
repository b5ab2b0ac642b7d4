package agent

import (
	"reflect"
	"strings"
	"sync"

	"github.com/aside-go/aside/internal/jsonscan"
)

// Tag is a tag in which an agent writes by itself in a person's place. Tags may have attributes; only the
// name is compared.
type Tag struct {
	Name string
	// Beside says that a person's words may stand behind the closing tag, in the same text. A text that
	// begins with any other tag is the agent's to its end.
	Beside bool
	// Preamble says that the tag with its content is not part of the words behind it.
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

// words are the tags and notes of all agents. Nothing else of the descriptions is read for them, since hooks
// ask for them at each prompt.
var words = sync.OnceValue(func() (all struct {
	tags  []Tag
	notes []Note
}) {
	for _, name := range names {
		var a Agent
		for member, value := range jsonscan.Of(file(name + ".json")).Members() {
			switch string(member) {
			case "tags":
				_ = decode(value, reflect.ValueOf(&a.Tags).Elem())
			case "notes":
				_ = decode(value, reflect.ValueOf(&a.Notes).Elem())
			}
		}
		all.tags, all.notes = append(all.tags, a.Tags...), append(all.notes, a.Notes...)
	}
	return all
})

// Tags returns the tags of all agents. The caller must not change them.
func Tags() []Tag { return words().tags }

// Wrote says who wrote a message that stands in a user's place: a person, for whom it returns "", or an agent
// by itself, for which it returns the name of the tag or the words of the note by which it is known. Hooks,
// session files and requests to model APIs all ask here, since none of their formats tells. In this order:
//
//  1. A text that begins or ends with the words of a Note is the agent's.
//  2. A text that begins with a Tag is the agent's to its end, whatever stands behind the closing tag.
//  3. Tags that are Beside are passed over, one after another, each with its content. The text is the agent's
//     if nothing is left then. If a closing tag is missing, it is a person's.
//  4. Any other text is a person's, also one that begins with a tag without its ">".
//
// Blanks before a text or a tag do not count, and a "<" that was neutralised as "&lt;" counts as "<".
func Wrote(text string) string {
	text = strings.TrimLeft(text, " \t\r\n")
	if n := noteOf(text); n != nil {
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

// WroteNote is Wrote for notes alone, which need no decoding: text may be the inside of a JSON string.
// summary says that the text stands in place of earlier messages.
func WroteNote(text []byte) (yes, summary bool) {
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	n := noteOf(text)
	return n != nil, n != nil && n.Summary
}

func noteOf[T string | []byte](text T) *Note {
	notes := words().notes
	for i := range notes {
		n := &notes[i]
		part := text[:min(len(text), len(n.Words))]
		if n.Ends {
			part = text[len(text)-len(part):]
		}
		if string(part) == n.Words {
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
	inside, ok := strings.CutPrefix(s, open)
	if !ok {
		return nil, "", false
	}
	end := strings.IndexAny(inside, "> \r\n\t/")
	if end < 0 || !strings.Contains(inside[end:], ">") { // the tag was cut off
		return nil, "", false
	}
	if t = tagNamed(inside[:end]); t != nil {
		_, behind, closed = strings.Cut(inside[end:], open+"/"+t.Name+">")
	}
	return t, behind, closed
}

func tagNamed(name string) *Tag {
	tags := words().tags
	for i := range tags {
		if tags[i].Name == name {
			return &tags[i]
		}
	}
	return nil
}

// TrimPreamble returns a person's words behind the preamble that an agent puts in front of them, all of s
// if there is none.
func TrimPreamble(s string) string {
	if t, behind, closed := cutTag(s); closed && t.Preamble {
		return strings.TrimLeft(behind, " \r\n")
	}
	return s
}
