package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/aside-go/aside/cmd/internal/cursor"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/near"
)

// Entry is a word of the language with all that is known of it.
type Entry struct {
	Name, Form, Kind, Doc string
	Topic                 string // the page that has more
}

// forms are words that stand in texts and answers beside those that entries are named by.
var forms = map[string]string{
	"once": "max_fires", "arm": "armed", "rearmed": "rearm", "fired": "fire", "held": "hold",
	"native": "delivery", "anchored": "delivery", "stateful": "delivery",
	"heeded": "outcome", "ignored": "outcome",
}

// Words returns the words of the language: facts, their types and kinds, shorthands, functions, operators,
// classes of tools, words of templates, the keys of files, the words of the glossary, and the codes of
// diagnostics. A word may have several entries.
func Words() []Entry {
	var list []Entry
	add := func(kind, topic string, words ...cursor.Word) {
		for _, w := range words {
			list = append(list, Entry{w.Name, w.Written(), kind, w.Doc, topic})
		}
	}
	keys := func(kind, topic string, keys []cursor.Key) {
		for _, k := range keys {
			add(kind, topic, k.Word)
			for _, v := range k.Values {
				if v.Doc != "" {
					list = append(list, Entry{v.Name, k.Name + ": " + v.Name, "value of a key", v.Doc, topic})
				}
			}
		}
	}
	d, schema := cursor.Words(), fact.Builtin()
	for i := range schema.Len() {
		f := schema.Fact(fact.ID(i))
		doc := f.Doc
		if w := cursor.Find(f.Name, d.Facts); w != nil {
			doc = w.Doc
		}
		list = append(list, Entry{f.Name, f.Name, fmt.Sprintf("fact: %s, %s", f.Type, f.Kind), doc, "facts"})
	}
	add("shorthand", "triggers", d.Shorthands...)
	add("function", "facts", d.Functions...)
	add("trigger", "triggers", d.Constants...)
	add("operator", "triggers", d.Joins...)
	add("class of tools", "calls", d.Classes...)
	add("in {{ }} of a text", "keys", d.Templates...)
	keys("key of a rule file", "keys", d.Tables["reminder"])
	keys("key of schedule", "keys", d.Tables["schedule"])
	for _, of := range []string{"testfile", "test", "step", "call", "options", "budget"} {
		keys("key of a rule test", "tests", d.Tables[of])
	}
	for _, r := range rowsOf("facts", "Types") {
		list = append(list, Entry{r[0], r[0], "type of facts", r[1] + ": " + strings.Trim(r[2], "`"), "facts"})
	}
	for _, r := range rowsOf("facts", "Kinds") {
		list = append(list, Entry{r[0], r[0], "kind of facts", r[1], "facts"})
	}
	for _, r := range rowsOf("glossary", "") {
		for word := range strings.SplitSeq(r[0], ", ") {
			list = append(list, Entry{word, word, "word of these pages", r[1], "glossary"})
		}
	}
	for _, c := range code.All() {
		_, text, _ := strings.Cut(c.Text(), "\n")
		list = append(list, Entry{string(c.ID), string(c.ID) + ": " + c.Title, "diagnostic",
			strings.Trim(text, "\n"), "rules"})
	}
	return list
}

// Word prints what is known of a word of the language, and reports whether there is such a word. bold styles
// a heading.
func Word(w io.Writer, word string, bold func(string) string) bool {
	if of, is := forms[word]; is {
		word = of
	}
	found := false
	for _, e := range Words() {
		if !strings.EqualFold(e.Name, word) {
			continue
		}
		if found {
			fmt.Fprintln(w)
		}
		found = true
		fmt.Fprintf(w, "%s   (%s; aside help %s)\n\n%s\n", bold(e.Form), e.Kind, e.Topic, indented(e.Doc))
	}
	return found
}

// Near returns a question for the topic or the word of the language that may be meant, "" for none.
func Near(word string) string {
	names := Topics()
	for _, e := range Words() {
		names = append(names, e.Name)
	}
	return near.Hint("", word, names)
}

// indented returns a text below a heading.
func indented(s string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.Trim(s, "\n")) {
		for _, l := range terminal.Wrap(strings.TrimRight(line, "\n"), 96) {
			b.WriteString(strings.TrimRight("  "+l, " ") + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
