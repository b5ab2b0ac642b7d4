package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// SyntaxError says why a configuration cannot be parsed, or has a form that nothing can be added to. The file
// was not touched.
type SyntaxError struct {
	File         string
	Line, Column int // from 1, the column in characters
	Message      string
	Hint         string // what the user can do
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// A larger file is not taken for a configuration.
const (
	maxFile     = 4 << 20 // bytes
	maxBrackets = 100_000 // { and [, which bounds the nesting
)

const bom = "\xef\xbb\xbf"

// doc is a JSON file, perhaps with comments and trailing commas, that is changed by splicing: what is not
// replaced keeps its bytes. Every splice parses the text anew, so a *hujson.Value or an offset from before it
// must not be used after it.
type doc struct {
	path string
	head string // a byte order mark, or ""
	src  []byte // without head
	root hujson.Value
	nl   string // what ends a line of the file
	unit string // what a level of the file is indented by
}

// readDoc parses a file. A blank file, and a nil src, is an empty object.
func readDoc(path string, src []byte) (*doc, error) {
	d := &doc{path: path, src: src, nl: "\n", unit: "  "}
	if rest, ok := bytes.CutPrefix(src, []byte(bom)); ok {
		d.head, d.src = bom, rest
	}
	if i := bytes.IndexByte(d.src, '\n'); i > 0 && d.src[i-1] == '\r' {
		d.nl = "\r\n"
	}
	if len(bytes.TrimSpace(d.src)) == 0 {
		d.src = append(bytes.Clone(d.src), "{}"+d.nl...)
	}
	if n := bytes.Count(d.src, []byte("{")) + bytes.Count(d.src, []byte("[")); len(d.src) > maxFile ||
		n > maxBrackets {
		return nil, &SyntaxError{path, 1, 1, "too large for a configuration", "is this the right file?"}
	}
	if err := d.parse(); err != nil {
		return nil, err
	}
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return nil, d.wrong(d.root.StartOffset, "the configuration is not an object", "it should begin with {")
	}
	if items := contents(&d.root).items; len(items) > 0 && d.starts(items[0].from) {
		if in := d.indent(items[0].from); in != "" {
			d.unit = in
		}
	}
	return d, nil
}

// bytes returns the file as it is after all changes.
func (d *doc) bytes() []byte { return append([]byte(d.head), d.src...) }

var hujsonPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

func (d *doc) parse() error {
	src := d.src
	if !bytes.HasSuffix(src, []byte("\n")) { // hujson wants a newline after a comment on the last line
		src = append(bytes.Clone(src), '\n')
	}
	root, err := hujson.Parse(src)
	if err == nil {
		d.root = root
		return nil
	}
	e := &SyntaxError{File: d.path, Line: 1, Column: 1, Message: err.Error(),
		Hint: "correct it there, or move the file away; it was not changed"}
	if m := hujsonPlace.FindStringSubmatch(e.Message); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		col, _ := strconv.Atoi(m[2])
		e.Message = strings.TrimPrefix(e.Message, m[0])
		lines := bytes.Split(d.src, []byte("\n"))
		if e.Line > len(lines) { // in the newline that was added
			e.Line, col = len(lines), len(d.src)+1
		}
		l := lines[e.Line-1]
		e.Column = 1 + utf8.RuneCount(l[:min(col-1, len(l))])
	}
	return e
}

// wrong returns a *SyntaxError at an offset.
func (d *doc) wrong(at int, message, hint string) error {
	before := d.src[:at]
	return &SyntaxError{d.path, 1 + bytes.Count(before, []byte("\n")),
		1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]), message, hint}
}

// splice replaces the bytes [from, to) and parses the result.
func (d *doc) splice(from, to int, text string) error {
	d.src = append(append(bytes.Clone(d.src[:from]), text...), d.src[to:]...)
	return d.parse()
}

// container says where the brackets of an object or array are, and its members or elements.
type container struct {
	open, close int
	items       []item
}

// item is a member of an object or an element of an array, without the blanks, comments and comma around it.
type item struct {
	from, to int
	name     string // of a member
	value    *hujson.Value
}

// contents returns the container that v is. For any other value it has no items.
func contents(v *hujson.Value) (c container) {
	c.open, c.close = v.StartOffset, v.EndOffset-1
	switch t := v.Value.(type) {
	case *hujson.Object:
		for i := range t.Members {
			m := &t.Members[i]
			c.items = append(c.items, item{m.Name.StartOffset, m.Value.EndOffset,
				m.Name.Value.(hujson.Literal).String(), &m.Value})
		}
	case *hujson.Array:
		for i := range t.Elements {
			e := &t.Elements[i]
			c.items = append(c.items, item{e.StartOffset, e.EndOffset, "", e})
		}
	}
	return c
}

// member returns the index of a member, -1 where there is none. Of several with the same name the last
// counts, as all agents have it.
func (c container) member(name string) int {
	for i := len(c.items) - 1; i >= 0; i-- {
		if c.items[i].name == name {
			return i
		}
	}
	return -1
}

func isObject(v *hujson.Value) bool { _, ok := v.Value.(*hujson.Object); return ok }
func isArray(v *hujson.Value) bool  { _, ok := v.Value.(*hujson.Array); return ok }

// indent returns the blanks and tabs that the line at an offset begins with.
func (d *doc) indent(at int) string {
	line := d.src[bytes.LastIndexByte(d.src[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// starts reports whether nothing but blanks and tabs stands before an offset on its line.
func (d *doc) starts(at int) bool {
	line := d.src[bytes.LastIndexByte(d.src[:at], '\n')+1 : at]
	return len(bytes.TrimLeft(line, " \t")) == 0
}

// lastComment returns the end of the last comment between two offsets, without a line end; it returns from
// where there is none. line says that this is a // comment, so that nothing can follow on the same line.
func (d *doc) lastComment(from, to int) (end int, line bool) {
	end = from
	for i := from; i < to; i++ {
		switch rest := d.src[i:to]; {
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			i += n
			end, line = i, true
			if d.src[end-1] == '\r' {
				end--
			}
		case bytes.HasPrefix(rest, []byte("/*")):
			i += bytes.Index(rest[2:], []byte("*/")) + 3
			end, line = i+1, false
		}
	}
	return end, line
}

// comma returns the offset of the comma between two offsets, outside of comments; -1 where there is none.
func (d *doc) comma(from, to int) int {
	for i := from; i < to; i++ {
		switch rest := d.src[i:to]; {
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				return -1
			}
			i += n
		case bytes.HasPrefix(rest, []byte("/*")):
			i += bytes.Index(rest[2:], []byte("*/")) + 3
		case rest[0] == ',':
			return i
		}
	}
	return -1
}

// add appends a member to the object v, or an element to the array v, where name is "". The layout follows
// that of the other items.
func (d *doc) add(v *hujson.Value, name string, value any) error {
	c := contents(v)
	within := func(at int, compact bool) string {
		s := d.render(value, at, c, compact)
		if name != "" {
			s = quote(name) + map[bool]string{true: ":", false: ": "}[compact] + s
		}
		return s
	}
	oneLine := !bytes.Contains(bytes.TrimSpace(d.src), []byte("\n"))
	if len(c.items) == 0 {
		if compact := oneLine && c.open != d.root.StartOffset; compact {
			return d.splice(c.open+1, c.open+1, within(0, true))
		}
		at, _ := d.lastComment(c.open+1, c.close)
		outer := d.indent(c.open)
		text := d.nl + outer + d.unit + within(-1, false)
		if !bytes.Contains(d.src[at:c.close], []byte("\n")) {
			text += d.nl + outer
		}
		return d.splice(at, at, text)
	}
	last := c.items[len(c.items)-1]
	behind, trailing := last.to, d.comma(last.to, c.close)
	if trailing >= 0 {
		behind = trailing + 1
	}
	at, line := d.lastComment(behind, c.close)
	compact := !bytes.Contains(d.src[c.open:c.close], []byte("\n"))
	var text string
	switch {
	case compact && oneLine && !bytes.Contains(d.src[c.open:c.close], []byte(", ")):
		text = within(last.from, true)
	case compact:
		text = " " + within(last.from, true)
	case line || d.starts(last.from):
		in := d.indent(last.from)
		if !d.starts(last.from) {
			in = d.indent(c.open) + d.unit
		}
		text = d.nl + in + within(last.from, false)
	default:
		text = " " + within(last.from, false)
	}
	if trailing >= 0 {
		return d.splice(at, at, text+",")
	}
	if at == last.to {
		return d.splice(at, at, ","+text)
	}
	// after the comments that follow the last item
	return d.splice(last.to, at, ","+string(d.src[last.to:at])+text)
}

// render returns a value as text, on one line where compact is true. Otherwise its lines are indented like
// the line at an offset, or, where at is -1, one level deeper than c.
func (d *doc) render(value any, at int, c container, compact bool) string {
	raw := marshal(value)
	if compact {
		return string(raw)
	}
	in := d.indent(c.open) + d.unit
	if at >= 0 {
		in = d.indent(at)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, in, d.unit); err != nil {
		panic(err) // it was made by Marshal
	}
	return strings.ReplaceAll(b.String(), "\n", d.nl)
}

// replace replaces v by another value.
func (d *doc) replace(v *hujson.Value, value any) error {
	from, to := v.StartOffset, v.EndOffset
	return d.splice(from, to, d.render(value, from, container{}, !bytes.Contains(d.src[from:to], []byte("\n"))))
}

// remove removes the i-th item of v, with its comma and the blanks before it. Comments stay.
func (d *doc) remove(v *hujson.Value, i int) error {
	c := contents(v)
	it := c.items[i]
	start, end := c.open+1, c.close
	if i > 0 {
		start = c.items[i-1].to
	}
	if i+1 < len(c.items) {
		end = c.items[i+1].from
	}
	from := it.from
	for from > start && strings.IndexByte(" \t\r\n", d.src[from-1]) >= 0 {
		from--
	}
	_, line := d.lastComment(start, it.from)
	between := string(d.src[start:from]) // the comma before the item, and comments
	if i > 0 && i+1 == len(c.items) && d.comma(it.to, end) < 0 {
		at := d.comma(start, from)
		between = string(d.src[start:at]) + string(d.src[at+1:from])
	}
	rest := string(d.src[it.to:end])
	if at := d.comma(it.to, end); at >= 0 {
		rest = string(d.src[it.to:at]) + string(d.src[at+1:end])
	}
	if line && !strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "\n") {
		between += d.nl
	}
	if i == 0 && from == it.from { // the item stood right after the bracket, so the next one shall
		rest = strings.TrimLeft(rest, " \t")
	}
	if len(c.items) == 1 && strings.TrimSpace(between+rest) == "" {
		between, rest = "", ""
	}
	return d.splice(start, end, between+rest)
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(m.name) + ":")
		b.Write(marshal(m.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func quote(s string) string { return string(marshal(s)) }

// marshal writes v on one line, with <, > and & as they are.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // of strings, numbers and objects of them
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// decode returns v as encoding/json decodes it into an any, nil where it cannot.
func (d *doc) decode(v *hujson.Value) (x any) {
	raw, err := hujson.Standardize(bytes.Clone(d.src[v.StartOffset:v.EndOffset]))
	if err != nil || json.Unmarshal(raw, &x) != nil {
		return nil
	}
	return x
}
