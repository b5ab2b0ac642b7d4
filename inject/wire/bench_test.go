package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// request is a request of Anthropic's of about so many bytes: tool calls and results, escapes, letters beyond ASCII.
// Its tools, 45 KB of them, stand before or behind the messages.
func request(size int, toolsLast bool) []byte {
	var tools, b bytes.Buffer
	tools.WriteString(`"system":[{"type":"text","text":"Be brief."}],"tools":[`)
	for i := range min(size/2000, 64) {
		if i > 0 {
			tools.WriteByte(',')
		}
		fmt.Fprintf(&tools, `{"name":"tool%d","description":"%s","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}`, i, strings.Repeat("Does it well, or says in \\\"quotes\\\" why not. ", 14))
	}
	tools.WriteByte(']')
	b.WriteString(`{"model":"claude-sonnet-4-6","max_tokens":1024,`)
	if !toolsLast {
		b.Write(tools.Bytes())
		b.WriteByte(',')
	}
	b.WriteString(`"messages":[{"role":"user","content":"Do it."}`)
	for i := 0; b.Len() < size-tools.Len(); i++ {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"ls -l \"dir %d\"","n":12345678901234567890}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":[{"type":"text","text":"%s"}]}]}`, i,
			strings.Repeat(`func less(a, b int) bool {\n\treturn a < b // größer\n}\n`, 80))
	}
	b.WriteByte(']')
	if toolsLast {
		b.WriteByte(',')
		b.Write(tools.Bytes())
	}
	b.WriteByte('}')
	return b.Bytes()
}

// BenchmarkAimInject puts one text into a body, and reports how often the body could have been copied into a buffer that
// was there meanwhile (x/copy). The aim is 3 for "splice". "neutralising" is the same with a look for forged tags at all
// of the body, "forward" with the whole body read, as it is where a tag may be forged.
func BenchmarkAimInject(b *testing.B) {
	due := one("The tests have not been run since the last edit.")
	splice := wire.Options{API: wire.Anthropic, Options: inject.Options{Mark: "k", KeepForged: true}}
	neutralising := wire.Options{API: wire.Anthropic, Options: inject.Options{Mark: "k"}}
	for _, size := range []int{32 << 10, 1 << 20} {
		for _, last := range []bool{false, true} {
			body := request(size, last)
			buf := make([]byte, 0, 2*len(body))
			for _, rival := range []struct {
				name string
				f    func() error
			}{
				{"copy", func() error { buf = append(buf[:0], body...); return nil }},
				{"splice", func() (err error) { buf, _, err = wire.AppendInject(buf[:0], body, due, splice); return err }},
				{"neutralising", func() (err error) { buf, _, err = wire.AppendInject(buf[:0], body, due, neutralising); return err }},
				{"forward", func() (err error) { sink, err = wire.Inject(body, due, neutralising); return err }},
				{"gjson", func() error { buf = byGjson(buf[:0], body); return nil }},
				{"sjson", func() (err error) { sink, err = bySjson(body); return err }},
				{"encoding-json", func() (err error) { sink, err = byMap(body); return err }},
			} {
				order := "tools-first"
				if last {
					order = "tools-last"
				}
				b.Run(fmt.Sprintf("%d/%s/%s", size, order, rival.name), func(b *testing.B) {
					b.ReportAllocs()
					b.SetBytes(int64(len(body)))
					for b.Loop() {
						if err := rival.f(); err != nil {
							b.Fatal(err)
						}
					}
					took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
					b.ReportMetric(took/once(max(200, min(b.N, 5000)), func() { buf = append(buf[:0], body...) }), "x/copy")
				})
			}
		}
	}
}

var sink []byte

const added = `{"type":"text","text":"<system-reminder mark=\"k\">\nThe tests have not been run since the last edit.\n</system-reminder>"}`

func byGjson(dst, body []byte) []byte {
	n := gjson.GetBytes(body, "messages.#").Int()
	last := gjson.GetBytes(body, fmt.Sprintf("messages.%d.content", n-1))
	at := last.Index + len(last.Raw) - 1
	return append(append(append(append(dst, body[:at]...), ','), added...), body[at:]...)
}

func bySjson(body []byte) ([]byte, error) {
	n := gjson.GetBytes(body, "messages.#").Int()
	return sjson.SetRawBytes(body, fmt.Sprintf("messages.%d.content.-1", n-1), []byte(added))
}

func byMap(body []byte) ([]byte, error) {
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	messages := m["messages"].([]any)
	last := messages[len(messages)-1].(map[string]any)
	last["content"] = append(last["content"].([]any), map[string]any{"type": "text", "text": "x"})
	return json.Marshal(m)
}

// once returns what one call takes, in nanoseconds.
func once(n int, f func()) float64 {
	start := time.Now()
	for range n {
		f()
	}
	return max(1, float64(time.Since(start).Nanoseconds())/float64(n))
}
