package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// atRest is how many bytes the heap may hold when nothing is under way.
const atRest = 16 << 20

// conversations is how many there are at once.
func conversations() int { return testkit.Repeat(50, 200) }

// TestLoad: many agents at once, through serve, at APIs that stall, cut, reset, refuse and send garbage. Each
// client gets byte for byte what its API sent, each API what its client sent, but for reminders; clients that
// leave end their requests; and nothing grows.
func TestLoad(t *testing.T) {
	took, phases := time.Duration(testkit.Repeat(200, 12_000))*time.Millisecond, testkit.Repeat(2, 4)
	if testkit.Long() {
		took, phases = 10*time.Minute, 10
	}
	l := newCrowd(t)
	heaps, routines := make([]uint64, phases), make([]int, phases)
	for i := range phases {
		l.run(took / time.Duration(phases))
		heaps[i], routines[i] = l.rest()
		if t.Failed() {
			return
		}
	}
	t.Logf("%d requests, %d of them with a reminder, %d stalls, %d clients left; status %v; heaps %d, "+
		"goroutines %d",
		l.requests.Load(), l.reminded.Load(), l.stalls.Load(), l.left.Load(), l.statuses(), heaps, routines)
	// What is kept of conversations that are over has a bound (transport.index). Ten minutes are enough to reach
	// it; from then on the heap at rest does not grow.
	first, last := phases/2, phases-1
	if heaps[last] > atRest || testkit.Long() && heaps[last] > heaps[first]/20*21 {
		t.Errorf("the heap has grown from %d to %d bytes", heaps[0], heaps[last])
	}
	if routines[last] > routines[0]+10 {
		t.Errorf("%d goroutines, then %d", routines[0], routines[last])
	}
	for reason, n := range l.passed() {
		t.Errorf("%d requests passed through: %s", n, reason)
	}
	for what, n := range map[string]int64{"reminders": l.reminded.Load(), "stalls": l.stalls.Load(),
		"clients that left": l.left.Load()} {
		if n < 10 {
			t.Errorf("only %d %s", n, what)
		}
	}
}

// crowd is the agents, the proxy, and the APIs.
type crowd struct {
	t        *testing.T
	w        *world
	store    *state.Memory
	client   *http.Transport
	base     *proxy.Base
	conns    conns
	talks    sync.Map // *talk by name
	requests atomic.Int64
	reminded atomic.Int64
	stalls   atomic.Int64
	left     atomic.Int64
	handling sync.WaitGroup

	mu      sync.Mutex
	codes   map[int]int
	reasons map[string]int
}

func newCrowd(t *testing.T) *crowd {
	l := &crowd{t: t, store: state.NewMemory(), base: proxy.NewBase(0),
		client: &http.Transport{MaxIdleConnsPerHost: conversations()},
		codes:  map[int]int{}, reasons: map[string]int{}}
	l.conns.idle = sync.NewCond(&l.conns.mu)
	up := httptest.NewUnstartedServer(http.HandlerFunc(l.api))
	up.Config.ConnState = l.conns.state
	up.Start()
	l.w = open(t, nil, proxy.Options{
		Upstreams: upstreams(t, up.URL), Store: l.store, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Transport: transport.Options{Base: l.base, Report: l.report},
	}, twenty()...)
	front := httptest.NewUnstartedServer(l.w.proxy)
	front.Config.ConnState = l.conns.state
	front.Start()
	l.w.url = front.URL
	t.Cleanup(func() {
		front.Close()
		up.Close()
		l.client.CloseIdleConnections()
		l.base.CloseIdleConnections()
	})
	return l
}

func (l *crowd) report(_ context.Context, r transport.Report) {
	if r.Passed != "" {
		l.mu.Lock()
		l.reasons[r.Passed+": "+r.Why]++
		l.mu.Unlock()
	}
}

func (l *crowd) passed() map[string]int { l.mu.Lock(); defer l.mu.Unlock(); return l.reasons }
func (l *crowd) statuses() map[int]int  { l.mu.Lock(); defer l.mu.Unlock(); return l.codes }

// run lets all agents work for a while, each to the end of a turn.
func (l *crowd) run(d time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var wg sync.WaitGroup
	for i := range conversations() {
		wg.Go(func() {
			for n := 0; (n == 0 || ctx.Err() == nil) && !l.t.Failed(); n++ {
				l.converse(ctx, i, uint64(i)<<8|uint64(n%4))
			}
		})
	}
	wg.Wait()
	l.handling.Wait() // a request whose client has left ends, too
}

// converse is one conversation, from its first prompt on. Names and words come again after a few, so that
// what is remembered of conversations has an end.
func (l *crowd) converse(ctx context.Context, i int, seed uint64) {
	c := &talk{crowd: l, api: modelapi.API(i % 5), fake: modelapi.New(modelapi.Options{Script: client.Script()})}
	c.name = fmt.Sprintf("load-%s-%x", c.api, seed)
	habits := client.Lively()
	habits.Fault = 20
	l.talks.Store(c.name, c)
	defer l.talks.Delete(c.name)
	a := client.New(c, client.Options{API: c.api, Seed: seed, Run: c.name, RunHeader: transport.RunHeader,
		Window: 8_000, Habits: habits})
	for range 8 {
		if err := a.Run(context.Background(), 2); err != nil {
			l.t.Errorf("%s: %v", c.name, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	for _, no := range c.fake.Refused() {
		if no.Answer.Refusal.Rule != "" {
			l.t.Errorf("%s: %v\n%s", c.name, no.Answer.Refusal, no.Request.Body)
		}
	}
	sent := a.Sent()
	c.leave(sent[len(sent)-1])
	runs, _ := state.AllRuns(context.Background(), l.store)
	for _, r := range runs {
		if r == c.name || strings.HasPrefix(r, c.name+"/") {
			if err := l.w.ev.Forget(context.Background(), r); err != nil {
				l.t.Error(err)
			}
		}
	}
}

// talk is a conversation as its API and its client know it.
type talk struct {
	*crowd
	name string
	api  modelapi.API
	fake *modelapi.Fake

	mu    sync.Mutex
	parts []*exchange
}

// exchange is a request and its response, as they were at the two ends.
type exchange struct {
	sent   []byte        // by the client
	begun  chan struct{} // closed when the client has read something
	leaves bool          // the client will not read on

	mu     sync.Mutex
	status int    // by the API
	said   []byte // by the API
	reset  bool
}

const loadHeader = "X-Load"

// RoundTrip sends a request of the agent through serve, and watches what comes back.
func (c *talk) RoundTrip(r *http.Request) (*http.Response, error) {
	x := &exchange{sent: client.From(r).Body, begun: make(chan struct{}), leaves: r.Header.Get("X-Leaves") != ""}
	c.mu.Lock()
	n := len(c.parts)
	c.parts = append(c.parts, x)
	c.mu.Unlock()
	out := r.Clone(r.Context())
	out.URL.Host, out.Host = strings.TrimPrefix(c.w.url, "http://"), ""
	out.Header.Set(loadHeader, fmt.Sprint(c.name, " ", n))
	c.requests.Add(1)
	res, err := c.client.RoundTrip(out)
	x.mu.Lock()
	status, reset := x.status, x.reset
	x.mu.Unlock()
	if err != nil {
		if !reset { // what a reset leaves of the answer's beginning, if anything, is a matter of time
			c.t.Errorf("%s %d: %v", c.name, n, err)
		}
		return nil, err
	}
	c.crowd.mu.Lock()
	c.codes[res.StatusCode]++
	c.crowd.mu.Unlock()
	if res.StatusCode != status && !(reset && res.StatusCode == http.StatusBadGateway) {
		c.t.Errorf("%s %d: status %d, the API said %d", c.name, n, res.StatusCode, status)
	}
	res.Body = &answer{ReadCloser: res.Body, x: x, check: res.StatusCode == status, fail: func(format string,
		args ...any) {
		c.t.Errorf("%s %d: "+format, append([]any{c.name, n}, args...)...)
	}}
	return res, nil
}

// answer is a response's body at the client.
type answer struct {
	io.ReadCloser
	x     *exchange
	got   []byte
	begun bool
	check bool
	fail  func(string, ...any)
}

func (a *answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if n > 0 && !a.begun {
		a.begun = true
		close(a.x.begun)
	}
	a.got = append(a.got, p[:n]...)
	if err == nil || !a.check {
		return n, err
	}
	a.x.mu.Lock()
	defer a.x.mu.Unlock()
	switch {
	case errors.Is(err, io.EOF) && a.x.reset:
		a.fail("an answer that broke off came as if it were whole")
	case errors.Is(err, io.EOF) && !bytes.Equal(a.got, a.x.said), !bytes.HasPrefix(a.x.said, a.got):
		a.fail("got %q, the API said %q", a.got, a.x.said)
	case !errors.Is(err, io.EOF) && !a.x.reset && !a.x.leaves:
		a.fail("%v, and the API had said all", err)
	}
	return n, err
}

// leave sends a request once more, and leaves as soon as the answer begins.
func (c *talk) leave(s *client.Sent) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	again := client.New(leaver{c, s}, client.Options{}) // only to have a request that From knows
	_ = again.Run(ctx, 1)
}

// leaver sends what s is in place of what it is given, reads a byte, and leaves.
type leaver struct {
	c *talk
	s *client.Sent
}

func (l leaver) RoundTrip(r *http.Request) (*http.Response, error) {
	gone := &http.Response{StatusCode: http.StatusForbidden, Body: http.NoBody} // the agent gives up
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	*client.From(r) = *l.s
	out, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://api.test"+l.s.Path,
		bytes.NewReader(l.s.Body))
	if err != nil {
		return nil, err
	}
	out.Header = l.s.Header.Clone()
	out.Header.Set("X-Leaves", "1")
	res, err := l.c.RoundTrip(out)
	if err == nil {
		_, _ = res.Body.Read(make([]byte, 1))
		cancel()
		_ = res.Body.Close()
		l.c.left.Add(1)
	}
	return gone, nil
}

// api is all APIs.
func (l *crowd) api(w http.ResponseWriter, r *http.Request) {
	l.handling.Add(1)
	defer l.handling.Done()
	name, at, _ := strings.Cut(r.Header.Get(loadHeader), " ")
	v, ok := l.talks.Load(name)
	n, err := strconv.Atoi(at)
	body, readErr := io.ReadAll(r.Body)
	if !ok || err != nil || readErr != nil {
		if readErr == nil {
			l.t.Errorf("a request of nobody: %q", r.Header.Get(loadHeader))
		}
		return
	}
	c := v.(*talk)
	c.mu.Lock()
	x := c.parts[n]
	c.mu.Unlock()
	if !bytes.Equal(body, x.sent) {
		l.reminded.Add(1)
		back := stripped(l.t, wireAPI(c.api), modelapi.Request{Body: body})
		if back != string(x.sent) {
			l.t.Errorf("%s %d\n sent %s\n came %s", name, n, x.sent, body)
		}
	}
	if r.Header.Get(transport.RunHeader) != "" {
		l.t.Error("the run's name was sent on")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	tee := &tee{ResponseWriter: w, r: r, x: x, crowd: l, stalls: x.leaves || (len(x.sent)+n)%4 == 0}
	x.mu.Lock()
	x.status, x.said, x.reset = 0, nil, false
	x.mu.Unlock()
	c.fake.ServeHTTP(tee, r)
	// there is more to come, for all that the client knows
	if x.leaves && tee.wrote && !x.reset && w.Header().Get("Content-Length") == "" {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

func wireAPI(a modelapi.API) wire.API {
	return [...]wire.API{wire.Anthropic, wire.Chat, wire.Responses, wire.Gemini, wire.Converse}[a]
}

// tee keeps what an API says, and lets it wait behind its first words until the client has read them.
type tee struct {
	http.ResponseWriter
	r             *http.Request
	x             *exchange
	crowd         *crowd
	stalls, wrote bool
}

func (t *tee) WriteHeader(status int) {
	t.x.mu.Lock()
	t.x.status = status
	t.x.mu.Unlock()
	t.ResponseWriter.WriteHeader(status)
}

func (t *tee) Write(b []byte) (int, error) {
	t.header()
	t.x.mu.Lock()
	t.x.said = append(t.x.said, b...)
	t.x.mu.Unlock()
	t.wrote = t.wrote || len(b) > 0
	return t.ResponseWriter.Write(b)
}

func (t *tee) header() {
	t.x.mu.Lock()
	if t.x.status == 0 {
		t.x.status = http.StatusOK
	}
	t.x.mu.Unlock()
}

func (t *tee) FlushError() error {
	t.header()
	err := http.NewResponseController(t.ResponseWriter).Flush()
	if t.stalls && t.wrote {
		t.stalls = false
		t.crowd.stalls.Add(1)
		select {
		case <-t.x.begun:
		case <-t.r.Context().Done():
		}
	}
	return err
}

func (t *tee) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	t.x.mu.Lock()
	t.x.reset = true
	t.x.mu.Unlock()
	return http.NewResponseController(t.ResponseWriter).Hijack()
}

// conns counts connections, so that a test can wait until there are none.
type conns struct {
	mu   sync.Mutex
	n    int
	idle *sync.Cond
}

func (c *conns) state(_ net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s {
	case http.StateNew:
		c.n++
	case http.StateClosed, http.StateHijacked:
		c.n--
		c.idle.Broadcast()
	}
}

// rest waits until nothing is under way, and measures.
func (l *crowd) rest() (heap uint64, routines int) {
	l.conns.mu.Lock()
	for l.conns.n > 0 {
		l.client.CloseIdleConnections()
		l.base.CloseIdleConnections()
		l.conns.idle.Wait()
	}
	l.conns.mu.Unlock()
	l.w.proxy.Settle()
	for range 1000 {
		runtime.Gosched() // goroutines that have said goodbye leave
	}
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, runtime.NumGoroutine()
}
