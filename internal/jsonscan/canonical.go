package jsonscan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// AppendCanonical appends a JSON text to dst in the one form that does not depend on who has written it: as
// encoding/json writes what it has decoded, but without null members, and without the member drop of the
// outermost object; "" drops none. ok is false where raw is not JSON, has more than 1,000 levels, or has a
// number that no float64 can hold.
//
// Nothing is decoded unless it is spelt in another way than there.
func AppendCanonical(dst, raw []byte, drop string) (out []byte, ok bool) {
	w := canonical{Cursor: At(raw, 0, mostLevels), out: dst, drop: drop}
	return w.all()
}

const mostLevels = 1000

// Compact returns JSON without blanks and with sorted keys, its numbers as they are, and <, > and & too; ""
// for what is not JSON, or has more than 1,000 levels.
func Compact(raw []byte) string {
	w := canonical{Cursor: At(raw, 0, mostLevels), plain: true}
	if out, ok := w.all(); ok {
		return string(out)
	}
	return ""
}

// canonical writes the value at a cursor in the canonical form, or in that of Compact.
type canonical struct {
	Cursor
	plain      bool
	out, spare []byte
	drop       string
}

// all writes a text of one value.
func (w *canonical) all() (out []byte, ok bool) {
	w.value()
	if w.blank(); !w.AtEnd() {
		w.fail("expected the end")
	}
	return w.out, !w.Bad()
}

func (w *canonical) value() {
	switch w.Peek() {
	case '{':
		w.object()
	case '[':
		w.out = append(w.out, '[')
		w.Open('[')
		for i := 0; w.Element(); i++ {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.value()
		}
		w.out = append(w.out, ']')
	case '"':
		w.string(w.Raw())
	default:
		w.word(w.Raw())
	}
}

// A member is what was written of a member, behind a comma.
type member struct {
	key      []byte
	from, to int
	dropped  bool
}

func (w *canonical) object() {
	var few [16]member
	members, begin, outermost, ordered := few[:0], len(w.out), w.depth == 0, true
	for w.Open('{'); !w.Bad(); {
		key, more := w.Member()
		if !more {
			break
		}
		m := member{key: key, from: len(w.out), dropped: w.Peek() == 'n' && !w.plain}
		w.out = append(w.out, ',')
		if at := len(w.out); !w.string(w.b[w.key-1 : w.key+len(key)+1]) {
			m.key = []byte(Unquote(w.out[at:]))
		}
		w.out = append(w.out, ':')
		m.dropped = m.dropped || outermost && w.drop != "" && string(m.key) == w.drop
		w.value()
		m.to = len(w.out)
		ordered = ordered && !m.dropped && (len(members) == 0 || byKey(members[len(members)-1], m) < 0)
		members = append(members, m)
	}
	if !ordered {
		w.arrange(begin, members)
	}
	if len(w.out) == begin {
		w.out = append(w.out, ',')
	}
	w.out[begin] = '{' // in place of the first comma
	w.out = append(w.out, '}')
}

func byKey(a, b member) int { return bytes.Compare(a.key, b.key) }

// arrange brings members, which were written from begin on, into the order of their keys. It leaves out those
// that are dropped; of several of one name the last one counts.
func (w *canonical) arrange(begin int, members []member) {
	w.spare = append(w.spare[:0], w.out[begin:]...)
	w.out = w.out[:begin]
	slices.SortStableFunc(members, byKey)
	for i, m := range members {
		if again := i+1 < len(members) && byKey(m, members[i+1]) == 0; !m.dropped && !again {
			w.out = append(w.out, w.spare[m.from-begin:m.to-begin]...)
		}
	}
}

// replaced marks the bytes of a string that encoding/json may write in another way, and those that end it or
// do not belong in it.
var replaced = func() (is [256]bool) {
	for c := range byte(' ') {
		is[c] = true
	}
	for _, c := range []byte("\"\\<>&\xe2") {
		is[c] = true
	}
	return is
}()

// string writes a string, and reports whether it was spelt so.
func (w *canonical) string(raw []byte) (same bool) {
	if len(raw) < 2 {
		return false
	}
	begin, from := len(w.out), 0
	for i := 1; i < len(raw)-1; i++ {
		c := raw[i]
		if !replaced[c] {
			continue
		}
		switch {
		case c == '<' || c == '>' || c == '&':
			if w.plain {
				continue
			}
			const hex = "0123456789abcdef"
			w.out = append(append(w.out, raw[from:i]...), '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			from = i + 1
		case c == '\\' && raw[i+1] == '/':
			w.out, from = append(w.out, raw[from:i]...), i+1
			i++
		case c == '\\' && bytes.IndexByte([]byte(`"\bfnrt`), raw[i+1]) >= 0:
			i++
		case c != 0xe2 || separator(raw[i:]):
			return w.decoded(begin, raw)
		}
	}
	if w.out = append(w.out, raw[from:]...); !utf8.Valid(raw) {
		return w.decoded(begin, raw)
	}
	return from == 0 && bytes.IndexByte(raw, '\\') < 0
}

// decoded writes a string from begin on as what it says.
func (w *canonical) decoded(begin int, raw []byte) (same bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		w.fail("expected a string")
	}
	b, _ := json.Marshal(text) // a string has a spelling
	if w.plain {
		b, _ = Encode(text)
	}
	w.out = append(w.out[:begin], b...)
	return false
}

// separator reports whether a text begins with a line or paragraph separator, which encoding/json escapes.
func separator(b []byte) bool {
	r, _ := utf8.DecodeRune(b)
	return r == '\u2028' || r == '\u2029'
}

// word writes a number, true, false or null. A whole number of up to 15 digits is written as it is.
func (w *canonical) word(raw []byte) {
	digits := bytes.TrimLeft(raw, "0123456789")
	if len(digits) == 0 && len(raw) <= 15 && (len(raw) == 1 || len(raw) > 1 && raw[0] != '0') {
		w.out = append(w.out, raw...)
		return
	}
	var v any
	err := json.Unmarshal(raw, &v)
	b, wrong := json.Marshal(v)
	if w.plain && json.Valid(raw) {
		b, err, wrong = raw, nil, nil
	}
	if w.out = append(w.out, b...); cmp.Or(err, wrong) != nil {
		w.fail("expected a value")
	}
}
