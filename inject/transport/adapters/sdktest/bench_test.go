package sdktest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/aside-go/aside/compile/reminder"
	aside "github.com/aside-go/aside/inject/wire"
	inner "github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/request"
)

// text is put into a request, and element is the block that holds it.
const (
	text    = "The tests have not been run since the last edit."
	element = `{"type":"text","text":"<system-reminder>\n` + text + `\n</system-reminder>"}`
)

// rivals put the text behind the last block of a request that anthropic-sdk-go has written. They look for no
// tag, and know no rule about places; the copy puts nothing, and is the lower bound.
var rivals = []struct {
	name string
	put  func(body []byte) ([]byte, error)
}{
	{"copy", func(body []byte) ([]byte, error) { return append([]byte(nil), body...), nil }},
	{"aside", func(body []byte) ([]byte, error) {
		in := request.Incoming{API: aside.Anthropic, Body: body, Calls: request.Names}
		_, c, err := request.Read(in, inner.Options{Options: mark.Options{Mark: "KSYV2QF3"}})
		if err != nil {
			return nil, err
		}
		e, _ := c.Edit(nil, []reminder.Due{{Text: text}})
		return e.AppendTo(make([]byte, 0, len(body)+2*len(element))), nil
	}},
	{"gjson", func(body []byte) ([]byte, error) {
		n := gjson.GetBytes(body, "messages.#").Int()
		content := gjson.GetBytes(body, fmt.Sprintf("messages.%d.content", n-1))
		at := content.Index + len(content.Raw) - 1
		out := make([]byte, 0, len(body)+len(element)+1)
		return append(append(append(append(out, body[:at]...), ','), element...), body[at:]...), nil
	}},
	{"sjson", func(body []byte) ([]byte, error) {
		n := gjson.GetBytes(body, "messages.#").Int()
		return sjson.SetRawBytes(body, fmt.Sprintf("messages.%d.content.-1", n-1), []byte(element))
	}},
	{"anthropic-sdk-go", func(body []byte) ([]byte, error) {
		var p anthropic.MessageNewParams
		if err := json.Unmarshal(body, &p); err != nil {
			return nil, err
		}
		last := &p.Messages[len(p.Messages)-1]
		last.Content = append(last.Content, anthropic.NewTextBlock(
			"<system-reminder>\n"+text+"\n</system-reminder>"))
		return json.Marshal(p)
	}},
}

// history returns a request of about size bytes: tool calls and results, escapes, letters beyond ASCII.
func history(tb testing.TB, size int) []byte {
	tb.Helper()
	code := strings.Repeat("func less(a, b int) bool {\n\treturn a < b // größer\n}\n", 80)
	c := &claude{model: "claude-sonnet-4-6"}
	c.User("Do it.")
	for i := range max(size/len(code), 1) {
		id := fmt.Sprintf("toolu_%020d", i)
		call := anthropic.NewToolUseBlock(id, map[string]any{"command": fmt.Sprintf("ls -l \"dir %d\"", i)}, "Bash")
		c.ms = append(c.ms, anthropic.NewAssistantMessage(call))
		c.Results([]result{{ID: id, Text: code}})
	}
	body, err := json.Marshal(c.params())
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// TestRivals: each of them puts the text behind the same block, so that their times can be compared.
func TestRivals(t *testing.T) {
	t.Parallel()
	body := history(t, 10_000)
	before := gjson.GetBytes(body, "messages.@reverse.0.content.#").Int()
	for _, r := range rivals[1:] {
		out, err := r.put(body)
		if err != nil {
			t.Fatal(err)
		}
		content := gjson.GetBytes(out, "messages.@reverse.0.content").Array()
		if len(content) != int(before)+1 || !strings.Contains(content[before].Get("text").Str, text) {
			t.Errorf("%s: %d blocks of %d, the last is %s", r.name, len(content), before+1, content[len(content)-1])
		}
	}
}

// BenchmarkAimInject does what a proxy does for one turn, beside the means of others.
func BenchmarkAimInject(b *testing.B) {
	for _, size := range []int{32 << 10, 1 << 20} {
		body := history(b, size)
		for _, r := range rivals {
			b.Run(fmt.Sprintf("%d/%s", size, r.name), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					if _, err := r.put(body); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
