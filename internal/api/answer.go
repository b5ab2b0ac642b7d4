package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/jsonscan"
	"github.com/aside-go/aside/internal/response"
)

// anthropicAnswer reads an event of a stream, or a whole message. Events come by the hundred, and most hold a
// few words: only what counts of them is decoded.
//
// Source: anthropic-sdk-go v1.84.0 message.go.
func anthropicAnswer(f *body.Format, value []byte, a *response.Answer) {
	var kind string
	var index int
	var block, delta []byte
	event := jsonscan.Of(value)
	for key, raw := range event.Members() {
		switch string(key) {
		case "type":
			kind = jsonscan.Unquote(raw)
		case "index":
			index, _ = strconv.Atoi(string(raw))
		case "content_block":
			block = raw
		case "delta":
			delta = raw
		case "context_management":
			var managed struct {
				AppliedEdits []struct {
					ClearedToolUses int64 `json:"cleared_tool_uses"`
				} `json:"applied_edits"`
			}
			decode(raw, &managed)
			for _, e := range managed.AppliedEdits {
				a.Cleared += e.ClearedToolUses
			}
		}
	}
	text := func(name string) string { return jsonscan.Unquote(jsonscan.Member(delta, name)) }
	switch {
	case event.Bad():
	case kind == "content_block_start":
		var b struct {
			Type, Text, ID, Name string
			Content              any
		}
		decode(block, &b)
		switch b.Type {
		case "tool_use":
			c := a.Part(index)
			c.ID, c.Name = b.ID, b.Name // its input comes in pieces
		case "text":
			a.Say([]byte(b.Text))
		case "compaction": // mostly without a content yet
			holds, _ := b.Content.(string)
			a.Compact(holds, index)
		}
	case kind == "content_block_delta":
		switch text("type") {
		case "text_delta":
			a.Say([]byte(text("text")))
		case "compaction_delta":
			a.Compact(text("content"), index)
		case "input_json_delta":
			a.Append(index, text("partial_json"))
		}
	case kind == "message":
		f.Answer(a, value)
	}
}

// chatAnswer reads a chunk of a stream, or a whole completion. Of several choices the first one counts.
//
// Source: openai-go v3.94.0 chatcompletion.go.
func chatAnswer(_ *body.Format, value []byte, a *response.Answer) {
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
	for _, choice := range jsonscan.Elements(jsonscan.Member(value, "choices")) {
		if i, err := strconv.Atoi(string(jsonscan.Member(choice, "index"))); err == nil && i != 0 {
			continue
		}
		for _, name := range []string{"message", "delta"} {
			var m message
			decode(jsonscan.Member(choice, name), &m)
			a.Say([]byte(m.Content))
			a.Say([]byte(m.Refusal))
			for i, t := range m.ToolCalls {
				if t.Index != nil {
					i = *t.Index
				}
				c := a.Part(i)
				c.ID = cmp.Or(c.ID, t.ID) // some servers send both with each chunk
				for _, f := range []function{t.Function, t.Custom} {
					c.Name = cmp.Or(c.Name, f.Name)
					c.Input = append(append(c.Input, f.Arguments...), f.Input...)
				}
			}
			if f := m.FunctionCall; f != nil {
				c := a.Part(0)
				c.Name = cmp.Or(c.Name, f.Name)
				c.Input = append(c.Input, f.Arguments...)
			}
		}
	}
}

// responsesAnswer reads an event of a stream, or a whole response. In a stream each item comes as a whole
// when it is done, and mostly once more at the end.
//
// Source: openai-go v3.94.0 responses/response.go.
func responsesAnswer(f *body.Format, value []byte, a *response.Answer) {
	var items []json.RawMessage
	output := func(holder []byte) (ended bool) {
		list := jsonscan.Member(holder, "output")
		for _, i := range jsonscan.Elements(list) {
			items = append(items, i)
		}
		return len(list) > 0 && list[0] == '['
	}
	ended := false
	switch jsonscan.Unquote(jsonscan.Member(value, "type")) {
	case "":
		ended = output(value)
	case "response.output_item.done":
		items = []json.RawMessage{jsonscan.Member(value, "item")}
	case "response.completed", "response.incomplete":
		ended = true
		if output(jsonscan.Member(value, "response")); len(items) > 0 {
			*a = response.Answer{}
		}
	default: // what other events tell comes again when the item is done
		return
	}
	for _, i := range items {
		if len(i) > 0 && i[0] == '{' {
			a.Keep(response.Item{ID: jsonscan.Unquote(jsonscan.Member(i, "id")), JSON: bytes.Clone(i)})
		}
	}
	f.Answer(a, items...)
	if ended {
		a.End()
	}
}

// geminiAnswer reads a chunk, or a whole response. Of several candidates the first one counts. A call comes
// as a whole.
//
// Source: genai v1.77.0 types.go.
func geminiAnswer(f *body.Format, value []byte, a *response.Answer) {
	var v struct {
		Candidates []struct {
			Index   int
			Content json.RawMessage
		}
	}
	if !decode(value, &v) {
		return
	}
	for _, c := range v.Candidates {
		if c.Index == 0 {
			f.Answer(a, c.Content)
		}
	}
}

// converseAnswer reads an event of a stream, which has no type, or a whole response.
//
// Source: bedrockruntime v1.63.9 types.go.
func converseAnswer(f *body.Format, value []byte, a *response.Answer) {
	var v struct {
		ContentBlockIndex int
		Start             struct {
			ToolUse *struct{ ToolUseID, Name string }
		}
		Delta struct {
			Text    string
			ToolUse *struct{ Input string }
		}
		Output struct{ Message json.RawMessage }
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
	if len(v.Output.Message) > 0 {
		f.Answer(a, v.Output.Message)
	}
}

// callItems returns the items of an answer, in an array.
func callItems(a *response.Answer) []byte {
	if !a.Ended {
		return nil
	}
	items := []json.RawMessage{}
	for _, i := range a.Items {
		items = append(items, i.JSON)
	}
	b, _ := jsonscan.Encode(items) // it is made of valid JSON
	return b
}

// callMessage returns a message of Anthropic's with the calls of an answer, in an array.
func callMessage(a *response.Answer) []byte {
	b, _ := json.Marshal([]object{{"role": "assistant", "content": callList(a, "tool_use", "input")}})
	return b
}

// callSteps returns the steps of an interaction that are the calls of an answer, in an array.
func callSteps(a *response.Answer) []byte {
	b, _ := json.Marshal(callList(a, "function_call", "arguments"))
	return b
}

// callList returns the calls of an answer as objects of a type, all made of valid JSON. input is the name of
// the member for the input, which is an empty object where it is no JSON.
func callList(a *response.Answer, kind, input string) []object {
	list := []object{}
	for _, c := range a.Tools() {
		in := json.RawMessage(c.Input)
		if !json.Valid(in) {
			in = json.RawMessage("{}")
		}
		list = append(list, object{"type": kind, "id": c.ID, "name": c.Name, input: in})
	}
	return list
}

// decode decodes a value as far as its members have the types that v has for them.
func decode(value []byte, v any) bool {
	err := json.Unmarshal(value, v)
	return err == nil || errors.As(err, new(*json.UnmarshalTypeError))
}
