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
	indent   int    // the column of the first word after dashes; -1 for a blank line or a comment
	dashes   bool   // the line begins with the dash of a list item
	key      string // the key that the line begins with, "" for none
	name     span   // of key
	value    int    // the offset after the key's colon, or after the dashes
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
	rows := rowsOf(src, keys)
	at := slices.IndexFunc(rows, func(r row) bool { return off <= r.to })
	if at < 0 {
		return Cursor{}
	}
	r := rows[at]
	if i := commentIn(src[r.from:r.to]); i >= 0 && off > r.from+i && !insideText(rows, src, at) {
		return Cursor{Part: OnComment, From: r.from + i, To: r.to}
	}
	// Look for a [ or { that this line or one above has opened and that is still open at the place.
	for i := at; i >= 0; i-- {
		p := rows[i]
		if p.indent < 0 || i < at && p.indent >= typed(r, off) && p.key == "" {
			continue
		}
		if c, ok := flowAt(src, rows, i, off); ok {
			return c
		}
		if p.key != "" && (i == at || p.indent < typed(r, off)) {
			break
		}
	}
	if r.key != "" && !insideText(rows, src, at) {
		if off <= r.name.to {
			return Cursor{Part: OnKey, Path: above(rows, at), From: r.name.from, To: r.name.to,
				Used: beside(rows, at, r.indent)}
		}
		if off >= r.value || r.value == r.to {
			return valueAt(src, append(above(rows, at), r.key), r.value, valueEnd(src, rows, at), off)
		}
		return Cursor{}
	}
	if owner := ownerOf(rows, src, at, off); owner >= 0 {
		return valueAt(src, append(above(rows, owner), rows[owner].key), rows[owner].value,
			valueEnd(src, rows, owner), off)
	}
	start := r.value
	if r.indent < 0 {
		start = off
	}
	if off < start || strings.ContainsAny(src[start:max(start, off)], " \t") {
		return Cursor{}
	}
	list, used := above(rows, at, off-r.from), beside(rows, at, start-r.from)
	return Cursor{Part: OnKey, Path: list, From: start, To: max(off, min(r.to, wordEnd(src, off))), Used: used}
}

// typed returns the indentation of a line; for a blank line or a comment, the column of the place.
func typed(r row, off int) int {
	if r.indent >= 0 {
		return r.indent
	}
	return off - r.from
}

// above returns the keys that a line is nested in, outermost first. For a blank line column says how deep
// that is.
func above(rows []row, at int, column ...int) []string {
	depth := rows[at].indent
	if depth < 0 && len(column) > 0 {
		depth = column[0]
	}
	if rows[at].dashes {
		depth = dashColumn(rows[at])
	}
	var path []string
	dash := rows[at].dashes
	for i := at - 1; i >= 0; i-- {
		r := rows[i]
		if r.indent < 0 {
			continue
		}
		outer := r.indent
		if r.key != "" && (outer < depth || outer == depth && dash && !r.dashes) {
			path = append(path, r.key)
			depth, dash = outer, r.dashes
			if r.dashes {
				depth = dashColumn(r)
			}
			continue
		}
		if r.dashes && outer == depth && !dash { // the first line of the list item that the line is in
			depth, dash = dashColumn(r), true
		}
	}
	slices.Reverse(path)
	return path
}

// dashColumn returns the column of the last dash of a line.
func dashColumn(r row) int { return max(r.indent-2, 0) }

// beside returns the other keys of the mapping that a line is in. depth is the column of its keys.
func beside(rows []row, at, depth int) []string {
	var used []string
	for _, step := range []int{-1, 1} {
		for i := at; i >= 0 && i < len(rows); i += step {
			r := rows[i]
			if r.indent < 0 || r.indent > depth {
				continue
			}
			if r.indent < depth || i != at && step > 0 && r.dashes {
				break
			}
			if i != at && r.key != "" {
				used = append(used, r.key)
			}
			if r.dashes && step < 0 {
				break
			}
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

// insideText reports whether a line is part of a text that a line above has opened with | or >.
func insideText(rows []row, src string, at int) bool {
	for i := at - 1; i >= 0; i-- {
		r := rows[i]
		if r.indent < 0 || r.indent >= rows[at].indent && rows[at].indent >= 0 {
			continue
		}
		return r.key != "" && blockSign.MatchString(src[r.value:r.to])
	}
	return false
}

// ownerOf returns the index of the line with the key whose value goes on in this line; -1 where there is
// none.
func ownerOf(rows []row, src string, at, off int) int {
	depth := typed(rows[at], off)
	for i := at - 1; i >= 0; i-- {
		r := rows[i]
		if r.indent < 0 || r.indent >= depth {
			continue
		}
		if r.key != "" && r.value < r.to && src[r.value] != '#' && !rows[at].dashes {
			return i
		}
		return -1
	}
	return -1
}
