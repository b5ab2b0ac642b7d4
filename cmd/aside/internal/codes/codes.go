// Package codes owns what the codes of diagnostics mean: one table, in codes.txt, for people at a terminal, for editors and for SARIF.
//
// A code is stable: once given it keeps its meaning. All functions may be called concurrently.
package codes

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed codes.txt
var text string

// Code is one kind of finding.
type Code struct {
	ID      string // such as R0204
	Title   string // a few words, lower case, without a full stop
	Reason  string // why it is told; "" where the title says it all
	Wrong   string // an example: a line of a rule file; "" where there is none
	Instead string // the same without the finding; "" where there is none
}

var table = sync.OnceValue(func() []Code { return parse(text) })

// All returns all codes in order. The caller must not write to it.
func All() []Code { return table() }

// Lookup returns a code, which may be written in lower case and without the R.
func Lookup(id string) (Code, bool) {
	id = strings.ToUpper(strings.TrimSpace(id))
	if !strings.HasPrefix(id, "R") {
		id = "R" + id
	}
	i, ok := slices.BinarySearchFunc(table(), id, func(c Code, id string) int { return strings.Compare(c.ID, id) })
	if !ok {
		return Code{}, false
	}
	return table()[i], true
}

// Text is the code as a terminal shows it.
func (c Code) Text() string {
	var b strings.Builder
	b.WriteString(c.ID + ": " + c.Title + "\n")
	if c.Reason != "" {
		b.WriteString("\n" + c.Reason + "\n")
	}
	if c.Wrong != "" {
		b.WriteString("\n    " + c.Wrong + "\n")
	}
	if c.Instead != "" {
		b.WriteString("\nInstead, for example:\n\n    " + c.Instead + "\n")
	}
	return b.String()
}

// Markdown is the code as editors and SARIF viewers show it, without its id and title.
func (c Code) Markdown() string {
	var parts []string
	if c.Reason != "" {
		parts = append(parts, literal.Replace(c.Reason))
	}
	if c.Wrong != "" {
		parts = append(parts, "```yaml\n"+c.Wrong+"\n```")
	}
	if c.Instead != "" {
		parts = append(parts, "Instead, for example:\n\n```yaml\n"+c.Instead+"\n```")
	}
	if parts == nil {
		return strings.ToUpper(c.Title[:1]) + literal.Replace(c.Title[1:]) + "."
	}
	return strings.Join(parts, "\n\n")
}

// literal keeps what stands in plain text from being read as Markdown.
var literal = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "#", `\#`)

// parse reads blocks: a line "CODE TITLE", lines of reason, "- EXAMPLE", "+ INSTEAD".
func parse(text string) []Code {
	var all []Code
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		head, rest, _ := strings.Cut(block, "\n")
		var c Code
		c.ID, c.Title, _ = strings.Cut(head, " ")
		var reason []string
		for line := range strings.SplitSeq(rest, "\n") {
			switch {
			case strings.HasPrefix(line, "- "):
				c.Wrong = line[2:]
			case strings.HasPrefix(line, "+ "):
				c.Instead = line[2:]
			case line != "":
				reason = append(reason, line)
			}
		}
		c.Reason = strings.Join(reason, " ")
		all = append(all, c)
	}
	return all
}
