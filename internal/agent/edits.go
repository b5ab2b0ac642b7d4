package agent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/patch"
)

// written returns the texts that an edit puts into files, as its input tells them: the content of a write,
// the new text of each replacement, the added lines of each file of a patch. told is false where the input
// has texts of which none is known to be new. Tools name the new text alike, so the words in the name decide,
// for the tools of all agents: new_string, newText, content, file_text, replacement.
func written(input []byte, t Tools) (texts []string, told bool) {
	w := writing{subject: t.Subject}
	if len(input) > 0 && input[0] == '"' { // of a tool that takes a text
		w.text("patch", stringOf(input))
	} else if o, ok := readObject(input); ok {
		w.object(o)
	} else {
		return nil, false
	}
	for i, s := range w.texts {
		w.texts[i] = fact.CutOutput(s)
	}
	return w.texts, w.found || !w.other
}

// writing collects the texts of one input.
type writing struct {
	subject string
	texts   []string
	found   bool // of new texts, perhaps of none
	other   bool // there are texts that say neither what is new nor which file it is
}

func (w *writing) object(o object) {
	for _, m := range o.members {
		w.value(m.name, m.raw)
	}
}

// value reads the value of a member, and each of a list.
func (w *writing) value(name string, raw []byte) {
	switch {
	case len(raw) == 0:
	case raw[0] == '"':
		if !sameName(name, w.subject) || strings.HasPrefix(stringOf(raw), patch.Begin) {
			w.text(name, stringOf(raw))
		}
	case raw[0] == '[':
		for _, item := range jsonscan.Elements(raw) {
			w.value(name, item)
		}
	case raw[0] == '{':
		w.object(objectOf(raw))
	}
}

func (w *writing) text(name, s string) {
	words := nameWords(name)
	has := func(list ...string) bool {
		return slices.ContainsFunc(list, func(word string) bool { return strings.Contains(words, " "+word+" ") })
	}
	switch {
	case strings.HasPrefix(s, patch.Begin), has("patch", "diff"):
		w.texts, w.found = append(w.texts, patch.Added(s)...), true
	case has("old", "path", "name", "before", "search", "description", "explanation"):
		w.other = w.other || !has("path", "name")
	case has("new", "content", "contents", "text", "source", "replacement", "replace", "after", "code"):
		w.texts, w.found = append(w.texts, s), true
	default:
		w.other = true
	}
}

// nameWords are the words of a name in small letters, with a blank around each: newString is " new string ".
func nameWords(name string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, r := range name {
		switch {
		case r == '_' || r == '-':
			r = ' '
		case unicode.IsUpper(r):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	b.WriteByte(' ')
	return b.String()
}
