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

// said returns the string that a value has at a path of members, "" for none.
func said(value []byte, path ...string) string { return jsonscan.Unquote(jsonscan.In(value, path...)) }

// number returns the whole number that a value has in a member, 0 for none.
func number(value []byte, name string) int {
	n, _ := strconv.Atoi(string(jsonscan.Member(value, name)))
	return n
}

// anthropicAnswer reads an event of a stream, or a whole message. Events come by the hundred, and most hold a
// few words: only what counts of them is decoded.
//
// Source: anthropic-sdk-go v1.84.0 message.go.
func anthropicAnswer(f *body.Format, value []byte, a *response.Answer) {
	for _, e := range jsonscan.Elements(jsonscan.In(value, "context_management", "applied_edits")) {
		a.Cleared += int64(number(e, "cleared_tool_uses"))
	}
	index := number(value, "index")
	block, delta := jsonscan.Member(value, "content_block"), jsonscan.Member(value, "delta")
	switch said(value, "type") {
	case "content_block_start":
		switch said(block, "type") {
		case "tool_use":
			c := a.Part(index)
			c.ID, c.Name = said(block, "id"), said(block, "name") // its input comes in pieces
		case "text":
			a.Say([]byte(said(block, "text")))
		case "compaction": // mostly without a content yet
			a.Compact(said(block, "content"), index)
		}
	case "content_block_delta":
		switch said(delta, "type") {
		case "text_delta":
			a.Say([]byte(said(delta, "text")))
		case "compaction_delta":
			a.Compact(said(delta, "content"), index)
		case "input_json_delta":
			a.Append(index, said(delta, "partial_json"))
		}
	case "message":
		f.Answer(a, value)
	}
}

// chatAnswer reads a chunk of a stream, or a whole completion. Of several choices the first one counts.
//
// Source: openai-go v3.94.0 chatcompletion.go.
func chatAnswer(_ *body.Format, value []byte, a *response.Answer) {
	add := func(c *response.Call, function []byte) {
		c.Name = cmp.Or(c.Name, said(function, "name"))
		c.Input = append(append(c.Input, said(function, "arguments")...), said(function, "input")...)
	}
	for _, choice := range jsonscan.Elements(jsonscan.Member(value, "choices")) {
		if number(choice, "index") != 0 {
			continue
		}
		for _, name := range []string{"message", "delta"} {
			m := jsonscan.Member(choice, name)
			a.Say([]byte(said(m, "content")))
			a.Say([]byte(said(m, "refusal")))
			for i, t := range jsonscan.Elements(jsonscan.Member(m, "tool_calls")) {
				if n, err := strconv.Atoi(string(jsonscan.Member(t, "index"))); err == nil {
					i = n
				}
				c := a.Part(i)
				c.ID = cmp.Or(c.ID, said(t, "id")) // some servers send both with each chunk
				add(c, jsonscan.Member(t, "function"))
				add(c, jsonscan.Member(t, "custom"))
			}
			if f := jsonscan.Member(m, "function_call"); len(f) > 0 && f[0] == '{' { // of older servers
				add(a.Part(0), f)
			}
		}
	}
}

// responsesAnswer reads an event of a stream, or a whole response. In a stream each item comes as a whole
// when it is done, and mostly once more at the end.
//
// Source: openai-go v3.94.0 responses/response.go.
func responsesAnswer(f *body.Format, value []byte, a *response.Answer) {
	var items [][]byte
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
		items = [][]byte{jsonscan.Member(value, "item")}
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
	for _, c := range jsonscan.Elements(jsonscan.Member(value, "candidates")) {
		if number(c, "index") == 0 {
			f.Answer(a, jsonscan.Member(c, "content"))
		}
	}
}

// converseAnswer reads an event of a stream, which has no type, or a whole response.
//
// Source: bedrockruntime v1.63.9 types.go.
func converseAnswer(f *body.Format, value []byte, a *response.Answer) {
	index := number(value, "contentBlockIndex")
	if call := jsonscan.In(value, "start", "toolUse"); len(call) > 0 && call[0] == '{' {
		c := a.Part(index)
		c.ID, c.Name = said(call, "toolUseId"), said(call, "name")
	}
	a.Say([]byte(said(value, "delta", "text")))
	a.Append(index, said(value, "delta", "toolUse", "input"))
	if m := jsonscan.In(value, "output", "message"); m != nil {
		f.Answer(a, m)
	}
}

// interactionsAnswer reads an event of a stream, or a whole interaction. In a stream the arguments of a call
// come in pieces.
//
// Source: @google/genai 3.3.0 genai.d.ts, InteractionSSEEvent.
func interactionsAnswer(f *body.Format, value []byte, a *response.Answer) {
	event, index := said(value, "event_type"), number(value, "index")
	step, delta := jsonscan.Member(value, "step"), jsonscan.Member(value, "delta")
	switch kind := said(step, "type"); {
	case event == "":
		var steps [][]byte
		for _, s := range jsonscan.Elements(jsonscan.Member(value, "steps")) {
			steps = append(steps, s)
			if k := said(s, "type"); k == "user_input" || k == "function_result" { // of the request, and all before
				steps = nil
			}
		}
		f.Answer(a, steps...)
	case event == "step.start" && kind == "function_call":
		c := a.Part(index)
		if input := jsonscan.Member(step, "arguments"); string(input) != "{}" {
			c.Input = bytes.Clone(input)
		}
		c.ID, c.Name = said(step, "id"), said(step, "name")
	case event == "step.start" && kind == "model_output":
		f.Answer(a, step)
	case event == "step.delta":
		switch said(delta, "type") {
		case "text":
			a.Say([]byte(said(delta, "text")))
		case "arguments_delta":
			a.Append(index, said(delta, "arguments"))
		}
	}
}

// callItems returns the items of an answer.
func callItems(a *response.Answer) any {
	if !a.Ended {
		return nil
	}
	items := []json.RawMessage{}
	for _, i := range a.Items {
		items = append(items, i.JSON)
	}
	return items
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
