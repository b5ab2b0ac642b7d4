// Package manual holds the pages of "aside help TOPIC": one Markdown file a topic, which stands on the web as
// well. A line {{NAME}} of a page stands for a table that the code has. All functions may be called
// concurrently.
package manual

import (
	"embed"
	_ "embed"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
)

//go:embed *.md
var pages embed.FS

// aliases has the words by which people ask for a topic, a line for each topic.
//
//go:embed aliases.txt
var aliases string

// Contents is the topic that lists all topics.
const Contents = "topics"

// Topics returns the topics in order of their names.
func Topics() []string {
	names := []string{Contents}
	entries, _ := pages.ReadDir(".") // an embedded directory can always be read
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	slices.Sort(names)
	return names
}

// Find returns the topic that a word means; ok is false where there is none.
func Find(word string) (topic string, ok bool) {
	if slices.Contains(Topics(), word) {
		return word, true
	}
	for line := range strings.Lines(aliases) {
		topic, words, _ := strings.Cut(line, ":")
		if slices.Contains(strings.Fields(words), word) {
			return topic, true
		}
	}
	return "", false
}

// Page returns the Markdown page of a topic. ok is false where there is none.
func Page(topic string) (text string, ok bool) {
	if topic == Contents {
		list := [][]string{{"topic", "about"}}
		for _, t := range Topics() {
			list = append(list, []string{t, Title(t)})
		}
		return "# " + contents + "\n\n" + table(list), true
	}
	b, err := pages.ReadFile(topic + ".md")
	text = string(b)
	for name, rows := range tables {
		if mark := "{{" + name + "}}\n"; strings.Contains(text, mark) {
			text = strings.Replace(text, mark, table(rows()), 1)
		}
	}
	return text, err == nil
}

// Title returns the heading of a topic's page.
func Title(topic string) string {
	if topic == Contents {
		return contents
	}
	text, _ := pages.ReadFile(topic + ".md")
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(line, "# ")
}

const contents = "This list"

// table returns rows, the first of which is the head, as Markdown.
func table(rows [][]string) string {
	var b strings.Builder
	for i, r := range rows {
		for _, cell := range r {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(r)) + "|\n")
		}
	}
	return b.String()
}

// rowsOf returns the rows of the tables of a page below one of its headings, without their heads; "": of all.
func rowsOf(topic, heading string) (rows [][]string) {
	text, _ := Page(topic)
	if heading != "" {
		_, text, _ = strings.Cut(text, "\n## "+heading+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
	}
	head := true
	for line := range strings.Lines(text) {
		switch {
		case !strings.HasPrefix(line, "|"):
			head = true
		case strings.HasPrefix(line, "|---"):
			head = false
		case !head:
			rows = append(rows, terminal.Cells(line))
		}
	}
	return rows
}
