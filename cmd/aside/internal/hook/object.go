package hook

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/aside-go/aside/compile/fact"
)

const (
	maxDepth = 1000 // of nesting in what an agent writes
	maxName  = 256  // bytes of an id or a name; what is longer is none
)

// object is a JSON object from an agent. Its members are found under any spelling of their names: hook_event_name, as callers
// write it, is hookEventName too. A member of another type than the one asked for is as one that is not there. The zero object
// has none.
type object struct{ members []member }

type member struct {
	name  string
	value gjson.Result
}

// readObject reads the one object that b holds; false means that b is anything else. It is a single pass without recursion of its
// own that checks the depth first: what overflows the stack cannot be recovered from.
func readObject(b []byte) (object, bool) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) // as PowerShell writes it
	if TooDeep(b) || !gjson.ValidBytes(b) {
		return object{}, false
	}
	v := gjson.ParseBytes(b)
	return objectOf(v), v.IsObject()
}

// TooDeep reports whether b, a JSON text of an agent's, is nested deeper than is read: what checks one calls itself for each level.
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

// same reports whether a member's name is the one asked for, which is in snake_case.
func same(name, asked string) bool {
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

// find returns the first member under one of names, in their order, that is as wanted. Of members with one name the last counts,
// as it does elsewhere.
func (o object) find(names []string, wanted func(gjson.Result) bool) (gjson.Result, bool) {
	for _, asked := range names {
		for i := len(o.members) - 1; i >= 0; i-- {
			if m := &o.members[i]; same(m.name, asked) && wanted(m.value) {
				return m.value, true
			}
		}
	}
	return gjson.Result{}, false
}

// has reports whether there is such a member, and it is not null.
func (o object) has(names ...string) bool {
	_, ok := o.find(names, func(v gjson.Result) bool { return v.Type != gjson.Null })
	return ok
}

// spelt reports whether there is a member with one of these very names.
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

// str returns a text, whole.
func (o object) str(names ...string) string {
	v, _ := o.find(names, func(v gjson.Result) bool { return v.Type == gjson.String })
	return strings.ToValidUTF8(v.Str, "\uFFFD")
}

// name returns an id, a name, one of a few words: "" if it is too long to be one. Numbers count.
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

// count returns a whole number that is not below 0; digits in a string count, as protobuf writes them.
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

// number returns a number that is not below 0.
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

// nameOr returns a name, or another one where there is none.
func (o object) nameOr(asked, other string) string {
	if name := o.name(asked); name != "" {
		return name
	}
	return other
}

// first returns the first of a list of texts.
func (o object) first(names ...string) string {
	v, _ := o.find(names, gjson.Result.IsArray)
	return strings.ToValidUTF8(v.Get("0").Str, "\uFFFD")
}

// object returns an object, the zero one where there is none.
func (o object) object(names ...string) object {
	v, _ := o.find(names, gjson.Result.IsObject)
	return objectOf(v)
}

// objects returns the objects of a list.
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

// raw returns a member as it came, "" where there is none.
func (o object) raw(names ...string) string {
	v, _ := o.find(names, func(gjson.Result) bool { return true })
	return v.Raw
}

// text returns a text that is given as a string or as a list of parts, each a string or an object with a text.
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
