package manual

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/words"
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
		if topic == Contents {
			continue
		}
		text, _ := Page(topic)
		at := Section{Page: topic, Title: Title(topic)}
		for line := range strings.Lines(text) {
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

// Search returns the sections that answer a question, the best first: those that have most of its words that
// say something, a rare word before a frequent one, one in a title before one in a text, and short sections
// before long ones; a question that people ask before a page, and a page before a diagnostic. A section is
// an answer if its words weigh at least half as much as those of the question that any section has.
func Search(sections []Section, question []string) []Section {
	asked := asks(question)
	type indexed struct {
		title, text map[string]int
		length      float64
	}
	all, mean, in := make([]indexed, len(sections)), 0.0, map[string]int{}
	for i, s := range sections {
		all[i] = indexed{counted(s.Page + " " + s.Title), counted(s.Text), float64(len(s.Text))}
		mean += all[i].length / float64(len(sections))
		for _, w := range asked {
			if all[i].title[w]+all[i].text[w] > 0 {
				in[w]++
			}
		}
	}
	weight := func(w string) float64 { return math.Log(1 + float64(len(sections))/float64(1+in[w])) }
	whole := 0.0
	for _, w := range asked {
		if in[w] > 0 {
			whole += weight(w)
		}
	}
	type hit struct {
		Section
		score float64
	}
	var hits []hit
	for i, s := range sections {
		h, has := hit{Section: s}, 0.0
		for _, w := range asked {
			n := float64(4*all[i].title[w] + all[i].text[w])
			if n == 0 {
				continue
			}
			has += weight(w)
			h.score += weight(w) * n / (n + 0.5 + all[i].length/mean)
		}
		if has > 0 && 2*has >= whole {
			h.score *= s.leaning()
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	out := make([]Section, len(hits))
	for i, h := range hits {
		out[i] = h.Section
	}
	return out
}

// Unknown returns the words of a question that say something and stand in no section.
func Unknown(sections []Section, question []string) (unknown []string) {
	in := map[string]bool{}
	for _, s := range sections {
		for w := range counted(s.Page + " " + s.Title + " " + s.Text) {
			in[w] = true
		}
	}
	for _, w := range question {
		if stems := asks([]string{w}); slices.ContainsFunc(stems, func(s string) bool { return !in[s] }) {
			unknown = append(unknown, w)
		}
	}
	return unknown
}

// leaning is how much rather than another section with the same words this one is what a person looks for.
func (s Section) leaning() float64 {
	switch {
	case s.Page == "faq":
		return 2
	case s.Word:
		return 0.5
	case slices.Contains([]string{"service", "databases", "bundles", "telemetry", "fleet"}, s.Page):
		return 0.7 // whoever runs a service knows its pages
	}
	return 1
}

// asks returns the stems of a question, each once.
func asks(question []string) []string {
	return slices.Sorted(maps.Keys(counted(strings.Join(question, " "))))
}

// counted returns how often each stem stands in a text.
func counted(text string) map[string]int {
	n := map[string]int{}
	for _, stem := range words.Stems(text) {
		n[stem]++
	}
	return n
}

// Excerpt returns the line of a section that has most of the words of a question, at most n columns of it.
func (s Section) Excerpt(question []string, n int) string {
	best, most := "", -1
	asked := asks(question)
	for line := range strings.Lines(s.Text) {
		line = strings.Trim(line, "|-` \n")
		has, of := 0, counted(line)
		for _, w := range asked {
			has += min(of[w], 1)
		}
		if has > most && line != "" {
			best, most = line, has
		}
	}
	return terminal.Shorten(best, n, "…")
}
