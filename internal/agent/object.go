package agent

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/jsonscan"
)

const maxName = 256 // bytes of an id or a name; a longer one is taken for none

// object is a JSON object from an agent. Callers write the names of members in snake_case, and any spelling
// is found: hook_event_name finds hookEventName. A member of another type than the one asked for counts as
// missing. The zero object has no members.
type object struct {
	members []objectMember
	paths   map[string]string // Hooks.Members
}

type objectMember struct {
	name string
	raw  []byte // the value as it came
}

// readObject reads b, false where b is not a single JSON object.
func readObject(b []byte) (object, bool) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) // PowerShell writes a byte order mark
	if !json.Valid(b) {
		return object{}, false
	}
	b = bytes.TrimSpace(b)
	return objectOf(b), b[0] == '{'
}

func objectOf(raw []byte) (o object) {
	if len(raw) == 0 || raw[0] != '{' {
		return o
	}
	for key, value := range jsonscan.Of(raw).Members() {
		name := string(key)
		if bytes.IndexByte(key, '\\') >= 0 {
			name = jsonscan.Unquote([]byte(`"` + name + `"`))
		}
		o.members = append(o.members, objectMember{name, value})
	}
	return o
}

// sameName reports whether a member's name is a spelling of asked, which is in snake_case: hook_event_name,
// hookEventName or HookEventName.
func sameName(name, asked string) bool {
	if name == asked {
		return true
	}
	i := 0
	for j := 0; j < len(asked); j++ {
		if asked[j] == '_' {
			if i < len(name) && name[i] == '_' {
				i++
			}
			continue
		}
		if i == len(name) || name[i]|0x20 != asked[j]|0x20 {
			return false
		}
		i++
	}
	return i == len(name)
}

// find returns the value of the first member, in the order of names, that begins with one of these bytes; nil
// for none. Of several members with the same name the last counts, as in encoding/json.
func (o object) find(names []string, begins string) []byte {
	for _, asked := range names {
		if paths, ok := o.paths[asked]; ok {
			for path := range strings.FieldsSeq(paths) {
				if raw := o.at(path); len(raw) > 0 && strings.IndexByte(begins, raw[0]) >= 0 {
					return raw
				}
			}
			continue
		}
		for i := len(o.members) - 1; i >= 0; i-- {
			if m := &o.members[i]; strings.IndexByte(begins, m.raw[0]) >= 0 && sameName(m.name, asked) {
				return m.raw
			}
		}
	}
	return nil
}

// at returns the value at a path of Hooks.Members, nil for none.
func (o object) at(path string) (raw []byte) {
	for i, part := range strings.Split(path, ".") {
		switch n, err := strconv.Atoi(part); {
		case i == 0:
			raw = object{members: o.members}.find([]string{part}, anything)
		case err == nil:
			list := raw
			raw = nil
			for k, element := range jsonscan.Elements(list) {
				if k == n {
					raw = element
				}
			}
		default:
			raw = objectOf(raw).find([]string{part}, anything)
		}
	}
	return raw
}

// The first bytes of values, by their types.
const (
	aString  = `"`
	aNumber  = "-0123456789"
	aBoolean = "tf"
	anObject = "{"
	aList    = "["

	anything = aString + aNumber + aBoolean + anObject + aList
)

// has reports whether one of these members is there and is not null.
func (o object) has(names ...string) bool {
	return o.find(names, anything) != nil
}

// spelt reports whether a member has one of names in this very spelling. Some agents differ in nothing else.
func (o object) spelt(names ...string) bool {
	return slices.ContainsFunc(o.members, func(m objectMember) bool { return slices.Contains(names, m.name) })
}

// stringOf returns the text of a JSON string, "" for any other value.
func stringOf(raw []byte) string { return strings.ToValidUTF8(jsonscan.Unquote(raw), "\uFFFD") }

// str returns a string of any length, "" where there is none.
func (o object) str(names ...string) string { return stringOf(o.find(names, aString)) }

// name returns an id or a name, "" where there is none, or it is longer than maxName. A number counts as the
// text of its digits.
func (o object) name(names ...string) string {
	raw := o.find(names, aString+aNumber)
	s := string(raw)
	if len(raw) > 0 && raw[0] == '"' {
		s = stringOf(raw)
	}
	if len(s) > maxName {
		return ""
	}
	return s
}

// count returns a whole number from 0 to 2^53, nil where there is none. Digits in a string count, since JSON
// of Protocol Buffers has them for 64 bits.
func (o object) count(names ...string) *int64 {
	raw := o.find(names, aString+aNumber)
	if len(raw) == 0 {
		return nil
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if raw[0] == '"' {
		var i int64
		i, err = strconv.ParseInt(stringOf(raw), 10, 64)
		n = float64(i)
	}
	if err != nil || !(n >= 0 && n <= 1<<53) || n != math.Trunc(n) {
		return nil
	}
	i := int64(n)
	return &i
}

// total returns the sum of the counts that are there, nil where that is 0: no request takes 0 tokens.
func (o object) total(names ...string) *int64 {
	var sum int64
	for _, name := range names {
		if n := o.count(name); n != nil {
			sum += *n
		}
	}
	if sum == 0 {
		return nil
	}
	return &sum
}

// number returns a finite number that is not below 0, nil where there is none.
func (o object) number(names ...string) *float64 {
	n, err := strconv.ParseFloat(string(o.find(names, aNumber)), 64)
	if err != nil || !(n >= 0) {
		return nil
	}
	return &n
}

// truth returns a boolean, unknown where there is none.
func (o object) truth(names ...string) fact.Truth {
	raw := o.find(names, aBoolean)
	if raw == nil {
		return fact.Unknown
	}
	return fact.Of(raw[0] == 't')
}

// object returns a member that is an object, the zero object where there is none.
func (o object) object(names ...string) object { return objectOf(o.find(names, anObject)) }

// objects returns those elements of a list that are objects.
func (o object) objects(names ...string) (all []object) {
	for _, raw := range jsonscan.Elements(o.find(names, aList)) {
		if raw[0] == '{' {
			all = append(all, objectOf(raw))
		}
	}
	return all
}

// raw returns the JSON text of a member as it came, "" where there is none.
func (o object) raw(names ...string) string {
	return string(o.find(names, anything+"n"))
}

// text returns a text that is given as a string, or as a list whose elements are strings or objects with a
// member "text"; these are joined by newlines.
func (o object) text(names ...string) string {
	raw := o.find(names, aString+aList)
	if len(raw) == 0 || raw[0] == '"' {
		return stringOf(raw)
	}
	var parts []string
	for _, part := range jsonscan.Elements(raw) {
		switch part[0] {
		case '"':
			parts = append(parts, stringOf(part))
		case '{':
			if s := objectOf(part).str("text"); s != "" {
				parts = append(parts, s)
			}
		}
	}
	return strings.Join(parts, "\n")
}
