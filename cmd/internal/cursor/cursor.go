// Package cursor describes a place in a rule file or a rule test, and knows the words that may stand there,
// in texts as they are while somebody types. It knows no editor and no other file, is pure, and may be called
// concurrently.
package cursor

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/document"
)

// Cursor describes a place in a file: the word that is being typed there. It is found line by line and not by
// parsing the YAML, which is seldom valid while somebody types.
type Cursor struct {
	Part  Part
	Path  []string // the keys above the place, outermost first; for a value its own key last
	From  int      // the offset where the key, value, action or comment at the place begins
	To    int      // the offset where that ends
	Style byte     // how the value is written: ' " | > or 0
	Flow  bool     // within [ ] or { }
	Used  []string // for a key: the other keys of its mapping
}

// Part is the kind of a place.
type Part uint8

const (
	Nothing  Part = iota
	OnKey         // the name of a key
	OnValue       // the value of the key that is last in path
	OnAction      // inside {{ }} in a text
	onText        // a text outside {{ }}
	OnComment
)

// Key returns the last key of path, "" for none: for a value its own key.
func (c *Cursor) Key() string {
	if len(c.Path) == 0 {
		return ""
	}
	return c.Path[len(c.Path)-1]
}

// span is the bytes [from, to) of a text.
type span struct{ from, to int }

// regions returns the parts of a rule file: the YAML with the keys, and the Markdown body. A part that there
// is not begins past the end of the text.
func regions(path, src string) (keys, body span) {
	none := span{len(src) + 1, len(src) + 1}
	if !strings.HasSuffix(path, ".md") {
		return span{0, len(src)}, none
	}
	from, to, at, ok := document.FrontMatter(src)
	switch {
	case !ok:
		return none, span{0, len(src)}
	case !strings.Contains(src, "\n"):
		return none, none
	case at < 0:
		return span{from, to}, none
	}
	return span{from, to}, span{at, len(src)}
}

// keyLine matches a line that begins with a key, up to the key's value: the indentation, the dashes of list
// items, the key, the colon.
var keyLine = regexp.MustCompile(`^( *)((?:- +)*)["']?([A-Za-z_][A-Za-z0-9_.-]*)["']?[ \t]*:(?:[ \t]+|$)`)

// row is a line of the YAML.
type row struct {
	from, to int
	indent   int      // the column of the first word after dashes; -1 for a blank line or a comment
	dashes   bool     // the line begins with the dash of a list item
	key      string   // the key that the line begins with, "" for none
	name     span     // of key
	value    int      // the offset after the key's colon, or after the dashes
	used     []string // the keys of its mapping up to it
}

func rowsOf(src string, in span) []row {
	var rows []row
	for at := in.from; at <= in.to; {
		end := in.to
		if i := strings.IndexByte(src[at:in.to], '\n'); i >= 0 {
			end = at + i
		}
		rows = append(rows, rowOf(src, at, at+len(strings.TrimRight(src[at:end], "\r"))))
		at = end + 1
	}
	return rows
}

func rowOf(src string, from, to int) row {
	line := src[from:to]
	r := row{from: from, to: to, indent: -1}
	rest := strings.TrimLeft(line, " ")
	if strings.TrimSpace(rest) == "" || rest[0] == '#' {
		return r
	}
	if g := keyLine.FindStringSubmatchIndex(line); g != nil {
		r.indent, r.dashes, r.key = g[5], g[5] > g[4], line[g[6]:g[7]]
		r.name, r.value = span{from + g[6], from + g[7]}, from+g[1]
		return r
	}
	r.indent = len(line) - len(rest)
	for strings.HasPrefix(rest, "- ") || rest == "-" {
		r.dashes = true
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "-"), " ")
		r.indent = len(line) - len(rest)
	}
	r.value = from + r.indent
	return r
}

// At returns the cursor at the offset off.
func At(path, src string, off int) Cursor {
	keys, body := regions(path, src)
	switch {
	case off >= body.from:
		return textAt(src, body, off, nil, 0)
	case off < keys.from || off > keys.to:
		return Cursor{}
	}
	y := typed{src: src, rows: rowsOf(src, keys)}
	at := slices.IndexFunc(y.rows, func(r row) bool { return off <= r.to })
	if at < 0 {
		return Cursor{}
	}
	for i := range at {
		y.add(i)
	}
	r := y.rows[at]
	column := r.indent
	if column < 0 { // the column of the place says how deep a blank line is nested
		column = off - r.from
	}
	inText := y.inText(column)
	if i := commentIn(src[r.from:r.to]); i >= 0 && off > r.from+i && !inText {
		return Cursor{Part: OnComment, From: r.from + i, To: r.to}
	}
	outer := y.above(column, r.dashes && !inText)
	if c, ok := y.flowAt(outer, at, off); ok && !inText {
		return c
	}
	if r.key != "" && !inText {
		if off <= r.name.to {
			return Cursor{Part: OnKey, Path: y.keys(outer), From: r.name.from, To: r.name.to,
				Used: y.beside(at, r.indent)}
		}
		if off >= r.value || r.value == r.to {
			return valueAt(src, append(y.keys(outer), r.key), r.value, y.valueEnd(at), off)
		}
		return Cursor{}
	}
	if n := len(outer) - 1; n >= 0 {
		owner := outer[n]
		if c, ok := y.flowAt(outer[:n], owner, off); ok {
			return c
		}
		if o := y.rows[owner]; o.key != "" && o.value < o.to && src[o.value] != '#' && (inText || !r.dashes) {
			return valueAt(src, y.keys(outer), o.value, y.valueEnd(owner), off)
		}
	}
	start := r.value
	if r.indent < 0 {
		start = off
	}
	if off < start || strings.ContainsAny(src[start:max(start, off)], " \t") {
		return Cursor{}
	}
	return Cursor{Part: OnKey, Path: y.keys(outer), From: start, To: max(off, min(r.to, wordEnd(src, off))),
		Used: y.beside(at, start-r.from)}
}

// typed is YAML while it is typed.
type typed struct {
	src  string
	rows []row
	open []int // the rows that the keys and items begin with that a place is nested in, outermost first
}

// add goes on behind a row.
func (y *typed) add(i int) {
	r := &y.rows[i]
	if r.indent < 0 || y.inText(r.indent) || r.key == "" && !r.dashes {
		return
	}
	outer := y.above(r.indent, r.dashes)
	if r.used = y.begun(outer, r.dashes); r.key != "" {
		r.used = append(r.used, r.key)
	}
	y.open = append(outer, i)
}

// begun returns the keys so far of the mapping that a row goes on which is nested in outer.
func (y *typed) begun(outer []int, dashes bool) []string {
	if dashes || len(outer) == len(y.open) {
		return nil
	}
	return slices.Clone(y.rows[y.open[len(outer)]].used)
}

// above returns the rows that one at a column is nested in.
func (y *typed) above(column int, dashes bool) []int {
	if dashes {
		column = max(column-2, 0) // that of the last dash
	}
	n := len(y.open)
	for ; n > 0; n-- {
		if at := y.rows[y.open[n-1]].indent; at < column || at == column && dashes {
			break
		}
	}
	return y.open[:n:n]
}

// inText reports whether a row at a column is part of a text that a row above has opened with | or >.
func (y *typed) inText(column int) bool {
	if len(y.open) == 0 {
		return false
	}
	r := y.rows[y.open[len(y.open)-1]]
	return column > r.indent && r.key != "" && blockSign.MatchString(y.src[r.value:r.to])
}

// keys returns the keys that rows begin with.
func (y *typed) keys(rows []int) (path []string) {
	for _, i := range rows {
		if key := y.rows[i].key; key != "" {
			path = append(path, key)
		}
	}
	return path
}

// beside returns the other keys of the mapping that a row is in. column is that of its keys.
func (y *typed) beside(at, column int) []string {
	used := y.begun(y.above(column, false), y.rows[at].dashes)
	for _, r := range y.rows[at+1:] {
		switch {
		case r.indent < 0 || r.indent > column:
			continue
		case r.indent < column || r.dashes:
			return used
		case r.key != "":
			used = append(used, r.key)
		}
	}
	return used
}

func wordEnd(src string, off int) int {
	for off < len(src) && (IsWord(src[off]) || src[off] == '-') {
		off++
	}
	return off
}

func IsWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// blockSign matches the sign that opens a text over several lines: | or >.
var blockSign = regexp.MustCompile(`^[|>][-+0-9]*[ \t]*(#.*)?$`)
