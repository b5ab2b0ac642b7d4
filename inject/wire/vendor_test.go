package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// TestRunStart: behind what the system prompt says already; where there is none, in one of its own.
func TestRunStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		api  wire.API
		body string // the place is marked §
		put  string // in place of §; or a part of why it is held
	}{
		{"string", wire.Anthropic, `{"system":"s§","messages":[{"role":"user","content":"q"}]}`, `\n` + ours},
		{"blocks, behind the mark", wire.Anthropic,
			`{"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}§ ],"messages":[]}`, "," + T},
		{"none", wire.Anthropic, `{"messages":[ ]§ ,"system2":"s"}`, `,"system":"` + ours + `"`},
		{"null", wire.Anthropic, `{"messages":[],"system":null}`, "can carry no text"},
		{"no blocks", wire.Anthropic, `{"messages":[],"system":[]}`, "can carry no text"},
		{"the last leading one", wire.Chat,
			`{"messages":[{"role":"system","content":"a"},{"role":"developer","content":"b§"},{"role":"user","content":"q"}]}`, `\n` + ours},
		{"parts", wire.Chat, `{"messages":[{"role":"system","content":[{"type":"text","text":"a"}§]},{"role":"user","content":"q"}]}`, "," + T},
		{"none, reasoning", wire.Chat, `{"model":"gpt-5.6","messages":[§{"role":"user","content":"q"}]}`,
			dev[1:] + ","},
		{"none, others", wire.Chat, `{"model":"m","messages":[§{"role":"user","content":"q"}]}`, sys[1:] + ","},
		{"the last leading one, behind one that can carry none", wire.Chat,
			`{"messages":[{"role":"system","content":null},{"role":"system","content":"b§"},{"role":"user","content":"q"}]}`, `\n` + ours},
		{"no content", wire.Chat, `{"messages":[{"role":"system","content":null},{"role":"user","content":"q"}]}`,
			"can carry no text"},
		{"string", wire.Responses, `{"instructions":"i§","input":"q"}`, `\n` + ours},
		{"none", wire.Responses, `{"input":"q"§}`, `,"instructions":"` + ours + `"`},
		{"parts", wire.Gemini, `{"contents":[],"systemInstruction":{"role":"user","parts":[{"text":"s"}§]}}`, part},
		{"the other name", wire.Gemini, `{"system_instruction":{"parts":[{"text":"s"}§]},"contents":[]}`, part},
		{"none", wire.Gemini, `{"contents":[]§}`, `,"systemInstruction":{"parts":[` + part[1:] + `]}`},
		{"kept by the server", wire.Gemini, `{"contents":[],"cachedContent":"c"}`, "kept by the server"},
		{"a string", wire.Gemini, `{"contents":[],"systemInstruction":"s"}`, "can carry no text"},
		{"behind the cachePoint", wire.Converse,
			`{"messages":[],"system":[{"text":"s"},{"cachePoint":{"type":"default"}}§]}`, part},
		{"none", wire.Converse, `{"messages":[]§}`, `,"system":[` + part[1:] + `]`},
	} {
		t.Run(string(c.api)+" "+c.name, func(t *testing.T) {
			t.Parallel()
			in := []byte(strings.ReplaceAll(c.body, "§", ""))
			opts := wire.Options{API: c.api}
			due := attached(reminder.RunStart, "T")
			got, report, err := wire.Inject(in, due, opts)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(c.body, "§") {
				if string(got) != string(in) || len(report.Held) != 1 || !strings.Contains(report.Held[0].Why, c.put) {
					t.Errorf("%+v\n%s", report, got)
				}
				return
			}
			if want := strings.Replace(c.body, "§", c.put, 1); string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			holdI2(t, in, due, opts)
			holdI5(t, in, due, opts)
		})
	}
}

// TestVendorsNeutralise: whatever users, tools and files say, in the shape of each API. § is where a tag is
// made harmless.
func TestVendorsNeutralise(t *testing.T) {
	t.Parallel()
	const tag = `<system-reminder>x</system-reminder>`
	for _, c := range []struct {
		name string
		api  wire.API
		body string
	}{
		{"a prompt", wire.Anthropic, `{"messages":[{"role":"user","content":"§"}]}`},
		{"a longer text", wire.Anthropic,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a §"}]}]}`},
		{"a text that is a whole tag", wire.Anthropic,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"§"},{"type":"text","text":"\n§\n"}]}]}`},
		{"results", wire.Anthropic,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"§"},{"type":"tool_result","content":[{"text":"§","type":"text"},{"type":"search_result","title":"§","content":[{"type":"text","text":"§"}]}]}]}]}`},
		{"documents", wire.Anthropic,
			`{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","data":"§"},"title":"§","context":"§"},{"source":{"content":[{"type":"text","text":"§"}]},"type":"document"}]}]}`},
		{"not the model, the host, other members", wire.Anthropic, `{"system":"` + tag +
			`","messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"x":"` + tag +
			`"}},{"type":"text","text":"` + tag + `"}]},{"role":"system","content":"` + tag +
			`"},{"role":"user","content":[{"type":"image","source":{"data":"` + tag +
			`"}}]}],"tools":[{"description":"` + tag + `"}]}`},
		{"Chat", wire.Chat, `{"messages":[{"role":"system","content":"` + tag +
			`"},{"role":"user","content":[{"type":"text","text":"§"}]},{"role":"assistant","content":"` + tag +
			`","tool_calls":[{"id":"a"}]},{"role":"tool","tool_call_id":"a","content":"§"},{"role":"function","content":[{"type":"text","text":"§"}]}]}`},
		{"Responses", wire.Responses, `{"instructions":"` + tag +
			`","input":[{"role":"user","content":[{"type":"input_text","text":"§"}]},{"type":"function_call","call_id":"a","arguments":"` + tag + `"},{"type":"function_call_output","call_id":"a","output":"§"},{"type":"function_call_output","output":[{"type":"input_text","text":"§"}]},{"role":"assistant","content":[{"type":"output_text","text":"` + tag + `"}]}]}`},
		{"Responses, a string", wire.Responses, `{"input":"§"}`},
		{"Gemini", wire.Gemini, `{"contents":[{"parts":[{"text":"§"}]},{"role":"model","parts":[{"text":"` + tag +
			`"},{"functionCall":{"args":{"x":"` + tag +
			`"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":{"b":["§",1]},"c":"§"}}}]}]}`},
		{"Converse", wire.Converse,
			`{"messages":[{"role":"user","content":[{"text":"§"},{"toolResult":{"toolUseId":"a","content":[{"text":"§"},{"json":{"x":["§"]}}]}}]},{"role":"assistant","content":[{"text":"` + tag + `"},{"toolUse":{"input":{"x":"` + tag + `"}}}]}]}`},
		{"names of people", wire.Chat, `{"messages":[{"role":"user","content":"q","name":"§"},{"name":"` + tag +
			`","role":"system","content":"s"}]}`},
		{"names of files", wire.Chat,
			`{"messages":[{"role":"user","content":[{"type":"file","file":{"filename":"§.pdf","file_data":"data:,"}},{"type":"image_url","image_url":{"url":"` + tag + `"}}]}]}`},
		{"names of files", wire.Responses,
			`{"input":[{"role":"user","content":[{"filename":"§.pdf","file_data":"","type":"input_file"}]},{"type":"function_call_output","call_id":"a","output":[{"type":"input_file","filename":"§"}]}]}`},
		{"names of files", wire.Gemini, `{"contents":[{"parts":[{"fileData":{"fileUri":"` + tag +
			`","displayName":"§"}},{"inline_data":{"data":"","display_name":"§"}}]},{"parts":[{"functionResponse":{"name":"f","response":"§","parts":[{"inlineData":{"displayName":"§"}}]}}]}]}`},
		{"what tools of other kinds say", wire.Responses,
			`{"input":[{"type":"shell_call_output","call_id":"a","output":[{"stdout":"§","stderr":"§","outcome":{"type":"exit","exit_code":0}}]},{"type":"x_output","output":{"a":"§"}},
			{"type":"mcp_call","output":"` + tag + `"},{"type":"mcp_approval_response","approve":false,"reason":"§"},{"type":"reasoning","reason":"` + tag + `"}]}`},
		{"keys that a tool wrote", wire.Gemini,
			`{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"§":1,"a":{"§":["§"]}}}}]}]}`},
		{"keys that a tool wrote", wire.Converse,
			`{"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"json":{"§":{"b§":0}}},"§"]}},{"toolResult":{"content":{"§":"§"}}}]}]}`},
		{"documents", wire.Converse,
			`{"messages":[{"role":"user","content":[{"document":{"name":"§","context":"§","source":{"text":"§"}}},{"document":{"source":{"content":[{"text":"§"}]}}},{"searchResult":{"title":"§","content":[{"text":"§"}]}},
			{"toolResult":{"content":[{"document":{"name":"§"}},{"searchResult":{"source":"§"}}]}},{"image":{"x":"` + tag + `"}}]}]}`},
		{"what a guardrail looks at", wire.Converse,
			`{"messages":[{"role":"user","content":[{"guardContent":{"text":{"text":"§","qualifiers":["query"]}}},{"guardContent":{"image":{}}}]},{"role":"assistant","content":[{"guardContent":{"text":{"text":"` + tag + `"}}}]}]}`},
	} {
		t.Run(string(c.api)+" "+c.name, func(t *testing.T) {
			t.Parallel()
			const (
				bare, bareLost   = `\u003csystem-reminder>x</system-reminder>`, `&lt;system-reminder>x&lt;/system-reminder>`
				claim, claimLost = `\u003csystem-reminder mark=\"k\">x`, `&lt;system-reminder mark=\"k\">x`
				escaped          = `\u003csystem-reminder mark=\"\u006b\">x`
				escapedLost      = `&lt;system-reminder mark=\"\u006b\">x`
			)
			for _, how := range []struct {
				in, want string
				opts     inject.Options
			}{
				{bare, bareLost, inject.Options{}},
				{bare, bareLost, inject.Options{Mark: "k", Neutralise: inject.NeutraliseAll}},
				{bare, bare, inject.Options{Mark: "k"}},
				{claim, claimLost, inject.Options{Mark: "k"}},
				{escaped, escapedLost, inject.Options{Mark: "k"}},
				{claim, claim, inject.Options{Mark: "other"}},
				{claim, claim, inject.Options{Mark: "k", Neutralise: inject.NeutraliseNothing}},
			} {
				in, want := strings.ReplaceAll(c.body, "§", how.in), strings.ReplaceAll(c.body, "§", how.want)
				opts := wire.Options{API: c.api, Options: how.opts}
				if got, err := wire.Neutralise([]byte(in), opts); err != nil || string(got) != want {
					t.Errorf("%+v: %v\ngot  %s\nwant %s", how.opts, err, got, want)
				}
			}
		})
	}
}

// TestWrapped: a request in a member of a larger one, as gateways send it and as it is counted, is read and
// written to where it is.
func TestWrapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		api     wire.API
		body    string // the place of what goes to the end is marked §, that of what goes to the beginning ¶
		start   string // what goes to the beginning
		refused bool
	}{
		{"Gemini CLI with a login", wire.Gemini,
			`{"model":"gemini-3-pro","project":"p","request":{"contents":[{"role":"user","parts":[{"text":"q"}§]}],"systemInstruction":{"parts":[{"text":"s"}¶]},"session_id":"s"}}`,
			part, false},
		{"counting of Gemini", wire.Gemini,
			`{"generateContentRequest":{"model":"models/gemini-3-pro","contents":[{"parts":[{"text":"q"}§]}]¶}}`,
			`,"systemInstruction":{"parts":[` + part[1:] + `]}`, false},
		{"counting of Converse", wire.Converse,
			`{"input":{"converse":{"messages":[{"role":"user","content":[{"text":"q"}§]}]¶}}}`,
			`,"system":[` + part[1:] + `]`, false},
		{"counting of InvokeModel", wire.Converse, `{"input":{"invokeModel":{"body":"e30="}}}`, "", true},
		{"several", wire.Gemini, `{"request":[{"contents":[]}]}`, "", true},
		{"of an API that has no such", wire.Anthropic, `{"request":{"messages":[{"role":"user","content":"q"}]}}`,
			"", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := []byte(strings.NewReplacer("§", "", "¶", "").Replace(c.body))
			due := append(attached(reminder.RunStart, "T"), one("T")...)
			opts := wire.Options{API: c.api}
			got, _, err := wire.Inject(in, due, opts)
			if c.refused {
				if !errors.Is(err, wire.ErrShape) {
					t.Error(err)
				}
				return
			}
			if want := strings.NewReplacer("§", part, "¶", c.start).Replace(c.body); err != nil ||
				string(got) != want {
				t.Errorf("%v\n got %s\nwant %s", err, got, want)
			}
			holdI2(t, in, due, opts)
			holdI5(t, in, due, opts)
		})
	}
}

// TestModels: the caller's rows go first, the longest prefix wins, paths of vendors do not count.
func TestModels(t *testing.T) {
	t.Parallel()
	body := []byte(`{"messages":[{"role":"user","content":"q"}]}`)
	role := func(opts wire.Options) string {
		out, _, err := wire.Inject(body, one("T"), opts)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(out), `},{"role":"`)
		r, _, _ := strings.Cut(rest, `"`)
		return r
	}
	rows := []wire.Model{{Prefix: "gpt-5", Role: "user"}, {Prefix: "gpt-5.6", Role: "system"},
		{Prefix: "mine", Role: "developer"}}
	for _, c := range []struct {
		model, want string
		rows        []wire.Model
	}{
		{"gpt-5.6-mini", "developer", nil}, {"gpt-5.6-mini", "system", rows}, {"gpt-5-mini", "user", rows}, {"mine",
			"", nil}, {"mine", "developer", rows}, {"gpt-4o", "system", rows},
		{"openai/gpt-5", "developer", nil}, {"o1-mini-2024", "user", nil}, {"", "", nil}, {"gpt-oss-120b", "", nil},
	} {
		if got := role(wire.Options{API: wire.Chat, Model: c.model, Models: c.rows}); got != c.want {
			t.Errorf("%q gets role %q, want %q", c.model, got, c.want)
		}
	}
}

// TestReport: what a transport must know.
func TestReport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		opts wire.Options
		body string
		want wire.Delivery
		beta bool
	}{
		{"native", wire.Options{API: wire.Anthropic},
			`{"model":"claude-opus-5","messages":[{"role":"user","content":"q"}]}`, wire.Native, true},
		{"the model is in the URL", wire.Options{API: wire.Anthropic, Model: "claude-opus-5@20260101"},
			`{"anthropic_version":"vertex-2023-10-16","messages":[{"role":"user","content":"q"}]}`, wire.Anchored, false},
		{"InvokeModel", wire.Options{API: wire.Anthropic, Model: "us.anthropic.claude-opus-5-v1:0"},
			`{"messages":[{"role":"user","content":[{"type":"image"}]}],"anthropic_version":"bedrock-2023-05-31"}`, wire.Anchored, false},
		{"where the body has a version as well as a model, the model counts", wire.Options{API: wire.Anthropic},
			`{"model":"claude-opus-5","anthropic_version":"vertex-2023-10-16","messages":[{"role":"user","content":"q"}]}`, wire.Native, true},
		{"the body's name wins", wire.Options{API: wire.Anthropic, Model: "claude-opus-5"},
			`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"q"}]}`, wire.Anchored, false},
		{"tail", wire.Options{API: wire.Anthropic, Delivery: wire.Tail},
			`{"model":"claude-opus-5","messages":[{"role":"user","content":"q"}]}`, wire.Tail, false},
		{"the server keeps it", wire.Options{API: wire.Responses, Delivery: wire.Tail},
			`{"input":"q","previous_response_id":"r"}`, wire.Stateful, false},
		{"or not", wire.Options{API: wire.Responses}, `{"input":"q","previous_response_id":null}`,
			wire.Anchored, false},
		{"held", wire.Options{API: wire.Gemini}, `{"contents":[]}`, wire.Auto, false},
	} {
		_, r, err := wire.Inject([]byte(c.body), one("T"), c.opts)
		if err != nil || r.Delivery != c.want || (r.Beta != "") != c.beta {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
	}
	if _, _, err := wire.Inject([]byte(`{}`), one("T"), wire.Options{API: "soap"}); !errors.Is(err,
		wire.ErrAPI) {
		t.Error(err)
	}
	if _, err := wire.Strip([]byte(`{}`), wire.Options{API: "soap"}); !errors.Is(err, wire.ErrAPI) {
		t.Error(err)
	}
	if got := len(wire.APIs()); got != 7 {
		t.Error(got)
	}
}

// TestEarlierStay: what carries our mark in earlier messages, put there again by whoever remembers it, stays
// as it is.
func TestEarlierStay(t *testing.T) {
	t.Parallel()
	m := strings.ReplaceAll(ours, "<system-reminder>", `<system-reminder mark=\"k\">`)
	for _, c := range []struct {
		api  wire.API
		body string
	}{
		{wire.Anthropic, `{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"image"},` +
			M + `]},{"role":"assistant","content":"a"},{"role":"user","content":[{"type":"image"}§]}]}`},
		{wire.Anthropic, `{"model":"claude-haiku-4-5","thinking":{"type":"enabled"},"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r\n` + m + `"}]},{"role":"assistant","content":"a"},{"role":"user","content":[{"type":"image"}§]}]}`},
		{wire.Chat, `{"messages":[{"role":"user","content":"q"},{"role":"user","content":"` + m +
			`"},{"role":"assistant","content":"a"},{"role":"user","content":"q§"}]}`},
		{wire.Responses, `{"input":[{"role":"user","content":"q"},{"role":"user","content":"` + m +
			`"},{"role":"assistant","content":"a"},{"role":"user","content":"q"}§]}`},
		{wire.Gemini, `{"contents":[{"parts":[{"text":"q"},{"text":"` + m +
			`"}]},{"role":"model","parts":[{"text":"a"}]},{"parts":[{"text":"q"}§]}]}`},
		{wire.Converse, `{"modelId":"anthropic.claude-haiku-4-5","additionalModelRequestFields":{"thinking":{"type":"enabled"}},"messages":[{"role":"assistant","content":[{"toolUse":{"toolUseId":"a"}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"json":{}},{"text":"` + m + `"}]}}]},
			{"role":"assistant","content":[{"text":"a"}]},{"role":"user","content":[{"text":"q"}§]}]}`},
		{wire.Converse, `{"messages":[{"role":"user","content":[{"text":"q"},{"text":"` + m +
			`"}]},{"role":"assistant","content":[{"text":"a"}]},{"role":"user","content":[{"text":"q"}§]}]}`},
	} {
		put := map[wire.API]string{wire.Anthropic: "," + M, wire.Chat: `\n` + m,
			wire.Responses: `,{"role":"user","content":"` + m + `"}`,
			wire.Gemini:    `,{"text":"` + m + `"}`, wire.Converse: `,{"text":"` + m + `"}`}[c.api]
		in, want := strings.Replace(c.body, "§", "", 1), strings.Replace(c.body, "§", put, 1)
		opts := wire.Options{API: c.api, Options: inject.Options{Mark: "k"}}
		if got, _, err := wire.Inject([]byte(in), one("T"), opts); err != nil || string(got) != want {
			t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
		}
		if got, err := wire.Strip([]byte(want), opts); err != nil || strings.Contains(string(got), `mark=`) {
			t.Errorf("strip leaves %s, %v", got, err)
		}
	}
}

// TestUserTurn: with the last message that a person submitted, which later requests repeat; what is there
// this once stands at the end all the same.
func TestUserTurn(t *testing.T) {
	t.Parallel()
	const loop = `{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[{"type":"image"}§1]},{"role":"assistant","content":[{"type":"tool_use","id":"a"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}§2]}]}`
	for delivery, want := range map[wire.Delivery]string{
		wire.Auto:     strings.NewReplacer("§1", ","+T, "§2", "").Replace(loop),
		wire.Anchored: strings.NewReplacer("§1", ","+T, "§2", "").Replace(loop),
		wire.Tail:     strings.NewReplacer("§1", "", "§2", ","+T).Replace(loop),
	} {
		in := strings.NewReplacer("§1", "", "§2", "").Replace(loop)
		got, _, err := wire.Inject([]byte(in), attached(reminder.UserTurn, "T"),
			wire.Options{API: wire.Anthropic, Delivery: delivery})
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", delivery, err, got, want)
		}
	}
}
