// Package codes owns the meaning of the codes of diagnostics: one table, codes.txt, for terminals, editors and SARIF.
//
// A code never changes its meaning. All functions may be called concurrently.
package codes

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed codes.txt
var text string

// Code is one kind of diagnostic.
type Code struct {
	ID      string // such as R0204
	Title   string // a few words, lower case, without a full stop
	Reason  string // why there is this diagnostic; "" where the title says it all
	Wrong   string // an example: a line of a rule file with the mistake; "" for none
	Instead string // the same line without the mistake; "" for none
}

var table = sync.OnceValue(func() []Code { return parse(text) })

// All returns all codes by id. The caller must not write to the slice.
func All() []Code { return table() }

// Lookup returns the code of an id, which may be in lower case and without the R.
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

// Text returns the explanation of the code for a terminal.
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

// Markdown returns the explanation of the code for editors and SARIF viewers, without the id and the title.
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

// literal escapes plain text for Markdown.
var literal = strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "#", `\#`)

// parse reads the blocks of codes.txt: a line "CODE TITLE", lines of the reason, "- WRONG", "+ INSTEAD".
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
