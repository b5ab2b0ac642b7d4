package lsp

import "strings"

// level is a [ or { that is open.
type level struct {
	list bool
	key  string // of a mapping: the key whose value comes
	used []string
}

// flow is what is open at a place within [ ] or { }, read from where the outermost of them begins.
type flow struct {
	src    string
	levels []level // outermost first
	start  int     // where the word begins that is being read
	quote  byte    // which the word began with, until it is closed
	over   bool    // the outermost is closed before the place, or nothing was open
}

// flowAt is a place within [ ] or { } that begin in a line; ok is false if the line begins none that holds the place.
func flowAt(src string, rows []row, at, off int) (c cursor, ok bool) {
	r := rows[at]
	if r.value >= r.to || off <= r.value || src[r.value] != '[' && src[r.value] != '{' {
		return c, false
	}
	f := flow{src: src, start: r.value}
	f.read(off)
	if f.over || len(f.levels) == 0 || insideText(rows, src, at) {
		return c, false
	}
	path := above(rows, at)
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
		case (ch == '[' || ch == '{') && f.blank(i): // else it is a part of a word
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

// separator reads the comma behind a value or the colon behind a key, if one stands at i.
func (f *flow) separator(i int) {
	top := &f.levels[len(f.levels)-1]
	switch ch := f.src[i]; {
	case ch == ',':
		top.key = ""
	case ch == ':' && !top.list && top.key == "" && (i+1 == len(f.src) || strings.IndexByte(" \t\r\n,}", f.src[i+1]) >= 0):
		top.key = strings.Trim(strings.TrimSpace(f.src[f.start:i]), `"'`)
		top.used = append(top.used, top.key)
	default:
		return
	}
	f.start = i + 1
}

// cursor is the place that was read up to; path leads to where the outermost level is the value.
func (f *flow) cursor(path []string, off, lineEnd int) cursor {
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
		return cursor{part: onKey, path: path, from: start, to: max(off, wordEnd(f.src, off)), flow: true, used: top.used}
	}
	c := valueAt(f.src, path, start, max(flowEnd(f.src, start, lineEnd), off), off)
	c.flow = true
	return c
}

// flowEnd is where a value within [ ] or { } ends that begins at from.
func flowEnd(src string, from, lineEnd int) int {
	var quote byte
	depth := 0
	i := from
	for ; i < len(src) && (i < lineEnd || quote != 0); i++ {
		ch := src[i]
		switch {
		case quote != 0:
			if ch == '\\' && quote == '"' {
				i++
			} else if ch == quote {
				return i + 1
			}
		case (ch == '"' || ch == '\'') && i == from:
			quote = ch
		case ch == '(':
			depth++
		case ch == ')':
			depth--
		case ch == ',' || ch == ']' || ch == '}':
			return i
		}
	}
	return min(i, len(src))
}
