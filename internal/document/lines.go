package document

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// breaks are the characters that end a line for YAML, and for no editor. What stands behind one looks as if
// it belonged to the value before it.
const breaks = "\u0085\u2028\u2029"

// loneReturn reports a carriage return without a line feed: YAML begins a line behind it, editors show none,
// and a terminal writes over what stands before it.
func (d *decoder) loneReturn() bool {
	text := d.page.text
	if !utf8.ValidString(text) {
		return false // said elsewhere, and no place in it would be right
	}
	i := strings.IndexByte(strings.ReplaceAll(text, "\r\n", "\n\n"), '\r')
	if i >= 0 {
		d.add(code.FileBytes, d.page.between(i, i+1), "a carriage return stands alone",
			"end lines with LF or CRLF").Fix = d.edit(i, i+1, "\n")
	}
	return i >= 0
}

// oddBreak reports the first character that ends a line for YAML alone and stands outside of quotes. root is
// what YAML has read, nil if it could not.
func (d *decoder) oddBreak(root *yaml.Node) bool {
	part := d.page.text[d.from:d.to]
	if !strings.ContainsAny(part, breaks) {
		return false
	}
	bare := []byte(part)
	d.blank(root, yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle, bare)
	i := strings.IndexAny(string(bare), breaks)
	if i < 0 {
		return false
	}
	r, n := utf8.DecodeRuneInString(part[i:])
	d.add(code.FileBytes, d.page.between(d.from+i, d.from+i+n),
		fmt.Sprintf("%U ends a line for YAML, and nobody sees it", r),
		fmt.Sprintf(`remove it, or write it as "\u%04x"`, r))
	return true
}

// blank puts blanks in place of the scalars of a tree that have one of some styles, 0 being any, in the bytes
// of the YAML.
func (d *decoder) blank(n *yaml.Node, styles yaml.Style, bare []byte) {
	if n == nil {
		return
	}
	if n.Kind == yaml.ScalarNode && (styles == 0 || n.Style&styles != 0) {
		from, to := d.extent(n)
		copy(bare[from-d.from:], strings.Repeat(" ", to-from))
	}
	for _, c := range n.Content {
		d.blank(c, styles, bare)
	}
}

// rulers are the signs of which lines are made that look like the beginning of a front matter.
const rulers = "-+=*_~;—–―−‐‑"

// lateFront reports a front matter that begins behind blank lines, or whose first line is not quite ---: it
// would be sent as text, its keys unread.
func (d *decoder) lateFront() bool {
	text := d.page.text
	skip := len(text) - len(strings.TrimLeftFunc(text, blankOrHidden))
	from, to := d.page.line(skip)
	line := strings.TrimRightFunc(text[skip:to], blankOrHidden)
	if !strings.HasPrefix(line, fence) && (len(line) < 2 || strings.Trim(line, rulers) != "") {
		return false
	}
	key := false
	for a, b := range d.page.lines(min(d.page.next(to), len(text)), len(text)) {
		if t := strings.TrimSpace(text[a:b]); t != "" && t[0] != '#' {
			key = d.knownKey(a, b)
			break
		}
	}
	if !key {
		return false
	}
	x := d.add(code.UnclosedFrontMatter, d.page.between(from, max(to, from+1)),
		"the first line of a front matter is three dashes, and nothing else", "write ---")
	switch above := text[:skip]; {
	case strings.Trim(line, "+") == "":
		x.Message, x.Hint = "a front matter in TOML is not read", "write the keys as YAML, `key: value`, "+
			"between lines ---"
	case skip == 0 || !isFence(text[skip:to]) || strings.Trim(above, blanks) != "":
		if strings.Trim(line, "-") == "" {
			x.Fix = d.edit(0, to, fence)
		}
	case strings.Contains(above, "\n"):
		x.Message, x.Hint = "the front matter does not begin on the first line", "remove what is above it"
		x.Range, x.Fix = d.page.between(skip, to), d.edit(0, skip, "")
	default:
		x.Message, x.Hint = "the front matter does not begin at the margin", "remove the blanks in front of ---"
		x.Range, x.Fix = d.page.between(skip, to), d.edit(0, skip, "")
	}
	return true
}

// blankOrHidden reports whether nobody sees a character at the beginning of a line.
func blankOrHidden(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Cc,
		unicode.Other_Default_Ignorable_Code_Point)
}

// knownKey reports whether a line gives a value to a key of a reminder, in YAML or TOML.
func (d *decoder) knownKey(from, to int) bool {
	if k, ok := d.keyLine(from, to); ok {
		return isKey(k.key)
	}
	key, _, ok := strings.Cut(d.page.text[from:to], "=")
	return ok && isKey(strings.TrimSpace(key))
}

// secondBlock reports a further front matter in the body of a file: its keys would be sent as text. Blocks of
// code are left alone, since a text may be about rule files.
func (d *decoder) secondBlock(body int) bool {
	text := d.page.text
	open, keys, inCode := -1, false, false
	for from, to := range d.page.lines(body, len(text)) {
		line := text[from:to]
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"), strings.HasPrefix(strings.TrimSpace(line), "~~~"):
			inCode = !inCode
		case inCode:
		case isFence(line) && open >= 0 && keys:
			d.add(code.SeveralDocuments, d.page.between(open, open+len(fence)),
				"a second front matter begins here, and would be sent as text",
				"write one reminder a file, or a YAML file with a list under `reminders:`")
			return true
		case isFence(line):
			open, keys = from, false
		case open < 0 || strings.TrimSpace(line) == "":
		case d.knownKey(from, to):
			keys = true
		case line[0] != ' ' && line[0] != '#' && line[0] != '-' && !keys:
			open = -1
		}
	}
	return false
}

// marked reports a second byte order mark, behind which no front matter begins.
func (d *decoder) marked() bool {
	if !strings.HasPrefix(d.page.text, byteOrderMark) {
		return false
	}
	at := d.page.between(0, len(byteOrderMark))
	d.add(code.FileBytes, at, "a second byte order mark", "remove it").Fix = &grammar.Edit{Range: at}
	return true
}
