package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/client"
)

// BenchmarkRoundTrip is what a Transport adds to a request of a run with 20 rules and some texts in its
// history, apart from the network: each turn has one call more, and the body is of about the size that is
// named.
func BenchmarkRoundTrip(b *testing.B) {
	for _, size := range []int{2 << 10, 32 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size>>10, "KB"), func(b *testing.B) {
			var rs []reminder.Reminder
			for i := range 20 {
				rs = append(rs, reminder.Reminder{ID: fmt.Sprint("r", i),
					Trigger: fmt.Sprintf("turn_count > %d or context_usage > 99%%",
						i*10), Text: "A reminder of about twenty words, as people write them: run the tests before " +
						"you say that " +
						"it is done."})
			}
			set, diags := compile.New(rs, compile.Options{})
			if diags != nil {
				b.Fatal(diags)
			}
			bodies := conversation(size, 16)
			answer := `{"id":"m","type":"message","role":"assistant",` +
				`"content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":10,"output_tokens":5}}`
			rt := transport.New(eval.New(set, eval.Options{}), transport.Options{
				Base: client.Trip(func(r *http.Request) (*http.Response, error) {
					_, _ = io.Copy(io.Discard, r.Body)
					_ = r.Body.Close()
					return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: int64(len(answer)),
						Body: io.NopCloser(strings.NewReader(answer))}, nil
				})})
			ctx := context.Background()
			b.SetBytes(int64(len(bodies[0])))
			b.ReportAllocs()
			run := 0
			for i := 0; b.Loop(); i++ {
				if i%len(bodies) == 0 {
					run++
				}
				r, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://api.test/v1/messages",
					bytes.NewReader(bodies[i%len(bodies)]))
				r.Header.Set(transport.RunHeader, fmt.Sprint(run))
				resp, err := rt.RoundTrip(r)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
}

// conversation returns the bodies of n turns, the first of about so many bytes.
func conversation(size, n int) (bodies [][]byte) {
	c := chat{}.user("do it")
	result := strings.Repeat(`if err != nil {\n\treturn fmt.Errorf(\"reading %s: %w\", name, err)\n}\n`,
		34)[:min(2400, size/2)]
	id := 0
	call := func() {
		id++
		c = append(c, fmt.Appendf(nil, `{"role":"assistant","content":[{"type":"tool_use",`+
			`"id":"toolu_%020d","name":"T%d","input":{"path":"main.go"}}]}`, id, id%40))
		c = append(c, fmt.Appendf(nil, `{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"toolu_%020d","content":"%s"}]}`, id, strings.TrimRight(result, `\`)))
	}
	for held := 0; held < size; held += len(result) + 250 {
		call()
	}
	for range n {
		bodies = append(bodies, []byte(c.of(plainly)))
		call()
	}
	return bodies
}
