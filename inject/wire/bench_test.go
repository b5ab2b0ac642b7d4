package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/request"
)

// shape is how a request is written.
type shape struct {
	last bool // tools, 45 KB of them, stand behind the messages
	keys bool // "content" before "role", "text" before "type", as some SDKs write
	less bool // each line of what the tools said has a <, else there is none
}

func (s shape) String() string {
	name := "tools-first"
	if s.last {
		name = "tools-last"
	}
	if s.keys {
		name += ",sdk-keys"
	}
	if s.less {
		name += ",<"
	}
	return name
}

// requestOf returns a request of Anthropic's of so many bytes, or a little less: tool calls and results,
// escapes, letters beyond ASCII.
func requestOf(size int, s shape) []byte {
	var tools, b bytes.Buffer
	tools.WriteString(`"system":[{"type":"text","text":"Be brief."}],"tools":[`)
	for i := range min(size/2000, 64) {
		if i > 0 {
			tools.WriteByte(',')
		}
		fmt.Fprintf(&tools, `{"name":"tool%d","description":"%s","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}`, i, strings.Repeat("Does it well, or says in \\\"quotes\\\" why not. ", 14))
	}
	tools.WriteByte(']')
	line := `func more(a, b int) bool {\n\treturn a > b // größer\n}\n`
	if s.less {
		line = `func less(a, b int) bool {\n\treturn a < b // größer\n}\n`
	}
	message, text := `,{"role":"%s","content":[%s]}`, `{"type":"text","text":"%s"}`
	if s.keys {
		message, text = `,{"content":[%[2]s],"role":"%[1]s"}`, `{"text":"%s","type":"text"}`
	}
	text = fmt.Sprintf(text, strings.Repeat(line, 80))
	b.WriteString(`{"model":"claude-sonnet-4-6","max_tokens":1024,`)
	if !s.last {
		b.Write(tools.Bytes())
		b.WriteByte(',')
	}
	b.WriteString(`"messages":[{"role":"user","content":"Do it."}`)
	if s.last {
		size -= tools.Len()
	}
	for i := 0; b.Len()+len(text)+500 < size; i++ {
		fmt.Fprintf(&b, message, "assistant",
			fmt.Sprintf(`{"type":"tool_use","id":"toolu_%020d","name":"Bash","input":{"command":"ls -l \"dir %d\"","n":12345678901234567890}}`, i, i))
		fmt.Fprintf(&b, message, "user", fmt.Sprintf(`{"type":"tool_result","tool_use_id":"toolu_%020d","content":[%s]}`, i,
			text))
	}
	b.WriteByte(']')
	if s.last {
		b.WriteByte(',')
		b.Write(tools.Bytes())
	}
	b.WriteByte('}')
	return b.Bytes()
}

// BenchmarkAimInject does what a proxy does for a turn: it reads the request, and edits it so that a text is
// put, the text of the turn before is repeated, and forged tags are neutralised from the first message on. It
// reports how often the body could have been validated by encoding/json meanwhile (x/valid). The aim is 1 for
// a body of 1 MB.
func BenchmarkAimInject(b *testing.B) {
	for _, size := range []int{32 << 10, 1 << 20} {
		for _, s := range []shape{{}, {last: true, keys: true}, {less: true}} {
			body := requestOf(size, s)
			b.Run(fmt.Sprintf("%d/%v", size, s), func(b *testing.B) {
				edit(b, body)
				editWith(b, "edit-for-rules-of-calls", body, request.Everything)
				rivals(b, body)
			})
		}
	}
	b.Run("session", func(b *testing.B) {
		for _, s := range sessions(b) {
			b.Run(s.name, func(b *testing.B) { edit(b, s.body) })
		}
	})
}

// edit runs what is ours, for rules that read nothing of calls but the tools.
func edit(b *testing.B, body []byte) { editWith(b, "edit", body, request.Names) }

// editWith runs what is ours with a detail of the calls.
func editWith(b *testing.B, name string, body []byte, calls request.Detail) {
	in := request.Incoming{API: wire.Anthropic, Body: body, Calls: calls}
	opts := wire.Options{Options: inject.Options{Mark: benchMark}}
	_, c, err := request.Read(in, opts.Machine())
	if err != nil {
		b.Fatal(err)
	}
	_, before := c.Edit(nil, one("The plan has five steps."))
	due := one("The tests have not been run since the last edit.")
	buf := make([]byte, 0, 2*len(body))
	against(b, name, body, func() error {
		_, c, err := request.Read(in, opts.Machine())
		if err != nil {
			return err
		}
		e, out := c.Edit(before.Put, due)
		if len(out.Put) != 1 || len(out.Gone) != 0 {
			b.Fatal(out)
		}
		buf = e.AppendTo(buf[:0])
		return nil
	})
}

// rivals does the same with the standard library, and less: it looks for no tag, and knows no rule about
// places. Rivals of other makers are in inject/transport/adapters/sdktest.
func rivals(b *testing.B, body []byte) {
	buf := make([]byte, 0, 2*len(body))
	against(b, "copy", body, func() error { buf = append(buf[:0], body...); return nil })
	against(b, "encoding-json", body, func() (err error) { sink, err = byMap(body); return err })
}

// against runs f, and reports how often the body could have been validated meanwhile.
func against(b *testing.B, name string, body []byte, f func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(ratio(func() { _ = f() }, func() { json.Valid(body) }), "x/valid")
	})
}

// ratio returns how many times one takes what other takes: the least of many turns, which others who use the
// machine disturb the least. The two take turns.
func ratio(one, other func()) float64 {
	var best [2]float64
	for turn := range 60 {
		for i, f := range []func(){one, other} {
			n := 0
			start := time.Now()
			for n == 0 || time.Since(start) < 50*time.Microsecond {
				f()
				n++
			}
			if took := float64(time.Since(start).Nanoseconds()) / float64(n); turn == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	return best[0] / best[1]
}

var sink []byte

// benchMark is a mark as runs have it.
const benchMark = "KSYV2QF3"

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
