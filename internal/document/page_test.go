package document_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/document"
)

// TestPage holds the keys of a reminder to the table of LANGUAGE.md §3.
func TestPage(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join("..", "..", "grammar", "LANGUAGE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "\n| key | default | meaning |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var keys []string
	for row := range strings.Lines(table) {
		cell, _, _ := strings.Cut(row[1:], "|")
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cell, -1) {
			keys = append(keys, m[1])
		}
	}
	want := document.Keys()
	slices.Sort(keys)
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		t.Errorf("the page has %q\nthe reader %q", keys, want)
	}
}
