package reasons

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/trigger"
)

// Printer prints the parts of triggers on lines of their own.
type Printer struct {
	Out   io.Writer
	Width int    // of the terminal; 0: any
	All   bool   // all parts of each condition
	More  string // what stands behind the number of the parts that are left out, such as " (-v)"
}

// Wide is how many characters a line has at most that is still easy to read.
const Wide = 100

// Most is how many parts of one condition are shown without Printer.All, and Few how many of more than that.
const Most, Few = 6, 5

// Part prints a part of a trigger with its truth, and below it, indented, its own parts. Of a part that has a
// value only that is printed; of many parts those that decide, and the number of the others.
func (p *Printer) Part(head string, c trigger.Part, depth int) {
	text := terminal.Line(c.Text)
	if c.Value == "" && len(c.Parts) > 0 && utf8.RuneCountInString(text) > Wide { // its parts say it again
		text = "… " + joined(c)
	}
	beside := 2*depth + 8 + len(head)
	if value := terminal.Width(c.Value) + 4; c.Value != "" && !says(c) && p.Width-beside-value >= 30 {
		beside += value
	}
	s := fmt.Sprintf("%-7s %s%s", c.Truth, head, terminal.Cut(text, p.Room(beside)))
	if c.Value != "" && !says(c) {
		p.Line(depth, s+"  ("+terminal.Line(c.Value)+")")
		return
	}
	p.Line(depth, s)
	if len(c.Parts) == 1 && len(c.Parts[0].Parts) == 0 && says(c.Parts[0]) && !strings.HasPrefix(text, "… ") {
		return // "not" of it says as much
	}
	parts := c.Parts
	if len(parts) > Most && !p.All {
		parts = slices.Clone(parts)
		slices.SortStableFunc(parts, func(a, b trigger.Part) int { return decides(b, c) - decides(a, c) })
		n := slices.IndexFunc(parts, func(q trigger.Part) bool { return q.Truth != c.Truth })
		if n <= 0 || n > Few {
			n = Few
		}
		parts = parts[:n]
	}
	for i, q := range parts {
		if i > 0 && q.Value == parts[i-1].Value && terminal.Width(q.Text) > Wide { // the line above has said it
			q.Value, q.Parts = "", nil
		}
		p.Part("", q, depth+1)
	}
	if rest := len(c.Parts) - len(parts); rest > 0 {
		p.Line(depth+1, fmt.Sprintf("… and %d more%s", rest, p.More))
	}
}

// says reports whether the value of a part says no more than its truth.
func says(c trigger.Part) bool {
	truth := c.Truth.String()
	return c.Value == "" || c.Value == truth || c.Value == c.Text+" is "+truth
}

// decides returns 1 for a part whose truth is that of the whole, else 0.
func decides(part, whole trigger.Part) int {
	if part.Truth == whole.Truth {
		return 1
	}
	return 0
}

// joined returns in words how the parts of p are joined.
func joined(p trigger.Part) string {
	_, behind, _ := strings.Cut(p.Text, p.Parts[0].Text)
	switch {
	case len(p.Parts) == 1:
		return "not"
	case strings.HasPrefix(strings.TrimLeft(behind, ")"), " and "):
		return "all of"
	default:
		return "any of"
	}
}

// Room returns how many characters of a condition stand on one line beside so many others.
func (p *Printer) Room(beside int) int {
	if p.Width <= 0 {
		return Wide
	}
	return min(Wide, max(p.Width-beside, 20))
}

// Line prints a line, wrapped to the terminal.
func (p *Printer) Line(depth int, s string) {
	indent := strings.Repeat("  ", depth)
	if p.Width <= 0 || terminal.Width(indent+s) <= p.Width {
		fmt.Fprintln(p.Out, indent+s)
		return
	}
	for i, l := range terminal.Wrap(s, max(p.Width-len(indent)-4, 20)) {
		if i == 1 {
			indent += "    "
		}
		fmt.Fprintln(p.Out, indent+l)
	}
}
