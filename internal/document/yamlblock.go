package document

import "strings"

// block reads a | or > scalar, whose header begins at r.at, and says where the first line that is not empty begins. It leaves
// r.at behind the last character that is not the end of a line.
func (r *scalarReader) block(style byte) (inFrom int, ok bool) {
	r.lines = true
	for r.at < len(r.text) && lineEndLen(r.text, r.at) == 0 {
		r.at++
	}
	inFrom = r.at
	r.at += lineEndLen(r.text, r.at)
	indent := r.blockIndent()
	end, started := inFrom, false
	defer func() { r.at = end }()
	for first := true; r.done < len(r.value); first = false {
		if r.at >= len(r.text) { // line ends that the file lacks at its end are taken as there
			return inFrom, strings.Trim(r.value[r.done:], "\n") == ""
		}
		if !first && !r.blockLineEnd(style, indent) {
			return inFrom, false
		}
		if r.done == len(r.value) {
			break
		}
		from, to := r.lineFrom(indent)
		r.at = from
		if from == to {
			continue
		}
		if !r.copied(to - from) {
			return inFrom, false
		}
		if !started {
			inFrom, started = from, true
		}
		end = r.at
	}
	return inFrom, true
}

func lineEndLen(text string, i int) int {
	n, _ := lineEnd(text, i)
	return n
}

// blockIndent finds how far the lines of the block are indented: what stands before its first line in the file but not in
// the value.
func (r *scalarReader) blockIndent() int {
	at := r.at
	for at < len(r.text) {
		i := at
		for i < len(r.text) && r.text[i] == ' ' {
			i++
		}
		if n := lineEndLen(r.text, i); n > 0 {
			at = i + n
			continue
		}
		v := strings.TrimLeft(r.value, "\n")
		return max(i-at-(len(v)-len(strings.TrimLeft(v, " "))), 0)
	}
	return 0
}

// lineFrom is the stretch of the line at r.at without its indentation and its end.
func (r *scalarReader) lineFrom(indent int) (from, to int) {
	from = r.at
	for n := 0; n < indent && from < len(r.text) && r.text[from] == ' '; n++ {
		from++
	}
	to = from
	for to < len(r.text) && lineEndLen(r.text, to) == 0 {
		to++
	}
	return from, to
}

// blockLineEnd takes the line end at r.at and all lines behind it that are empty. In a | block each is itself. In a > block
// they are what value says: a blank, or as many line ends as folding has left.
func (r *scalarReader) blockLineEnd(style byte, indent int) bool {
	if style == '|' {
		n, means := lineEnd(r.text, r.at)
		return n > 0 && r.stands(n, means)
	}
	i, ends := r.at, 0
	for {
		n := lineEndLen(r.text, i)
		if n == 0 {
			break
		}
		ends++
		i += n
		from, to := (&scalarReader{text: r.text, at: i}).lineFrom(indent)
		if from != to {
			break
		}
		if to >= len(r.text) {
			break
		}
		i = to
	}
	if ends == 0 {
		return false
	}
	v := r.value[r.done:]
	left := len(v) - len(strings.TrimLeft(v, "\n"))
	switch {
	case left > 0 && left <= ends:
		return r.stands(i-r.at, v[:left])
	case left == 0 && ends == 1 && strings.HasPrefix(v, " "):
		return r.stands(i-r.at, " ")
	}
	return false
}
