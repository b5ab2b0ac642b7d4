package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/internal/excerpt"
)

// Kind is the kind of a Value.
type Kind uint8

// The kinds of values.
const (
	Nothing Kind = iota // a key of YAML with nothing behind it
	Null
	Bool
	Number
	Text
	List
	Map
)

// Value is a value as JSON or YAML has it.
type Value struct {
	Kind  Kind
	Text  string  // of a Bool, Number or Text, as it is written, without quotes
	Bare  bool    // a Text without quotes, which only YAML has
	Keys  []Value // of a Map, each a Text
	Items []Value // of a List; of a Map, the values of its keys
	Node  *yaml.Node
}

// String returns the value as messages show it.
func (v Value) String() string {
	switch v.Kind {
	case Nothing:
		return "nothing"
	case Null:
		return "null"
	case List:
		return "a list"
	case Map:
		return "a mapping"
	}
	return excerpt.Runes(v.Text, 60)
}

// plain returns the value as package json writes it.
func (v Value) plain() any {
	switch v.Kind {
	case Bool:
		return v.Text == "true"
	case Number:
		if n := json.Number(v.Text); json.Valid([]byte(n)) {
			return n
		}
		return v.Text
	case Text:
		return v.Text
	case List:
		list := make([]any, len(v.Items))
		for i, item := range v.Items {
			list[i] = item.plain()
		}
		return list
	case Map:
		object := make(map[string]any, len(v.Keys))
		for i, key := range v.Keys {
			object[key.Text] = v.Items[i].plain()
		}
		return object
	}
	return nil
}

// FromYAML returns the value of a node that is free of aliases and of tags of its own.
func FromYAML(n *yaml.Node) Value {
	v := Value{Node: n}
	switch n.Kind {
	case yaml.SequenceNode:
		v.Kind = List
		for _, c := range n.Content {
			v.Items = append(v.Items, FromYAML(c))
		}
		return v
	case yaml.MappingNode:
		v.Kind = Map
		for i := 0; i+1 < len(n.Content); i += 2 {
			v.Keys = append(v.Keys, FromYAML(n.Content[i]))
			v.Items = append(v.Items, FromYAML(n.Content[i+1]))
		}
		return v
	}
	v.Text = n.Value
	switch tag := n.ShortTag(); {
	case n.Style != 0:
		v.Kind = Text
	case tag == "!!null" && n.Value == "":
		v.Kind = Nothing
	case tag == "!!null":
		v.Kind = Null
	case tag == "!!bool" && (n.Value == "true" || n.Value == "false"):
		v.Kind = Bool
	case tag == "!!int", tag == "!!float":
		v.Kind = Number
	default:
		if a, ok := read(n.Value); ok && a.unit == "" {
			v.Kind = Number // 1e999, which YAML takes for a text
		} else {
			v.Kind, v.Bare = Text, true
		}
	}
	return v
}

// FromJSON returns the value of a JSON text.
func FromJSON(text []byte) (Value, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return Value{}, errors.New("not JSON: the text ends too early")
		}
		if bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity")) {
			return Value{}, fmt.Errorf("not JSON: %w; NaN and Infinity are not values, leave out what is not known",
				err)
		}
		return Value{}, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Value{}, errors.New("not JSON: more than one value")
	}
	dec = json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return next(dec)
}

// next reads a value. Decode has bounded its depth.
func next(dec *json.Decoder) (v Value, err error) {
	t, err := dec.Token()
	if err != nil {
		return v, fmt.Errorf("not JSON: %w", err)
	}
	switch t := t.(type) {
	case nil:
		return Value{Kind: Null}, nil
	case bool:
		return Value{Kind: Bool, Text: fmt.Sprint(t)}, nil
	case json.Number:
		return Value{Kind: Number, Text: t.String()}, nil
	case string:
		return Value{Kind: Text, Text: t}, nil
	}
	if v.Kind = List; t == json.Delim('{') {
		v.Kind = Map
	}
	for dec.More() {
		item, err := next(dec)
		if err == nil && v.Kind == Map {
			v.Keys = append(v.Keys, item)
			item, err = next(dec)
		}
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
	}
	_, err = dec.Token()
	return v, err
}
