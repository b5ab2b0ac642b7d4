package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/internal/jsonscan"
)

// values are messages as a body of the generic shape, so that they take the same way as the bytes of an API.
// Each message and block has its number in the member "at". An edit changes no byte but where it puts a text
// or neutralises a tag, so everything that is the same as before is the host's own value.
type values struct {
	body     []byte
	messages []inject.Message
	encoded  [][2]int // where each message stands in body
	blocks   []*inject.Block
}

// genericPart is a message or a block in the generic shape.
type genericPart struct {
	Role    string          `json:"role,omitempty"`
	Type    string          `json:"type,omitempty"`
	Text    *string         `json:"text,omitempty"`
	ID      string          `json:"id,omitempty"`
	CallID  string          `json:"tool_call_id,omitempty"` // of a message: the call that it answers
	Answers string          `json:"tool_use_id,omitempty"`  // the same of a block
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Failed  bool            `json:"is_error,omitempty"`
	Content any             `json:"content,omitempty"` // a string, or a list of genericPart
	At      int             `json:"at"`                // from 1
}

// editedPart is a message or a block after an edit, as far as the edit may have changed it.
type editedPart struct {
	Type, Role    string
	Text, Content json.RawMessage
	At            int // 0: ours
}

// beginning is that of a body, which no edit changes.
const beginning = `{"messages":[`

// encode returns the messages of r as a body. Its error is of an Input that is not JSON.
func encode(r Request) (*values, error) {
	v := &values{messages: r.Messages, encoded: make([][2]int, len(r.Messages))}
	b := bytes.NewBufferString(beginning)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false) // texts hold tags
	put := func(v any) error {
		defer func() { b.Truncate(len(bytes.TrimRight(b.Bytes(), "\n"))) }() // the end of the line
		return e.Encode(v)
	}
	var g genericPart
	for i := range r.Messages {
		if i > 0 {
			b.WriteByte(',')
		}
		m := &r.Messages[i]
		g = genericPart{Role: m.Role, At: i + 1, Content: v.content(&m.Text, m.Blocks)}
		if m.Auto {
			g.Name = "context" // by which facts know a message of the host's in a user's place
		}
		if m.Role == "tool" {
			g.CallID, g.Failed = m.ID, m.Failed
		}
		from := b.Len()
		if err := put(&g); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		v.encoded[i] = [2]int{from, b.Len()}
	}
	b.WriteByte(']')
	if r.Model != "" {
		b.WriteString(`,"model":`)
		if err := put(r.Model); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	v.body = b.Bytes()
	return v, nil
}

// content returns a text, or blocks if they are not nil.
func (v *values) content(text *string, blocks []inject.Block) any {
	if blocks == nil {
		return text
	}
	list := make([]genericPart, len(blocks))
	for j := range blocks {
		b := &blocks[j]
		v.blocks = append(v.blocks, b)
		g := genericPart{Type: b.Type, At: len(v.blocks), Name: b.Tool, Input: b.Input}
		switch b.Type {
		case "text":
			g.Text = &b.Text
		case "tool_result":
			g.Answers, g.Failed, g.Content = b.ID, b.Failed, v.content(&b.Text, b.Blocks)
		default:
			g.ID = b.ID
		}
		list[j] = g
	}
	return list
}

// decode returns the messages of an edited body. A message that is there to the byte is not read.
func (v *values) decode(body []byte) ([]inject.Message, error) {
	out := make([]inject.Message, 0, len(v.messages)+2)
	next := 0 // of the host's messages, which come in their order
	for rest := body[len(beginning):]; ; {
		rest = bytes.TrimLeft(rest, ", ")
		if len(rest) == 0 || rest[0] == ']' {
			return out, nil
		}
		if next < len(v.encoded) && bytes.HasPrefix(rest, v.body[v.encoded[next][0]:v.encoded[next][1]]) {
			rest = rest[v.encoded[next][1]-v.encoded[next][0]:]
			out, next = append(out, v.messages[next]), next+1
			continue
		}
		var g editedPart
		d := json.NewDecoder(bytes.NewReader(rest))
		if err := d.Decode(&g); err != nil {
			return nil, err
		}
		rest = rest[d.InputOffset():]
		m := inject.Message{Role: g.Role, Auto: g.Role == "user"}
		if g.At > 0 {
			m, next = v.messages[g.At-1], g.At
			if m.Value != nil {
				m.Was, m.Value = m.Value, nil
			}
		}
		var err error
		if m.Text, m.Blocks, err = v.read(g.Content, m.Text); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
}

// read returns a content: a text, or blocks. was is the text that it was before, where it was one.
func (v *values) read(content json.RawMessage, was string) (text string, blocks []inject.Block, err error) {
	if len(content) > 0 && content[0] == '"' {
		text, err = unquote(content, was)
		return text, nil, err
	}
	var list []editedPart
	if err := json.Unmarshal(content, &list); err != nil {
		return "", nil, err
	}
	for _, g := range list {
		b := inject.Block{Type: g.Type, Text: was}
		if g.At > 0 {
			b = *v.blocks[g.At-1]
		}
		before, inner := b.Text, b.Blocks
		switch {
		case b.Type == "text":
			b.Text, err = unquote(g.Text, b.Text)
		case len(g.Content) > 0:
			b.Text, b.Blocks, err = v.read(g.Content, b.Text)
		}
		if err != nil {
			return "", nil, err
		}
		if b.Text != before || !same(b.Blocks, inner) {
			b.Value = nil
		}
		blocks = append(blocks, b)
	}
	return "", blocks, nil
}

// same reports whether blocks say the same.
func same(a, b []inject.Block) bool {
	return slices.EqualFunc(a, b, func(a, b inject.Block) bool {
		return a.Text == b.Text && same(a.Blocks, b.Blocks)
	})
}

// unquote returns the string of a JSON string: was itself, where that was written so, which may hold bytes
// that JSON cannot.
func unquote(raw json.RawMessage, was string) (s string, err error) {
	if before, err := jsonscan.Encode(was); err == nil && bytes.Equal(raw, before) {
		return was, nil
	}
	err = json.Unmarshal(raw, &s)
	return s, err
}
