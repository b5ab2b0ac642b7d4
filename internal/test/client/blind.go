package client

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Blindness is what a comparison of messages ignores.
type Blindness uint8

const (
	// Markers ignores cache marks, and whether a content is a string or one text block.
	Markers Blindness = iota
	// Spelling ignores that and the rest of WIRE.md §2.2: signatures of parts, members that are null or of the
	// client's own, blanks in arguments.
	Spelling
)

// Messages returns the messages of a request as they stand in it, without the system prompt; nil if they are
// no list.
func Messages(body []byte) []json.RawMessage {
	var v struct{ Messages, Input, Contents raw }
	if json.Unmarshal(body, &v) != nil {
		return nil
	}
	for _, list := range []raw{v.Messages, v.Input, v.Contents} {
		var out []json.RawMessage
		if len(list) > 0 && json.Unmarshal(list, &out) == nil {
			return out
		}
	}
	return nil
}

// Seen returns a message without what b ignores: messages that differ in nothing else give the same string.
func Seen(message []byte, b Blindness) string {
	d := json.NewDecoder(bytes.NewReader(message))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(message)
	}
	out, err := json.Marshal(b.see(v))
	if err != nil {
		return string(message)
	}
	return string(out)
}

func (b Blindness) see(v any) any {
	switch v := v.(type) {
	case []any:
		v = slices.DeleteFunc(v, func(x any) bool {
			m, ok := x.(map[string]any)
			return ok && m["cachePoint"] != nil
		})
		for i := range v {
			v[i] = b.see(v[i])
		}
		return v
	case map[string]any:
		delete(v, "cache_control")
		for k, x := range v {
			if b == Spelling && (x == nil || k == "thoughtSignature" || k == "__copilotMessageSource") {
				delete(v, k)
				continue
			}
			s, text := x.(string)
			switch {
			case text && k == "content":
				x = []any{map[string]any{"type": "text", "text": s}}
			case text && k == "arguments" && b == Spelling:
				x = compacted(s)
			}
			v[k] = b.see(x)
		}
	}
	return v
}

// Prefix reports whether the messages of a request are, apart from what b ignores, the first ones of a later
// request. A request without messages is the prefix of nothing.
func Prefix(was, is []json.RawMessage, b Blindness) bool {
	return len(was) > 0 && len(was) <= len(is) && Common(was, is, b) == len(was)
}

// Common returns how many messages two requests have in common, from the beginning.
func Common(was, is []json.RawMessage, b Blindness) int {
	n := 0
	for n < len(was) && n < len(is) && (bytes.Equal(was[n], is[n]) || Seen(was[n], b) == Seen(is[n], b)) {
		n++
	}
	return n
}
