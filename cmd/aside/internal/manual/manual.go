// Package manual holds the pages of "aside help TOPIC": one Markdown file a topic. They are part of the
// program, and of the documentation on the web. All functions may be called concurrently.
package manual

import (
	"embed"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Topics returns the topics in order of their names.
func Topics() []string {
	entries, _ := pages.ReadDir(".") // an embedded directory can always be read
	topics := make([]string, len(entries))
	for i, e := range entries {
		topics[i] = strings.TrimSuffix(e.Name(), ".md")
	}
	return topics
}

// Page returns the page of a topic. ok is false where there is none.
func Page(topic string) (text string, ok bool) {
	b, err := pages.ReadFile(topic + ".md")
	return string(b), err == nil
}

// Title returns the heading of a topic's page.
func Title(topic string) string {
	text, _ := Page(topic)
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(line, "# ")
}
