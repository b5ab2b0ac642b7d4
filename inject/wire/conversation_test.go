package wire_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
)

const (
	mark    = `<system-reminder mark=\"k\">\nT\n</system-reminder>`
	markU   = `<system-reminder mark=\"k\">\nU\n</system-reminder>`
	user    = `{"role":"user","content":"q"}`
	answer  = `{"role":"assistant","content":"a"}`
	use     = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]}`
	result  = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}`
	scoped  = `{"role":"system","clear_at":"next_user_message","content":"` + mark + `"}`
	scopedU = `{"role":"system","clear_at":"next_user_message","content":"` + markU + `"}`
	opus5   = `{"model":"claude-opus-5","messages":[`
	sonnet  = `{"model":"claude-sonnet-4-6","messages":[`
)

func dueAt(a reminder.Attach, texts ...string) (due []reminder.Due) {
	for _, t := range texts {
		due = append(due, reminder.Due{ID: strings.ToLower(t), Text: t, Attach: a})
	}
	return due
}

func readConversation(b []byte, opts wire.Options) (*body.Conversation, error) {
	d, err := api.Read(opts.API, b)
	if err != nil {
		return nil, err
	}
	return body.NewConversation(d, opts.Machine()), nil
}

// compose returns the body that Edit makes.
func compose(c *body.Conversation, past []body.Insertion, due []reminder.Due) ([]byte, body.Copy) {
	e, out := c.Edit(past, due)
	return e.AppendTo(nil), out
}

func composed(t *testing.T, opts wire.Options, body string, past []body.Insertion,
	due []reminder.Due) (string, body.Copy) {
	t.Helper()
	opts.Mark = "k"
	c, err := readConversation([]byte(body), opts)
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	out, got := compose(c, past, due)
	if gone := c.Gone(past); !slices.Equal(gone, got.Gone) {
		t.Errorf("Gone says %v, Edit %v", gone, got.Gone)
	}
	return string(out), got
}

// TestI4Places: a text goes out at § of the first body, and stands at § of the second, as it did.
func TestI4Places(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		api      wire.API
		delivery wire.Delivery
		attach   reminder.Attach
		put      string
		a, b     string
	}{
		{"native", wire.Anthropic, wire.Auto, reminder.Tail, "," + scoped, opus5 + user + "§]}", opus5 + user +
			"§," + answer + "," + user + "]}"},
		{"behind a result", wire.Anthropic, wire.Auto, reminder.UserTurn, "," + scoped, opus5 + user + "," + use +
			"," + result + "§]}", opus5 + user + "," + use + "," + result + "§," + answer + "," + user + "]}"},
		{"anchored, behind the host's", wire.Anthropic, wire.Anchored, reminder.Tail,
			`,{"role":"system","content":"` + mark + `"}`,
			opus5 + user + `,{"role":"system","content":[{"type":"text","text":"env","cache_control":{"type":"ephemeral"}}]}§]}`, opus5 + user + `,{"role":"system","content":"env"}§,` + answer + "," + user + `,{"role":"system","content":"env"}]}`},
		{"the host's own is gone", wire.Anthropic, wire.Anchored, reminder.Tail,
			`,{"role":"system","content":"` + mark + `"}`,
			opus5 + user + `,{"role":"system","content":"env"}§]}`, opus5 + user + `§,` + answer + "," + user + `]}`},
		{"the host has two now", wire.Anthropic, wire.Auto, reminder.Tail, "," + scoped,
			opus5 + user + `,{"role":"system","content":"env"}§]}`, opus5 + user +
				`,{"role":"system","content":"env"}§,{"role":"system","content":"more"},` + answer + "," + user + `]}`},
		{"proof enough", wire.Anthropic, wire.Auto, reminder.Tail, `,{"role":"system","content":"` + mark + `"}`,
			sonnet + user + `,{"role":"system","content":"env"}§]}`,
			sonnet + user + `,{"role":"system","content":"env"}§,` + answer + "," + user + `]}`},
		{"a block, and a string", wire.Anthropic, wire.Auto, reminder.Tail, `,{"type":"text","text":"` + mark +
			`"}`, sonnet + `{"role":"user","content":[{"type":"text","text":"q","cache_control":null}§]}]}`,
			sonnet + `{"role":"user","content":[{"text":"q","type":"text"}§]},` + answer + "," + user + `]}`},
		{"in a result", wire.Anthropic, wire.Auto, reminder.Tail, `\n` + mark,
			`{"model":"claude-haiku-4-5","thinking":{},"messages":[` + user + "," + use +
				`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok§"}]}]}`,
			`{"model":"claude-haiku-4-5","thinking":{},"messages":[` + user + "," + use +
				`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok§"}]},` + answer + "," +
				user + `]}`},
		{"in a result, of another model", wire.Anthropic, wire.Auto, reminder.Tail, `\n` + mark,
			`{"model":"claude-haiku-4-5","thinking":{},"messages":[` + user + "," + use +
				`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok§"}]}]}`,
			opus5 + user + "," + use +
				`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok§"}]},` + answer + "," +
				user + `]}`},
		{"the prompt", wire.Anthropic, wire.Auto, reminder.RunStart, `\n` + mark, `{"system":"s§","messages":[` +
			user + `]}`, `{"messages":[` + user + "," + answer + "," + user + `],"system":"s§"}`},
		{"the prompt is made", wire.Anthropic, wire.Auto, reminder.RunStart, `,"system":"` + mark + `"`,
			`{"messages":[` + user + `]§}`, `{"messages":[` + user + "," + answer + "," + user +
				`]§,"model":"claude-opus-5"}`},
		{"a message", wire.Chat, wire.Auto, reminder.Tail, `,{"role":"developer","content":"` + mark + `"}`,
			`{"model":"gpt-5.6","messages":[` + user + `§]}`, `{"model":"gpt-5.6","messages":[` + user + `§,` +
				answer + `,` + user + `]}`},
		{"behind the host's at the beginning", wire.Chat, wire.Auto, reminder.Tail, `,{"role":"developer","content":"` +
			mark + `"}`, `{"model":"gpt-5.6","messages":[{"role":"system","content":"s"}§]}`, `{"model":"gpt-5.6","messages":[{"role":"system","content":"s"}§,` + answer + `,` + user + `]}`},
		{"in the last result", wire.Chat, wire.Auto, reminder.Tail, `\n` + mark,
			`{"messages":[` + user + `,{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}]},{"role":"tool","tool_call_id":"a","content":"r"},{"role":"tool","tool_call_id":"b","content":"r§"}]}`,
			`{"messages":[` + user + `,{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}]},{"role":"tool","tool_call_id":"a","content":"r"},{"role":"tool","tool_call_id":"b","content":"r§"},` + answer + `]}`},
		{"in the person's text", wire.Chat, wire.Auto, reminder.Tail, `\n` + mark,
			`{"messages":[{"role":"user","content":"q§"}]}`,
			`{"messages":[{"role":"user","content":"q§"},` + answer + `,{"role":"user","content":"q"}]}`},
		{"the prompt is a message", wire.Chat, wire.Auto, reminder.RunStart, `{"role":"system","content":"` + mark +
			`"},`, `{"messages":[§` + user + `]}`, `{"messages":[§` + user + `,` + answer + `,` + user + `]}`},
		{"outputs mixed with hooks", wire.Responses, wire.Auto, reminder.Tail,
			`,{"role":"user","content":"` + mark + `"}`,
			`{"input":[` + user + `,{"type":"function_call","call_id":"a"},{"type":"function_call","call_id":"b"},{"type":"function_call_output","call_id":"a","output":""},{"role":"developer","content":"h"},{"type":"function_call_output","call_id":"b","output":""},{"role":"developer","content":"h"}§]}`,
			`{"input":[` + user + `,{"type":"function_call","call_id":"a"},{"type":"function_call","call_id":"b"},{"type":"function_call_output","call_id":"a","output":""},{"role":"developer","content":"h"},{"type":"function_call_output","call_id":"b","output":""},{"role":"developer","content":"h"}§,` + answer + `]}`},
		{"after a response", wire.Gemini, wire.Auto, reminder.Tail, `,{"role":"user","parts":[{"text":"` + mark +
			`"}]}`, `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}§]}`,
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"s"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}§,{"role":"model","parts":[{"text":"a"}]}]}`},
		{"a part", wire.Gemini, wire.Auto, reminder.UserTurn, `,{"text":"` + mark + `"}`,
			`{"contents":[{"parts":[{"text":"q"}§]}]}`, `{"contents":[{"parts":[{"text":"q"}§],"role":"user"},{"role":"model","parts":[{"text":"a"}]},{"parts":[{"text":"q"}]}]}`},
		{"behind the cachePoint", wire.Converse, wire.Auto, reminder.Tail, `,{"text":"` + mark + `"}`,
			`{"messages":[{"role":"user","content":[{"text":"q"},{"cachePoint":{}}§]}]}`,
			`{"messages":[{"role":"user","content":[{"text":"q"}§]},{"role":"assistant","content":[{"text":"a"}]},{"role":"user","content":[{"text":"q"}]}]}`},
	} {
		t.Run(string(c.api)+" "+c.name, func(t *testing.T) {
			t.Parallel()
			opts := wire.Options{API: c.api, Delivery: c.delivery}
			a, b := strings.ReplaceAll(c.a, "§", ""), strings.ReplaceAll(c.b, "§", "")
			out, got := composed(t, opts, a, nil, dueAt(c.attach, "T"))
			if want := strings.Replace(c.a, "§", c.put, 1); out != want || len(got.Put) != 1 ||
				!slices.Equal(got.Put[0].IDs, []string{"t"}) || got.Put[0].API != c.api {
				t.Fatalf("got  %s\nwant %s\n%+v", out, want, got)
			}
			beta := got.Beta
			out, got = composed(t, opts, b, got.Put, nil)
			if want := strings.Replace(c.b, "§", c.put, 1); out != want || len(got.Gone) > 0 || got.Put != nil ||
				got.Beta != beta {
				t.Errorf("got  %s\nwant %s\n%+v", out, want, got)
			}
			if back, err := wire.Strip([]byte(out), wire.Options{API: c.api,
				Options: inject.Options{Mark: "k"}}); err != nil || string(back) != b {
				t.Errorf("I2: %v: %s", err, back)
			}
		})
	}
}

// TestComposeOrder: what was put stands before what is put, and nothing goes in front of what the model has
// said.
func TestComposeOrder(t *testing.T) {
	t.Parallel()
	const both = `{"type":"text","text":"` + mark + `"},{"type":"text","text":"` + markU + `"}`
	for _, c := range []struct {
		name   string
		opts   wire.Options
		first  string
		attach reminder.Attach // of the second
		body   string
		want   string
	}{
		{"blocks of a string", wire.Options{API: wire.Anthropic}, sonnet + user + "]}", reminder.Tail,
			sonnet + user + "]}", sonnet + `{"role":"user","content":[{"type":"text","text":"q"},` + both + `]}]}`},
		{"blocks of an array", wire.Options{API: wire.Anthropic}, sonnet + user + "]}", reminder.UserTurn,
			sonnet + `{"role":"user","content":[{"type":"text","text":"q"}]}]}`, sonnet +
				`{"role":"user","content":[{"type":"text","text":"q"},` + both + ` ]}]}`},
		{"messages", wire.Options{API: wire.Anthropic}, opus5 + user + "]}", reminder.Tail, opus5 + user + "]}",
			opus5 + user + "," + scoped + "," + scopedU + "]}"},
		{"the turn is answered", wire.Options{API: wire.Anthropic}, opus5 + user + "]}", reminder.UserTurn,
			opus5 + user + "," + use + "," + result + "]}", opus5 + user + "," + scoped + "," + use + "," + result +
				"," + scopedU + "]}"},
		{"the run has begun", wire.Options{API: wire.Anthropic}, opus5 + user + "]}", reminder.RunStart,
			opus5 + user + "," + answer + "," + user + "]}", opus5 + user + "," + scoped + "," + answer + "," + user +
				"," + scopedU + "]}"},
		{"tail", wire.Options{API: wire.Anthropic, Delivery: wire.Tail}, sonnet + user + "]}", reminder.RunStart,
			sonnet + user + "]}", sonnet +
				`{"role":"user","content":[{"type":"text","text":"q"},{"type":"text","text":"` + markU + `"}]}]}`},
		{"a prompt that is a message", wire.Options{API: wire.Chat}, `{"messages":[` + user + "]}",
			reminder.RunStart, `{"messages":[` + user + "]}", `{"messages":[{"role":"system","content":"` + mark +
				`\n\n` + markU + `"},` + user + "]}"},
		{"a lone string", wire.Options{API: wire.Responses}, `{"input":"q"}`, reminder.Tail, `{"input":"q"}`,
			`{"input":[` + user + `,{"role":"user","content":"` + mark + `"},{"role":"user","content":"` +
				markU + `"}]}`},
		{"a lone string that is a list now", wire.Options{API: wire.Responses}, `{"input":"q"}`, reminder.Tail,
			`{"input":[` + user + `,` + answer + `,` + user + `]}`,
			`{"input":[` + user + `,{"role":"user","content":"` + mark + `"},` + answer + `,` + user +
				`,{"role":"user","content":"` + markU + `"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			first := reminder.Tail
			if strings.Contains(c.name, "prompt") {
				first = reminder.RunStart
			}
			_, got := composed(t, c.opts, c.first, nil, dueAt(first, "T"))
			if len(got.Put) == 0 != (c.opts.Delivery == wire.Tail) {
				t.Fatalf("%+v", got)
			}
			if out, got := composed(t, c.opts, c.body, got.Put, dueAt(c.attach, "U")); out != c.want {
				t.Errorf("got  %s\nwant %s\n%+v", out, c.want, got)
			}
		})
	}
}

// TestComposeOne: texts for one place are one Put, in the order in which they are due; what says nothing is
// none.
func TestComposeOne(t *testing.T) {
	t.Parallel()
	due := append(dueAt(reminder.UserTurn, "T", " ", "<system-reminder> </system-reminder>"),
		dueAt(reminder.Tail, "U")...)
	due = append(due, dueAt(reminder.RunStart, "S")...)
	out, got := composed(t, wire.Options{API: wire.Anthropic}, opus5+user+"]}", nil, due)
	want := opus5 + user + `,{"role":"system","clear_at":"next_user_message","content":"` + mark + `\n\n` +
		markU + `"}],"system":"` + strings.Replace(mark, "T", "S", 1) + `"}`
	if out != want || len(got.Put) != 2 || got.Put[0].Shape != body.ShapePrompt || !slices.Equal(got.Put[1].IDs,
		[]string{"t", "u"}) || len(got.Put[1].Texts) != 2 || !got.Put[1].Lapses {
		t.Errorf("got  %s\nwant %s\n%+v", out, want, got.Put)
	}
}

// TestGone: what cannot stand where it stood, and why.
func TestGone(t *testing.T) {
	t.Parallel()
	anthropic := wire.Options{API: wire.Anthropic}
	sys := func(m, body string) string { return strings.Replace(body, "claude-opus-5", m, 1) }
	for _, c := range []struct {
		name string
		opts wire.Options
		a, b string
		why  string
	}{
		{"compacted", anthropic, opus5 + user + "]}", opus5 + `{"role":"user","content":"summary"}]}`,
			"not there any more"},
		{"interrupted", anthropic, opus5 + user + "]}", opus5 + user + "," + user + "]}", "something else follows"},
		{"another model", anthropic, opus5 + user + "]}", sys("claude-sonnet-4-6",
			opus5+user+","+answer+","+user+"]}"), "that lapse"},
		{"another platform", anthropic, opus5 + user + "]}",
			`{"anthropic_version":"vertex-2023-10-16","messages":[` + user + "," + answer + "," + user +
				"]}", "that lapse"},
		{"another model, anchored", wire.Options{API: wire.Anthropic, Delivery: wire.Anchored}, opus5 + user + "]}",
			sys("claude-sonnet-5", opus5+user+","+answer+","+user+"]}"), "in mid-conversation"},
		{"empty content", anthropic, sonnet + `{"role":"user","content":[{"type":"image"}]}]}`,
			sonnet + `{"role":"user","content":[]}]}`, "can carry a text"},
		{"no content", anthropic, sonnet + use + "," + result + "]}", sonnet + use + "," +
			`{"role":"user","content":null}]}`, "not there any more"},
		{"half a round", anthropic, sonnet + use + "," + result + "]}", sonnet + strings.Replace(use, "[",
			`[{"type":"tool_use","id":"t2"},`, 1) + "," + result + "]}", "between a tool call"},
		{"half a round of messages", wire.Options{API: wire.Chat},
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"a"}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"a"},{"id":"b"}]},{"role":"tool","tool_call_id":"a","content":"x"},{"role":"tool","tool_call_id":"b","content":"x"}]}`, "between a tool call"},
		{"half a round of items", wire.Options{API: wire.Responses},
			`{"input":[{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a"}]}`,
			`{"input":[{"type":"function_call","call_id":"a"},{"type":"function_call","call_id":"b"},{"type":"function_call_output","call_id":"a"},{"type":"function_call_output","call_id":"b"}]}`, "between a tool call"},
		{"a model that takes the host only at the beginning", wire.Options{API: wire.Chat},
			`{"model":"gpt-5.6","messages":[` + user + `]}`, `{"model":"qwen3","messages":[` + user + `,` + answer +
				`,` + user + `]}`, "in mid-conversation"},
		{"a server tool goes on", anthropic, sonnet + use + "," + result + "]}", sonnet + strings.Replace(use, "[",
			`[{"type":"server_tool_use","id":"s"},`, 1) + "," + result + "]}", "tool of the API's own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, got := composed(t, c.opts, c.a, nil, dueAt(reminder.Tail, "T"))
			if len(got.Put) != 1 {
				t.Fatalf("%+v", got)
			}
			out, got := composed(t, c.opts, c.b, got.Put, nil)
			if out != c.b || len(got.Gone) != 1 || !strings.Contains(got.Gone[0].Why, c.why) {
				t.Errorf("%+v\n%s", got.Gone, out)
			}
		})
	}
	put := func(api wire.API, anchor string, shape body.Shape, role string) body.Insertion {
		return body.Insertion{API: api, Anchor: anchor, Shape: shape, Role: role, Texts: []string{"x"},
			IDs: []string{"x"}}
	}
	key := conversation(t, wire.Anthropic, opus5+user+"]}").Keys()[0]
	past := []body.Insertion{put(wire.Chat, key, body.ShapeBlock, ""),
		put(wire.Anthropic, key, body.ShapeMessage, "user"), put(wire.Anthropic, "", body.ShapeBlock, ""),
		put(wire.Anthropic, key, "", ""), put(wire.Anthropic, key, body.ShapeText, ""),
		put(wire.Anthropic, "x", body.ShapeBlock, ""), put("", key, body.ShapeBlock, ""),
		put(wire.Anthropic, "", body.ShapeMessage, "system"),
		{API: wire.Anthropic, Anchor: key, Shape: body.ShapeBlock}}
	if _, got := composed(t, anthropic, opus5+user+"]}", past, nil); len(got.Gone) != len(past)-1 {
		t.Errorf("what nobody puts: %+v", got.Gone)
	}
}

// TestGonePrompt: the system prompt takes its texts in any form that can carry them.
func TestGonePrompt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api  wire.API
		a, b string
		why  string
	}{
		{wire.Anthropic, `{"system":"s","messages":[` + user + `]}`, `{"system":null,"messages":[` + user + `]}`,
			"can carry no text"},
		{wire.Gemini, `{"contents":[{"parts":[{"text":"q"}]}]}`,
			`{"contents":[{"parts":[{"text":"q"}]}],"cachedContent":"c"}`, "kept by the server"},
		{wire.Anthropic, `{"system":"s","messages":[` + user + `]}`,
			`{"system":[{"type":"text","text":"s"}],"messages":[` + user + `]}`, ""},
		{wire.Anthropic, `{"system":"s","messages":[` + user + `]}`,
			`{"messages":[{"role":"user","content":"compacted"}]}`, ""},
		{wire.Responses, `{"instructions":"s","input":"q"}`,
			`{"instructions":"s","input":"r","previous_response_id":"r1"}`, ""},
		{wire.Converse, `{"messages":[{"role":"user","content":[{"text":"q"}]}]}`,
			`{"system":[{"text":"s"}],"messages":[{"role":"user","content":[{"text":"q"}]}]}`, ""},
	} {
		_, got := composed(t, wire.Options{API: c.api}, c.a, nil, dueAt(reminder.RunStart, "T"))
		out, got := composed(t, wire.Options{API: c.api}, c.b, got.Put, nil)
		if ok := len(got.Gone) == 0; ok != (c.why == "") || ok != strings.Contains(out, mark) || !ok &&
			!strings.Contains(got.Gone[0].Why, c.why) {
			t.Errorf("%+v: %s", got.Gone, out)
		}
	}
}
