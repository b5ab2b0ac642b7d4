// Package manual holds the pages of "aside help TOPIC": one Markdown file a topic, which stands on the web as
// well, and the pages about triggers and facts, whose tables come from the code. All functions may be called
// concurrently.
package manual

import (
	"embed"
	"io"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
)

//go:embed *.md
var pages embed.FS

// printed is a topic without a Markdown file.
type printed struct {
	title string
	print func(w io.Writer, bold func(string) string) error
}

// ours returns the topics without a Markdown file.
func ours() map[string]printed {
	return map[string]printed{
		"topics":   {"This list", topics},
		"triggers": {"The trigger language, the keys of a rule file, all facts", triggers},
		"facts":    {"Facts: types, kinds, and the agents that never tell them", facts},
	}
}

// others are words by which people ask for a topic.
var others = map[string]string{
	"language": "triggers", "syntax": "triggers", "trigger": "triggers", "when": "triggers", "while": "triggers",
	"shorthands": "triggers", "operators": "triggers", "fact": "facts", "functions": "facts", "vars": "facts",
	"key": "keys", "frontmatter": "keys", "yaml": "keys", "templates": "keys", "text": "keys", "texts": "keys",
	"pattern": "calls", "patterns": "calls", "tools": "calls", "classes": "calls",
	"moment": "moments", "pause": "moments", "stopping": "moments", "before_tool": "moments",
	"expect": "effect", "holdout": "effect", "max_ignored": "effect", "effects": "effect", "within": "effect",
	"ruletests": "tests", "rule": "rules", "exit-codes": "exit", "agent": "agents", "hooks": "agents",
	"cost": "costs", "editor": "editors",
	"benchmark": "benchmarks", "speed": "benchmarks", "budgets": "benchmarks",
	"words": "glossary", "terms": "glossary",
	"client": "clients", "typescript": "clients", "javascript": "clients", "python": "clients",
	"files": "keys", "embed": "library", "go": "library", "http": "service", "api": "service",
	"exits": "exit", "codes": "exit", "questions": "faq",
	"trust": "state", "trusted": "state", "projects": "state",
	"asided": "serve", "metrics": "telemetry", "prometheus": "telemetry",
	"proxy": "serve", "state-and-trust": "state", "environment": "configuration",
	"config": "configuration", "color": "configuration", "colour": "configuration", "pager": "configuration",
	"inspect": "inspector", "watch": "inspector", "keep-bodies": "inspector",
	"packs": "cookbook", "pack": "cookbook", "recipes": "cookbook",
	"suggestions": "suggest", "segments": "view", "seeing": "view", "component": "view",
}

// Topics returns the topics in order of their names.
func Topics() []string {
	var names []string
	for topic := range ours() {
		names = append(names, topic)
	}
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
	topic, ok = others[word]
	return topic, ok
}

// Page returns the Markdown page of a topic. ok is false where it has none.
func Page(topic string) (text string, ok bool) {
	b, err := pages.ReadFile(topic + ".md")
	return string(b), err == nil
}

// Title returns the heading of a topic's page.
func Title(topic string) string {
	if p, ok := ours()[topic]; ok {
		return p.title
	}
	text, _ := Page(topic)
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(line, "# ")
}

// Print prints what "aside help" says about a topic, one of Topics. bold styles a heading for the terminal.
func Print(w io.Writer, topic string, bold func(string) string) error {
	if p, ok := ours()[topic]; ok {
		return p.print(w, bold)
	}
	text, _ := Page(topic)
	_, err := io.WriteString(w, text)
	return err
}

// topics prints the list of topics.
func topics(w io.Writer, _ func(string) string) error {
	var cells [][]string
	for _, topic := range Topics() {
		cells = append(cells, []string{topic, Title(topic)})
	}
	return terminal.Table(w, cells, 0)
}
