package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// BenchmarkAimConversation is what a Transport adds to a request of a conversation of that many turns, with
// 20 rules, one of which has fired every 20 turns. "named" is a conversation whose client names it, so that
// its run keeps no earlier states; x/named says what those cost. bytes/run is how long its encoded state is.
func BenchmarkAimConversation(b *testing.B) {
	for _, turns := range []int{50, 500} {
		bodies := talk(turns + 20)
		for _, store := range []string{"memory", "disk"} {
			named := 0.0
			for _, kind := range []string{"named", "unnamed", "forked"} {
				b.Run(fmt.Sprint(turns, "/", store, "/", kind), func(b *testing.B) {
					each, size := math.MaxFloat64, 0.0
					for b.Loop() {
						us, n := converse(b, bodies, store, kind)
						each, size = min(each, us), size+n
					}
					if kind == "named" {
						named = each
					}
					b.ReportMetric(each, "µs/request")
					b.ReportMetric(each/named, "x/named")
					b.ReportMetric(size/float64(b.N), "bytes/run")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

// BenchmarkAimConversations holds 500 conversations of 50 turns with the store in memory. bytes/run is what
// each takes of the process: its state, its ledger, its earlier states, and what the Transport remembers of
// it.
func BenchmarkAimConversations(b *testing.B) {
	runs := 500
	if testing.Short() {
		runs = 50
	}
	bodies := talk(50)
	for _, kind := range []string{"named", "unnamed"} {
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				before := heap()
				h := newTalker(b, state.NewMemory())
				for i := range runs {
					name := fmt.Sprint("person ", i)
					if kind == "named" {
						h.run = name
					}
					for turn, body := range bodies {
						h.send(b, turn, bytes.Replace(body, []byte("prompt 0"), []byte(name), 1))
					}
				}
				b.ReportMetric(float64(heap()-before)/float64(runs), "bytes/run")
				runtime.KeepAlive(h)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// heap returns how many bytes live on the heap.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// talker sends requests through a Transport.
type talker struct {
	rt   *transport.Transport
	run  string // the name of the run; "": it has none
	turn int
}

// newTalker returns a talker with 20 rules, one of which fires every 20 turns.
func newTalker(b *testing.B, store state.Store) *talker {
	b.Helper()
	var rs []reminder.Reminder
	for i := range 20 {
		rs = append(rs, reminder.Reminder{ID: fmt.Sprint("r", i),
			Text:    "Run the tests before you say that it is done.",
			Trigger: fmt.Sprintf("turn_count > %d or context_usage > 99%%", i*1000)})
	}
	rs[1].Trigger, rs[1].Mode = "every 20 turns", reminder.While
	set, diags := compile.New(rs, compile.Options{})
	if diags != nil {
		b.Fatal(diags)
	}
	h := &talker{}
	h.rt = transport.New(eval.New(set, eval.Options{Store: store}), transport.Options{
		Base: client.Trip(func(r *http.Request) (*http.Response, error) {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
			answer := fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":`+
				`"answer %d"}],"usage":{"input_tokens":10,"output_tokens":5}}`, h.turn)
			return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: int64(len(answer)),
				Body: io.NopCloser(strings.NewReader(answer))}, nil
		})})
	return h
}

// send sends the body of a turn.
func (h *talker) send(b *testing.B, turn int, body []byte) {
	b.Helper()
	h.turn = turn
	r, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://api.test/v1/messages",
		bytes.NewReader(body))
	if h.run != "" {
		r.Header.Set(transport.RunHeader, h.run)
	}
	resp, err := h.rt.RoundTrip(r)
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

// converse has a conversation, and returns how long the quickest of its last 20 requests takes, in
// microseconds, and how many bytes the run takes by then.
func converse(b *testing.B, bodies [][]byte, store, kind string) (us, size float64) {
	b.Helper()
	var st state.Store = state.NewMemory()
	if store == "disk" {
		var err error
		if st, err = filestore.Open(filepath.Join(b.TempDir(), "s"),
			filestore.Options{Durability: filestore.OnSync}); err != nil {
			b.Fatal(err)
		}
	}
	h := newTalker(b, st)
	if kind == "named" {
		h.run = "run"
	}
	bodies, most := slices.Clone(bodies), len(bodies)-20
	for i, body := range bodies[:most] {
		h.send(b, i, body)
	}
	if kind == "forked" { // the person takes a message back and says another one
		for i := most / 2; i < len(bodies); i++ {
			bodies[i] = bytes.Replace(bodies[i], fmt.Appendf(nil, "prompt %d\"", most/2), []byte(`another"`), 1)
			if i < most {
				h.send(b, i, bodies[i])
			}
		}
	}
	runtime.GC()
	us = math.MaxFloat64
	for i, body := range bodies[most:] {
		begun := time.Now()
		h.send(b, most+i, body)
		us = min(us, float64(time.Since(begun).Nanoseconds())/1e3)
	}
	runs, err := state.AllRuns(b.Context(), st)
	if err != nil {
		b.Fatal(err)
	}
	for _, run := range runs {
		s, _, err := st.Load(b.Context(), run)
		if err != nil {
			b.Fatal(err)
		}
		size = max(size, float64(len(s.Encode())))
	}
	return us, size
}

// talk returns the bodies of a conversation of that many turns.
func talk(turns int) (bodies [][]byte) {
	c := chat{}
	for i := range turns {
		c = c.user(fmt.Sprint("prompt ", i))
		bodies = append(bodies, []byte(c.of(plainly)))
		c = c.says(fmt.Sprint("answer ", i))
	}
	return bodies
}
