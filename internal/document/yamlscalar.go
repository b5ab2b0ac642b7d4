package document

import (
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

func (p *piece) copied() bool { return p.valLen == p.srcLen }

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
func (r *scalarReader) copied(n int) bool { return r.stands(n, r.text[r.at:r.at+n]) }

// stands takes n bytes of the file that mean something.
func (r *scalarReader) stands(n int, meaning string) bool {
	if !strings.HasPrefix(r.value[r.done:], meaning) {
		return false
	}
	if meaning != "" && !r.whole {
		next := piece{r.done, len(meaning), r.at, n}
		if k := len(r.pieces) - 1; k >= 0 && r.pieces[k].copied() && next.copied() &&
			r.pieces[k].src+r.pieces[k].srcLen == r.at {
			r.pieces[k].valLen += n
			r.pieces[k].srcLen += n
		} else {
			r.pieces = append(r.pieces, next)
		}
	}
	r.done += len(meaning)
	r.at += n
	return true
}

// lineEndLen returns the length of the line end at i, as YAML ends lines; 0 if there is none.
func lineEndLen(text string, i int) int {
	switch {
	case i >= len(text):
		return 0
	case strings.HasPrefix(text[i:], "\r\n"), strings.HasPrefix(text[i:], "\u0085"):
		return 2
	case text[i] == '\n', text[i] == '\r':
		return 1
	case strings.HasPrefix(text[i:], "\u2028"), strings.HasPrefix(text[i:], "\u2029"):
		return 3
	}
	return 0
}

// ends leaves the line ends of blanks, as YAML reads them. U+2028 and U+2029 stay unchanged.
var ends = strings.NewReplacer(" ", "", "\t", "", "\r\n", "\n", "\r", "\n", "\u0085", "\n")

// fold takes n blanks and line ends as flow scalars do: blanks alone are themselves, one line end is a blank,
// each further one is itself.
func (r *scalarReader) fold(n int) bool {
	run := r.text[r.at : r.at+n]
	if strings.Trim(run, " \t") == "" {
		return r.copied(n)
	}
	means := ends.Replace(run)
	switch {
	case means == "\n":
		means = " "
	case means[0] == '\n':
		means = means[1:]
	}
	r.lines = true
	return r.stands(n, means)
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
		default:
			if n := blankLen(r.text[r.at:]); n > 0 {
				ok = r.fold(n)
				continue
			}
			_, n := utf8.DecodeRuneInString(r.text[r.at:])
			ok = r.copied(n)
		}
	}
	return false
}

// escapes holds the meaning of a character after a backslash where Go has no such escape (YAML 1.2 §5.7).
var escapes = map[byte]string{
	'0': "\x00", '\t': "\t", 'e': "\x1b", ' ': " ", '\'': "'", '/': "/", 'N': "\u0085", '_': "\u00a0",
	'L': "\u2028", 'P': "\u2029",
}

func (r *scalarReader) escape() bool {
	n, means := escape(r.text, r.at)
	r.lines = r.lines || means == ""
	return n > 0 && r.stands(n, means)
}

// escape returns the length of the escape at at, 0 if that is none, and its meaning. An escaped line end is
// nothing, nor are the blanks behind it.
func escape(text string, at int) (n int, means string) {
	i := at + 1
	if end := lineEndLen(text, i); end > 0 {
		for i += end; i < len(text) && (text[i] == ' ' || text[i] == '\t'); i++ {
		}
		return i - at, ""
	}
	if i >= len(text) || text[i] > '0' && text[i] <= '9' {
		return 0, ""
	}
	if s, ok := escapes[text[i]]; ok {
		return 2, s
	}
	c, _, rest, err := strconv.UnquoteChar(text[at:], '"')
	if err != nil {
		return 0, ""
	}
	return len(text) - at - len(rest), string(c)
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

// writeScalar writes a value on one line in a style (' " or 0 for plain) or, where it cannot be, in quotes
// that can hold it.
func writeScalar(value string, style byte, flow bool) string {
	switch {
	case style == '"':
		return strconv.Quote(value)
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

// quoteYAML writes s as a quoted scalar on one line: in single quotes, or in double ones, which YAML reads as
// Go does, if s holds characters that single ones cannot.
func quoteYAML(s string) string {
	if odd(s) {
		return strconv.Quote(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
