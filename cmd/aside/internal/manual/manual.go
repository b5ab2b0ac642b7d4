// Package manual holds the pages of "aside help TOPIC": one Markdown file a topic, which stands on the web as
// well, and the page about triggers, whose tables come from the code. All functions may be called
// concurrently.
package manual

import (
	"embed"
	"io"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
)

//go:embed *.md
var pages embed.FS

// Names of topics that are no Markdown files.
const (
	listTopic     = "topics"
	triggersTopic = "triggers"
)

// Topics returns the topics in order of their names.
func Topics() []string {
	topics := []string{listTopic, triggersTopic}
	entries, _ := pages.ReadDir(".") // an embedded directory can always be read
	for _, e := range entries {
		topics = append(topics, strings.TrimSuffix(e.Name(), ".md"))
	}
	slices.Sort(topics)
	return topics
}

// Page returns the Markdown page of a topic. ok is false where it has none.
func Page(topic string) (text string, ok bool) {
	b, err := pages.ReadFile(topic + ".md")
	return string(b), err == nil
}

// Title returns the heading of a topic's page.
func Title(topic string) string {
	switch topic {
	case listTopic:
		return "This list"
	case triggersTopic:
		return "The trigger language, the keys of a rule file, all facts"
	}
	text, _ := Page(topic)
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(line, "# ")
}

// Print prints what "aside help" says about a topic, one of Topics. bold styles a heading for the terminal.
func Print(w io.Writer, topic string, bold func(string) string) error {
	switch topic {
	case triggersTopic:
		return triggers(w, bold)
	case listTopic:
		var rows [][]string
		for _, topic := range Topics() {
			rows = append(rows, []string{topic, Title(topic)})
		}
		return terminal.Table(w, rows, 0)
	}
	text, _ := Page(topic)
	_, err := io.WriteString(w, text)
	return err
}
