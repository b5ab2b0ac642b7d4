package manual_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/aside/internal/manual"
)

// TestPages: each page begins with a heading and fits a terminal, but for its tables and examples.
func TestPages(t *testing.T) {
	t.Parallel()
	topics := manual.Topics()
	if len(topics) < 10 {
		t.Fatalf("only %q", topics)
	}
	for _, topic := range topics {
		text, ok := manual.Page(topic)
		var printed strings.Builder
		err := manual.Print(&printed, topic, func(s string) string { return s })
		if err != nil || printed.Len() < 300 || ok && printed.String() != text || manual.Title(topic) == "" {
			t.Errorf("%s: %v\n%s", topic, err, printed.String())
		}
		if ok && !strings.HasPrefix(text, "# ") {
			t.Errorf("%s has no heading", topic)
		}
		example := false
		for line := range strings.Lines(text) {
			example = example != strings.HasPrefix(line, "```")
			if utf8.RuneCountInString(line) > 111 && !example && !strings.HasPrefix(line, "|") {
				t.Errorf("%s: a long line: %s", topic, line)
			}
		}
	}
	if _, ok := manual.Page("nothing"); ok {
		t.Error("there is a page about nothing")
	}
}

// TestGlossary: it has at most 30 words, each in one row.
func TestGlossary(t *testing.T) {
	t.Parallel()
	text, _ := manual.Page("glossary")
	_, rows, _ := strings.Cut(text, "|---|---|\n")
	if n := strings.Count(rows, "\n| ") + 1; n < 20 || n > 30 {
		t.Errorf("%d rows", n)
	}
}
