package wire_test

import (
	"encoding/json"
	"reflect"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/inject"
)

// history reads a body into Go values; false where the two are not alike: contents that are neither string
// nor blocks, and user messages that are Auto by what they say.
func history(t *rapid.T, body []byte) (out []inject.Message, ok bool) {
	t.Helper()
	var b struct {
		Messages []any `json:"messages"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	for _, x := range b.Messages {
		m, _ := x.(map[string]any)
		role, _ := m["role"].(string)
		msg := inject.Message{Role: role}
		switch c := m["content"].(type) {
		case string:
			msg.Text = c
		case []any:
			msg.Blocks = blocksOf(c)
		default:
			return nil, false
		}
		for _, b := range msg.Blocks {
			msg.Auto = msg.Auto || role == "user" && b.Type == "tool_result"
		}
		out = append(out, msg)
	}
	return out, true
}

func blocksOf(list []any) []inject.Block {
	out := []inject.Block{}
	for _, x := range list {
		m, _ := x.(map[string]any)
		var b inject.Block
		b.Type, _ = m["type"].(string)
		text, isString := m["text"].(string)
		switch c := m["content"].(type) {
		case string:
			if b.Type == "tool_result" {
				b.Text = c
			}
		case []any:
			if b.Type == "tool_result" {
				b.Blocks = blocksOf(c)
			}
		}
		if b.Type == "text" {
			if b.Text = text; !isString {
				b.Type = "text without a text"
			}
		}
		out = append(out, b)
	}
	return out
}

// equal compares but for Auto, of which a body says nothing, and takes a string for one text block: once ours
// behind it were removed, Go values do not tell them apart.
func equal(x, y []inject.Message) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		a, b := x[i], y[i]
		a.Auto, b.Auto = false, false
		for _, m := range []*inject.Message{&a, &b} {
			if len(m.Blocks) == 1 && m.Blocks[0].Type == "text" {
				m.Text, m.Blocks = m.Blocks[0].Text, nil
			}
		}
		if !reflect.DeepEqual(a, b) {
			return false
		}
	}
	return true
}
