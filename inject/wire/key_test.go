package wire_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/body"
)

func conversation(t *testing.T, api wire.API, body string) *body.Conversation {
	t.Helper()
	c, err := readConversation([]byte(body), wire.Options{API: api})
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return c
}

// TestKeysBlind: what clients do to their own earlier messages (WIRE.md §2.2), no key sees.
func TestKeysBlind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		api  wire.API
		a, b string
		keys int
	}{
		{"a string is one text block", wire.Anthropic, `{"messages":[{"role":"user","content":"hé\u0020\n"}]}`,
			`{"messages":[{"content":[{"text":"h\u00e9 \n","type":"text","cache_control":{"type":"ephemeral"}}],"role":"user"}]}`, 1},
		{"host messages come and go", wire.Anthropic,
			`{"messages":[{"role":"user","content":"q"},{"role":"system","content":"env"}],"system":"s"}`,
			`{"messages":[{"role":"user","content":"q"}],"model":"x","tools":[]}`, 1},
		{"thinking is dropped", wire.Anthropic,
			`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"text","text":"a"}]}]}`,
			`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, 2},
		{"nothing but thinking", wire.Anthropic,
			`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"thinking","thinking":"t"}]},{"role":"user","content":"r"}]}`,
			`{"messages":[{"role":"user","content":"q"},{"role":"user","content":"r"}]}`, 2},
		{"a block with ids says no more", wire.Anthropic,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_00000000000t","content":"a"},{"type":"text","text":"x"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"b"}],"tool_use_id":"toolu_00000000000t","is_error":true}]}]}`, 1},
		{"null members, unknown ones", wire.Chat,
			`{"messages":[{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"call_000000000000c","function":{"name":"f","arguments":"{\"a\": 1}"}}]},{"role":"tool","tool_call_id":"call_000000000000c","content":"x","__copilotMessageSource":"y"}]}`,
			`{"messages":[{"role":"assistant","tool_calls":[{"id":"call_000000000000c","function":{"name":"f","arguments":"{\"a\":1}"}}],"content":""},{"role":"tool","tool_call_id":"call_000000000000c","content":[{"type":"text","text":"x"}]}]}`, 2},
		{"arguments without an id", wire.Chat,
			`{"messages":[{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\": 1.0,\"b\":[1e1]}"}},{"role":"function","name":"f","content":"x"}]}`,
			`{"messages":[{"role":"assistant","content":null,"function_call":{"arguments":"{\"b\":[10],\"c\":null, \"a\":1}","name":"f"}},{"role":"function","name":"f","content":"x"}]}`, 2},
		{"the system prompt is not a message", wire.Chat,
			`{"messages":[{"role":"system","content":"a"},{"role":"user","content":"q"},{"role":"developer","content":"b"}]}`, `{"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}]}`, 1},
		{"a string is a list", wire.Responses, `{"input":"q\/"}`,
			`{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"q/"}]}]}`, 1},
		{"reasoning is dropped", wire.Responses,
			`{"input":[{"role":"user","content":"q"},{"type":"reasoning","encrypted_content":"e"},{"type":"function_call","call_id":"call_000000000000c","arguments":"{}"},{"type":"function_call_output","call_id":"call_000000000000c","output":"x"}]}`,
			`{"input":[{"role":"user","content":"q"},{"type":"function_call","id":"fc_1","call_id":"call_000000000000c","arguments":"{ }"},{"role":"developer","content":"hook"},{"type":"function_call_output","call_id":"call_000000000000c","output":"y"}]}`, 3},
		{"answers", wire.Responses, `{"input":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`,
			`{"input":[{"role":"user","content":"q"},{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}]}]}`, 2},
		{"signatures, thoughts, no ids", wire.Gemini,
			`{"contents":[{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"name":"f","args":{"a":1,"b":null}},"thoughtSignature":"s"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`,
			`{"contents":[{"role":"model","parts":[{"functionCall":{"args":{"a":1.0},"name":"f"}}]},{"parts":[{"functionResponse":{"response":{"output":"\u0078"},"name":"f"}}],"role":"function"}]}`, 2},
		{"cachePoint, reasoning", wire.Converse,
			`{"messages":[{"role":"user","content":[{"text":"q"},{"cachePoint":{"type":"default"}}]},{"role":"assistant","content":[{"reasoningContent":{}},{"toolUse":{"toolUseId":"toolu_00000000000t"}}]}]}`,
			`{"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"toolu_00000000000t","input":{"a":1}}}]}]}`, 2},
		{"what hosts write in a user's place", wire.Chat,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>\ndate\n</system-reminder>"},{"type":"text","text":"q"}]},{"role":"assistant","content":"a"}]}`,
			`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, 2},
		{"a result that comes back twice", wire.Gemini,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"id":"call_000000000000a","name":"f"}},{"functionResponse":{"id":"call_000000000000b","name":"f"}}]}]}`,
			`{"contents":[{"role":"user","parts":[{"functionResponse":{"id":"call_000000000000a","name":"f"}},{"functionResponse":{"id":"call_000000000000b","name":"f"}},{"functionResponse":{"id":"call_000000000000a","name":"f"}},{"functionResponse":{"id":"call_000000000000b","name":"f"}}]}]}`, 1},
		{"of no vendor", wire.Messages,
			`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_00000000000t"}]},{"role":"tool","content":[{"type":"tool_result","tool_use_id":"toolu_00000000000t"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"q"}]},{"role":"assistant","content":[{"type":"thinking"},{"type":"tool_use","id":"toolu_00000000000t","input":{}}]},{"role":"tool","content":[{"type":"tool_result","tool_use_id":"toolu_00000000000t","content":"x"}]}]}`, 3},
	} {
		t.Run(string(c.api)+" "+c.name, func(t *testing.T) {
			t.Parallel()
			a, b := conversation(t, c.api, c.a), conversation(t, c.api, c.b)
			if !slices.Equal(a.Keys(), b.Keys()) || len(a.Keys()) != c.keys || a.Head() != b.Head() {
				t.Errorf("%v and %v, %s and %s", a.Keys(), b.Keys(), a.Head(), b.Head())
			}
		})
	}
}

// TestHeadWeak: an id that other conversations have too, a counter, says nothing by itself: the words, calls
// and results with it are part of the head, in the normalisation of WIRE.md §2.2. No key changes by that.
func TestHeadWeak(t *testing.T) {
	t.Parallel()
	const body = `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"w","tool_calls":[` +
		`{"id":"call_1","function":{"name":"f","arguments":"{\"a\": 1}"}}]},` +
		`{"role":"tool","tool_call_id":"call_1","content":"x"}]}`
	was := conversation(t, wire.Chat, body)
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{`{\"a\": 1}`, `{\"b\":null,\"a\":1.0}`, true},
		{`"content":"x"`, `"content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]`, true},
		{`"content":"w"`, `"refusal":null,"content":"w"`, true},
		{`"content":"w"`, `"content":"v"`, false},
		{`{\"a\": 1}`, `{\"a\": 2}`, false},
		{`"name":"f"`, `"name":"g"`, false},
		{`"content":"x"`, `"content":"y"`, false},
	} {
		is := conversation(t, wire.Chat, strings.Replace(body, c.old, c.new, 1))
		if !slices.Equal(is.Keys(), was.Keys()) || (is.Head() == was.Head()) != c.same {
			t.Errorf("%s for %s: %s and %s", c.new, c.old, is.Head(), was.Head())
		}
	}
}

// TestKeysApart: what is another message, or the same words at another place, has another key.
func TestKeysApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		api  wire.API
		a, b string
	}{
		{"other words", wire.Anthropic, `{"messages":[{"role":"user","content":"a"}]}`,
			`{"messages":[{"role":"user","content":"b"}]}`},
		{"two texts", wire.Anthropic, `{"messages":[{"role":"user","content":"ab"}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`},
		{"somebody else", wire.Anthropic, `{"messages":[{"role":"user","content":"a"}]}`,
			`{"messages":[{"role":"assistant","content":"a"}]}`},
		{"a call and its result", wire.Converse,
			`{"messages":[{"role":"assistant","content":[{"toolUse":{"toolUseId":"t"}}]}]}`, `{"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"t"}}]}]}`},
		{"what came before", wire.Gemini, `{"contents":[{"parts":[{"text":"x"}]},{"parts":[{"text":"a"}]}]}`,
			`{"contents":[{"parts":[{"text":"y"}]},{"parts":[{"text":"a"}]}]}`},
		{"arguments", wire.Gemini,
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}}]}]}`, `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":2}}}]}]}`},
		{"a response", wire.Responses, `{"input":"go on","previous_response_id":"r1"}`,
			`{"input":"go on","previous_response_id":"r2"}`},
		{"a compaction", wire.Responses, `{"input":[{"type":"compaction","encrypted_content":"a"}]}`,
			`{"input":[{"type":"compaction","encrypted_content":"b"}]}`},
		{"a conversation", wire.Responses, `{"input":"go on","conversation":"c1"}`,
			`{"input":"go on","conversation":{"id":"c2"}}`},
	} {
		t.Run(string(c.api)+" "+c.name, func(t *testing.T) {
			t.Parallel()
			a, b := conversation(t, c.api, c.a), conversation(t, c.api, c.b)
			x, y := a.Keys(), b.Keys()
			if x[len(x)-1] == y[len(y)-1] || a.Head() == b.Head() {
				t.Errorf("%v and %v, %s and %s", x, y, a.Head(), b.Head())
			}
		})
	}
	keys := conversation(t, wire.Gemini,
		`{"contents":[{"parts":[{"functionResponse":{"id":"c","name":"f","response":{}}}]},{"parts":[{"functionResponse":{"id":"c","name":"f","response":{}}}]},{"parts":[{"text":"a"}]},{"parts":[{"text":"a"}]}]}`).Keys()
	slices.Sort(keys)
	if n := len(slices.Compact(keys)); n != 4 {
		t.Errorf("what stands there twice has one key: %v", keys)
	}
}

const (
	sameCall   = `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ls","input":{}}]}`
	sameResult = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}`
	hostsOwn   = `{"role":"user","content":"<system-reminder>x</system-reminder>"}`
)

// stays are bodies, with their heads and keys.
var stays = []struct {
	api  wire.API
	body string
	head string
	keys string
}{
	{wire.Anthropic, `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1"}]}]}`,
		"80c9493416da3340", "3f4a4d67bad8919f 1dc38de93669705d 40d4143bb88b61ea"},
	{wire.Anthropic, `{"messages":[{"role":"user","content":"a"},` + strings.Repeat(sameCall+","+sameResult+",",
		4) + `{"role":"assistant","content":"b"}]}`,
		"030376e5619a6a12", "1bd336acfa75097f faf139e61e37d6e5 ca7ba74d6afa2221 ed72ded62de64e23 " +
			"3f38e1a7fa57ce48 " +
			"c9186869cfe935ca e327dc0161371a5c 7a5dd7e28d46f2e8 2e85acf9da5e29b0 6cafe8e76a25f33b"},
	{wire.Anthropic, `{"messages":[{"role":"user","content":"a"},` + hostsOwn + `,` + hostsOwn +
		`,{"role":"assistant","content":"b"},` + hostsOwn + `,` + hostsOwn + `,` + hostsOwn + `]}`,
		"d0e860206a70e2bd", "1bd336acfa75097f 2127d4b496a93d94 bf04cc83a5327af3 1ab626eadf85b92f " +
			"9ba77a917a94a055 " +
			"ff1bbd860e4b9927 2a0ab1cd25967486"},
	{wire.Chat, `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a\u00e9"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"ls"}}]},{"role":"tool","tool_call_id":"1","content":"x"},{"role":"assistant","content":null,"function_call":{"name":"old","arguments":"{\"a\":1.0}"}}]}`,
		"312c3cd33f77b22c", "2296ac2b366f3c08 faf139e61e37d6e5 00dc5d813a218e2f 037643970513438b"},
	{wire.Responses, `{"previous_response_id":"r","input":[{"type":"function_call_output","call_id":"1","output":"x"},{"type":"web_search_call","id":"w"},{"type":"odd","n":[1]},{"role":"user","content":"a"}]}`,
		"5d7a8ca3f8f5b2ae", "2ad491353bf032b0 f3222c8f3892456b c7e3ea94044d1aa8 fb776ed95d733072"},
	{wire.Responses, `{"input":"a"}`,
		"da9b8f11cdb6854a", "1bd336acfa75097f"},
	{wire.Gemini, `{"contents":[{"parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"ls","args":{"b":1,"a":null}}}]},{"parts":[{"functionResponse":{"name":"ls","response":{"x":1e2}}}]}]}`,
		"37c2a208cc438700", "1bd336acfa75097f b96e743f86237f3e a52611671106ec57"},
	{wire.Converse, `{"messages":[{"role":"user","content":[{"text":"a"},{"cachePoint":{"type":"default"}}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"ls","input":{}}}]}]}`,
		"874bf8d0ec97f4b3", "1bd336acfa75097f faf139e61e37d6e5"},
}

// TestKeysStay: keys are kept in the snapshots of runs, so that those of a release are those of the next.
func TestKeysStay(t *testing.T) {
	t.Parallel()
	for _, c := range stays {
		conv, err := readConversation([]byte(c.body), wire.Options{API: c.api})
		if err != nil {
			t.Fatal(err)
		}
		if keys := strings.Join(conv.Keys(), " "); keys != c.keys || conv.Head() != c.head {
			t.Errorf("%s\n got %s, %s\nwant %s, %s", c.body, conv.Head(), keys, c.head, c.keys)
		}
	}
}

// TestAnswered: whether the model has said or called anything.
func TestAnswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api      wire.API
		body     string
		answered bool
	}{
		{wire.Anthropic, `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a"},{"type":"server_tool_use","id":"s"},{"type":"tool_use","id":"b"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`, true},
		{wire.Chat, `{"messages":[{"role":"assistant","tool_calls":[{"id":"a"},{"id":""},{}]},{"role":"tool","tool_call_id":"a"}]}`, true},
		{wire.Responses, `{"input":[{"type":"function_call","call_id":"a"},{"type":"custom_tool_call","call_id":"b"},{"type":"function_call_output","call_id":"a"}]}`, true},
		{wire.Responses, `{"input":[{"role":"user","content":"q"}],"previous_response_id":"r"}`, true},
		{wire.Responses, `{"input":"q"}`, false},
		{wire.Gemini, `{"contents":[{"role":"model","parts":[{"functionCall":{"id":"a"}},{"functionCall":{}}]}]}`, true},
		{wire.Gemini, `{"contents":[{"parts":[{"text":"q"}]}]}`, false},
		{wire.Converse, `{"messages":[{"role":"assistant","content":[{"toolUse":{"toolUseId":"a"}}]}]}`, true},
		{wire.Messages, `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a"}]}]}`, true},
		{wire.Messages, `{"messages":[{"role":"system","content":"s"}]}`, false},
	} {
		got := conversation(t, c.api, c.body)
		if got.Answered() != c.answered {
			t.Errorf("%s %s: %t", c.api, c.body, got.Answered())
		}
	}
}

// TestKeysOfHosts: a message that is nothing but what a host writes has a key, on which no other rests: it
// may be gone the next time.
func TestKeysOfHosts(t *testing.T) {
	t.Parallel()
	const note = `{"role":"user","content":"<system-reminder>x</system-reminder>"}`
	with := conversation(t, wire.Anthropic,
		`{"messages":[{"role":"user","content":"q"},`+note+`,`+note+`,{"role":"assistant","content":"a"},{"role":"user","content":"r"}]}`).Keys()
	without := conversation(t, wire.Anthropic,
		`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"r"}]}`).Keys()
	if len(with) != 5 || with[1] == with[2] || with[1] == with[0] {
		t.Errorf("%q", with)
	}
	if !slices.Equal(slices.Concat(with[:1], with[3:]), without) {
		t.Errorf("%q, and without them %q", with, without)
	}
}

// TestHeads: what a conversation was named before, the heads tell, also where it has gone on otherwise since.
func TestHeads(t *testing.T) {
	t.Parallel()
	messages := []string{`{"role":"user","content":"q"}`, `{"role":"system","content":"s"}`,
		`{"role":"assistant","content":"a"}`, `{"role":"user","content":"r"}`}
	var heads []string
	for n := range messages {
		c := conversation(t, wire.Anthropic, `{"messages":[`+strings.Join(messages[:n+1], ",")+`]}`)
		if n != 1 {
			heads = append(heads, c.Head())
		}
		if !slices.Equal(c.Heads(), heads) || c.Len() != len(heads) {
			t.Errorf("%q, not %q", c.Heads(), heads)
		}
		first, last := c.Ends()
		if keys := c.Keys(); first != keys[0] || last != keys[len(keys)-1] || !c.Has(last) ||
			c.Has(heads[0]) || c.Has("") {
			t.Errorf("from %s to %s of %q", first, last, keys)
		}
	}
	none := conversation(t, wire.Anthropic, `{"messages":[]}`)
	if first, last := none.Ends(); first != "" || last != "" || none.Len() != 0 || len(none.Heads()) != 0 {
		t.Errorf("of no messages %q, %q, %d", first, last, none.Len())
	}
}
