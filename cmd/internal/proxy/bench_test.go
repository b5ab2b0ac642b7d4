package proxy_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/inject/transport"
)

// BenchmarkAimServe is serve beside httputil.ReverseProxy, which passes the same traffic, and beside no proxy
// at all: a conversation that grows by a tool call with each request, 20 rules of which few fire, over
// loopback. The two proxies are programs of their own, as they are in use; client and API are in this one.
// Where the API answers at once, what a proxy takes is nearly all there is; models take longer than 20 ms to
// begin, and those of the vendors speak HTTP/2 over TLS. On disk means that runs are remembered in files,
// which is the default: a decision is written before its request goes out, and synced within a second.
//
// x/proxy is serve's time by that of ReverseProxy; direct-x/proxy is the lower bound. Of latency they are
// medians of requests sent one by one, in turn over each way; of throughput, eight clients at a time, each
// with a conversation of its own, and then µs-cpu-more is what serve takes of the processor beyond what
// ReverseProxy does. The first conversation of each client is not timed: a proxy that has just started has
// its memory yet to get from the system.
func BenchmarkAimServe(b *testing.B) {
	for _, row := range []struct {
		name   string
		size   int // of the first body
		events int // of the answer; 0: it is not streamed
		think  time.Duration
		setup  setup
	}{
		{"2KB", 2 << 10, 0, 0, setup{}}, {"1MB", 1 << 20, 0, 0, setup{}},
		{"2KB stream", 2 << 10, 200, 0, setup{}}, {"1MB stream", 1 << 20, 200, 0, setup{}},
		{"2KB TLS", 2 << 10, 0, 0, setup{tls: true}}, {"1MB TLS", 1 << 20, 0, 0, setup{tls: true}},
		{"2KB stream TLS", 2 << 10, 200, 0, setup{tls: true}}, {"1MB stream TLS", 1 << 20, 200, 0,
			setup{tls: true}},
		{"2KB stream after 20ms", 2 << 10, 200, 20 * time.Millisecond, setup{}}, {"1MB stream after 20ms", 1 << 20,
			200, 20 * time.Millisecond, setup{}},
		{"2KB on disk", 2 << 10, 0, 0, setup{files: true}}, {"200KB on disk", 200 << 10, 0, 0, setup{files: true}},
		{"2KB stream after 20ms on disk", 2 << 10, 200, 20 * time.Millisecond, setup{files: true}},
		{"200KB stream after 20ms on disk", 200 << 10, 200, 20 * time.Millisecond, setup{files: true}},
		{"2KB stream after 200ms on disk", 2 << 10, 200, 200 * time.Millisecond, setup{files: true}},
		{"200KB stream after 200ms on disk", 200 << 10, 200, 200 * time.Millisecond, setup{files: true}},
	} {
		b.Run(row.name+"/latency", func(b *testing.B) {
			ways := newWays(b, row.setup, quick(row.events, row.think))
			var took [3][]time.Duration
			var c *conversation
			ask := func(i int) {
				if i%requests() == 0 {
					c = newConversation(i/requests(), row.size)
				}
				body := c.next()
				for k := range ways.urls {
					way := (i + k) % len(ways.urls)
					begun := time.Now()
					ways.send(b, way, c.number, body)
					took[way] = append(took[way], time.Since(begun))
				}
			}
			i := 0
			for ; i < requests(); i++ {
				ask(i)
			}
			took = [3][]time.Duration{}
			for ; b.Loop(); i++ {
				ask(i)
			}
			compare(b, median(took[served]), median(took[passed]), median(took[direct]))
		})
		b.Run(row.name+"/throughput", func(b *testing.B) {
			ways := newWays(b, row.setup, quick(row.events, row.think))
			const together = 8
			var took [3]time.Duration
			ask := func(i int) {
				for k := range ways.urls {
					way := (i + k) % len(ways.urls)
					var clients [together]*conversation
					for n := range clients {
						clients[n] = newConversation(i*together+n, row.size)
					}
					begun := time.Now()
					var wg sync.WaitGroup
					for _, c := range clients {
						wg.Go(func() {
							for range requests() {
								ways.send(b, way, c.number, c.next())
							}
						})
					}
					wg.Wait()
					took[way] += time.Since(begun)
				}
			}
			ask(0)
			took = [3]time.Duration{}
			for i := 1; b.Loop(); i++ {
				ask(i)
			}
			conversations := time.Duration(together * requests())
			n := time.Duration(b.N) * conversations
			compare(b, took[served]/n, took[passed]/n, took[direct]/n)
			n += conversations // the programs have counted from their start
			b.ReportMetric(float64((ways.served.end(b)-ways.passed.end(b))/n)/1e3, "µs-cpu-more/request")
		})
	}
}

// compare reports times of a request.
func compare(b *testing.B, served, passed, direct time.Duration) {
	b.ReportMetric(float64(served)/float64(passed), "x/proxy")
	b.ReportMetric(float64(direct)/float64(passed), "direct-x/proxy")
	b.ReportMetric(float64(served.Microseconds()), "µs/request")
	b.ReportMetric(0, "ns/op") // of all ways together: it says nothing
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// The ways to the API.
const (
	direct = iota
	passed
	served
)

// setup is what else differs between the rows.
type setup struct {
	tls   bool // and HTTP/2
	files bool // runs are remembered in files, as they are by default; else in memory
}

type ways struct {
	urls   [3]string
	served *program
	passed *program
	client *http.Client
}

func newWays(b *testing.B, s setup, api http.Handler) *ways {
	b.Helper()
	up := httptest.NewUnstartedServer(api)
	t := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true, WriteBufferSize: 32 << 10,
		ReadBufferSize: 32 << 10, ForceAttemptHTTP2: s.tls}
	if s.tls {
		up.EnableHTTP2 = true
		up.StartTLS()
		t.TLSClientConfig = up.Client().Transport.(*http.Transport).TLSClientConfig
		trust(b, up.Certificate())
	} else {
		up.Start()
	}
	b.Cleanup(up.Close)
	b.Cleanup(t.CloseIdleConnections)
	if s.files {
		b.Setenv(stateVariable, b.TempDir())
	}
	w := &ways{served: start(b, served, up.URL), passed: start(b, passed, up.URL),
		client: &http.Client{Transport: t}}
	w.urls = [3]string{direct: up.URL, passed: w.passed.url, served: w.served.url}
	return w
}

// send sends a request of a conversation over a way. Each conversation is a run of its own.
func (w *ways) send(b *testing.B, way, conversation int, body []byte) {
	r, err := http.NewRequest(http.MethodPost, w.urls[way]+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Api-Key", "key")
	r.Header.Set(transport.RunHeader, fmt.Sprint("run-", conversation))
	res, err := w.client.Do(r)
	if err != nil {
		b.Error(err)
		return
	}
	defer res.Body.Close()
	got, err := io.Copy(io.Discard, res.Body)
	if way == passed && errors.Is(err, io.ErrUnexpectedEOF) {
		return // the rival cuts an answer now and then
	}
	if err != nil || res.StatusCode != http.StatusOK || got == 0 {
		b.Error(way, res.StatusCode, got, err)
	}
}

// quick answers after it has thought.
func quick(events int, think time.Duration) http.HandlerFunc {
	const usage = `"usage":{"input_tokens":1000,"output_tokens":200}`
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if think > 0 {
			<-time.After(think)
		}
		if events == 0 {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[{"type":"text","text":%q}],"stop_reason":"end_turn",%s}`, strings.Repeat("word ", 200), usage)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		rc := http.NewResponseController(w)
		say := func(name, data string) {
			fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,%s}\n\n", name, name, data)
			_ = rc.Flush()
		}
		say("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant",`+
			`"model":"claude-opus-5","content":[],`+usage+`}`)
		say("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`)
		for range events - 5 {
			say("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":" a few words more"}`)
		}
		say("content_block_stop", `"index":0`)
		say("message_delta", `"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":200}`)
		say("message_stop", `"x":0`)
	}
}

// conversation is what a client says: it begins with a task of its own, and grows by a tool call with each
// request.
type conversation struct {
	number int
	result string // of each call
	calls  int
	body   []byte // without its end
	asked  bool   // there was a request
}

// requests is how many requests a conversation has.
func requests() int {
	if testing.Short() {
		return 3
	}
	return 24
}

// newConversation returns a conversation whose first request has about so many bytes.
func newConversation(number, size int) *conversation {
	result := strings.Repeat(`if err != nil {\n\treturn fmt.Errorf(\"reading %s: %w\", name, err)\n}\n`,
		32)[:min(2200, size/2)]
	c := &conversation{number: number, result: strings.TrimRight(result, `\`)}
	c.body = make([]byte, 0, size+(requests()+1)*(len(c.result)+512)) // so that it does not move
	c.body = fmt.Appendf(c.body,
		`{"model":"claude-opus-5","max_tokens":1000,"stream":true,`+
			`"messages":[{"role":"user","content":"do task %d"}`, number)
	for len(c.body) < size-len(c.result) {
		c.call()
	}
	return c
}

func (c *conversation) call() {
	c.calls++
	id := fmt.Sprintf("toolu_%010d%010d", c.number, c.calls)
	c.body = fmt.Appendf(c.body,
		`,{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Read",`+
			`"input":{"path":"main.go"}}]}`, id)
	c.body = fmt.Appendf(c.body,
		`,{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"%s"}]}`, id, c.result)
}

// next returns the body of the next request. It holds until the one after it is asked for.
func (c *conversation) next() []byte {
	if c.asked {
		c.call()
	}
	c.asked = true
	return append(c.body, `]}`...)
}
