package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// request is a body of about so many bytes: tool calls and results, escapes, letters beyond ASCII.
func request(size int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"messages":[{"role":"user","content":"Do it."}`)
	for i := 0; b.Len() < size-200; i++ {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"ls -l \"dir %d\"","n":12345678901234567890}}]}`, i, i)
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":[{"type":"text","text":"%s"}]}]}`, i,
			bytes.Repeat([]byte(`func less(a, b int) bool {\n\treturn a < b // größer\n}\n`), 80))
	}
	b.WriteString(`,{"role":"user","content":"And now?"}],"model":"m"}`)
	return b.Bytes()
}

// BenchmarkAimInject puts one text into a body, and reports how often the body could have been copied meanwhile: into
// a new buffer (x/copy), which is what comes back, and into one that was there (x/pooled).
func BenchmarkAimInject(b *testing.B) {
	for _, size := range []int{1 << 10, 32 << 10, 1 << 20} {
		body := request(size)
		for name, opts := range map[string]wire.Options{"neutralising": {Options: inject.Options{Mark: "k"}}, "keeping": {Options: inject.Options{Mark: "k", KeepForged: true}}} {
			b.Run(fmt.Sprintf("%d/%s", size, name), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					if _, err := wire.Inject(body, one("a text"), opts); err != nil {
						b.Fatal(err)
					}
				}
				took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				n := max(100, b.N)
				pool := make([]byte, 0, len(body))
				b.ReportMetric(took/once(n, func() { sink = bytes.Clone(body) }), "x/copy")
				b.ReportMetric(took/once(n, func() { pool = append(pool[:0], body...) }), "x/pooled")
				b.ReportMetric(took/once(max(10, n/100), func() { json.Valid(body) }), "x/valid")
			})
		}
	}
}

var sink []byte

// once returns what one call takes, in nanoseconds.
func once(n int, f func()) float64 {
	start := time.Now()
	for range n {
		f()
	}
	return max(1, float64(time.Since(start).Nanoseconds())/float64(n))
}
