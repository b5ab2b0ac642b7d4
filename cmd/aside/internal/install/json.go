package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/lines"
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

// text is a file that somebody wrote.
type text struct {
	head string // a byte order mark, or ""
	src  []byte // the file before any change, without head
	nl   string // what ends a line of the file
}

// textOf returns the text of a file, whose lines end as its first one does.
func textOf(src []byte) text {
	const bom = "\xef\xbb\xbf"
	t := text{src: src, nl: "\n"}
	if rest, ok := bytes.CutPrefix(src, []byte(bom)); ok {
		t.head, t.src = bom, rest
	}
	if i := bytes.IndexByte(t.src, '\n'); i > 0 && t.src[i-1] == '\r' {
		t.nl = "\r\n"
	}
	return t
}

// doc is a JSON file, perhaps with comments and trailing commas, as a tree: what is not changed keeps its
// bytes.
type doc struct {
	text
	path    string
	newline bool // the tree ends in a newline that the file has not
	root    hujson.Value
	unit    string // what a level of the file is indented by
}

// readDoc parses a file. A blank file, and a nil src, is an empty object.
func readDoc(path string, src []byte) (*doc, error) {
	d := &doc{text: textOf(src), path: path, unit: "  "}
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
	if !isObject(&d.root) {
		return nil, d.wrong(d.root.StartOffset, "the configuration is not an object", "it should begin with {")
	}
	if list := items(&d.root); len(list) > 0 {
		if in, _ := indent(*list[0].before); in != "" {
			d.unit = in
		}
	}
	return d, nil
}

// bytes returns the file as it is after all changes.
func (d *doc) bytes() []byte {
	text := d.root.Pack()
	if d.newline {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	return append([]byte(d.head), text...)
}

var hujsonPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

func (d *doc) parse() error {
	src := d.src
	// hujson wants one behind a comment at the end
	if d.newline = !bytes.HasSuffix(src, []byte("\n")); d.newline {
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
		all := bytes.Split(d.src, []byte("\n"))
		if e.Line > len(all) { // in the newline that was added
			e.Line, col = len(all), len(d.src)+1
		}
		l := all[e.Line-1]
		e.Column = 1 + utf8.RuneCount(l[:min(col-1, len(l))])
	}
	return e
}

// wrong returns a *SyntaxError at an offset of the file before any change.
func (d *doc) wrong(at int, message, hint string) error {
	line, column := lines.New(string(d.src)).At(at)
	return &SyntaxError{d.path, line, column, message, hint}
}

// item is a member of an object or an element of an array.
type item struct {
	name string // of a member
	// its AfterExtra stands before the comma; of a last item it is nil where there is no comma
	value  *hujson.Value
	before *hujson.Extra // the blanks and comments in front of it
}

// items returns the members of an object or the elements of an array, none of any other value.
func items(v *hujson.Value) (list []item) {
	switch t := v.Value.(type) {
	case *hujson.Object:
		for i := range t.Members {
			m := &t.Members[i]
			list = append(list, item{m.Name.Value.(hujson.Literal).String(), &m.Value, &m.Name.BeforeExtra})
		}
	case *hujson.Array:
		for i := range t.Elements {
			list = append(list, item{"", &t.Elements[i], &t.Elements[i].BeforeExtra})
		}
	}
	return list
}

// memberOf returns the value and the index of a member, nil and -1 where there is none. Of several with the
// same name the last counts, as all agents have it.
func memberOf(v *hujson.Value, name string) (*hujson.Value, int) {
	for i, it := range slices.Backward(items(v)) {
		if it.name == name && isObject(v) {
			return it.value, i
		}
	}
	return nil, -1
}

// closing returns the blanks and comments before the closing bracket of an object or array.
func closing(v *hujson.Value) *hujson.Extra {
	if array, ok := v.Value.(*hujson.Array); ok {
		return &array.AfterExtra
	}
	return &v.Value.(*hujson.Object).AfterExtra
}

func isObject(v *hujson.Value) bool { _, ok := v.Value.(*hujson.Object); return ok }
func isArray(v *hujson.Value) bool  { _, ok := v.Value.(*hujson.Array); return ok }

// indent returns the blanks and tabs that a line begins with which begins in x; ok is false where none does.
func indent(x hujson.Extra) (in string, ok bool) {
	i := bytes.LastIndexByte(x, '\n')
	line := x[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]), i >= 0
}

// split divides x behind its last comment. line says that nothing can follow the comment on its line.
func split(x hujson.Extra) (comments, blanks string, line bool) {
	end := len(bytes.TrimRight(x, " \t\r\n"))
	if line = bytes.Contains(x[bytes.LastIndexByte(x[:end], '\n')+1:end], []byte("//")); line {
		if n := bytes.IndexByte(x[end:], '\n'); n >= 0 { // blanks may end the comment
			end += len(bytes.TrimSuffix(x[end:end+n], []byte("\r")))
		}
	}
	return string(x[:end]), string(x[end:]), line
}

// add appends a member to the object v, or an element to the array v, where name is "". The layout follows
// that of the other items. depth is the level of v, 0 for the root.
func (d *doc) add(v *hujson.Value, depth int, name string, value any) {
	oneLine := !bytes.Contains(bytes.TrimSpace(d.root.Pack()), []byte("\n"))
	text := hujson.Value{Value: v.Value}.String()
	list, end := items(v), closing(v)
	comments, blanks, line := split(*end)
	in := strings.Repeat(d.unit, depth+1)
	before := d.nl + in
	var compact, comma bool
	if len(list) == 0 {
		if compact = oneLine && depth > 0; compact {
			before = ""
		} else if !strings.Contains(blanks, "\n") {
			blanks = d.nl + strings.Repeat(d.unit, depth) + blanks
		}
	} else {
		compact = !strings.Contains(text, "\n")
		last := list[len(list)-1]
		above, starts := indent(*last.before)
		switch {
		case compact && oneLine && !strings.Contains(text, ", "):
			before = ""
		case starts:
			in, before = above, d.nl+above
		case !line:
			before = " "
		}
		if comma = last.value.AfterExtra != nil; !comma {
			last.value.AfterExtra = hujson.Extra{}
		}
	}
	item := d.value(value, in, compact)
	if comma {
		item.AfterExtra = hujson.Extra{}
	}
	*end = hujson.Extra(blanks)
	extra := hujson.Extra(comments + before)
	switch t := v.Value.(type) {
	case *hujson.Object:
		if !compact {
			item.BeforeExtra = hujson.Extra(" ")
		}
		key := hujson.Value{BeforeExtra: extra, Value: hujson.Literal(quote(name))}
		t.Members = append(t.Members, hujson.ObjectMember{Name: key, Value: item})
	case *hujson.Array:
		item.BeforeExtra = extra
		t.Elements = append(t.Elements, item)
	}
}

// value returns a value on one line where compact is true, else on lines that are indented by in.
func (d *doc) value(value any, in string, compact bool) hujson.Value {
	text := marshal(value)
	if !compact {
		var b bytes.Buffer
		if err := json.Indent(&b, text, in, d.unit); err != nil {
			panic(err) // it was made by Marshal
		}
		text = bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(d.nl))
	}
	v, err := hujson.Parse(text)
	if err != nil {
		panic(err) // it was made by Marshal
	}
	return v
}

// replace replaces the value of an item. depth is the level of the item.
func (d *doc) replace(it item, depth int, value any) {
	in, ok := indent(*it.before)
	if !ok {
		in = strings.Repeat(d.unit, depth)
	}
	compact := !bytes.Contains(hujson.Value{Value: it.value.Value}.Pack(), []byte("\n"))
	it.value.Value = d.value(value, in, compact).Value
}

// remove removes the i-th item of v, with its comma and the blanks before it. Comments stay.
func (d *doc) remove(v *hujson.Value, i int) {
	list := items(v)
	it, next := list[i], closing(v)
	comments, blanks, line := split(*it.before)
	if last := i == len(list)-1; !last {
		next = list[i+1].before
	} else if i > 0 {
		before := list[i-1].value
		switch comma := it.value.AfterExtra != nil; {
		case !comma:
			comments = string(before.AfterExtra) + comments
			before.AfterExtra = nil
		case before.AfterExtra == nil:
			before.AfterExtra = hujson.Extra{}
		}
	}
	rest := string(it.value.AfterExtra) + string(*next)
	if line && !strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "\n") {
		comments += d.nl
	}
	switch {
	case len(list) == 1 && strings.TrimSpace(comments+rest) == "":
		rest = ""
	case i == 0 && blanks == "": // the item stood right after the bracket, so the next one shall
		rest = strings.TrimLeft(rest, " \t")
	}
	*next = hujson.Extra(comments + rest)
	switch t := v.Value.(type) {
	case *hujson.Object:
		t.Members = slices.Delete(t.Members, i, i+1)
	case *hujson.Array:
		t.Elements = slices.Delete(t.Elements, i, i+1)
	}
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
	b, err := jsonscan.Encode(v)
	if err != nil {
		panic(err) // of strings, numbers and objects of them
	}
	return b
}

// decode returns v as encoding/json decodes it into an any, nil where it cannot.
func decode(v *hujson.Value) (x any) {
	standard := v.Clone()
	standard.Standardize()
	if json.Unmarshal(standard.Pack(), &x) != nil {
		return nil
	}
	return x
}
