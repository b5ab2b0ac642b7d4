package agent

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/aside-go/aside/compile/fact"
)

const (
	maxDepth = 1000 // levels of nesting in what an agent writes
	maxName  = 256  // bytes of an id or a name; a longer one is taken for none
)

// object is a JSON object from an agent. Callers write the names of members in snake_case, and any spelling
// is found: hook_event_name finds hookEventName. A member of another type than the one asked for counts as
// missing. The zero object has no members.
type object struct{ members []member }

type member struct {
	name  string
	value gjson.Result
}

// readObject reads b, false where b is not a single JSON object, or is nested too deeply. The depth is
// checked first, since gjson recurses, and a stack overflow cannot be recovered from.
func readObject(b []byte) (object, bool) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) // PowerShell writes a byte order mark
	if TooDeep(b) || !gjson.ValidBytes(b) {
		return object{}, false
	}
	v := gjson.ParseBytes(b)
	return objectOf(v), v.IsObject()
}

// TooDeep reports whether the JSON text b is nested deeper than maxDepth. Parsers that recurse once a level
// must not be given such a text. It does not recurse itself.
func TooDeep(b []byte) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

func objectOf(v gjson.Result) (o object) {
	if v.IsObject() {
		v.ForEach(func(key, value gjson.Result) bool {
			o.members = append(o.members, member{key.Str, value})
			return true
		})
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

// find returns the first member, in the order of names, that wanted accepts. Of several members with the
// same name the last counts, as in encoding/json.
func (o object) find(names []string, wanted func(gjson.Result) bool) (gjson.Result, bool) {
	for _, asked := range names {
		for i := len(o.members) - 1; i >= 0; i-- {
			if m := &o.members[i]; sameName(m.name, asked) && wanted(m.value) {
				return m.value, true
			}
		}
	}
	return gjson.Result{}, false
}

// has reports whether one of these members is there and is not null.
func (o object) has(names ...string) bool {
	_, ok := o.find(names, func(v gjson.Result) bool { return v.Type != gjson.Null })
	return ok
}

// spelt reports whether a member has one of names in this very spelling. Some agents differ in nothing else.
func (o object) spelt(names ...string) bool {
	for _, m := range o.members {
		for _, n := range names {
			if m.name == n {
				return true
			}
		}
	}
	return false
}

// str returns a string of any length, "" where there is none.
func (o object) str(names ...string) string {
	v, _ := o.find(names, func(v gjson.Result) bool { return v.Type == gjson.String })
	return strings.ToValidUTF8(v.Str, "\uFFFD")
}

// name returns an id or a name, "" where there is none, or it is longer than maxName. A number counts as
// the text of its digits.
func (o object) name(names ...string) string {
	v, _ := o.find(names, func(v gjson.Result) bool { return v.Type == gjson.String || v.Type == gjson.Number })
	s := v.Str
	if v.Type == gjson.Number {
		s = v.Raw
	}
	if len(s) > maxName {
		return ""
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// count returns a whole number from 0 to 2^53, nil where there is none. Digits in a string count, since
// JSON of Protocol Buffers has them for 64 bits.
func (o object) count(names ...string) *int64 {
	v, ok := o.find(names, func(v gjson.Result) bool { return v.Type == gjson.Number || v.Type == gjson.String })
	if !ok {
		return nil
	}
	n := v.Num
	if v.Type == gjson.String {
		i, err := strconv.ParseInt(v.Str, 10, 64)
		if err != nil {
			return nil
		}
		n = float64(i)
	}
	if !(n >= 0 && n <= 1<<53) || n != math.Trunc(n) {
		return nil
	}
	i := int64(n)
	return &i
}

// number returns a finite number that is not below 0, nil where there is none.
func (o object) number(names ...string) *float64 {
	v, ok := o.find(names, func(v gjson.Result) bool { return v.Type == gjson.Number })
	if !ok || !(v.Num >= 0) || math.IsInf(v.Num, 0) {
		return nil
	}
	return &v.Num
}

// truth returns a boolean, unknown where there is none.
func (o object) truth(names ...string) fact.Truth {
	v, ok := o.find(names, func(v gjson.Result) bool { return v.Type == gjson.True || v.Type == gjson.False })
	switch {
	case !ok:
		return fact.Unknown
	case v.Type == gjson.True:
		return fact.True
	}
	return fact.False
}

// nameOr returns o.name(asked), or other where that is "".
func (o object) nameOr(asked, other string) string {
	if name := o.name(asked); name != "" {
		return name
	}
	return other
}

// first returns the first string of a list, "" where there is none.
func (o object) first(names ...string) string {
	v, _ := o.find(names, gjson.Result.IsArray)
	return strings.ToValidUTF8(v.Get("0").Str, "\uFFFD")
}

// object returns a member that is an object, the zero object where there is none.
func (o object) object(names ...string) object {
	v, _ := o.find(names, gjson.Result.IsObject)
	return objectOf(v)
}

// objects returns those elements of a list that are objects.
func (o object) objects(names ...string) (all []object) {
	v, _ := o.find(names, gjson.Result.IsArray)
	v.ForEach(func(_, value gjson.Result) bool {
		if value.IsObject() {
			all = append(all, objectOf(value))
		}
		return true
	})
	return all
}

// raw returns the JSON text of a member as it came, "" where there is none.
func (o object) raw(names ...string) string {
	v, _ := o.find(names, func(gjson.Result) bool { return true })
	return v.Raw
}

// text returns a text that is given as a string, or as a list whose elements are strings or objects with a
// member "text"; these are joined by newlines.
func (o object) text(names ...string) string {
	v, _ := o.find(names, func(v gjson.Result) bool { return v.Type == gjson.String || v.IsArray() })
	if v.Type == gjson.String {
		return strings.ToValidUTF8(v.Str, "\uFFFD")
	}
	var parts []string
	v.ForEach(func(_, part gjson.Result) bool {
		switch {
		case part.Type == gjson.String:
			parts = append(parts, part.Str)
		case part.IsObject():
			if s := objectOf(part).str("text"); s != "" {
				parts = append(parts, s)
			}
		}
		return true
	})
	return strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD")
}
