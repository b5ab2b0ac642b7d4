package api

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/response"
)

// NewAnswerTap returns a Tap for one response of an API that reads the answer, too.
func NewAnswerTap(name Name) *response.Tap {
	t := NewTap()
	for _, a := range all {
		if a.format.Name == name && a.answer != nil {
			t.ReadAnswer(a.answer)
		}
	}
	return t
}

// anthropicAnswer reads an event of a stream, or a whole message.
//
// Source: anthropic-sdk-go v1.84.0 message.go.
func anthropicAnswer(value []byte, a *response.Answer) {
	type block struct {
		Type, Text, ID, Name string
		Input                json.RawMessage
		Content              any
	}
	var v struct {
		Type         string
		Index        int
		ContentBlock block `json:"content_block"`
		Delta        struct {
			Type, Text, Content string
			PartialJSON         string `json:"partial_json"`
		}
		Content           []block
		ContextManagement struct {
			AppliedEdits []struct {
				ClearedToolUses int64 `json:"cleared_tool_uses"`
			} `json:"applied_edits"`
		} `json:"context_management"`
	}
	if !decode(value, &v) {
		return
	}
	for _, e := range v.ContextManagement.AppliedEdits {
		a.Cleared += e.ClearedToolUses
	}
	switch v.Type {
	case "content_block_start":
		switch b := v.ContentBlock; b.Type {
		case "tool_use":
			c := a.Part(v.Index)
			c.ID, c.Name = b.ID, b.Name // its input comes in pieces
		case "text":
			a.Say([]byte(b.Text))
		case "compaction": // mostly without a content yet
			holds, _ := b.Content.(string)
			a.Compact(holds, v.Index)
		}
	case "content_block_delta":
		switch v.Delta.Type {
		case "text_delta":
			a.Say([]byte(v.Delta.Text))
		case "compaction_delta":
			a.Compact(v.Delta.Content, v.Index)
		case "input_json_delta":
			a.Append(v.Index, v.Delta.PartialJSON)
		}
	case "message":
		for _, b := range v.Content {
			switch b.Type {
			case "text":
				a.Say([]byte(b.Text))
			case "tool_use":
				a.Add(b.ID, b.Name, b.Input)
			case "compaction":
				holds, _ := b.Content.(string)
				a.Compact(holds, -1)
			}
		}
	}
}

// chatAnswer reads a chunk of a stream, or a whole completion. Of several choices the first one counts.
//
// Source: openai-go v3.94.0 chatcompletion.go.
func chatAnswer(value []byte, a *response.Answer) {
	type function struct{ Name, Arguments, Input string }
	type message struct {
		Content, Refusal string
		ToolCalls        []struct {
			Index            *int
			ID               string
			Function, Custom function
		} `json:"tool_calls"`
		FunctionCall *function `json:"function_call"` // of older servers
	}
	var v struct {
		Choices []struct {
			Index          int
			Message, Delta message
		}
	}
	if !decode(value, &v) {
		return
	}
	for _, choice := range v.Choices {
		if choice.Index != 0 {
			continue
		}
		for _, m := range []message{choice.Message, choice.Delta} {
			a.Say([]byte(m.Content))
			a.Say([]byte(m.Refusal))
			for i, t := range m.ToolCalls {
				if t.Index != nil {
					i = *t.Index
				}
				c := a.Part(i)
				setOnce(&c.ID, t.ID)
				for _, f := range []function{t.Function, t.Custom} {
					setOnce(&c.Name, f.Name)
					c.Input = append(append(c.Input, f.Arguments...), f.Input...)
				}
			}
			if f := m.FunctionCall; f != nil {
				c := a.Part(0)
				setOnce(&c.Name, f.Name)
				c.Input = append(c.Input, f.Arguments...)
			}
		}
	}
}

// responsesAnswer reads an event of a stream, or a whole response. In a stream each item comes as a whole
// when it is done.
//
// Source: openai-go v3.94.0 responses/response.go.
func responsesAnswer(value []byte, a *response.Answer) {
	type item struct {
		Type, Name string
		CallID     string `json:"call_id"`
		ID         string
		Arguments  string
		Input      json.RawMessage
		Action     json.RawMessage
		Operation  json.RawMessage
		Content    []struct{ Text, Refusal string }
		Encrypted  string `json:"encrypted_content"`
	}
	var v struct {
		Type   string
		Object string
		Item   *item
		Output []item
	}
	if !decode(value, &v) {
		return
	}
	items := v.Output
	switch {
	case v.Type == "response.output_item.done" && v.Item != nil:
		items = []item{*v.Item}
	case v.Type != "": // what other events tell comes again when the item is done
		return
	}
	for _, i := range items {
		switch {
		case i.Type == "message":
			for _, c := range i.Content {
				a.Say([]byte(c.Text))
				a.Say([]byte(c.Refusal))
			}
		case i.Type == "compaction":
			a.Compact(i.Encrypted, -1)
		case strings.HasSuffix(i.Type, "_call"):
			input := slices.Concat([]byte(i.Arguments), i.Input, i.Action, i.Operation)
			a.Add(i.CallID, i.Name, input)
		}
	}
}

// geminiAnswer reads a chunk, or a whole response. Of several candidates the first one counts. A call comes
// as a whole.
//
// Source: genai v1.77.0 types.go.
func geminiAnswer(value []byte, a *response.Answer) {
	var v struct {
		Candidates []struct {
			Index   int
			Content struct {
				Parts []struct {
					Text         string
					Thought      bool
					FunctionCall *struct {
						ID, Name string
						Args     json.RawMessage
					}
				}
			}
		}
	}
	if !decode(value, &v) {
		return
	}
	for _, c := range v.Candidates {
		if c.Index != 0 {
			continue
		}
		for _, p := range c.Content.Parts {
			switch {
			case p.FunctionCall != nil:
				f := p.FunctionCall
				a.Add(strings.TrimPrefix(f.ID, f.Name+namesCall), f.Name, f.Args)
			case !p.Thought:
				a.Say([]byte(p.Text))
			}
		}
	}
}

// converseAnswer reads an event of a stream, which has no type, or a whole response.
//
// Source: bedrockruntime v1.63.9 types.go.
func converseAnswer(value []byte, a *response.Answer) {
	var v struct {
		ContentBlockIndex int
		Start             struct {
			ToolUse *struct{ ToolUseID, Name string }
		}
		Delta struct {
			Text    string
			ToolUse *struct{ Input string }
		}
		Output struct {
			Message struct {
				Content []struct {
					Text    string
					ToolUse *struct {
						ToolUseID, Name string
						Input           json.RawMessage
					}
				}
			}
		}
	}
	if !decode(value, &v) {
		return
	}
	if t := v.Start.ToolUse; t != nil {
		c := a.Part(v.ContentBlockIndex)
		c.ID, c.Name = t.ToolUseID, t.Name
	}
	a.Say([]byte(v.Delta.Text))
	if t := v.Delta.ToolUse; t != nil {
		c := a.Part(v.ContentBlockIndex)
		c.Input = append(c.Input, t.Input...)
	}
	for _, b := range v.Output.Message.Content {
		if a.Say([]byte(b.Text)); b.ToolUse != nil {
			a.Add(b.ToolUse.ToolUseID, b.ToolUse.Name, b.ToolUse.Input)
		}
	}
}

// decode decodes a value as far as its members have the types that v has for them.
func decode(value []byte, v any) bool {
	err := json.Unmarshal(value, v)
	return err == nil || errors.As(err, new(*json.UnmarshalTypeError))
}

// setOnce sets a string that some servers send with each chunk.
func setOnce(to *string, s string) {
	if *to == "" {
		*to = s
	}
}
