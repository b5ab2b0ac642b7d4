package callpattern

import (
	"bytes"
	"encoding/json"
	"io"
)

// SubjectOf returns the subject of a call of a tool without class: its input as compact JSON with the keys of
// every object sorted. Numbers stay as they are written. An input that is not JSON is its own subject.
func SubjectOf(input json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(input)
	}
	if _, err := d.Token(); err != io.EOF {
		return string(input)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return string(input)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
