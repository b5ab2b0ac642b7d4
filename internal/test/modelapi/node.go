package modelapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// node is a JSON value. Its members keep their order, which is part of what caches see.
type node struct {
	kind    byte   // '{', '[', '"', 'n' (a number), 't' (true or false), '0' (null)
	text    string // of a string what it says, of a number or boolean how it is written
	members []member
	items   []*node
}

type member struct {
	name  string
	value *node
}

// parse reads one JSON value with nothing behind it.
func parse(body []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	n, err := value(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("extra data after the value")
	}
	return n, nil
}

func value(d *json.Decoder) (*node, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case json.Delim:
		n := &node{kind: byte(t)}
		for d.More() {
			name := ""
			if t == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				name, _ = key.(string)
			}
			v, err := value(d)
			if err != nil {
				return nil, err
			}
			if t == '{' {
				n.members = append(n.members, member{name, v})
			} else {
				n.items = append(n.items, v)
			}
		}
		_, err := d.Token()
		return n, err
	case string:
		return &node{kind: '"', text: t}, nil
	case json.Number:
		return &node{kind: 'n', text: t.String()}, nil
	case bool:
		return &node{kind: 't', text: strconv.FormatBool(t)}, nil
	}
	return &node{kind: '0', text: "null"}, nil
}

// get returns the last member with one of these names that is not null; nil if there is none, or n is no
// object.
func (n *node) get(names ...string) *node {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		for _, name := range names {
			if m := n.members[i]; m.name == name && m.value.kind != '0' {
				return m.value
			}
		}
	}
	return nil
}

// str returns what the member says, "" if it is not a string.
func (n *node) str(names ...string) string {
	if v := n.get(names...); v != nil && v.kind == '"' {
		return v.text
	}
	return ""
}

// list returns the items of the member, none if it is no array.
func (n *node) list(names ...string) []*node {
	if v := n.get(names...); v != nil {
		return v.items
	}
	return nil
}

// yes reports whether the member is true.
func (n *node) yes(names ...string) bool {
	v := n.get(names...)
	return v != nil && v.kind == 't' && v.text == "true"
}

func (n *node) is(kind byte) bool { return n != nil && n.kind == kind }

// unknown returns the name of the first member that is not in known, names with blanks between; "" if all
// are.
func (n *node) unknown(known string) string {
	for _, m := range n.members {
		if !strings.Contains(" "+known+" ", " "+m.name+" ") {
			return m.name
		}
	}
	return ""
}

// compact writes the value without blanks, and without those of its own members whose names are in skip.
func (n *node) compact(skip ...string) string {
	var b strings.Builder
	n.write(&b, skip)
	return b.String()
}

func (n *node) write(b *strings.Builder, skip []string) {
	if n == nil {
		return
	}
	switch n.kind {
	case '{':
		b.WriteByte('{')
		some := false
	members:
		for _, m := range n.members {
			for _, s := range skip {
				if m.name == s {
					continue members
				}
			}
			if some {
				b.WriteByte(',')
			}
			some = true
			b.WriteString(quote(m.name))
			b.WriteByte(':')
			m.value.write(b, nil)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i, v := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			v.write(b, nil)
		}
		b.WriteByte(']')
	case '"':
		b.WriteString(quote(n.text))
	default:
		b.WriteString(n.text)
	}
}

// quote writes a JSON string with < and > unescaped.
func quote(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r > '~' }) {
		return `"` + s + `"`
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string can always be written
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sorted is compact with all members in the order of their names, for where the order does not count.
func (n *node) sorted(skip ...string) string {
	return order(n).compact(skip...)
}

func order(n *node) *node {
	if n == nil {
		return nil
	}
	out := &node{kind: n.kind, text: n.text, members: slices.Clone(n.members), items: slices.Clone(n.items)}
	slices.SortStableFunc(out.members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	for i := range out.members {
		out.members[i].value = order(out.members[i].value)
	}
	for i := range out.items {
		out.items[i] = order(out.items[i])
	}
	return out
}
