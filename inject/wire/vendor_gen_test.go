package wire_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/testkit"
)

var vendors = []wire.API{wire.Anthropic, wire.Chat, wire.Responses, wire.Gemini, wire.Converse,
	wire.Interactions}

func word(w *writer, s string) func() { return func() { w.WriteString(`"` + s + `"`) } }

// vendorBody draws a request of an API, as its clients write them and as none would.
func vendorBody(t *rapid.T, api wire.API) []byte {
	w := &writer{T: t, pretty: rapid.Bool().Draw(t, "pretty")}
	members := []func(){}
	add := func(key string, value func()) { members = append(members, w.member(key, value)) }
	list := "messages"
	switch api {
	case wire.Anthropic:
		if w.dice(4) {
			add("anthropic_version", word(w, w.any("version", "vertex-2023-10-16", "bedrock-2023-05-31")))
		} else {
			add("model", word(w, w.any("model", "claude-opus-5", "claude-opus-5-5", "claude-sonnet-4-5",
				"claude-sonnet-4-6", "claude-haiku-4-5", "x")))
		}
		if w.dice(1) {
			add("system", w.vendorContent(api, false))
		}
		if w.dice(2) {
			add("thinking", func() {
				w.WriteString(w.any("thinking", `{"type":"enabled","budget_tokens":1}`, `{"type":"disabled"}`))
			})
		}
	case wire.Chat:
		add("model", word(w, w.any("model", "gpt-5.6", "gpt-4o", "qwen", "o1-mini")))
	case wire.Responses:
		list = "input"
		add("model", word(w, w.any("model", "gpt-5.6", "gpt-4o", "qwen")))
		if w.dice(1) {
			add("instructions", w.text)
		}
		if w.dice(2) {
			add("previous_response_id", func() { w.WriteString(w.any("previous", `"r"`, "null")) })
		}
	case wire.Interactions:
		list = "input"
		add("model", word(w, w.any("model", "gemini-3-pro", "x")))
		if w.dice(1) {
			add("system_instruction", w.text)
		}
		if w.dice(2) {
			add("previous_interaction_id", func() { w.WriteString(w.any("previous", `"r"`, "null")) })
		}
	case wire.Gemini:
		list = "contents"
		if w.dice(1) {
			add(w.any("prompt", "systemInstruction", "system_instruction"),
				func() { w.object(w.member("parts", w.vendorContent(api, false))) })
		}
	case wire.Converse:
		add("modelId", word(w, w.any("model", "us.anthropic.claude-haiku-4-5-20251001-v1:0",
			"amazon.nova-pro-v1:0")))
		if w.dice(1) {
			add("system", w.vendorContent(api, false))
		}
		if w.dice(2) {
			add("additionalModelRequestFields", func() { w.WriteString(`{"thinking":{"type":"enabled"}}`) })
		}
	}
	add(list, func() {
		switch {
		case (api == wire.Responses || api == wire.Interactions) && w.dice(3):
			w.text()
			return
		case api == wire.Interactions && w.dice(3):
			w.vendorContent(api, true)()
			return
		}
		var items []func()
		for range rapid.IntRange(0, 4).Draw(t, "messages") {
			items = append(items, w.vendorRound(api)...)
		}
		w.list("[", "]", items)
	})
	w.blank()
	w.object(members...)
	w.blank()
	return []byte(w.String())
}

func (w *writer) obj(members ...func()) func() { return func() { w.object(members...) } }

func (w *writer) id() string { return w.any("id", "c1", "c2", "c3") }

// vendorRound draws a message, or a call with its answer.
func (w *writer) vendorRound(api wire.API) []func() {
	msg := func(role string, content func()) func() {
		key, who := "content", "role"
		switch api {
		case wire.Gemini:
			key = "parts"
		case wire.Interactions:
			who = "type"
		}
		if w.dice(3) { // as we write it
			return func() { w.WriteString(`{"` + who + `":"` + role + `","` + key + `":`); content(); w.WriteByte('}') }
		}
		return w.obj(w.member(who, word(w, role)), w.member(key, content))
	}
	user, assistant, system := "user", "assistant", "system"
	if api == wire.Interactions {
		user, assistant, system = "user_input", "model_output", "thought"
	}
	if api == wire.Gemini {
		assistant, system = "model", "user"
	}
	if api == wire.Chat || api == wire.Responses {
		system = w.any("system", "system", "developer")
	}
	switch rapid.IntRange(0, 7).Draw(w.T, "round") {
	case 0, 1, 2:
		return []func(){msg(user, w.vendorContent(api, true))}
	case 3:
		return []func(){msg(assistant, w.vendorContent(api, false))}
	case 4:
		return []func(){msg(system, w.vendorContent(api, false))}
	case 5:
		return []func(){w.value}
	}
	id, other := w.id(), w.id()
	if w.dice(4) {
		id = other
	}
	str := func(key, value string) func() { return w.member(key, word(w, value)) }
	result := w.member("content", w.vendorContent(api, false))
	switch api {
	case wire.Chat:
		return []func(){
			w.obj(str("role", "assistant"), w.member("content", func() { w.WriteString("null") }),
				w.member("tool_calls", func() {
					w.list("[", "]", []func(){w.obj(str("id", id),
						str("type", "function"))})
				})),
			w.obj(str("role", "tool"), str("tool_call_id", id), result)}
	case wire.Responses:
		return []func(){w.obj(str("type", "function_call"), str("call_id", id), w.member("arguments", w.text)),
			w.obj(str("type", "function_call_output"), str("call_id", id),
				w.member("output", w.vendorContent(api, false)))}
	case wire.Interactions:
		return []func(){w.obj(str("type", "function_call"), str("id", id), w.member("arguments", w.value)),
			w.obj(str("type", "function_result"), str("call_id", id),
				w.member("result", w.vendorContent(api, false)))}
	case wire.Gemini:
		return []func(){msg("model", func() {
			w.list("[", "]", []func(){w.obj(w.member("functionCall", w.obj(str("name", "f"), str("id", id))))})
		}),
			msg("user", func() {
				w.list("[", "]", []func(){w.obj(w.member("functionResponse", w.obj(str("name", "f"), str("id", id),
					w.member("response", w.obj(w.member("output", w.text))))))})
			})}
	case wire.Converse:
		return []func(){msg("assistant", func() {
			w.list("[", "]",
				[]func(){w.obj(w.member("toolUse", w.obj(str("toolUseId", id))))})
		}),
			msg("user", func() {
				w.list("[", "]", []func(){w.obj(w.member("toolResult", w.obj(str("toolUseId", id),
					result)))})
			})}
	default:
		return []func(){msg("assistant", func() {
			w.list("[", "]", []func(){w.obj(str("type", w.any("use", "tool_use", "tool_use", "server_tool_use")),
				str("id", id))})
		}),
			msg("user", func() {
				w.list("[", "]", []func(){w.obj(str("type", "tool_result"), str("tool_use_id", id),
					result)})
			})}
	}
}

// vendorContent draws the content of a message, a result or a system prompt.
func (w *writer) vendorContent(api wire.API, user bool) func() {
	keyed := api == wire.Gemini || api == wire.Converse
	return func() {
		if !keyed && (api != wire.Interactions || !user) && w.dice(1) {
			w.text()
			return
		}
		var items []func()
		for range rapid.IntRange(0, 3).Draw(w.T, "blocks") {
			switch {
			case !keyed:
				items = append(items, w.block)
			case w.dice(1): // as we write it
				items = append(items, func() { w.WriteString(`{"text":`); w.text(); w.WriteByte('}') })
			default:
				items = append(items, w.obj(w.member(w.any("key", "text", "text", "image", "cachePoint"), w.text)))
			}
		}
		w.list("[", "]", items)
	}
}

func vendorOptions(t *rapid.T, api wire.API) wire.Options {
	model := rapid.SampledFrom([]string{"", "claude-opus-5", "claude-haiku-4-5", "gpt-5"}).Draw(t, "model")
	return wire.Options{API: api, Model: model, Delivery: wire.Delivery(rapid.IntRange(0, 3).Draw(t,
		"delivery")), Options: inject.Options{
		Mark: rapid.SampledFrom([]string{"", "m", "tok", `"<`}).Draw(t, "mark"),
	}}
}

// vendors holds a law against random bodies of all APIs.
func eachVendor(t interface {
	rapid.TB
	Helper()
}, law func(t *rapid.T, body []byte, due []reminder.Due, opts wire.Options)) {
	t.Helper()
	n := 5
	if testkit.Long() {
		n = 300
	}
	rapid.Check(t, func(t *rapid.T) {
		for range n {
			api := rapid.SampledFrom(vendors).Draw(t, "api")
			law(t, vendorBody(t, api), anyDue(t), vendorOptions(t, api))
		}
	})
}

func show(opts wire.Options) string {
	return fmt.Sprintf("%s %s mark %q", opts.API, opts.Delivery, opts.Mark)
}
