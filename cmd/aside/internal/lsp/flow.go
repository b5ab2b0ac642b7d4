package lsp

import "strings"

// level is a [ or { that is open.
type level struct {
	list bool
	key  string // of a mapping: the key whose value comes
	used []string
}

// flowAt is a place within [ ] or { } that begin in a line; ok is false if the line begins none that holds the place.
func flowAt(src string, rows []row, at, off int) (c cursor, ok bool) {
	r := rows[at]
	if r.value >= r.to || off <= r.value || src[r.value] != '[' && src[r.value] != '{' {
		return c, false
	}
	path := above(rows, at)
	if r.key != "" {
		path = append(path, r.key)
	}
	var levels []level
	start := r.value // where the word begins that is being read
	var quote byte
	i := r.value
	for ; i < off; i++ {
		ch := src[i]
		top := len(levels) - 1
		switch {
		case quote != 0:
			if ch == '\\' && quote == '"' {
				i++
			} else if ch == quote {
				quote = 0
			}
		case (ch == '"' || ch == '\'') && strings.TrimSpace(src[start:i]) == "":
			quote = ch
		case ch == '[' || ch == '{':
			if strings.TrimSpace(src[start:i]) != "" {
				continue // a part of a word
			}
			levels = append(levels, level{list: ch == '['})
			start = i + 1
		case ch == ']' || ch == '}':
			if top < 0 {
				return c, false
			}
			levels = levels[:top]
			if top == 0 {
				return c, false // it is over before the place
			}
			start = i + 1
		case top < 0:
		case ch == ',':
			if !levels[top].list {
				levels[top].key = ""
			}
			start = i + 1
		case ch == ':' && !levels[top].list && levels[top].key == "" && (i+1 == len(src) || strings.IndexByte(" \t\r\n,}", src[i+1]) >= 0):
			levels[top].key = strings.Trim(strings.TrimSpace(src[start:i]), `"'`)
			levels[top].used = append(levels[top].used, levels[top].key)
			start = i + 1
		}
	}
	if len(levels) == 0 || insideText(rows, src, at) {
		return c, false
	}
	for _, l := range levels {
		if !l.list && l.key != "" {
			path = append(path, l.key)
		}
	}
	for start < off && strings.IndexByte(" \t\r\n", src[start]) >= 0 {
		start++
	}
	end := flowEnd(src, start, r.to)
	top := levels[len(levels)-1]
	if !top.list && top.key == "" {
		return cursor{part: onKey, path: path, from: start, to: max(off, wordEnd(src, off)), flow: true, used: top.used}, true
	}
	c = valueAt(src, path, start, max(end, off), off)
	c.flow = true
	return c, true
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
