package manual

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
)

// Section is a part of the manual below one heading.
type Section struct {
	Page  string // the words behind "aside help" that print the page
	Title string
	Text  string
	Part  bool // of a page, below one of its headings
	Word  bool // a word of the language and no page
}

// Sections returns the manual in parts: the pages, by heading, and the words of the language.
func Sections() []Section {
	var all []Section
	for _, topic := range Topics() {
		if topic == "topics" {
			continue
		}
		var text strings.Builder
		_ = Print(&text, topic, func(s string) string { return "## " + s }) // a Builder takes all
		at := Section{Page: topic, Title: Title(topic)}
		for line := range strings.Lines(text.String()) {
			if heading, is := strings.CutPrefix(line, "## "); is {
				all = append(all, at)
				at = Section{Page: topic, Title: strings.TrimSpace(heading), Part: true}
			} else if !strings.HasPrefix(line, "# ") {
				at.Text += line
			}
		}
		all = append(all, at)
	}
	for _, w := range Words() {
		all = append(all, Section{Page: w.Name, Title: w.Form, Text: w.Doc, Word: true})
	}
	return all
}

// Search returns those of the sections in which all words stand, in any case; first those that have them in
// the title.
func Search(sections []Section, words []string) []Section {
	words = strings.Fields(strings.ToLower(strings.Join(words, " ")))
	type hit struct {
		Section
		titled int
	}
	var hits []hit
	for _, s := range sections {
		title := strings.ToLower(s.Page + " " + s.Title)
		text, h := title+" "+strings.ToLower(s.Text), hit{Section: s}
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		for _, w := range words {
			if strings.Contains(title, w) {
				h.titled++
			}
		}
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.titled, a.titled) })
	var out []Section
	for _, h := range hits {
		out = append(out, h.Section)
	}
	return out
}

// StandsIn returns the topics on whose pages all words stand.
func StandsIn(words []string) []string {
	var pages []string
	for _, s := range Search(Sections(), words) {
		if !s.Word && !slices.Contains(pages, s.Page) {
			pages = append(pages, s.Page)
		}
	}
	return pages
}

// Excerpt returns the first line of a section that has one of the words, at most n columns of it; the first
// line where the title alone has them.
func (s Section) Excerpt(words []string, n int) string {
	first := ""
	for line := range strings.Lines(s.Text) {
		line = strings.Trim(line, "|-` \n")
		if first == "" {
			first = line
		}
		for _, w := range words {
			if strings.Contains(strings.ToLower(line), strings.ToLower(w)) {
				return terminal.Shorten(line, n, "…")
			}
		}
	}
	return terminal.Shorten(first, n, "…")
}
