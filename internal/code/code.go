// Package code owns the codes of diagnostics: list.go names them, codes.txt explains them, for terminals,
// editors and SARIF.
//
// A code never changes its meaning. Whoever reports or recognises a diagnostic uses the constant. The package
// stands on the ground floor. All functions may be called concurrently.
package code

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Code is the kind of a diagnostic: R and four digits.
type Code string

// Info is the row of a code in codes.txt.
type Info struct {
	ID       Code
	Severity string // "error", "warning" or "info": the gravest that its diagnostics have
	Title    string // a few words, lower case, without a full stop
	Reason   string // why there is this diagnostic; "" where the title says it all
	Wrong    string // an example: a line of a rule file with the mistake; "" for none
	Instead  string // the same line without the mistake; "" for none
}

//go:embed codes.txt
var text string

var table = sync.OnceValue(func() []Info { return parse(text) })

// All returns all codes by id. The caller must not write to the slice.
func All() []Info { return table() }

// Lookup returns the row of a code. The id may be in lower case and without the R.
func Lookup(id string) (Info, bool) {
	id = strings.ToUpper(strings.TrimSpace(id))
	if !strings.HasPrefix(id, "R") {
		id = "R" + id
	}
	find := func(c Info, id Code) int { return strings.Compare(string(c.ID), string(id)) }
	i, ok := slices.BinarySearchFunc(table(), Code(id), find)
	if !ok {
		return Info{}, false
	}
	return table()[i], true
}

// Text returns the explanation of the code for a terminal.
func (c Info) Text() string {
	var b strings.Builder
	b.WriteString(string(c.ID) + ": " + c.Title + "\n")
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
func (c Info) Markdown() string {
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

// parse reads the blocks of codes.txt: a line "CODE SEVERITY TITLE", lines of the reason, "- WRONG", "+
// INSTEAD".
func parse(text string) []Info {
	var all []Info
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		head, rest, _ := strings.Cut(block, "\n")
		id, head, _ := strings.Cut(head, " ")
		c := Info{ID: Code(id)}
		c.Severity, c.Title, _ = strings.Cut(head, " ")
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
