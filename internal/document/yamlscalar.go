package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A piece is a stretch of a scalar's value and the stretch of the file it was written as. When both are of
// one length the piece was copied and every byte has its own place; otherwise (an escape, a folded line end)
// it has only one place in all.
type piece struct {
	val, valLen int
	src, srcLen int
}

// A scalar is how a YAML value stands in a file.
type scalar struct {
	pieces   []piece
	from, to int  // with its quotes, or its | or >
	inFrom   int  // the text inside the quotes, or the lines of a block from its first to its last character
	inTo     int  //
	style    byte // ' " | > or 0 for a plain one
	lines    bool // the value is written over more than one line; always so for a block
}

// readScalar reads the scalar that begins at from and must mean value, as YAML read it. It does not decide
// where the scalar ends: it follows value through the file, and ok is false as soon as the two differ.
func readScalar(text string, from int, value string) (s scalar, ok bool) {
	r := scalarReader{text: text, value: value, at: from}
	return r.read()
}

// scalarExtent is readScalar without the pieces.
func scalarExtent(text string, from int, value string) (s scalar, ok bool) {
	r := scalarReader{text: text, value: value, at: from, whole: true}
	return r.read()
}

func (r *scalarReader) read() (s scalar, ok bool) {
	s = scalar{from: r.at, to: r.at, inFrom: r.at, inTo: r.at}
	if r.at >= len(r.text) {
		return s, r.value == ""
	}
	switch c := r.text[r.at]; c {
	case '|', '>':
		s.style = c
		s.inFrom, s.inTo, ok = r.block()
		s.to = s.inTo
	default:
		if c == '\'' || c == '"' {
			s.style = c
			r.at++
			s.inFrom = r.at
		}
		ok = r.flow(s.style)
		s.inTo, s.to = r.at, r.at
		if s.style != 0 {
			s.to++
		}
	}
	s.pieces, s.lines = r.pieces, r.lines
	return s, ok
}

type scalarReader struct {
	text   string
	value  string
	at     int // in text
	done   int // of value
	pieces []piece
	lines  bool
	whole  bool // pieces are not wanted
}

// copied takes n bytes that are the same in the file and in the value.
func (r *scalarReader) copied(n int) bool {
	if !strings.HasPrefix(r.value[r.done:], r.text[r.at:r.at+n]) {
		return false
	}
	if r.whole {
		r.done += n
		r.at += n
		return true
	}
	if k := len(r.pieces) - 1; k >= 0 {
		if p := &r.pieces[k]; p.valLen == p.srcLen && p.src+p.srcLen == r.at {
			p.valLen += n
			p.srcLen += n
			r.done += n
			r.at += n
			return true
		}
	}
	r.pieces = append(r.pieces, piece{r.done, n, r.at, n})
	r.done += n
	r.at += n
	return true
}

// stands takes n bytes of the file that mean something else.
func (r *scalarReader) stands(n int, meaning string) bool {
	if !strings.HasPrefix(r.value[r.done:], meaning) {
		return false
	}
	if meaning != "" && !r.whole {
		r.pieces = append(r.pieces, piece{r.done, len(meaning), r.at, n})
	}
	r.done += len(meaning)
	r.at += n
	return true
}

// lineEnd returns the length of the line end at i, 0 if there is none, and the text that YAML reads it as.
func lineEnd(text string, i int) (int, string) {
	switch {
	case i >= len(text):
		return 0, ""
	case text[i] == '\n':
		return 1, "\n"
	case text[i] == '\r' && strings.HasPrefix(text[i:], "\r\n"):
		return 2, "\n"
	case text[i] == '\r':
		return 1, "\n"
	case strings.HasPrefix(text[i:], "\u0085"):
		return 2, "\n"
	case strings.HasPrefix(text[i:], "\u2028"), strings.HasPrefix(text[i:], "\u2029"):
		return 3, text[i : i+3]
	}
	return 0, ""
}

// fold takes blanks and line ends from r.at as flow scalars do: blanks alone are themselves, one line end is
// a blank, each further one is itself.
func (r *scalarReader) fold() bool {
	i := r.at
	ends, first, rest := 0, "", strings.Builder{}
	for i < len(r.text) {
		if r.text[i] == ' ' || r.text[i] == '\t' {
			i++
			continue
		}
		n, means := lineEnd(r.text, i)
		if n == 0 {
			break
		}
		if ends++; ends == 1 {
			first = means
		} else {
			rest.WriteString(means)
		}
		i += n
	}
	switch {
	case ends == 0:
		return r.copied(i - r.at)
	case first != "\n": // U+2028 and U+2029 stay unchanged
		r.lines = true
		return r.stands(i-r.at, first+rest.String())
	case ends == 1:
		r.lines = true
		return r.stands(i-r.at, " ")
	default:
		r.lines = true
		return r.stands(i-r.at, rest.String())
	}
}

func (r *scalarReader) folds() bool {
	c := r.text[r.at]
	if c == ' ' || c == '\t' {
		return true
	}
	n, _ := lineEnd(r.text, r.at)
	return n > 0
}

// flow reads a plain scalar, which ends where the value does, since it never ends with a blank, or a quoted
// one up to its closing quote.
func (r *scalarReader) flow(quote byte) bool {
	for ok := true; ok; {
		switch {
		case quote == 0 && r.done == len(r.value):
			return true
		case r.at >= len(r.text):
			return false
		case quote == '\'' && strings.HasPrefix(r.text[r.at:], "''"):
			ok = r.stands(2, "'")
		case quote != 0 && r.text[r.at] == quote:
			return r.done == len(r.value)
		case quote == '"' && r.text[r.at] == '\\':
			ok = r.escape()
		case r.folds():
			ok = r.fold()
		default:
			_, n := utf8.DecodeRuneInString(r.text[r.at:])
			ok = r.copied(n)
		}
	}
	return false
}

// escapes holds the meaning of a character after a backslash (YAML 1.2 §5.7).
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r",
	'e': "\x1b",
	' ': " ", '"': "\"", '\'': "'", '/': "/", '\\': "\\", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028",
	'P': "\u2029",
}

func (r *scalarReader) escape() bool {
	n := r.escapeLen()
	if n == 0 {
		return false
	}
	c := r.text[r.at+1]
	if s, ok := escapes[c]; ok {
		return r.stands(n, s)
	}
	if hexDigits[c] == 0 { // an escaped line end is nothing, nor are the blanks behind it
		r.lines = true
		return r.stands(n, "")
	}
	code, err := strconv.ParseUint(r.text[r.at+2:r.at+n], 16, 32)
	return err == nil && r.stands(n, string(rune(code)))
}

// hexDigits is how many digits follow the letter of an escape by number.
var hexDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// escapeLen is the length of the escape at r.at, 0 if that is none.
func (r *scalarReader) escapeLen() int {
	i := r.at + 1
	if i >= len(r.text) {
		return 0
	}
	if n := lineEndLen(r.text, i); n > 0 {
		for i += n; i < len(r.text) && (r.text[i] == ' ' || r.text[i] == '\t'); i++ {
		}
		return i - r.at
	}
	if _, ok := escapes[r.text[i]]; ok {
		return 2
	}
	digits := hexDigits[r.text[i]]
	if digits == 0 || i+1+digits > len(r.text) {
		return 0
	}
	if _, err := strconv.ParseUint(r.text[i+1:i+1+digits], 16, 32); err != nil {
		return 0
	}
	return 2 + digits
}

// block reads a | or > scalar, whose header is in the line at r.at, and returns where its text begins and
// ends without blanks. Whatever the indentation and the folding, each word stands in the file as it stands in
// the value, and blanks between words stand for blanks.
func (r *scalarReader) block() (from, to int, ok bool) {
	r.lines = true
	for r.at < len(r.text) && lineEndLen(r.text, r.at) == 0 {
		r.at++
	}
	from, to = r.at, r.at
	for started := false; ; started = true {
		blank, n := blankLen(r.value[r.done:]), blankLen(r.text[r.at:])
		if r.done+blank == len(r.value) {
			return from, to, true
		}
		if value := r.value[r.done : r.done+blank]; value == r.text[r.at:r.at+n] {
			r.copied(n)
		} else {
			r.stands(n, value)
		}
		if !started {
			from = r.at
		}
		word := 0
		for rest := r.value[r.done:]; word < len(rest) && blankLen(rest[word:]) == 0; {
			_, n := utf8.DecodeRuneInString(rest[word:])
			word += n
		}
		if r.at+word > len(r.text) || !r.copied(word) {
			return from, r.at, false
		}
		to = r.at
	}
}

// blankLen returns how many bytes of blanks and line ends a text begins with.
func blankLen(text string) (n int) {
	for n < len(text) {
		k := lineEndLen(text, n)
		if k == 0 && (text[n] == ' ' || text[n] == '\t') {
			k = 1
		}
		if k == 0 {
			break
		}
		n += k
	}
	return n
}

func lineEndLen(text string, i int) int {
	n, _ := lineEnd(text, i)
	return n
}

// writeScalar writes a value on one line in a style (' " or 0 for plain) or, where it cannot be, in quotes
// that can hold it.
func writeScalar(value string, style byte, flow bool) string {
	switch {
	case style == '"':
		return doubleQuoted(value)
	case style == 0 && plain(value, flow):
		return value
	}
	return quoteYAML(value)
}

// plain reports whether YAML reads s without quotes as the text s. It says no to some that YAML would read
// so.
func plain(s string, flow bool) bool {
	switch strings.ToLower(s) {
	case "", "~", "null", "true", "false":
		return false
	}
	return strings.IndexByte("-?:,[]{}#&*!|>'\"%@`=<", s[0]) < 0 && s == strings.Trim(s, blanks) && !odd(s) &&
		!strings.Contains(s, ": ") && !strings.HasSuffix(s, ":") && !strings.Contains(s, " #") &&
		(!flow || !strings.ContainsAny(s, ",[]{}") && !strings.Contains(s, ":'") && !strings.Contains(s, ":\""))
}

// odd reports whether s holds characters that YAML takes only as escapes.
func odd(s string) bool { return strings.IndexFunc(s, oddRune) >= 0 }

func oddRune(r rune) bool {
	return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff ||
		r == 0xfffe || r == 0xffff
}

// quoteYAML writes s as a quoted scalar on one line: in single quotes, or in double ones if s holds
// characters that single ones cannot.
func quoteYAML(s string) string {
	if odd(s) {
		return doubleQuoted(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case oddRune(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
