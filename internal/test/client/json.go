package client

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

type raw = json.RawMessage

// absent is the value of a member that is not written.
type absent struct{}

// given returns v if is, else absent.
func given(is bool, v any) any {
	if is {
		return v
	}
	return absent{}
}

// object writes an object of names and values in turn, in the order given, or sorted by name, as some SDKs
// write structs.
func object(sorted bool, pairs ...any) raw {
	type member struct {
		name  string
		value any
	}
	var all []member
	for i := 0; i < len(pairs); i += 2 {
		if _, skip := pairs[i+1].(absent); !skip {
			all = append(all, member{pairs[i].(string), pairs[i+1]})
		}
	}
	if sorted {
		slices.SortStableFunc(all, func(a, b member) int { return strings.Compare(a.name, b.name) })
	}
	b := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote(m.name)...), ':')
		b = appendValue(b, m.value)
	}
	return append(b, '}')
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case raw:
		return append(b, v...)
	case []raw:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, x...)
		}
		return append(b, ']')
	case string:
		return append(b, quote(v)...)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case bool:
		return strconv.AppendBool(b, v)
	}
	return append(b, "null"...)
}

// quote writes a JSON string with < and > unescaped.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be written
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// compacted returns JSON without blanks.
func compacted(s string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(s)) != nil {
		return s
	}
	return b.String()
}
