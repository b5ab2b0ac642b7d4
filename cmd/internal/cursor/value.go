package cursor

import (
	"strings"

	"github.com/aside-go/aside/internal/document"
)

// level is a [ or { that is open.
type level struct {
	list bool
	key  string   // for {: the key whose value follows, "" before a key
	used []string // for {: the keys so far
}

// flow reads YAML within [ ] or { } up to a place, from where the outermost bracket opens.
type flow struct {
	src    string
	levels []level // the open brackets, outermost first
	start  int     // where the current word begins
	quote  byte    // the quote that the current word began with, 0 once that is closed
	over   bool    // the outermost bracket is closed
}

// flowAt returns the cursor at off where the value of a row opens a [ or { that is still open there; else ok
// is false. outer are the rows that it is nested in.
func (y *typed) flowAt(outer []int, at, off int) (c Cursor, ok bool) {
	r := y.rows[at]
	if r.indent < 0 || r.value >= r.to || off <= r.value || y.src[r.value] != '[' && y.src[r.value] != '{' {
		return c, false
	}
	f := flow{src: y.src, start: r.value}
	f.read(off)
	if f.over || len(f.levels) == 0 {
		return c, false
	}
	path := y.keys(outer)
	if r.key != "" {
		path = append(path, r.key)
	}
	return f.cursor(path, off, r.to), true
}

// read reads up to a place.
func (f *flow) read(to int) {
	for i := f.start; i < to && !f.over; i++ {
		switch ch := f.src[i]; {
		case f.quote != 0 && ch == '\\' && f.quote == '"':
			i++
		case f.quote != 0 && ch == f.quote:
			f.quote = 0
		case f.quote != 0:
		case (ch == '"' || ch == '\'') && f.blank(i):
			f.quote = ch
		case (ch == '[' || ch == '{') && f.blank(i): // within a word it opens nothing
			f.levels = append(f.levels, level{list: ch == '['})
			f.start = i + 1
		case ch == ']' || ch == '}':
			f.close(i)
		case len(f.levels) > 0:
			f.separator(i)
		}
	}
}

// blank reports whether no word has begun before the character at i.
func (f *flow) blank(i int) bool { return strings.TrimSpace(f.src[f.start:i]) == "" }

// close closes the innermost level, at i.
func (f *flow) close(i int) {
	if len(f.levels) > 0 {
		f.levels = f.levels[:len(f.levels)-1]
	}
	f.over = len(f.levels) == 0
	f.start = i + 1
}

// separator reads the comma after a value or the colon after a key, if there is one at i.
func (f *flow) separator(i int) {
	top := &f.levels[len(f.levels)-1]
	switch ch := f.src[i]; {
	case ch == ',':
		top.key = ""
	case ch == ':' && !top.list && top.key == "" && (i+1 == len(f.src) || strings.IndexByte(" \t\r\n,}",
		f.src[i+1]) >= 0):
		top.key = strings.Trim(strings.TrimSpace(f.src[f.start:i]), `"'`)
		top.used = append(top.used, top.key)
	default:
		return
	}
	f.start = i + 1
}

// cursor returns the cursor at off, up to which f has read. path is the path to the outermost level.
func (f *flow) cursor(path []string, off, lineEnd int) Cursor {
	for _, l := range f.levels {
		if !l.list && l.key != "" {
			path = append(path, l.key)
		}
	}
	start := f.start
	for start < off && strings.IndexByte(" \t\r\n", f.src[start]) >= 0 {
		start++
	}
	if top := f.levels[len(f.levels)-1]; !top.list && top.key == "" {
		return Cursor{Part: OnKey, Path: path, From: start, To: max(off, wordEnd(f.src, off)), Flow: true,
			Used: top.used}
	}
	c := valueAt(f.src, path, start, max(flowEnd(f.src, start, lineEnd), off), off)
	c.Flow = true
	return c
}

// flowEnd returns where a value within [ ] or { } ends that begins at from.
func flowEnd(src string, from, lineEnd int) int {
	if from < lineEnd && (src[from] == '"' || src[from] == '\'') {
		return document.Quoted(src, from)
	}
	i := from
	for i < min(lineEnd, len(src)) && strings.IndexByte(",]}", src[i]) < 0 {
		i++
	}
	return i
}

// valueEnd returns the offset where the value of a row's key ends: at the end of the last row that is indented
// more.
func (y *typed) valueEnd(at int) int {
	r := y.rows[at]
	end := r.to
	for _, next := range y.rows[at+1:] {
		if r.value >= r.to || next.indent >= 0 && next.indent <= r.indent {
			break
		}
		if next.indent >= 0 {
			end = next.to
		}
	}
	return end
}

// valueAt returns the cursor at off in the value [from, to) of the last key of path.
func valueAt(src string, path []string, from, to, off int) Cursor {
	c := Cursor{Part: OnValue, Path: path, From: from, To: max(to, from)}
	if from < to {
		switch src[from] {
		case '"', '\'':
			c.Style = src[from]
			c.From++
			if end := strings.LastIndexByte(src[c.From:c.To], c.Style); end >= 0 {
				c.To = c.From + end
			}
		case '|', '>':
			c.Style = src[from]
			if i := strings.IndexByte(src[from:to], '\n'); i >= 0 {
				c.From = from + i + 1
			}
		default:
			if i := commentIn(src[from:to]); i >= 0 {
				c.To = from + len(strings.TrimRight(src[from:from+i], " \t"))
			}
		}
	}
	switch c.Key() {
	case "content", "text", "description", "name":
		return textAt(src, span{c.From, max(c.To, off)}, off, path, c.Style)
	}
	return c
}

// textAt returns the cursor at off in a text: inside a template's action, or outside.
func textAt(src string, in span, off int, path []string, style byte) Cursor {
	before := src[in.from:off]
	open, shut := strings.LastIndex(before, "{{"), strings.LastIndex(before, "}}")
	if open < 0 || open < shut {
		return Cursor{Part: onText, Path: path, From: in.from, To: in.to, Style: style}
	}
	c := Cursor{Part: OnAction, Path: path, From: in.from + open + 2, To: in.to, Style: style}
	if i := strings.Index(src[c.From:in.to], "}}"); i >= 0 {
		c.To = c.From + i
	}
	return c
}

// commentIn returns where a comment begins in a line of YAML; -1 where there is none.
func commentIn(line string) int {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" \t:[{,(", line[i-1]) >= 0):
			i = document.Quoted(line, i) - 1
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return i
		}
	}
	return -1
}
