package modelapi

import (
	"bytes"
	"encoding/json"
)

// obj writes an object: names and values in turn, in this order. A json.RawMessage is written as it is.
func obj(pairs ...any) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(pairs[i].(string)))
		b.WriteByte(':')
		b.Write(encode(pairs[i+1]))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// arr writes an array.
func arr[T any](items ...T) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(v))
	}
	b.WriteByte(']')
	return b.Bytes()
}

func encode(v any) []byte {
	switch v := v.(type) {
	case json.RawMessage:
		return v
	case string:
		return []byte(quote(v))
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only what can be written is ever given
	}
	return b
}
